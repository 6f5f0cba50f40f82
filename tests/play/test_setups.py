"""What a match is before it is played agrees with what the driver then opens."""

from __future__ import annotations

import sys

import pytest

from arena.play.driver import play
from arena.play.setups import setup_of
from arena.play.spec import BuiltinSeat, CommandSeat, SocketSeat, Spec

BOT = CommandSeat("fiar", (sys.executable, "-c", "raise SystemExit(3)"))
FURTHER = {"opening": "4 4", "pairing": 7, "offers": True}


@pytest.mark.parametrize(
    "seats", [(BOT, BuiltinSeat("random", "Dice")), (BOT, BOT), (BuiltinSeat("beginner"), BuiltinSeat("random"))]
)
def test_every_round_is_opened_as_it_was_foreseen(seats: tuple[CommandSeat | BuiltinSeat, ...]) -> None:
    spec = Spec("connect-four-7x6", (seats[0], seats[1]), 2, clock="9s", seed=1, further=FURTHER)
    logs = play(spec)
    assert [dict(log.events[0].data) for log in logs] == [setup_of(spec, round).to_data() for round in (1, 2)]


def test_who_says_itself_who_it_is_cannot_be_foreseen() -> None:
    with pytest.raises(ValueError, match="port 4100 says itself who it is"):
        setup_of(Spec("connect-four-7x6", (SocketSeat("fiar", 4100), BOT)), 1)
