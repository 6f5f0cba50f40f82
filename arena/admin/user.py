"""Accounts in the admin: Django's own page, and a code for setting a new password if the old one is forgotten.

The right to change accounts covers those of players. Anyone who could also appoint staff, join a group or set the
password of somebody with more rights would have every right: that is for superusers.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminSplitDateTime
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import DateTimeField, QuerySet
from django.forms import CheckboxSelectMultiple
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from arena.admin import known
from arena.admin.acting import Acting, Action, on_loop
from arena.admin.record import Record
from arena.admin.rights import TickedRights
from arena.admin.searching import Searched
from arena.bots.session import tokens
from arena.models import AccessToken, Audit, Bot, OneTimeCode, Player
from arena.web import open_sockets
from arena.web.match.staff import record
from arena.web.people.codes import digest, new_code

KEPT = timedelta(days=1)
MOST_TOKENS = 12
# Why a bot is disabled whose owner is locked.
OWNER_LOCKED = "the account of its owner is locked"
# The fields that make somebody staff and give them rights.
RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")

admin.site.unregister([User, Group])


def may_touch(request: HttpRequest, user: User | None) -> bool:
    """Only superusers may change accounts of staff; None stands for any other account."""
    return request.user.is_superuser or user is None or not (user.is_staff or user.is_superuser)


class DateAndTime(AdminSplitDateTime):
    """Both fields have names for screen readers, which Django's lack."""

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs)
        for widget, name in zip(self.widgets, ("Date", "Time"), strict=True):
            widget.attrs["aria-label"] = name


def _record(request: HttpRequest, kind: str, row: Any, form: Any, change: bool) -> None:
    """The audit records what changed, but never a password."""
    told = [name for name in form.changed_data if "password" not in name]
    before = {name: _in_words(form.initial.get(name)) for name in told} if change else {}
    after = {name: _in_words(form.cleaned_data[name]) for name in told}
    record(request.user, f"{kind} {'changed' if change else 'added'}", row, before=before, after=after)


def _end_sockets(account: int, why: str, but: str = "", code: int = open_sockets.LOGGED_OUT) -> None:
    """Once it is stored: a page that connects again at once must find out."""

    async def end() -> None:
        open_sockets.end(open_sockets.SocketsEnd(code, why, account=account, but=but))

    transaction.on_commit(lambda: on_loop(end), robust=True)


def _look_again(account: int) -> None:
    """A websocket looks up the rights of its reader only once: their pages connect again."""
    _end_sockets(account, "rights were changed", code=open_sockets.AGAIN)


async def _bots_follow(account: int, is_active: bool) -> None:
    """The bots of a locked account do not play, and come back with it; those disabled before do not."""
    change = tokens.enable if is_active else partial(tokens.disable, why=OWNER_LOCKED)
    mine = {"owner": account, "enabled": not is_active, **({"why_disabled": OWNER_LOCKED} if is_active else {})}
    for bot in [bot async for bot in Bot.objects.filter(**mine).select_related("player")]:
        await change(bot)


def _in_words(value: Any) -> str:
    """Groups and rights by their names."""
    many = isinstance(value, (list, QuerySet))
    return ", ".join(getattr(each, "codename", str(each)) for each in value) if many else str(value)


