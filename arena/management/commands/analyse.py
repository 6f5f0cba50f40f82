"""`manage.py analyse`: proves a match, here and now; nothing is stored."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

import games
from arena.analysis.marks import Judged, Story
from arena.analysis.matches import analyse, choices, is_solvable, played, told
from arena.management.tables import check_tables
from arena.models import Match
from arena.web.drawing import artist
from arena.web.match.analysis import words_of, words_of_mark
from arena.work.analyses import job, submit


class Command(BaseCommand):
    help = "Prove the values of a match and print which moves changed its result."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument(
            "match",
            nargs="?",
            metavar="MATCH|FILE",
            help="id of a match, or a file as log.json or `match --json` has it",
        )
        what.add_argument(
            "--missing", action="store_true", help="let the server analyse all matches that have not been analysed"
        )
        parser.add_argument("--json", action="store_true", help="print the values as JSON, one line per match")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["missing"]:
            self._submit_missing()
            return
        for name, spec in _specs(options["match"]):
            if not is_solvable(spec["variant"]):
                raise CommandError(f"{name}: there is no solver for {spec['variant']}; nothing can be proved")
            try:
                found = analyse(spec)
            except (KeyError, ValueError) as why:
                raise CommandError(f"{name}: this is no match of {spec['variant']}: {why}") from None
            if options["json"]:
                self.stdout.write(json.dumps({"match": name, **found}))
            else:
                self._print(name, spec, found["values"])

    def _submit_missing(self) -> None:
        check_tables()
        ended = Match.objects.filter(ended__isnull=False, analysis=None).order_by("-id").values_list("id", flat=True)
        count = submit(ended)
        self.stdout.write(f"{count} matches wait to be analysed; a server does so while no rated match is played.")

    def _print(self, name: str, spec: dict[str, Any], values: Any) -> None:
        positions, moves = played(spec), spec["moves"]
        opening = spec.get("opening", 0)
        for text in lines(
            name, spec["variant"], choices(positions, moves, values), told(positions, moves, values, opening)
        ):
            self.stdout.write(text)


def lines(name: str, variant: str, listed: list[Judged], story: Story) -> Iterator[str]:
    """The printed lines about a match."""
    draws, marks = artist(games.variant(variant).game), {mark.ply: mark for mark in story.marks}
    yield f"{name}  {variant}, {'proved' if story.complete else 'proved in part'}"
    for ply, choice in enumerate(listed, 1):
        if not choice.played:
            continue
        value, mark = choice.values.get(choice.played), marks.get(ply)
        worth = "unknown" if value is None else words_of(value)
        yield f"{ply:4}  {choice.played:12} {worth:12} {words_of_mark(mark, draws) if mark else ''}".rstrip()
    for seat, (kept, counted) in enumerate(story.mattered):
        yield f"Seat {seat}: {kept} of {counted} moves that mattered"
    if story.decided is not None:
        result = {1: "won by seat 0", 0: "drawn", -1: "won by seat 1"}[story.decided.result]
        since = f"since move {story.decided.since}" if story.decided.since else "from the start"
        yield f"With best play {result} {since}{', at the latest' if story.decided.at_latest else ''}"


def _specs(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The requested matches: those of a file, else the one with this id."""
    path = Path(text)
    if path.is_file():
        yield from _of_file(path)
        return
    check_tables()
    spec = job({"match": text}) if len(text) <= 10 else None
    if spec is None:
        raise CommandError(f"{text[:80]!r} is neither a file nor a match of this database")
    yield text, spec


def _of_file(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as why:
        raise CommandError(f"{path} cannot be read: {why}") from None
    try:
        found = [json.loads(content)]
    except (RecursionError, ValueError):
        found = [_json_line(path, n, line) for n, line in enumerate(content.splitlines(), 1) if line.strip()]
    if not found:
        raise CommandError(f"{path} is empty: expected a log as log.json has it")
    for log in found:
        yield _spec(path, log)


def _json_line(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (RecursionError, ValueError):
        raise CommandError(
            f"{path}, line {number}: received {line[:40]!r}, expected a log as log.json has it"
        ) from None


def _spec(path: Path, log: Any) -> tuple[str, dict[str, Any]]:
    try:
        moves = [move["move"] for move in log["moves"]]
        settings: Mapping[str, Any] = log.get("settings") or {}
        spec = {
            "variant": str(log["variant"]),
            "settings": dict(settings),
            "moves": [str(move) for move in moves],
            "opening": int(log.get("opening", 0)),
        }
    except (AttributeError, KeyError, TypeError, ValueError):
        raise CommandError(f"{path}: expected a log with `variant` and `moves`, as log.json has it") from None
    return str(log.get("id", path.name)), spec
