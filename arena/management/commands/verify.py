"""`manage.py verify FILE`: checks that the record of a match is unchanged, byte for byte."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.db import Error

from arena.common.logs import escaped
from arena.match import black_box
from arena.match.endings import result
from arena.match.evolve import replay
from arena.match.record import BadRecord, Verified, verify
from arena.models import Match

MOST_BYTES = 64 * 1024 * 1024


class Command(BaseCommand):
    help = (
        "Check records of matches (/m/<id>/record.jsonl) and black boxes: every byte, every hash, every move by the "
        "rules, and, if the match is in this database, the head stored there. Exit 1 if anything is wrong."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="a record; - for standard input")

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = [name for name in options["files"] if not self._is_right(name)]
        sys.exit(1 if wrong else 0)

    def _is_right(self, name: str) -> bool:
        try:
            data = read(name)
            found = black_box.verify(data).record if black_box.is_black_box(data) else verify(data)
            here = _stored_head(found.match)
            if here not in (None, found.head):
                raise BadRecord(f"the record is consistent, but the head of match {found.match} stored here is {here}")
        except (BadRecord, OSError) as why:
            self.stdout.write(escaped(f"{name}: WRONG: {why}"))
            return False
        self.stdout.write(f"{name}: {words(found)}")
        self.stdout.write(
            "  the same head as stored here" if here else f"  head {found.head}: compare it with the match's page"
        )
        return True


def read(name: str) -> bytes:
    """The file of this name, or standard input. Raises OSError, and BadRecord if it is too long to be a record."""
    if name == "-":
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        with Path(name).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadRecord(f"longer than {MOST_BYTES // 1024**2} MB, which no record is")
    return data


def _stored_head(match: str) -> str | None:
    """None if there is no such match here, or no database at all."""
    try:
        return Match.objects.filter(pk=match[:10]).values_list("head", flat=True).first()
    except Error:
        return None


def words(record: Verified) -> str:
    """The contents of the file in words. Whoever made it could end the line with a name, and add one of ours."""
    state = replay(record.events)
    moves = sum(event.kind == "move" for event in record.events)
    names = " – ".join(seat.name for seat in state.setup.seats)
    score = result(state.winner, state.termination)
    return escaped(f"match {record.match}, {names} {score}, {moves} moves: verified")
