"""Accounts: sign up and keep the name, log in, log out, a new password by a code from staff.

A guest who signs up stays the same player, so the matches stay theirs. A guest who logs in becomes the player of that
account; what they played as a guest stays under the guest's name, because anyone at a shared machine could
otherwise take over what somebody else has played there.
"""

from __future__ import annotations

import math
from typing import Any
from urllib.parse import urlencode

from asgiref.sync import sync_to_async
from axes.helpers import get_cool_off
from axes.utils import reset
from django.contrib import messages
from django.contrib.auth import authenticate, get_user_model, logout
from django.contrib.auth import login as begin_session
from django.contrib.auth.hashers import make_password
from django.contrib.auth.signals import user_logged_in
from django.db import IntegrityError, transaction
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.debug import sensitive_variables

from arena.common.limits import counted_as
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import OneTimeCode, Player, Seat
from arena.tournaments import naming
from arena.web import guests, open_sockets
from arena.web.guests import NAME, PLAYER, Visitor, person_of, visitor_of
from arena.web.limits import Limit
from arena.web.people.account_forms import (
    CodeForm,
    LoginForm,
    SignupForm,
    check_password,
    is_taken,
    taken_words,
    username_of,
)
from arena.web.people.codes import digest
from arena.web.views import error_page, page, view

User = get_user_model()
BACKEND = "django.contrib.auth.backends.ModelBackend"
NO_MATCH = gettext_noop("Name and password do not match.")
NO_CODE = gettext_noop("Name and code do not match, or the code has been used, or it is older than a day.")
WELCOME = gettext_noop(
    "Welcome, {name}. {kept} You can now play "
    '<a href="/r/new/">rated matches</a>, add <a href="/bots/new/">bots of your own</a> and solve '
    '<a href="/puzzles/">puzzles with a rating</a>.'
)
KEPT = gettext_noop("Your matches are kept under this name.")
RENAMED = gettext_noop("Your matches come with you, and those so far keep your old name.")
# The limit over all names: axes counts each name separately.
LOGINS = Limit("attempts to log in", 40, 1 / 3)
SIGNUPS = Limit("new accounts", 40, 1 / 60)  # a class signs up in one minute


# -- pages -------------------------------------------------------------------------------------------------------------


@view("GET", "POST", rows=True)
@sensitive_variables("form")
async def login(request: HttpRequest, host: Host | None) -> HttpResponse:
    visitor, onward = await visitor_of(request), local_next(request)
    if visitor.account is not None:
        return HttpResponseRedirect(onward)
    form = LoginForm(request.POST if request.method == "POST" else None)
    if form.is_bound:
        LOGINS.check(request)
        assert host is not None, "forms are sent to the host"
        check_not_playing(host, visitor)
        if form.is_valid():
            if await _logged_in(request, form):
                return HttpResponseRedirect(onward)
            form.add_error(None, _(NO_MATCH))
    context = {"form": form, "next": onward, "guest": await _guest(visitor), "signup": _with_next("/signup/", onward)}
    return await page(request, "arena/login.html", context, 422 if form.errors else 200)


@view("GET", "POST", hosted=False)
@sensitive_variables("form")
async def signup(request: HttpRequest) -> HttpResponse:
    visitor, onward = await visitor_of(request), local_next(request)
    if visitor.account is not None:
        return HttpResponseRedirect(onward)
    guest = await _guest(visitor)
    keep = await Player.objects.filter(pk=guest["player"]).afirst() if guest else None
    form = SignupForm(request.POST if request.method == "POST" else None, keep=keep, initial={"name": visitor.name})
    if form.is_bound:
        SIGNUPS.check(request)
        if await sync_to_async(form.is_valid)() and await _signed_up(request, form, keep):
            return HttpResponseRedirect(onward)
    context = {"form": form, "next": onward, "guest": guest, "login": _with_next("/login/", onward)}
    return await page(request, "arena/signup.html", context, 422 if form.errors else 200)


@view("POST", hosted=False)
async def log_out(request: HttpRequest) -> HttpResponse:
    """The session ends, and with it the websockets of its pages. A guest stays the same guest."""
    if (await visitor_of(request)).account is not None:
        key = request.session.session_key
        await sync_to_async(logout)(request)
        open_sockets.logged_out(key)
    return HttpResponseRedirect("/")


@view("GET", "POST", rows=True)
@sensitive_variables("form")
async def code(request: HttpRequest, host: Host | None) -> HttpResponse:
    """A new password for a person who has a code from staff."""
    form = CodeForm(request.POST if request.method == "POST" else None)
    if form.is_bound:
        LOGINS.check(request)
        assert host is not None, "forms are sent to the host"
        check_not_playing(host, await visitor_of(request))
        if form.is_valid() and (user := await sync_to_async(_used_code)(form)) is not None:
            await _begin(request, user)
            open_sockets.password_changed(user.pk, request.session.session_key)
            return HttpResponseRedirect("/")
    return await page(request, "arena/login_code.html", {"form": form}, 422 if form.errors else 200)


def locked_out(request: HttpRequest, response: HttpResponse | None = None, credentials: Any = None) -> HttpResponse:
    """The answer of axes, on our page and in the admin: too many wrong passwords for this name from this address."""
    cool_off = get_cool_off(request)
    minutes = math.ceil(cool_off.total_seconds() / 60) if cool_off else 0
    words = _("Too many wrong passwords for this name from here. Try again in {n} minutes, or ask staff for a code.")
    answer = error_page(request, 429, words.format(n=minutes), _("Too many attempts"))
    answer["Retry-After"] = str(minutes * 60)
    return answer


