"""Decisions that wait for staff, as rows of the control room."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.models import User as Account
from django.urls import reverse
from django.utils.timesince import timesince

from arena.admin.known import page_of
from arena.admin.match import stuck
from arena.models import Bot, ChatReport, Entry, Match, Pairing, Tournament
from arena.tournaments.actions import ASKS_RATING
from arena.web.guests import SEES_PRIVATE

State = Tournament.State
# The decisions on one page; the next ones come up as soon as these are made.
MOST = 20
ACTIVE = (State.DRAFT, State.WAITING, State.RUNNING, State.PAUSED)

User = Account | AnonymousUser


class Needed(NamedTuple):
    """Its `kind` in a word, with an icon in a tone of admin.css, its subject with its page, the facts in one line, and
    where to decide it.
    """

    kind: str
    tone: str
    icon: str
    name: str
    address: str
    about: str
    facts: str
    act: str
    act_address: str


def decisions(user: User) -> list[Needed]:
    """The pending decisions that this account may look at, the most urgent kind first."""
    found: list[Needed] = []
    if user.has_perm("arena.view_tournament"):
        found += _of_events()
    if user.has_perm("arena.view_match"):
        found += _silent(user.has_perm(SEES_PRIVATE))
    if user.has_perm("arena.view_bot"):
        found += _quarantined()
    if user.has_perm("arena.view_chatreport"):
        found += _reported()
    return found[:MOST]


def _of_events() -> Iterator[Needed]:
    active = Tournament.objects.filter(finished=None, state__in=ACTIVE).select_related("organiser")
    events = {row.pk: row for row in active[:500]}
    handed = Pairing.objects.filter(tournament__in=list(events), state=Pairing.State.HANDED)
    for pairing in handed.select_related("a", "b").order_by("pk")[:MOST]:
        event = events[pairing.tournament_id]
        page = page_of("tournament", event.pk)
        matches = "1 match" if pairing.faults == 1 else f"{pairing.faults} matches"
        facts = f"Round {pairing.round}. {matches} ended without a result; the next round waits for it."
        yield Needed(
            *("Faulted pairing", "d", "cup", str(pairing), page, event.name, facts),
            *("Decide", f"{page}#pairing-{pairing.pk}"),
        )
    for event in events.values():
        page = page_of("tournament", event.pk)
        if event.state == State.PAUSED:
            facts = event.why or "No match begins until it is resumed."
            yield Needed("Paused event", "w", "pause", event.name, page, "", facts, "Open event", page)
        if event.settings.get(ASKS_RATING):
            facts = f"{event.organiser or 'Its organiser'} asks that its matches change ratings."
            yield Needed("Rating", "w", "cup", event.name, page, "", facts, "Open event", page)
    yield from _consents(events)


def _consents(events: dict[int, Tournament]) -> Iterator[Needed]:
    """People who have not yet agreed to play against bots: their event cannot begin without that."""
    early = [pk for pk, event in events.items() if event.state in (State.DRAFT, State.WAITING)]
    entries = list(Entry.objects.filter(tournament__in=early).order_by("pk")[:2000])
    with_bots = {entry.tournament_id for entry in entries if entry.kind != Entry.Kind.PERSON}
    for entry in entries:
        if entry.kind == Entry.Kind.PERSON and not entry.agrees and entry.tournament_id in with_bots:
            event = events[entry.tournament_id]
            facts = "Has not yet agreed to play against bots, so the event cannot begin."
            page = page_of("tournament", event.pk)
            yield Needed("Consent", "a", "person", entry.name, page, event.name, facts, "Open event", page)


def _silent(sees_private: bool) -> Iterator[Needed]:
    quiet = Match.objects.filter(pk__in=stuck(datetime.now(UTC))[:MOST]).prefetch_related("seats")
    if not sees_private:
        quiet = quiet.exclude(room__private=True)
    for match in quiet.order_by("opened"):
        page = page_of("match", match.pk)
        long = "an hour, and it has no clock" if match.clock == "none" else "twice its clock"
        facts = f"No move for {long}; opened {timesince(match.opened, depth=1)} ago."
        yield Needed("Silent match", "w", "pause", match.pk, page, " – ".join(match.names), facts, "Open match", page)


def _quarantined() -> Iterator[Needed]:
    bots = Bot.objects.filter(quarantined__isnull=False).select_related("player", "owner").order_by("quarantined")
    for bot in bots[:MOST]:
        page = page_of("bot", bot.pk)
        whose = f"of {bot.owner}" if bot.owner else "without an owner"
        since = timesince(bot.quarantined, depth=1) if bot.quarantined else ""
        facts = f"{bot.why_disabled.capitalize()}, {since} ago."
        yield Needed("Quarantined bot", "d", "bot", bot.player.name, page, whose, facts, "Open bot", page)


def _reported() -> Iterator[Needed]:
    """Reported lines; one that several people have reported is decided once."""
    rows = ChatReport.objects.filter(decided=None).select_related("line", "by").order_by("at")[: 5 * MOST]
    for report in {report.line_id: report for report in reversed(rows)}.values():
        page = reverse("admin:arena_chatreport_changelist")
        facts = f"“{report.line.text}”, reported by {report.by} {timesince(report.at, depth=1)} ago."
        match = f"match {report.line.match_id}"
        yield Needed("Report", "a", "flag", report.line.name, page, match, facts, "Decide", f"{page}?state=open")
