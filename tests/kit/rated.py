"""Players with a name and rated matches between them, whole in one append: for the tests of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count

from arena.core.log_store import Append
from arena.match.state import LogEvent, SeatSetup, Setup
from arena.models import Player
from tests.kit.storage import Database

NOON = datetime(2026, 1, 31, 12, 0, 0, 123_456, tzinfo=UTC)
FOUR = "connect-four-7x6"
NIM = "expanding-nim"

_numbers = count(1)


def cast(*names: str, kind: str = "person") -> list[Player]:
    return [Player.objects.create(kind=kind, name=name, slug=name) for name in names]


def a_match(
    first: Player,
    second: Player,
    winner: int | None = 0,
    termination: str = "resign",
    *,
    variant: str = FOUR,
    rated: bool = True,
    at: datetime = NOON,
    match: str = "",
) -> Append:
    """A match without moves that ended `at`."""
    seats = tuple(SeatSetup(who.name, player=who.pk, verified=True) for who in (first, second))
    setup = Setup(variant, (seats[0], seats[1]), rated=rated)
    ending = {"winner": winner, "termination": termination, "reason": "so it was"}
    loser = None if winner is None else 1 - winner
    events = (
        LogEvent(1, at - timedelta(minutes=2), "opened", data=setup.to_data()),
        LogEvent(2, at - timedelta(minutes=1), "started"),
        LogEvent(3, at, "ended", 0, loser, data=ending),
    )
    return Append(match or f"m{next(_numbers):09}", events, _nobody)


def a_ruling(match: str, verdict: str, winner: int | None = None, seq: int = 4) -> Append:
    data = {"verdict": verdict, "winner": winner, "reason": "the cable was pulled"}
    return Append(match, (LogEvent(seq, NOON + timedelta(days=1), "ruled", actor="staff 1", data=data),), _nobody)


def store(*appends: Append) -> Sequence[Append]:
    """Store it in one transaction, as the writer does."""
    Database().write(appends)
    return appends


def _nobody(error: Exception | None) -> None:
    """Nobody waits for the answer."""
