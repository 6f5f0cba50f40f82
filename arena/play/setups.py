"""setup_of(spec, round): what the match of a round is before anybody sits down, as the driver will open it.

Whoever has given a spec away knows by this what the log that comes back has to begin with.
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
    """Raises ValueError for a seat whose bot says itself who it is, LookupError for a variant or protocol that is
    unknown here.
    """
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
