"""Bots in the admin. Only superusers choose what the server runs for a bot; actions change what is live."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from arena.admin import known
from arena.admin.acting import Acting, on_loop, told_by_host
from arena.admin.bot_actions import BOT_ACTIONS
from arena.admin.record import Record, sees_private
from arena.bots.process import starting
from arena.bots.process.commands import check_command
from arena.bots.session import tokens
from arena.bots.session.wire import lines_of
from arena.bots.session.wire_store import messages_in
from arena.common import names
from arena.match.commands import Refusal
from arena.match.endings import FAILURES, counts
from arena.models import Bot, Match, Player, Seat, WireChunk
from arena.web.match.staff import record
from arena.web.people import records
from arena.web.present import why_not_started

# The owner, and what only the owner decides: once a bot exists, only superusers change these.
OWNERS = ("player", "owner", "wire", "open_to")
# Changing these takes more than a row: connections end, ports open. Actions and the pages of bots do it.
MOST_SEATS, MOST_MATCHES, MOST_FAILURES, MOST_VERSIONS = 500, 12, 8, 12
LIVE = ("program", "enabled", "why_disabled", "port", "quarantined", "cleared")


class CommandField(forms.JSONField):
    """Empty for none, where JSON says `null`."""

    def prepare_value(self, value: Any) -> Any:
        return "" if value is None else super().prepare_value(value)


class BotAdminForm(ModelForm):  # type: ignore[type-arg]  # generic in its stubs only
    """`user` fills it in."""

    user: Any = None

    class Meta:
        model = Bot
        fields = ("player", "owner", "variant", "protocol", "family", "version", "command", "wire", "open_to")
        field_classes: ClassVar = {"command": CommandField}

    def clean_player(self) -> Player:
        """For a new bot: if it had a person's player, it would play as that person."""
        player: Player = self.cleaned_data["player"]
        if player.kind != Player.Kind.BOT:
            raise forms.ValidationError(
                f"{player} is a {player.get_kind_display().lower()}, expected the player of a bot."
            )
        return player

    def clean_family(self) -> str:
        return self._named("family")

    def clean_version(self) -> str:
        return self._named("version")

    def clean_command(self) -> list[str] | None:
        words: list[str] | None = self.cleaned_data["command"]
        before = Bot.objects.filter(pk=self.instance.pk).values_list("command", flat=True).first()
        try:
            check_command(self.user, words, before)
        except Refusal as refusal:
            raise forms.ValidationError(refusal.sentence) from None
        return words

    def _named(self, field: str) -> str:
        """Both are part of names that appear in log lines and on other players' wires."""
        try:
            return names.bot(self.cleaned_data[field], may_be_office=True)
        except names.BadName as why:
            raise forms.ValidationError(str(why)) from None


class _Side(NamedTuple):
    """A side that the bot had in a match, not as a row of a model: for 500 matches those take five times as long."""

    pk: int
    seat: int
    match: str
    ended: datetime | None
    termination: str | None
    winner: int | None
    private: bool | None

    @property
    def cause(self) -> str:
        """`won (normal)`, `lost (timeout)`, `no result (server abort)`."""
        how = (self.termination or "").replace("_", " ")
        if not counts(self.termination or ""):
            return f"no result ({how})"
        return f"{'drawn' if self.winner is None else 'won' if self.winner == self.seat else 'lost'} ({how})"

    @property
    def failed(self) -> bool:
        return self.ended is not None and self.termination in FAILURES and self.winner != self.seat


def _newest_sides(bot: Bot) -> list[_Side]:
    columns = ("match__ended", "match__termination", "match__winner", "match__room__private")
    rows = Seat.objects.filter(player=bot.pk).order_by("-pk").values_list("pk", "seat", "match_id", *columns)
    return [_Side(*row) for row in rows[:MOST_SEATS]]


def _in_words(times: records.Times) -> known.KnownLine:
    words = f"Median {times.median_words}, 99 of 100 within {times.most_words}"
    return known.KnownLine(words=words, facts=f"{times.moves} moves of its last {records.TIMED} matches")


def _version(each: Bot, this: Bot) -> known.KnownLine:
    off = "" if each.enabled else "(disabled)"
    if each.pk == this.pk:
        return known.KnownLine(each.version, "this one", words=off)
    return known.KnownLine(each.version, str(each.player), known.page_of("bot", each.pk), off)


