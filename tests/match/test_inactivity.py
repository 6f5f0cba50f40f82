from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from arena.match.commands import Resign
from arena.match.inactivity import expiry
from arena.match.state import SeatSetup
from tests.web.played import AT, Played

PERSON, BOT = SeatSetup("Mira", player=1), SeatSetup("gravity-9", "bot", 2, "droidcon")


@pytest.mark.parametrize(
    ("moves", "setup", "how", "after"),
    [
        ("", {"seats": (BOT, BOT)}, "no_start", timedelta(seconds=60)),
        ("", {"seats": (PERSON, PERSON), "pairing": 1}, "no_start", timedelta(seconds=60)),
        ("4", {"seats": (BOT, BOT)}, "left", timedelta(hours=24)),
        ("", {"seats": (PERSON, BOT)}, "left", timedelta(hours=24)),
    ],
)
def test_how_and_when_it_ends_unless_somebody_moves(
    moves: str, setup: dict[str, Any], how: str, after: timedelta
) -> None:
    end = expiry(Played(clock="none", moves=moves, **setup).state, AT)
    assert end is not None
    assert (end.termination, end.at - AT) == (how, after)


def test_nothing_comes_where_a_clock_its_people_or_the_end_decide() -> None:
    timed = Played(clock="2m", seats=(BOT, BOT))
    waiting = Played(clock="none", seats=(PERSON, PERSON))
    over = Played(clock="none", seats=(BOT, BOT), moves="4").do(Resign(0))
    assert [expiry(match.state, AT) for match in (timed, waiting, over)] == [None, None, None]
