"""What a place that waits for a bot has heard so far: the list that its author watches while hooking the bot up.

Codes and their parameters; a page has the words for them. Everything comes from the connection itself: what was read,
what was answered, and which protocol would have understood it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import NamedTuple

from arena.bots.failure.cards import Card
from arena.bots.session.connection import Connection
from arena.bots.session.wire import MASK, masked
from arena.common.limits import host_of
from arena.protocols import grammars, protocols
from arena.protocols.facts import Facts
from arena.protocols.framing import LineBuffer, LineEnd, shown

MOST_HEARD = 60
SILENT_S = 5.0
STILL_WAITING_S = 30.0
# NAME and JOIN come in one segment or one after the other: who has not joined by then has not been told to.
JOIN_S = 1.0

MOST_UNANSWERED = 64


class Heard(NamedTuple):
    """One thing that was heard. `n` counts from 1 and is never used again."""

    code: str
    params: Mapping[str, str]
    at: datetime
    n: int


class Hearing:
    """What was heard, the oldest first; beyond `MOST_HEARD` the oldest are forgotten.

    `on_change` is called at each, and after all bytes of a connection that is listened to.
    """

    def __init__(self) -> None:
        self.entries: list[Heard] = []
        self.on_change: Callable[[], None] = lambda: None
        self._n = 0
        self._still_waiting: asyncio.TimerHandle | None = None

    def add(self, code: str, /, **params: str) -> None:
        """Something was heard just now."""
        self._add(code, params, datetime.now(UTC))

    def gone(self, card: Card) -> None:
        """A bot that was here went before a match began."""
        self.add("gone", why=card.sentence, got=dict(card.facts).get("received", ""), advice=card.advice)

    def opened(self, port: int | None, join: str, until: datetime) -> None:
        """The address is there, for so long; the author is told again after a while without anybody."""
        self.add("open", port=str(port or ""), join=join, until=f"{until:%H:%M}")
        self.close()
        loop = asyncio.get_running_loop()
        self._still_waiting = loop.call_later(STILL_WAITING_S, self._nobody_came, str(port or ""))

    def adopt(self, entries: Iterable[Heard]) -> None:
        """What was heard of a connection before it was known where it belongs."""
        self.close()
        for entry in entries:
            self._add(entry.code, entry.params, entry.at)

    def close(self) -> None:
        """Nobody is waited for any more."""
        if self._still_waiting is not None:
            self._still_waiting.cancel()
            self._still_waiting = None

    def _nobody_came(self, port: str) -> None:
        self._still_waiting = None
        if not any(entry.code == "connected" for entry in self.entries):
            self.add("still_waiting", port=port)

    def _add(self, code: str, params: Mapping[str, str], at: datetime) -> None:
        self._n += 1
        self.entries = [*self.entries, Heard(code, params, at, self._n)][-MOST_HEARD:]
        self.on_change()


class Ear:
    """Listens to one connection until its match begins or it is over, and tells a hearing. `spoken` is set by its first
    byte.
    """

    def __init__(self, connection: Connection, hearing: Hearing, join: str = "") -> None:
        """`join` is the line with which the bot would join, "" where its protocol has none."""
        self.hearing = hearing
        self._connection = connection
        self._join = join
        self._spoken: type[Facts] = type(connection.adapter)
        self._buffer = _buffer(self._spoken.line_end)
        self._unanswered: deque[bytes] = deque(maxlen=MOST_UNANSWERED)
        self._line = b""
        self._lines = 0
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(SILENT_S, self._is_silent)
        self._joining: asyncio.TimerHandle | None = None
        self.spoken = asyncio.Event()
        connection.overheard = self._overhear
        hearing.close()
        hearing.add("connected", address=address_of(connection))

    def close(self) -> None:
        """Listen no more."""
        self._connection.overheard = None
        self._timer.cancel()
        self.joined()

    def expect(self, join: str) -> None:
        """It would join with this line."""
        self._join = join

    def joined(self) -> None:
        """It has its seat: nobody waits for its JOIN."""
        self._join = ""
        if self._joining is not None:
            self._joining.cancel()

    def _overhear(self, received: bytes, answered: bytes) -> None:
        if self._connection.wire.seated:
            self.close()  # its match has begun: what is said now is on the wire
            return
        if received:
            self.spoken.set()
            self._hear(received)
        for line in answered.splitlines():
            self._answer(line)
        self.hearing.on_change()  # its page shows the bytes as well

    def _hear(self, data: bytes) -> None:
        for line in [data] if self._buffer is None else self._buffer.feed(data):
            self._complete(line)
        self._timer.cancel()
        if self._buffer is not None and self._buffer.begun:
            self._timer = self._loop.call_later(SILENT_S, self._has_no_line_end, str(self._buffer.begun))

    def _complete(self, line: bytes) -> None:
        """Only the first lines are looked at: what comes later is on the wire."""
        line = masked(line).replace(MASK, b"...")
        self._line, self._lines = line, self._lines + 1
        if self._spoken.replies:
            self._unanswered.append(line)
        if self._lines == 1:
            self.hearing.add("first_line", line=shown(line))
            self._look_for_another_protocol(line)

    def _look_for_another_protocol(self, line: bytes) -> None:
        others = _others(self._spoken.slug, line.strip())
        if others:
            titles = " or ".join(protocols()[slug].title for slug in others)
            self.hearing.add("other_protocol", sent=shown(line.strip()), other=titles, slugs=" ".join(others))

    def _answer(self, line: bytes) -> None:
        done, wrong = self._spoken.replies or (b"", b"")
        got = self._unanswered.popleft() if line.startswith((done, wrong)) and self._unanswered else self._line
        if any(words in line for words in self._spoken.confused):
            meant, known = _meant(self._spoken.commands, got), ", ".join(self._spoken.commands)
            self.hearing.add("typo", got=shown(got), answered=shown(line), meant=meant, known=known)
        elif wrong and line.startswith(wrong):
            error = line.removeprefix(wrong).split()[0].decode("ascii")
            self.hearing.add("wrong", got=shown(got), answered=shown(line), error=error)
        elif self._join and self._joining is None:
            self._joining = self._loop.call_later(JOIN_S, self._needs_join, shown(line))

    def _needs_join(self, answered: str) -> None:
        self.hearing.add("needs_join", answered=answered, join=self._join)

    def _is_silent(self) -> None:
        if self._connection.adapter.joins:
            self.hearing.add("silent")

    def _has_no_line_end(self, count: str) -> None:
        self.hearing.add("no_line_end", bytes=count)


def address_of(connection: Connection) -> str:
    """Where it comes from, without its port."""
    return host_of(connection.transport.peer)


def _others(slug: str, line: bytes) -> tuple[str, ...]:
    """The protocols that would have understood what this one does not."""
    if not line or grammars.understands(slug, line):
        return ()
    titles = grammars.others_that_understand(slug, line)
    return tuple(other for other, adapter in protocols().items() if adapter.title in titles)


def _buffer(line_end: str | None) -> LineBuffer | None:
    """Lines for people: a \\r before the end is not shown, whatever the protocol makes of it."""
    if line_end is None:
        return None
    return LineBuffer(LineEnd.ANY if line_end is LineEnd.ANY else LineEnd.CRLF)


def _meant(commands: tuple[str, ...], line: bytes) -> str:
    """The command that is close to one of the words of the line."""
    for word in line.decode("ascii", "replace").upper().split():
        if near := get_close_matches(word, commands, 1):
            return near[0]
    return ""
