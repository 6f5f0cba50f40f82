"""Matches of real programs, recorded as `match` records them, in black boxes."""

from __future__ import annotations

from pathlib import Path

from arena.match import black_box
from arena.match.black_box import BlackBox, Spoken
from arena.play.driver import Log, play
from arena.play.spec import BuiltinSeat, CommandSeat, SeatSpec, Spec
from arena.protocols import protocol
from tests.kit.samples import Sample, alone

VERSIONS = {"arena": "test"}


def sample(slug: str, folder: Path) -> CommandSeat:
    """The sample bot of this protocol."""
    return CommandSeat(slug, tuple(alone(Sample(slug, "py"), folder)))


def recorded(slug: str, folder: Path, *bots: CommandSeat, rounds: int = 1) -> list[str]:
    """The black boxes of matches of these bots, and where there is one alone, of a built-in player."""
    first, second, *_ = *bots, BuiltinSeat("random")
    seats: tuple[SeatSpec, SeatSpec] = (first, second)
    spec = Spec(protocol(slug).variants[0] if protocol(slug).variants else "connect-four-7x6", seats, rounds=rounds)
    return [boxed(log) for log in play(spec._replace(seed=3, cwd=str(folder), wires=True, clock="30s"))]


def boxed(log: Log) -> str:
    """As it is made of a stored match."""
    wires = [[Spoken(*message) for message in wire.messages] for wire in log.wires or ()]
    return "".join(black_box.lines(log.match, log.events, "", VERSIONS, wires))


def opened(text: str) -> BlackBox:
    return black_box.verify(text.encode())