@admin.register(User)
class AccountAdmin(Searched, UserAdmin):  # type: ignore[type-arg]  # generic in its stubs only
    finds = ("username",)
    parts = ("username", "email", "first_name", "last_name")
    actions = ("make_code",)
    # Boxes to tick: Django's two lists with arrows use ARIA in ways that are not allowed.
    filter_horizontal = ()
    formfield_overrides: ClassVar[dict[Any, Any]] = {DateTimeField: {"widget": DateAndTime}}

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **more: Any) -> Any:
        widgets = {"groups": CheckboxSelectMultiple(), "user_permissions": TickedRights()}
        return super().formfield_for_manytomany(db_field, request, widget=widgets[db_field.name], **more)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Accounts are locked here, or closed on the page of the player, which knows of matches, events and bots."""
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        fixed = (*super().get_readonly_fields(request, obj), "player")
        return fixed if request.user.is_superuser else (*fixed, *RIGHTS)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """The password is a button that changes it, shown only to people who may."""
        shown = super().get_fieldsets(request, obj)
        if obj is None:
            return shown
        (title, first), *others = shown
        password = ("password",) if self.has_change_permission(request, obj) else ()
        return [(title, {**first, "fields": ("username", "player", *password)}), *others]

    @admin.display(description="player")
    def player(self, user: User) -> str:
        found = Player.objects.filter(user=user.pk, kind=Player.Kind.PERSON).first()
        if found is None:
            return "none"
        page = known.page_of("player", found.pk)
        return format_html('<a href="{}">{}</a>, whose page renames the account or closes it', page, found)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        _record(request, "account", obj, form, change)
        if not obj.is_active:
            _end_sockets(obj.pk, "the account was locked")
        elif change and not set(RIGHTS).isdisjoint(form.changed_data):
            _look_again(obj.pk)
        if change and "is_active" in form.changed_data:
            transaction.on_commit(lambda: on_loop(lambda: _bots_follow(obj.pk, obj.is_active)), robust=True)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """With a new password the account is logged out everywhere, except where staff change their own."""
        answer = super().user_change_password(request, id, form_url)
        if isinstance(answer, HttpResponseRedirect):
            _end_sockets(int(id), "the password was changed", request.session.session_key or "")
        return answer

    @admin.action(description="Make a code for a new password", permissions=["change"])
    def make_code(self, request: HttpRequest, chosen: QuerySet[User]) -> HttpResponse | None:
        """One at a time, because it is shown only once. For an account of staff only superusers may make one."""
        if chosen.count() != 1:
            self.message_user(request, "Choose one account: its code is shown once.", messages.WARNING)
            return None
        user = chosen.get()
        if not may_touch(request, user):
            self.message_user(request, f"{user} is staff: only a superuser can make a code for it.", messages.ERROR)
            return None
        code = new_code()
        fields = {"code_sha256": digest(code), "expires": timezone.now() + KEPT}
        OneTimeCode.objects.update_or_create(user=user, defaults=fields)
        Audit.objects.note(request.user, "code for a password", user)
        context = {**self.admin_site.each_context(request), "title": f"Code for {user}", "code": code, "account": user}
        return TemplateResponse(request, "admin/one_time_code.html", context, headers={"Cache-Control": "no-store"})


@admin.register(Group)
class RightsOfGroupAdmin(Searched, GroupAdmin):
    """Staff can see which groups there are; only superusers change their rights."""

    finds = ("name",)
    parts = ("name",)
    filter_horizontal = ()

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest | None = None, **more: Any) -> Any:
        return super().formfield_for_manytomany(db_field, request, widget=TickedRights(), **more)

    def save_model(self, request: HttpRequest, obj: Group, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        _record(request, "group", obj, form, change)
        for member in obj.user_set.values_list("pk", flat=True):
            _look_again(member)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return bool(request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return bool(request.user.is_superuser)


@admin.register(OneTimeCode)
class OneTimeCodeAdmin(Record):
    """Shows who has a code and until when, but not the code."""

    list_display = ("user", "expires")
    list_select_related = ("user",)
    finds = ("user__username",)
    fields = ("user", "expires")
    ordering = ("-user",)


def _revocation(token: AccessToken) -> str:
    """What the account can still do, and what ends."""
    return f"It may act for {token.user} until {token.ends:%Y-%m-%d}. Programs that show it are refused from now on."


def _why_not_revoked(user: Any, token: AccessToken) -> str:
    return "Tokens of staff are revoked by superusers." if token.user.is_staff and not user.is_superuser else ""


def _revoke(request: HttpRequest, token: AccessToken, said: dict[str, Any], stood: str) -> str:
    record(request.user, "token revoked", token, reason=said["reason"])
    token.delete()
    return "it is revoked."


@admin.register(AccessToken)
class AccessTokenAdmin(Record, Acting):
    """Shows who has an API token, for what and until when, never its value; staff who may lock an account may revoke
    it.
    """

    list_display = ("name", "user", "scopes", "made", "used", "ends")
    list_select_related = ("user",)
    finds = ("user__username",)
    fields = ("name", "user", "scopes", "made", "used", "ends")
    told_in_words = True
    own_actions = (Action("revoke", "Revoke", "Revoke", _revocation, _revoke, why_not=_why_not_revoked),)

    def may_act(self, request: HttpRequest) -> bool:
        return request.user.has_perm("auth.change_user")

    def shown_with(self, request: HttpRequest, obj: AccessToken) -> dict[str, Any]:
        """The other tokens of its account, and the actions on it."""
        others = AccessToken.objects.filter(user=obj.user_id).exclude(pk=obj.pk).order_by("-pk")[:MOST_TOKENS]
        return {
            **self.acts_on_page(request, obj),
            "left": known.KnownPanel("Other tokens of this account", [_as_line(token) for token in others]),
            "panels": [
                known.KnownPanel("Permissions", [known.KnownLine("", words) for words in _scopes(obj)]),
                known.KnownPanel("Status", list(_standing(obj))),
                known.done(str(obj)),
            ],
        }


def _scopes(token: AccessToken) -> list[str]:
    """In words; a scope that no longer exists by its name."""
    labels = dict(AccessToken.Scope.choices)
    return [labels.get(scope, scope) for scope in token.scopes.split()]


def _standing(token: AccessToken) -> Iterator[known.KnownLine]:
    over = token.ends <= timezone.now()
    yield known.KnownLine("State", f"{'expired' if over else 'valid until'} {token.ends:%Y-%m-%d %H:%M}")
    yield known.KnownLine("Used", f"last {token.used:%Y-%m-%d %H:%M}" if token.used else "never")
    yield known.KnownLine("Account", str(token.user), reverse("admin:auth_user_change", args=[token.user_id]))
    yield known.KnownLine("Made", f"{token.made:%Y-%m-%d %H:%M}")


def _as_line(token: AccessToken) -> known.KnownLine:
    address = known.page_of("accesstoken", token.pk)
    return known.KnownLine("", token.name, address, facts=f"{', '.join(_scopes(token))}; until {token.ends:%Y-%m-%d}")