@admin.register(Bot)
class BotAdmin(Acting):
    form = BotAdminForm
    list_display = ("player", "family", "version", "protocol", "variant", "owner", "starts", "enabled", "why_disabled")
    list_filter = ("enabled", "protocol", "variant", "wire")
    list_select_related = ("player", "owner")
    finds = ("player__slug", "family", "owner__username")
    parts = ("player__name", "family")
    raw_id_fields = ("player", "owner")
    ordering = ("family", "version")
    fields = ("player", "owner", "variant", "protocol", "family", "version", "command", "wire", "open_to", *LIVE)
    own_actions = BOT_ACTIONS

    def may_act(self, request: HttpRequest) -> bool:
        return self.has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What it has played stays; it can be disabled."""
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Bot | None = None) -> tuple[str, ...]:
        """Its command runs programs on this machine; its owner reads its wires and has its token."""
        if request.user.is_superuser:
            return LIVE if obj is None else ("player", *LIVE)
        return ("command", *LIVE) if obj is None else ("command", *OWNERS, *LIVE)

    def subject_of(self, row: Bot) -> str:
        return str(row.player)

    def get_form(self, request: HttpRequest, obj: Bot | None = None, change: bool = False, **more: Any) -> Any:
        made = super().get_form(request, obj, change, **more)
        return type("BotForm", (made,), {"user": request.user})

    def save_model(self, request: HttpRequest, obj: Bot, form: Any, change: bool) -> None:
        before = {name: str(form.initial.get(name)) for name in form.changed_data} if change else {}
        super().save_model(request, obj, form, change)
        if change and "owner" in form.changed_data:  # the one before has its token
            transaction.on_commit(lambda: on_loop(lambda: tokens.revoke(obj)), robust=True)
        after = {name: str(getattr(obj, name)) for name in form.changed_data}
        record(request.user, "bot changed" if change else "bot added", obj, before=before, after=after)

    def shown_with(self, request: HttpRequest, obj: Bot | None) -> dict[str, Any]:
        """How its newest matches ended, by cause, how fast it answers, and what can be done."""
        if obj is None:
            return {}
        sides = _newest_sides(obj)
        matches = Match.objects.filter(pk__in=[side.match for side in sides[:MOST_MATCHES]])
        failures = [side.pk for side in sides if side.failed]
        if not sees_private(request):
            matches = matches.exclude(room__private=True)
            failures = [side.pk for side in sides if side.failed and not side.private]
        failed = Seat.objects.filter(pk__in=failures[:MOST_FAILURES]).order_by("-pk").select_related("match")
        versions = Bot.objects.filter(family=obj.family).select_related("player").order_by("version")
        subject = self.subject_of(obj)
        causes = Counter(side.cause for side in sides if side.ended is not None).most_common()
        ends = [known.KnownLine(str(number), words=how) for how, number in causes]
        times, why = records.read_reply_times(obj.player), _why_not_started(obj)
        return {
            **self.acts_on_page(request, obj),
            "left": known.newest(matches),
            "panels": [
                *known.filled(
                    known.KnownPanel("This server cannot start it", [known.KnownLine(words=why)] if why else []),
                    known.KnownPanel("How its newest matches ended", ends),
                    known.KnownPanel("Reply times", [_in_words(times)] if times else []),
                    known.failed(failed),
                    known.KnownPanel("Versions", [_version(each, obj) for each in versions[:MOST_VERSIONS]]),
                ),
                known.done(subject),
            ],
        }

    @admin.display(description="started here", boolean=True)
    def starts(self, bot: Bot) -> bool:
        return bot.command is not None


def _why_not_started(bot: Bot) -> str:
    """As the host finds it out; without one, as far as it is known here."""
    asked = told_by_host(lambda host: why_not_started(host, bot.pk)) if bot.command is not None else ""
    return starting.lacks(bot) if asked is None else asked


@admin.register(WireChunk)
class WireChunkAdmin(Record):
    """What bots said, private or not: for staff who may see what is private."""

    list_display = ("seat", "match_id", "n")
    list_select_related = ("seat",)
    finds = ("seat__match",)
    search_help_text = "Number of a match"
    ordering = ("-id",)
    fields = readonly_fields = ("seat", "n", "lines")

    def has_view_permission(self, request: HttpRequest, obj: WireChunk | None = None) -> bool:
        return super().has_view_permission(request, obj) and sees_private(request)

    @admin.display(description="match")
    def match_id(self, chunk: WireChunk) -> str:
        return chunk.seat.match_id

    def lines(self, chunk: WireChunk) -> str:
        """JSON lines of this row."""
        return chunk.jsonl if chunk.packed is None else "\n".join(lines_of(messages_in(chunk.packed)))

    def get_queryset(self, request: HttpRequest) -> QuerySet[WireChunk]:
        """Without what was said, which lists do not show."""
        return super().get_queryset(request).defer("jsonl", "packed")
