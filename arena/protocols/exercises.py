"""A position as a bot of a protocol meets it: the bytes up to the request for a move, as the adapter writes them, and
the answers. Protocols that send no positions replay the match from its start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from arena.protocols import protocol
from arena.protocols.adapter import Adapter, Joined, Moved, Seated, Started, ToBot, Turn
from games import Position

_ACKNOWLEDGED = b'"OK"\n'


class SpokenBytes(NamedTuple):
    """What `sender`, "arena" or "bot", writes in one piece; bytes that are not UTF-8 are lone surrogates."""

    sender: str
    data: str


class Exercise(NamedTuple):
    """`wire` ends with the request for a move. `answers` are what the bot would write for each of the requested moves,
    None if the protocol does not tell.
    """

    wire: tuple[SpokenBytes, ...]
    answers: tuple[str | None, ...]


def exercise(
    slug: str,
    variant: str,
    settings: Mapping[str, Any],
    course: Sequence[tuple[Position, str]],
    right: Sequence[str],
) -> Exercise:
    """The last position of `course` for the side to move; each entry is a position and the move that led to it.

    `right` are the moves, in the notation of the rules, whose answers are wanted.
    """
    talk = _Talk(slug)
    position = course[-1][0]
    seat = position.ply % 2
    talk.greet(Joined("room"), Seated(seat, "you", "other", "none"))
    if talk.adapter.tells_positions:
        talk.tell(Started(position, variant=variant, settings=settings))
    else:
        before = course[0][0]
        talk.tell(Started(before, variant=variant, settings=settings))
        for after, move in course[1:]:
            if before.ply % 2 == seat:
                talk.tell(Turn(before))
                talk.hear(talk.adapter.answer_to(before, move).encode(errors="surrogateescape"))
            talk.tell(Moved(before.ply % 2, move, after))
            before = after
    talk.tell(Turn(position))
    return Exercise(tuple(talk.said), tuple(talk.adapter.answer_to(position, move) or None for move in right))


class _Talk:
    """A conversation with an adapter; `said` collects the bytes of both sides."""

    def __init__(self, slug: str) -> None:
        self.adapter: Adapter = protocol(slug)()
        self.said: list[SpokenBytes] = []

    def greet(self, *events: ToBot) -> None:
        self._write()
        for greeting in self.adapter.greeting:
            self.hear(greeting)
        for event in events:
            self.tell(event)

    def tell(self, event: ToBot) -> None:
        self.adapter.send(event)
        self._write()
        while self.adapter.deadline is not None and self.adapter.deadline.name in ("pause", "ack"):
            if self.adapter.deadline.name == "ack":
                self.hear(_ACKNOWLEDGED)
            else:
                self.adapter.tick("pause")
                self._write()

    def hear(self, data: bytes) -> None:
        self.adapter.receive_data(data)
        self.said.append(SpokenBytes("bot", data.decode(errors="surrogateescape")))
        self.adapter.events_received()
        self._write()

    def _write(self) -> None:
        if data := self.adapter.data_to_send():
            self.said.append(SpokenBytes("arena", data.decode(errors="surrogateescape")))