def counted_address(request: HttpRequest) -> str:
    """The address that axes counts: as everywhere here, a /64 for IPv6. Proxies have been resolved already."""
    return counted_as(request.META.get("REMOTE_ADDR") or "").partition("/")[0] or "0.0.0.0"


def counted_name(request: HttpRequest, credentials: dict[str, str] | None = None) -> str | None:
    """The name that axes counts, cut to the longest that an account may have: it stores the name as it was typed."""
    typed = (credentials or request.POST).get("username")
    return typed and typed[: User._meta.get_field("username").max_length]


# -- what they do ------------------------------------------------------------------------------------------------------


@receiver(user_logged_in)
def _become(sender: Any, request: HttpRequest, user: Any, **more: Any) -> None:
    """On any login, the session's player becomes that of the account."""
    player = person_of(user)
    request.session[PLAYER], request.session[NAME] = player.pk, player.name


async def _logged_in(request: HttpRequest, form: LoginForm) -> bool:
    username = await sync_to_async(form.username)()
    password = form.cleaned_data["password"]
    user = await sync_to_async(authenticate)(request, username=username, password=password)
    if user is None:
        return False
    await _begin(request, user)
    return True


async def _begin(request: HttpRequest, user: Any) -> None:
    """Take a new session key, so that an earlier one proves nothing any more."""
    before = request.session.session_key
    await sync_to_async(begin_session)(request, user, backend=BACKEND)
    open_sockets.logged_in(before)


async def _signed_up(request: HttpRequest, form: SignupForm, keep: Player | None) -> bool:
    name = form.cleaned_data["name"]
    try:
        user, is_kept = await sync_to_async(_new_account)(name, form.cleaned_data["password"], keep)
    except IntegrityError:  # somebody else was faster
        form.add_error("name", await sync_to_async(taken_words)(name, keep))
        return False
    if keep is not None:
        open_sockets.signed_up(keep.pk, request.session.session_key)
    await _begin(request, user)
    kept = RENAMED if keep is not None and is_kept and keep.name != name else KEPT
    messages.success(request, format_html(_(WELCOME), name=name, kept=_(kept)))
    return True


def _new_account(name: str, password: str, keep: Player | None) -> tuple[Any, bool]:
    """The account, and whether it has the guest's player: another browser of the guest may have been faster."""
    return _stored_account(name, make_password(password), keep)  # slow: in a transaction nobody else could write


@transaction.atomic
def _stored_account(name: str, password: str, keep: Player | None) -> tuple[Any, bool]:
    if is_taken(name, keep):
        raise IntegrityError(name)
    user = User.objects.create(username=Player.slug_of(name), password=password)
    own = {"kind": Player.Kind.PERSON, "name": name, "slug": Player.slug_of(name), "user": user}
    if keep is not None and Player.objects.filter(pk=keep.pk, kind=Player.Kind.GUEST).update(**own):
        naming.renamed(keep.pk, name)
        return user, True
    Player.objects.create(**own)
    return user, False


def _used_code(form: CodeForm) -> Any:
    """The account with this code, with its new password; else None, and the form says why."""
    said = form.cleaned_data
    user = User.objects.filter(username=username_of(said["name"]), is_active=True).first()
    kept = OneTimeCode.objects.filter(user=user, code_sha256=digest(said["code"]), expires__gt=timezone.now())
    if user is None or not kept.exists():
        form.add_error(None, _(NO_CODE))
        return None
    check_password(form, "password", user)
    if form.errors:
        return None
    user.password = make_password(said["password"])  # outside of the transaction, as above
    with transaction.atomic():
        if not kept.delete()[0]:  # used meanwhile
            form.add_error(None, _(NO_CODE))
            return None
        user.save(update_fields=["password"])
    reset(username=user.get_username())
    return user


# -- helpers -----------------------------------------------------------------------------------------------------------


def local_next(request: HttpRequest) -> str:
    """Where `next` leads, if that is on this site; else home."""
    wanted = request.POST.get("next") or request.GET.get("next") or "/"
    ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if ours and wanted.startswith("/") and wanted.isprintable() else "/"


def check_not_playing(host: Host, visitor: Visitor) -> None:
    """A guest who logs in leaves the guest's seat behind. Raises Refusal while a match runs on it."""
    for live in host.hub.running() if visitor.player is not None else ():
        if guests.audience_of(live, visitor.player):
            words = _("You are playing as {name}. Finish or resign that match, then log in; or sign up and keep it.")
            raise Refusal("playing", words.format(name=visitor.name))


async def _guest(visitor: Visitor) -> dict[str, Any] | None:
    """The guest's name and matches, for "keep the name"; None for a visitor who has not played."""
    if visitor.player is None or not await Player.objects.filter(pk=visitor.player, kind=Player.Kind.GUEST).aexists():
        return None
    matches = await Seat.objects.filter(player=visitor.player, match__started__isnull=False).acount()
    return {"player": visitor.player, "name": visitor.name, "matches": matches}


def _with_next(address: str, onward: str) -> str:
    return address if onward == "/" else f"{address}?{urlencode({'next': onward})}"
