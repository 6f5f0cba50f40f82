"""Anything a bot and a referee could do to an adapter, in any order; and the laws that hold all the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

import games
from arena.protocols.adapter import (
    Adapter,
    Bye,
    Ended,
    FromBot,
    Joined,
    Moved,
    Refused,
    Seated,
    Started,
    ToBot,
    Turn,
)


@dataclass(frozen=True)
class Tick:
    """This deadline has passed."""

    name: str


Step = bytes | ToBot | Tick
Seen = tuple[bytes, list[FromBot], bool]

_SEATS = st.integers(0, 1)
_TERMINATIONS = ["normal", "illegal_move", "bad_output", "out_of_turn", "timeout", "disconnect", "server_abort"]
_REFUSALS = ["channel_is_full", "invalid_command", "illegal_move", "invalid_move", "stale", "busy", "what"]


_MOVES = [
    "1",
    "4",
    "7",
    "8",
    "0",
    "-3",
    "101",
    "",
    "x",
    "2147483648",
    "99999999999999",
    "3r",
    "c3",
    "b2-c1+d2",
    "b2-c1",
]


def positions(variant: str) -> st.SearchStrategy[games.Position]:
    """Where a match of this variant may stand, ended ones too."""

    def play(moves: Sequence[int]) -> games.Position:
        position = games.variant(variant).start()
        for move in moves:
            legal = position.legal_moves()
            position = position.play(legal[move % len(legal)]) if legal else position
        return position

    return st.lists(st.integers(0, 99), max_size=42).map(play)


def events(variant: str) -> st.SearchStrategy[ToBot]:
    """Whatever a session could tell an adapter, whether or not it makes sense."""
    places, moves = positions(variant), st.sampled_from(_MOVES)
    last = st.sampled_from([False, False, False, True])
    return st.one_of(
        st.builds(Joined, st.sampled_from(["x", "otter-42", "Ä"])),
        st.builds(Seated, _SEATS, st.sampled_from(["you", "x", "Ä 9", "a" * 40]), st.just("x"), st.just("5s")),
        st.builds(Started, places),
        st.builds(Moved, _SEATS, moves, places),
        st.builds(Turn, places),
        st.builds(Refused, st.sampled_from(_REFUSALS), st.just("why")),
        st.builds(
            Ended, st.sampled_from([0, 1, None]), st.sampled_from(_TERMINATIONS), st.just("why"), places, last, moves
        ),
        st.just(Bye()),
    )


@st.composite
def mutated(draw: st.DrawFn, words: Sequence[bytes]) -> bytes:
    """Words of the protocol run together, with a few bytes changed, put in or taken out."""
    data = bytearray(b"".join(draw(st.lists(st.sampled_from(words), max_size=8))))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(data)))
        data[place : place + draw(st.integers(0, 2))] = draw(st.binary(max_size=2))
    return bytes(data)


def steps(words: Sequence[bytes], variant: str = "connect-four-7x6") -> st.SearchStrategy[list[Step]]:
    floods = st.sampled_from([b"\n" * 100, b"x" * 600, b"\x00" * 50])
    ticks = st.builds(Tick, st.sampled_from(["ready", "ack", "pause", "ping", "what"]))
    sent = st.one_of(mutated(words), mutated(words), st.binary(max_size=40), floods)
    return st.lists(st.one_of(sent, sent, events(variant), events(variant), ticks), max_size=25)


def run(adapter: Adapter, script: Sequence[Step], cut: bool, check: Callable[[], None]) -> list[Seen]:
    """What came of every step: bytes and events, in order. With `cut` each byte is a segment of its own."""
    seen: list[Seen] = []
    for step in script:
        if isinstance(step, Tick):
            adapter.tick(step.name)
        elif not isinstance(step, bytes):
            adapter.send(step)
        elif cut:
            for i in range(len(step)):
                adapter.receive_data(step[i : i + 1])
                check()
        else:
            adapter.receive_data(step)
        check()
        seen.append((adapter.data_to_send(), adapter.events_received(), adapter.wants_close))
    adapter.receive_eof()
    seen.append((adapter.data_to_send(), adapter.events_received(), adapter.wants_close))
    return seen
