"""`/settings/close/`: what closing the account takes away and what stays, and the form that does it."""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.debug import sensitive_variables

from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Audit, Player
from arena.web.guests import Visitor, account_of, person_of, visitor_of
from arena.web.people import account_closing
from arena.web.people.account_forms import ClosingForm
from arena.web.people.accounts import LOGINS
from arena.web.views import page, view
from arena.web.words import spoken

CLOSED = gettext_noop("Your account is closed. You are a new visitor now.")
FORGOTTEN = gettext_noop("The arena has forgotten you. You are a new visitor now.")


@view("GET", "POST", rows=True)
@sensitive_variables("form")
async def close_account(request: HttpRequest, host: Host | None) -> HttpResponse:
    """For an account or a guest. Whoever presses twice reads the answer to the second press, about nobody."""
    visitor = await visitor_of(request)
    if visitor.account is None and visitor.player is None:
        if request.method != "POST":
            return HttpResponseRedirect("/settings/")
        return _gone(request, FORGOTTEN)
    user = None if visitor.account is None else await account_of(request)
    player = await _player_of(visitor, user)
    form = ClosingForm(user, player.name, request.POST if request.method == "POST" else None)
    if form.is_bound:
        LOGINS.check(request)
        if await sync_to_async(form.is_valid)() and await _closed(host, player, form):
            await sync_to_async(logout)(request)
            return _gone(request, CLOSED if user else FORGOTTEN)
    context = {"form": form, "player": player, **await sync_to_async(_consequences)(player, user)}
    return await page(request, "arena/settings_close.html", context, 422 if form.errors else 200)


def _gone(request: HttpRequest, words: str) -> HttpResponse:
    messages.success(request, _(words))
    return HttpResponseRedirect("/")


async def _player_of(visitor: Visitor, user: User | None) -> Player:
    if user is not None:
        return await sync_to_async(person_of)(user)
    return await Player.objects.aget(pk=visitor.player or 0)


async def _closed(host: Host | None, player: Player, form: ClosingForm) -> bool:
    """Whether it is closed; if not, the form says why."""
    try:
        await account_closing.close(host, player, lambda: Audit.objects.note(player, account_closing.ACT, player))
    except Refusal as refusal:
        form.add_error(None, spoken(refusal.sentence))
    return not form.errors


def _consequences(player: Player, user: User | None) -> dict[str, Any]:
    """What the page says before it happens: `last` if nobody else could run the arena."""
    account = user.pk if user is not None else None
    bots = account_closing.bots_of(account).order_by("player__name").values_list("player__name", flat=True)
    entered = account_closing.entries_of(player).values_list("tournament__name", flat=True)
    organised = account_closing.organised_by(account).values_list("name", flat=True)
    return {
        "account": user is not None,
        "last": user is not None and account_closing.is_last_administrator(user),
        "playing": account_closing.matches_of(player).values("match").distinct().count(),
        "bots": ", ".join(bots),
        "entered": ", ".join(sorted(set(entered))),
        "organised": ", ".join(sorted(organised)),
    }
