"""Detects which protocol a text belongs to, by passing it to the adapters themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import games
from arena.protocols import facts_of, protocol, protocols
from arena.protocols.adapter import (
    Adapter,
    BotAnswers,
    BotFault,
    BotMove,
    BotOffers,
    BotResigns,
    BotWithdraws,
    Hello,
    Join,
    Joined,
    Seated,
    Started,
    ToBot,
    Turn,
)
from games import Position

# Far enough into each game for its second kind of move: by then Santorini's workers are placed.
_MIDDLE = 6
# The end of a long address may come later than its beginning.
_WEB = re.compile(rb"(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|CONNECT|PATCH|PRI) (?:/|\S+ HTTP/)|\x16\x03[\x00-\x04]|SSH-\d")
_ACKNOWLEDGED = b'"OK"\n'


def expected(slug: str) -> str:
    """What an answer in this protocol looks like."""
    return facts_of(slug).expects or f"an answer as {slug} has it"


def first_words(slug: str) -> str:
    """What a bot of this protocol says first, if it speaks first."""
    lines = [greeting.decode().rstrip("\n") for greeting in facts_of(slug).greeting]
    if len(lines) > 1:
        return f"{', then '.join(lines)}, each with its \\n"
    return f"{lines[0]} and \\n" if lines else expected(slug)


def is_web_client(data: bytes) -> bool:
    """Whether HTTP, TLS or SSH begins like that: no bot of any protocol does."""
    return bool(_WEB.match(data))


def understands(slug: str, text: bytes) -> bool:
    """Whether `text`, one answer with or without its line end, is meaningful in this protocol."""
    line = text.rstrip(b"\n") + b"\n"
    return any(_understood(adapter, position, line) for adapter, position in _conversations(slug))


def others_that_understand(slug: str, text: bytes) -> list[str]:
    """The titles of the other protocols in which `text` is meaningful."""
    return [adapter.title for other, adapter in protocols().items() if other != slug and understands(other, text)]


def _conversations(slug: str) -> Iterator[tuple[Adapter, Position]]:
    """An adapter in each stage: before, between and after the greetings, after a match begins, after a request."""
    greetings = protocol(slug).greeting
    for position in _positions(slug):
        began: tuple[ToBot, ...] = (Joined("room"), Seated(0, "you", "other", "none"), Started(position))
        stages: list[tuple[int, tuple[ToBot, ...]]] = [(count, ()) for count in range(len(greetings) + 1)]
        for count, told in [*stages, (len(greetings), began), (len(greetings), (*began, Turn(position)))]:
            adapter = protocol(slug)()
            for greeting in greetings[:count]:
                adapter.receive_data(greeting)
            for event in told:
                adapter.send(event)
            while adapter.deadline is not None and adapter.deadline.name == "pause":
                adapter.tick("pause")
            yield adapter, position


@cache
def _positions(slug: str) -> tuple[Position, Position]:
    """The first position, and a later one with the same side to move."""
    variants = protocol(slug).variants
    start = position = games.variant(variants[0] if variants else "connect-four-7x6").start()
    for _ in range(_MIDDLE):
        moves = position.legal_moves()
        position = position.play(moves[position.ply % len(moves)])
    return start, position


def _understood(adapter: Adapter, position: Position, line: bytes) -> bool:
    if line != _ACKNOWLEDGED and _awaits_acknowledgement(adapter):
        adapter.receive_data(_ACKNOWLEDGED)  # the request comes after the acknowledgement
    adapter.events_received()
    adapter.data_to_send()
    awaited = _awaits_acknowledgement(adapter)
    adapter.receive_data(line)
    events = adapter.events_received()
    if any(_means(event, position) for event in events):
        return True
    if awaited and not _awaits_acknowledgement(adapter):
        return not any(isinstance(event, BotFault) for event in events)
    # `native` refuses a move for another turn with this code, but it could read the move.
    return b'"code":"stale"' in adapter.data_to_send()


def _awaits_acknowledgement(adapter: Adapter) -> bool:
    return adapter.deadline is not None and adapter.deadline.name == "ack"


def _means(event: object, position: Position) -> bool:
    match event:
        case BotMove(text):
            return text in position.legal_moves()
        case BotFault(code=code):
            return code == "illegal_move"
        case Hello() | Join() | BotResigns() | BotOffers() | BotAnswers() | BotWithdraws():
            return True
    return False
