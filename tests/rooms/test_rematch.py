"""What a log says of a rematch; how pages ask and answer is in tests/web/room/test_rematch.py."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from arena.match.state import LogEvent
from arena.rooms.rematch import ASKED_FOR, Wishes, wishes_of

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def notes(*said: tuple[int, str], at: datetime = NOW) -> list[LogEvent]:
    return [LogEvent(n, at, "note", seat=seat, data={"rematch": what}) for n, (seat, what) in enumerate(said, 9)]


@pytest.mark.parametrize(
    ("said", "wishes"),
    [
        ((), Wishes()),
        (((0, "asked"),), Wishes((True, False))),
        (((0, "asked"), (1, "asked")), Wishes((True, True))),
        (((0, "asked"), (1, "declined")), Wishes(declined=1)),
        (((0, "asked"), (1, "declined"), (1, "asked")), Wishes((False, True), declined=None)),
        (((0, "asked"), (1, "asked"), (0, "7gk3mzrq2x")), Wishes(match="7gk3mzrq2x")),
    ],
)
def test_the_last_word_counts(said: tuple[tuple[int, str], ...], wishes: Wishes) -> None:
    assert wishes_of(notes(*said), NOW) == wishes


def test_other_notes_and_what_was_asked_long_ago_say_nothing() -> None:
    failure = LogEvent(8, NOW, "note", seat=1, data={"failure": {}})
    assert wishes_of([failure, *notes((0, "asked"), at=NOW - ASKED_FOR)], NOW) == Wishes()
    assert wishes_of(notes((0, "asked"), at=NOW - ASKED_FOR + timedelta(seconds=1)), NOW) == Wishes((True, False))
