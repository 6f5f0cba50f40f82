"""One adapter talks with a bot that sends anything: what the adapter is told follows from what it said, as in a match.

Half of what the bot says is a good answer or a line of a transcript, so that the talk gets somewhere; the rest is that
with bytes changed, cut, repeated and glued, words of all other protocols, and noise.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import games
from arena.protocols import protocol, protocols
from arena.protocols.adapter import (
    Adapter,
    BotAnswers,
    BotFault,
    BotMove,
    BotOffers,
    BotResigns,
    BotWithdraws,
    Bye,
    Challenge,
    Closed,
    Ended,
    FromBot,
    Hello,
    Join,
    Joined,
    Moved,
    Offered,
    OfferRefused,
    Queue,
    Ready,
    Refused,
    Seated,
    Started,
    Turn,
)
from arena.protocols.value import FrozenValue
from tests.bots.faulty.faulty_bot import turns
from tests.protocols.test_transcripts import read_transcript

TRANSCRIPTS = Path(__file__).parents[2] / "tests" / "protocols" / "transcripts"
NAME = "faulty"
# What an adapter may hold of a bot, say to it at once, and say of it: values have 8 KiB at most.
MOST_HELD = MOST_SAID = 128 * 1024
MOST_TEXT = 16 * 1024
NOISE = (
    *(b"\n" * 300, b"x" * 700, b"[" * 2000, b"\x00" * 60, b"\r\n" * 50),
    *(b"\xff\xfe4\n", b"9" * 5000, b'{"a":' * 40, b'"', b"SEAT arn_1\n"),
)
# How a connection begins, most of the time.
GREETINGS = {
    "droidcon": b"NAME faulty\nJOIN x\n",
    "santorini-json": b'["join","faulty"]',
    "santorini-course": b'"faulty"',
    "native": b'{"type":"hello","name":"faulty"}\n{"type":"queue","variant":"expanding-nim"}\n',
}
# How often a deadline passes behind an input: registering takes time, acknowledging should not.
TICKS = {"ready": 0.9, "pause": 0.9}
# How often a bot is good: a connection has one mood.
MOODS = (0.2, 0.7, 0.9, 0.97)


def said_in(slug: str) -> list[bytes]:
    """Everything that bots say in the transcripts of this protocol."""
    paths = sorted(TRANSCRIPTS.glob(f"{slug}.*.txt"))
    return [step.sent for path in paths for step in read_transcript(path) if step.sent]


class Talk:
    """Adapters of one protocol, one after the other, for as long as somebody calls `hear`."""

    def __init__(self, slug: str, seed: int) -> None:
        self.slug = slug
        self.faults = self.moves = self.connections = 0
        self._rng = random.Random(seed)
        self._own = said_in(slug)
        self._others = [data for other in protocols() if other != slug for data in said_in(other)]
        self._variants = protocol(slug).variants or tuple(variant.slug for variant in games.variants())
        self._begin()

    def _begin(self) -> None:
        self.adapter: Adapter = protocol(self.slug)()
        self._position: games.Position | None = None
        self._seat = self._rng.randrange(2)
        self._told = b""
        self._mood = self._rng.choice(MOODS)
        self._greets = self._rng.random() < 0.8
        self._over = False
        self.connections += 1

    # -- what the bot says ---------------------------------------------------------------------------------------------

    def next_input(self) -> bytes:
        """Some bytes."""
        rng = self._rng
        if self._greets:
            self._greets = False
            return GREETINGS.get(self.slug) or self._good_answer()
        if rng.random() < self._mood:
            return self._good_answer()
        match rng.randrange(6):
            case 0:
                return rng.choice(self._own)
            case 1 | 2:
                return self._spoilt(rng.choice(self._own))
            case 3:
                return self._spoilt(self._good_answer())
            case 4:
                return rng.choice(self._others if rng.random() < 0.5 else NOISE)
            case _:
                return rng.randbytes(rng.randrange(1, 60))

    def _good_answer(self) -> bytes:
        position = self._position
        if position is None or position.to_move != self._seat:
            return self._rng.choice(self._own)
        return ANSWERS[self.slug](self._rng.choice(position.legal_moves()), position.ply + 1, self._told)

    def _spoilt(self, data: bytes) -> bytes:
        rng, spoilt = self._rng, bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(spoilt) + 1)
            spoilt[place : place + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        if rng.random() < 0.1:
            spoilt *= rng.randrange(2, 40)
        return bytes(spoilt[: rng.randrange(len(spoilt) + 1)]) if rng.random() < 0.2 else bytes(spoilt)

    # -- what the arena does -------------------------------------------------------------------------------------------

    def hear(self, data: bytes) -> None:
        """The bot has said this. Raises whatever an adapter may not raise, and AssertionError where it grows."""
        adapter = self.adapter
        if self._rng.random() < 0.1:
            for i in range(len(data)):
                adapter.receive_data(data[i : i + 1])
        else:
            adapter.receive_data(data)
        self._pump()
        if adapter.deadline is not None and self._rng.random() < TICKS.get(adapter.deadline.name, 0.02):
            adapter.tick(adapter.deadline.name)
            self._pump()
        if adapter.wants_close or self._over or self._rng.random() < 0.002:
            adapter.receive_eof()
            adapter.send(Bye())
            self._pump()
            self._begin()

    def _pump(self) -> None:
        while True:
            said = self.adapter.data_to_send()
            assert len(said) <= MOST_SAID, f"{len(said)} bytes are said at once"
            self._told = said or self._told
            events = self.adapter.events_received()
            for event in events:
                assert_short(event)
                self._take(event)
            if not events:
                break
        held = sum(map(weight, values_of(self.adapter)))
        assert held <= MOST_HELD, f"{held} bytes are held"

    def _take(self, event: FromBot) -> None:
        match event:
            case Hello() | Closed():
                pass
            case Join(code=code):
                self._find(code)
            case Queue() | Challenge():
                self._find("otter-42")
            case Ready():
                self._start()
            case BotMove(text=move):
                self._play(move)
            case BotResigns():
                self._end(1 - self._seat, "resign")
            case BotOffers(what=what):
                self.adapter.send(Offered(7, self._seat, what))
            case BotAnswers() | BotWithdraws():
                self.adapter.send(OfferRefused("no_offer", "Nothing is offered."))
            case BotFault(code=code, move=move):
                self.faults += 1
                self._end(1 - self._seat, code, move)

    def _find(self, code: str) -> None:
        if self._rng.random() < 0.1:
            self.adapter.send(Refused("channel_is_full", "The room is full."))
            return
        self.adapter.send(Joined(code))
        self._start()

    def _start(self) -> None:
        if self._position is not None:
            return
        variant = self._rng.choice(self._variants)
        self._position = games.variant(variant).start()
        self.adapter.send(Seated(self._seat, NAME, "bob", "5s", "m1"))
        self.adapter.send(Started(self._position, variant=variant, settings=games.variant(variant).complete({})))
        self._go_on()

    def _play(self, move: str) -> None:
        position = self._position
        if position is None or position.to_move != self._seat or move not in position.legal_moves():
            if self.adapter.on_illegal == "lose":
                self._end(1 - self._seat, "illegal_move", move)
            else:
                self.adapter.send(Refused("illegal_move", f"{move} is not allowed."))
            return
        self.moves += 1
        self._move(move)
        self._go_on()

    def _go_on(self) -> None:
        """The other side plays until the bot is asked, or the match is over."""
        position = self._position
        while position is not None and position.to_move == 1 - self._seat:
            self._move(self._rng.choice(position.legal_moves()))
            position = self._position
        if position is not None and position.to_move is None:
            outcome = position.outcome()
            self._end(outcome.winner if outcome else None, "normal")
        elif position is not None:
            self.adapter.send(Turn(position, 5000, 5000))

    def _move(self, move: str) -> None:
        assert self._position is not None, "a match is being played"
        seat = self._position.to_move
        assert seat is not None, "it is not over"
        self._position = self._position.play(move)
        self.adapter.send(Moved(seat, move, self._position, (5000, 5000)))

    def _end(self, winner: int | None, termination: str, move: str = "") -> None:
        position, self._position = self._position, None
        if position is None:
            self._over = True  # a session without a match is closed for a fault
            return
        last = self._rng.random() < 0.2
        self.adapter.send(Ended(winner, termination, "why", position, last, move))
        self._seat = 1 - self._seat
        if not last:
            self._start()


# -- good answers ------------------------------------------------------------------------------------------------------


def _santorini(move: str, ply: int, told: bytes) -> bytes:
    """A move made from the last message, because the notation of the rules is not that of the wire."""
    try:
        kind, said = json.loads(told.splitlines()[-1])
    except (ValueError, IndexError):
        return b'"OK"'
    if kind == "place":
        taken = {(worker["x"], worker["y"]) for worker in said}
        return json.dumps(["place", *next((x, y) for y in range(6) for x in range(6) if (x, y) not in taken)]).encode()
    return json.dumps(next(turns(said), "OK") if kind == "turn" else "OK").encode()


def _course(move: str, ply: int, told: bytes) -> bytes:
    """The same in the values of the course; a list of workers is shorter than a board."""
    try:
        said = json.loads(told.splitlines()[-1])
    except (ValueError, IndexError):
        return b""
    if isinstance(said, list) and len(said) < 4 and all(len(worker) == 3 for worker in said):
        taken = {(x, y) for _, x, y in said}
        return json.dumps(next([x, y] for y in range(6) for x in range(6) if (x, y) not in taken)).encode()
    if isinstance(said, list) and len(said) == 6:
        for (_, mover, step), *builds in turns(said):
            return json.dumps([f"{NAME}{mover['id']}", *step, *(word for _, way in builds for word in way)]).encode()
    return b""


ANSWERS: dict[str, Callable[[str, int, bytes], bytes]] = {
    "gamestate": lambda move, ply, told: b"%d\n" % (int(move) - 1),
    "fiar": lambda move, ply, told: b"%s\n" % move.encode(),
    "nyu-nim": lambda move, ply, told: f"{move.removesuffix('r')} {move.count('r')}".encode(),
    "droidcon": lambda move, ply, told: b"PUT %d\n" % (int(move) - 1),
    "santorini-json": _santorini,
    "santorini-course": _course,
    "native": lambda move, ply, told: json.dumps({"type": "move", "move": move, "ply": ply}).encode() + b"\n",
}


# -- what may not grow -------------------------------------------------------------------------------------------------


def assert_short(event: FromBot) -> None:
    for value in values_of(event):
        if isinstance(value, str | bytes):
            assert len(value) <= MOST_TEXT, f"{type(event).__name__} holds a text of {len(value)} letters"


def values_of(thing: Any) -> Iterator[Any]:
    if isinstance(thing, tuple):
        return iter(thing)
    if isinstance(thing, FrozenValue):
        return (getattr(thing, name) for name in thing.field_names)
    if is_dataclass(thing):
        return (getattr(thing, field.name) for field in fields(thing))
    names = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    return (getattr(thing, name) for name in names if hasattr(thing, name))


def weight(value: Any) -> int:
    """The bytes and letters in it, and 8 for each of its parts. A position is bounded by its rules."""
    if isinstance(value, bytes | bytearray | str):
        return len(value)
    if isinstance(value, games.Position):
        return 8
    if isinstance(value, dict):
        return sum(weight(key) + weight(item) + 8 for key, item in value.items())
    if isinstance(value, Sequence | set | frozenset) or hasattr(value, "popleft"):
        return sum(weight(item) + 8 for item in value)
    return 8 + sum(map(weight, values_of(value)))
