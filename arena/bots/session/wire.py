"""The wire of one seat in one match: everything that went over its bot's connection, for its author to read.

Recording delays every move, so it only appends a tuple (measured: under 0.3 µs a message). Messages are stored
unchanged, except that tokens are masked. JSON lines are made when somebody reads them: `{"t": seconds since the match
was opened, "dir": "in" from the bot, "out" to it or "err" from its stderr, "data": visible text, "ply": the move}`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from arena.core.hub import LiveMatch
from arena.match.wire_messages import NOTHING_BEGUN, Direction, Message, without_tokens
from arena.match.wire_pack import OVERHEAD
from arena.play.line import MOST_BYTES, RECENT_MESSAGES

# Limits stderr, so that a bot that floods it leaves room for its messages to us.
MOST_BYTES_OF_ERRORS = MOST_BYTES // 4
# The most original bytes of one line: escaped, they take up to five times as much.
PIECE = 8 * 1024
# How much of what readers have already received is kept in memory, to explain why a bot failed.
RECENT_BYTES = 16 * 1024

_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(32), 127)}
_ESCAPES |= {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", ord("\\"): "\\\\"}
_quoted = json.JSONEncoder(ensure_ascii=False).encode
_UNSEEN = {code: text for code, text in _ESCAPES.items() if code != ord("\\")}
CAME_BACK = b"The bot is back on a new connection. What follows went over that one."
FULL = f"The arena keeps {MOST_BYTES >> 20} MiB of a wire: more is not shown.".encode()


class Wire:
    """Records. `ply` is the number of the current move; `messages` are those not yet given to a reader.

    A wire begins with its connection; `join_match` attaches it to its match. `row` is the seat's primary key in the
    store, `stored` the number of the last stored message, None if not yet looked up. `reads_input` is whether the bot
    waited for input when the match ended, None if unknown.
    """

    __slots__ = (
        "_before",
        "_begun",
        "_errors",
        "_recent",
        "_size",
        "_told",
        "full",
        "messages",
        "ply",
        "reads_input",
        "row",
        "seated",
        "stored",
        "zero",
    )

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.ply = 0
        self.zero = time.monotonic()
        self.seated = False
        self.row: int | None = None
        self.stored: int | None = None
        self.reads_input: bool | None = None
        self.full = False
        self._size = self._errors = 0
        self._told = False
        self._recent: Sequence[Message] = ()
        self._before = self._begun = NOTHING_BEGUN

    @property
    def size(self) -> int:
        """The size so far in bytes, with overhead: while it does not change, there is nothing new to read."""
        return self._size + self._errors

    def received(self, data: bytes, stamp: float) -> None:
        """The bot has sent this."""
        self._size += len(data) + OVERHEAD * (data.count(b"\n") or 1)  # each line is a row for whoever reads it
        if self._size <= MOST_BYTES:
            self.messages.append((stamp, "in", data, self.ply))
        else:
            self.full = True

    def sent(self, data: bytes) -> None:
        """This was written to the bot."""
        self._size += len(data) + OVERHEAD
        if self._size <= MOST_BYTES:
            self.messages.append((time.monotonic(), "out", data, self.ply))
        else:
            self.full = True

    def complained(self, data: bytes) -> None:
        """The bot has written this to its stderr."""
        self._errors += len(data) + OVERHEAD * (data.count(b"\n") or 1)
        if self._errors <= MOST_BYTES_OF_ERRORS and self._size + self._errors <= MOST_BYTES:
            self.messages.append((time.monotonic(), "err", data, self.ply))
        else:
            self.full = True

    def take(self) -> list[Message]:
        """The messages since the last call."""
        messages, self.messages = self.messages, []
        known = [*self._recent, *messages]
        self._recent = _newest(known)
        _, self._before = without_tokens(known[: len(known) - len(self._recent)], self._before)
        return messages

    def last_messages(self, until: float | None = None) -> list[tuple[Direction, bytes]]:
        """The latest messages, including those already taken, without tokens; of the bot only those received by
        `until`, a `time.monotonic` value, because on a busy machine two clocks read one after the other do not agree.
        """
        known = (message for message in self.recent() if until is None or message[1] != "in" or message[0] <= until)
        return [(way, data) for _, way, data, _ in known if data != CAME_BACK]

    def recent(self) -> Sequence[Message]:
        """The latest messages as they were recorded, without tokens."""
        return without_tokens((*self._recent, *self.messages), self._before)[0]

    def kept(self, messages: Sequence[Message]) -> list[Message]:
        """These messages as stored: times from the opening, tokens masked. Call it in order, one thread at a time."""
        zero = self.zero
        shown, self._begun = without_tokens(messages, self._begun)
        found = [(stamp - zero, way, data, ply) for stamp, way, data, ply in shown]
        if self.full and not self._told:
            self._told = True
            found.append((time.monotonic() - zero, "err", FULL, self.ply))
        return found

    def encode(self, messages: Sequence[Message]) -> list[str]:
        """New messages as JSON lines, without line ends."""
        return lines_of(self.kept(messages))


def _newest(messages: list[Message]) -> list[Message]:
    if sum([len(data) for _, _, data, _ in messages[-RECENT_MESSAGES:]]) <= RECENT_BYTES:
        return messages[-RECENT_MESSAGES:]
    room, first = RECENT_BYTES, len(messages)
    while first and len(messages) - first < RECENT_MESSAGES and room >= len(messages[first - 1][2]):
        first -= 1
        room -= len(messages[first][2])
    return messages[first:]


def join_match(wire: Wire, live: LiveMatch, seat: int) -> Wire:
    """The wire of this seat from now on, for a connection that has `wire`.

    The first match of a connection includes what was said before it. A connection that takes a seat over continues the
    seat's wire, which records that.
    """
    kept: Wire | None = live.wires[seat]
    said: list[Message] = []
    if kept is None:
        kept = live.wires[seat] = Wire() if wire.seated else wire
    elif kept is not wire and not wire.seated:
        said = wire.take()
    if live.state.phase in ("running", "paused"):
        at = len(kept.messages) if kept is not wire else 0  # before the messages that led to the seat
        kept.messages.insert(at, (time.monotonic(), "err", CAME_BACK, kept.ply))
    kept.messages += [(stamp, direction, data, kept.ply) for stamp, direction, data, _ in said]
    kept.seated = wire.seated = True
    kept.zero = time.monotonic() - (datetime.now(UTC) - live.events[0].at).total_seconds()
    return kept


def lines_of(messages: Iterable[Message]) -> list[str]:
    """Stored messages as JSON lines without line ends; beyond `MOST_BYTES` they are left out. A worker may have sent
    lines without number: here too each of them counts.
    """
    lines: list[str] = []
    room = MOST_BYTES
    for t, direction, data, ply in messages:
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            line = _line(t, direction, visible(piece), ply)
            room -= _length(line) + OVERHEAD * piece.count(b"\n") + 1
            if room < 0 and data != FULL:
                return [*lines, _line(t, "err", FULL.decode(), ply)]
            lines.append(line)
    return lines


def visible(data: bytes) -> str:
    r"""Bytes as fully visible text: `\n`, `\r`, `\t`, `\\`, and `\xNN` for other unprintable bytes."""
    if data.isascii():
        return data.decode("ascii").translate(_ESCAPES)
    text = data.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace").translate(_UNSEEN)
    return "".join([letter if letter.isprintable() else _hex(letter) for letter in text])


def _hex(letter: str) -> str:
    return "".join([f"\\x{byte:02x}" for byte in letter.encode()])


def _line(t: float, direction: Direction, data: str, ply: int) -> str:
    return f'{{"t": {t:.6f}, "dir": "{direction}", "data": {_quoted(data)}, "ply": {ply}}}'


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
