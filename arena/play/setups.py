"""setup_of(spec, round): the setup with which the driver will open the match of a round.

The sender of a spec uses it to check how the returned log begins.
"""

from __future__ import annotations

from arena.match.series import side_of
from arena.match.state import SeatSetup, Setup
from arena.play.meaning import program_on_seat
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from arena.play.thinking import builtin_on_seat
from arena.protocols import protocol
from games import variant


def setup_of(spec: Spec, round: int) -> Setup:
    """The setup of this round. Raises ValueError if a bot names itself, LookupError for an unknown slug."""
    first, second = (_seat(spec, side_of(seat, round)) for seat in (0, 1))
    settings = variant(spec.variant).complete(spec.settings)
    both, rounds = (first, second), spec.rounds
    return Setup(spec.variant, both, settings, spec.clock, round=round, rounds=rounds, **spec.further)


def _seat(spec: Spec, side: int) -> SeatSetup:
    seat = spec.seats[side]
    if isinstance(seat, BuiltinSeat):
        setup = builtin_on_seat(seat.level)
        return setup._replace(name=seat.called) if seat.called else setup
    if isinstance(seat, CommandSeat):
        return seat.known(program_on_seat(protocol(seat.protocol), spec.name(side)))
    raise ValueError(f"a bot that connects to port {seat.port} says itself who it is")
