"""`manage.py replay`: judge the stored logs by the rules again, and recompute all ratings."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from arena.management.tables import check_tables
from arena.match.judge import judge
from arena.match.ladder import LadderStanding
from arena.match.record import head
from arena.match.state import LogEvent
from arena.models import Event, Match, Player, Ruling
from arena.models.whole_logs import DamagedLog, log_of, logs_of
from arena.ratings import book
from arena.ratings.book import Change, Difference

MATCHES_AT_ONCE = 200


class Command(BaseCommand):
    help = "Check all stored matches and ratings against the logs; list differences and exit 1 if there are any."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--match", metavar="ID", help="only the log of this match, no ratings")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--check", action="store_true", help="print the last line only")
        what.add_argument("--apply", action="store_true", help="correct the ratings; logs are never changed")

    def handle(self, *args: Any, **options: Any) -> None:
        check_tables()
        self.quiet = options["check"]
        self.matches = self.moves = 0
        if options["match"] and not Match.objects.filter(id=options["match"]).exists():
            raise CommandError(f"there is no match {options['match']} in this database")
        wrong = self._logs(options["match"])
        ratings = 0 if options["match"] else self._ratings(options["apply"])
        judged = f"{_count(self.matches, 'match', 'matches')}, {_count(self.moves, 'move', 'moves')}"
        self.stdout.write(f"{judged}: {_count(wrong + ratings, 'difference', 'differences')}")
        if ratings and options["apply"]:
            self.stdout.write("The ratings now match the logs.")
        sys.exit(1 if wrong or (ratings and not options["apply"]) else 0)

    def _logs(self, match: str | None) -> int:
        """Judge the logs. Returns how many matches have something wrong."""
        wrong = 0
        for row, log, ruled in _matches(match):
            self.matches += 1
            if isinstance(log, DamagedLog):
                said = str(log)
            else:
                self.moves += sum(event.kind == "move" for event in log)
                said = judge(log) or _copies(row, log, ruled)
            if said:
                wrong += 1
                self._say(f"match {row.id}: {said}")
        return wrong

    def _ratings(self, apply: bool) -> int:
        """Recompute every ladder. Returns how many rows differed."""
        with transaction.atomic() if apply else book.snapshot():
            if apply:
                book.one_at_a_time()
            found = [difference for variant in book.ladders() for difference in book.recompute(variant, write=apply)]
            players = Player.objects.filter(id__in={difference.player for difference in found})
            names = dict(players.values_list("id", "name"))
        for difference in found:
            self._say(_words(difference, names))
        return len(found)

    def _say(self, line: str) -> None:
        if not self.quiet:
            self.stdout.write(line)


def _matches(match: str | None) -> Iterator[tuple[Match, list[LogEvent] | DamagedLog, list[tuple[Any, ...]]]]:
    """Every match with its log, or why that cannot be read, and its rulings, a few at a time."""
    rows = Match.objects.order_by("id")
    rows, done = rows.filter(id=match) if match else rows, ""
    while some := list(rows.filter(id__gt=done)[:MATCHES_AT_ONCE]):
        ids = [row.id for row in some]
        with book.snapshot():  # of a match that may be running, all at one moment
            some = list(Match.objects.filter(id__in=ids).order_by("id"))
            logs = _stored(ids)
            rulings = Ruling.objects.filter(match__in=ids).order_by("n")
            ruled = [(row.match_id, row.n, row.verdict, row.winner, row.reason, row.actor, row.at) for row in rulings]
        for row in some:
            yield row, logs.get(row.id, []), [ruling[1:] for ruling in ruled if ruling[0] == row.id]
        done = ids[-1]


def _stored(matches: list[str]) -> dict[str, list[LogEvent] | DamagedLog]:
    """The logs in one query, or one by one if any is damaged."""
    try:
        return dict(logs_of(Event.objects.filter(match__in=matches)))
    except DamagedLog:
        return {match: _read(match) for match in matches}


def _read(match: str) -> list[LogEvent] | DamagedLog:
    try:
        return log_of(match)
    except DamagedLog as why:
        return why


def _copies(row: Match, log: list[LogEvent], ruled: list[tuple[Any, ...]]) -> str:
    """How the rows of a match differ from its events; "" if they do not."""
    setup = log[0].data
    ended = next((event for event in log if event.kind == "ended"), None)
    said = dict(ended.data) if ended else {}
    logged = {
        "variant": setup["variant"],
        "rated": setup["rated"],
        "opened": log[0].at,
        "started": next((event.at for event in log if event.kind == "started"), None),
        "ended": ended and ended.at,
        "winner": said.get("winner"),
        "termination": said.get("termination"),
        "reason": said.get("reason", ""),
        "plies": (ended.ply or 0) if ended else 0,
    }
    if row.head is not None:  # NULL if it ended before there were records
        logged["head"] = head(row.id, log) or None
    for name, value in logged.items():
        if getattr(row, name) != value:
            return f"{name} is {getattr(row, name)!r}, the log says {value!r}"
    events = [event for event in log if event.kind == "ruled"]
    decided = [
        (event.seq, event.data["verdict"], event.data["winner"], event.data["reason"], event.actor, event.at)
        for event in events
    ]
    return "" if ruled == decided else f"rulings are {ruled}, the log says {decided}"


def _words(difference: Difference, names: dict[int, str]) -> str:
    who = names.get(difference.player, f"player {difference.player}")
    where = f"match {difference.match}, {who}" if difference.match else f"rating of {who} in {difference.variant}"
    return f"{where}: stored {_number(difference.stored)}, recalculated {_number(difference.recomputed)}"


def _number(row: Change | LadderStanding | None) -> str:
    if row is None:
        return "nothing"
    standing = row.after if isinstance(row, Change) else row
    return f"{standing.points:.2f} ± {standing.deviation:.2f} after {_count(standing.matches, 'match', 'matches')}"


def _count(number: int, one: str, many: str) -> str:
    return f"no {many}" if number == 0 else f"{number} {one if number == 1 else many}"
