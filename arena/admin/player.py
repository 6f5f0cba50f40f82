"""Players in the admin: staff rename them. Their matches name them, so none is removed.

A player's account decides whose matches and wires it reads: only superusers change owners, and staff keep their names.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from arena.admin import known
from arena.admin.acting import Acting
from arena.admin.player_actions import PLAYER_ACTIONS
from arena.admin.record import Record
from arena.admin.user import may_touch
from arena.bots.process import programs
from arena.common import names
from arena.models import Bot, ChatReport, JoinedGuest, KeptName, Match, Player, Ruling, Seat
from arena.tournaments import naming
from arena.web.guests import SEES_PRIVATE
from arena.web.joined import person_of
from arena.web.match.staff import record
from arena.web.people.account_forms import is_taken

MOST_MATCHES, MOST_REPORTS = 12, 8


class PlayerForm(ModelForm):  # type: ignore[type-arg]  # generic in its stubs only
    """A name follows the same rules as everywhere else, and the address is derived from it."""

    class Meta:
        model = Player
        fields = ("kind", "name", "user")

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        if "name" in said:
            try:
                self._named(said["name"], said.get("kind", self.instance.kind))
            except names.BadName as why:
                self.add_error("name", str(why))
        return said

    def _named(self, typed: str, kind: str) -> None:
        """Raises BadName. Older players whose names break the rules keep them until they are renamed."""
        if self.instance.pk is not None and typed == self.instance.name:
            return
        name = (names.bot if kind == Player.Kind.BOT else names.person)(typed, may_be_office=True)
        if is_taken(name, self.instance if self.instance.pk is not None else None):
            raise names.BadName("{name} is taken: a player or an account already has this name.", name=name)
        slug = Player.slug_of(name)
        bot = Bot.objects.filter(pk=self.instance.pk).select_related("player").first()
        if bot is not None and (why := programs.why_not_called(bot, slug)):
            raise names.BadName(why)
        self.cleaned_data["name"], self.instance.slug = name, slug


@admin.register(Player)
class PlayerAdmin(Acting):
    form = PlayerForm
    list_display = ("name", "slug", "kind", "user")
    list_filter = ("kind",)
    list_select_related = ("user",)
    finds = ("slug", "user__username")
    parts = ("name",)
    raw_id_fields = ("user",)
    fields = ("kind", "name", "slug", "user")
    ordering = ("slug",)
    own_actions = PLAYER_ACTIONS

    def get_queryset(self, request: HttpRequest) -> QuerySet[Player]:
        return super().get_queryset(request).select_related("user", "joined__person")

    def may_act(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def shown_with(self, request: HttpRequest, obj: Player | None) -> dict[str, Any]:
        """Their newest matches with staff's rulings, reports about them, and what can be done."""
        if obj is None:
            return {}
        guests = list(Player.objects.filter(joined__person=obj).order_by("slug"))
        own = [obj.pk, *(guest.pk for guest in guests)]
        seats = Seat.objects.filter(player__in=own).order_by("-pk")
        if not request.user.has_perm(SEES_PRIVATE):
            seats = seats.exclude(match__room__private=True)
        numbers = list(seats.values_list("match", flat=True)[:MOST_MATCHES])
        reports = ChatReport.objects.filter(line__player__in=own).select_related("line", "by").order_by("-pk")
        told = reports[:MOST_REPORTS] if request.user.has_perm("arena.view_chatreport") else ()
        return {
            **self.acts_on_page(request, obj),
            "left": known.newest(Match.objects.filter(pk__in=numbers)),
            "panels": [
                *known.filled(
                    known.players("This guest was", [person_of(obj)] if hasattr(obj, "joined") else []),
                    known.players("Guests that they were", guests),
                    known.ruled(Ruling.objects.filter(match__in=numbers).order_by("-pk")),
                    known.reported(told),
                ),
                known.done(str(obj)),
            ],
        }

    def has_change_permission(self, request: HttpRequest, obj: Player | None = None) -> bool:
        return super().has_change_permission(request, obj) and may_touch(request, obj.user if obj else None)

    def get_readonly_fields(self, request: HttpRequest, obj: Player | None = None) -> tuple[str, ...]:
        """Staff choose the kind of a new player: this is how a bot is entered."""
        if request.user.is_superuser:
            return ("slug",)
        return ("slug", "user") if obj is None else ("slug", "kind", "user")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Player, form: Any, change: bool) -> None:
        before = {name: str(form.initial.get(name)) for name in form.changed_data} if change else {}
        super().save_model(request, obj, form, change)
        if "name" in before:
            naming.renamed(obj.pk, obj.name)
        after = {name: str(getattr(obj, name)) for name in form.changed_data}
        record(request.user, "player changed" if change else "player added", obj, before=before, after=after)


@admin.register(JoinedGuest)
class JoinedGuestAdmin(Record):
    """Which guest was which person; it is declared and undone on the page of the guest."""

    list_display = ("guest", "person", "at")
    list_select_related = ("guest", "person")
    finds = ("guest__slug",)
    ordering = ("-pk",)


@admin.register(KeptName)
class KeptNameAdmin(Record):
    """The names of closed accounts, which nobody else can take."""

    list_display = ("slug",)
    finds = ("slug",)
    ordering = ("slug",)
