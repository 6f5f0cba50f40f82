"""What a waiting place has heard so far, as codes with parameters for which pages have the texts: the list that an
author watches while connecting a bot.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import NamedTuple

from arena.bots.failure.cards import Card
from arena.bots.failure.diagnosis import card
from arena.bots.failure.evidence import from_connection
from arena.bots.session.connection import Connection
from arena.common.limits import host_of
from arena.match.wire_messages import MASK, masked
from arena.protocols import grammars, protocols
from arena.protocols.facts import Facts
from arena.protocols.framing import LineBuffer, LineEnd, shown
from arena.protocols.hints import as_bytes

MOST_HEARD = 60
SILENT_S = 5.0
STILL_WAITING_S = 30.0
# NAME and JOIN come in one segment or shortly after each other: a bot without a JOIN by then will send none.
JOIN_S = 1.0

MOST_UNANSWERED = 64


class Heard(NamedTuple):
    """One entry. `n` counts from 1 and is never reused."""

    code: str
    params: Mapping[str, str]
    at: datetime
    n: int


class Hearing:
    """The entries, oldest first, at most `MOST_HEARD`. `on_change` is called for each, and after all bytes of a
    connection that is listened to.
    """

    def __init__(self) -> None:
        self.entries: list[Heard] = []
        self.on_change: Callable[[], None] = lambda: None
        self._n = 0
        self._still_waiting: asyncio.TimerHandle | None = None

    def add(self, code: str, /, **params: str) -> None:
        """Add an entry, heard just now."""
        self._add(code, params, datetime.now(UTC))

    def gone(self, card: Card) -> None:
        """A bot left before a match began."""
        self.add("gone", why=card.sentence, got=dict(card.facts).get("received", ""), advice=card.advice)

    def opened(self, port: int | None, join: str, until: datetime) -> None:
        """The address is open until then; after a while without a bot the author is told again."""
        self.add("open", port=str(port or ""), join=join, until=f"{until:%H:%M}")
        self.close()
        loop = asyncio.get_running_loop()
        self._still_waiting = loop.call_later(STILL_WAITING_S, self._nobody_came, str(port or ""))

    def adopt(self, entries: Iterable[Heard]) -> None:
        """Add what was heard of a connection before its place was known."""
        self.close()
        for entry in entries:
            self._add(entry.code, entry.params, entry.at)

    def close(self) -> None:
        """Stop waiting for a bot."""
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
    """Listens to one connection until its match begins or it ends. `spoken` is set by its first byte."""

    def __init__(self, connection: Connection, hearing: Hearing, join: str = "") -> None:
        """`join` is the line with which the bot would join, "" if its protocol has none."""
        self.hearing = hearing
        self._connection = connection
        self._join = join
        self._spoken: type[Facts] = type(connection.adapter)
        self._buffer = _buffer(self._spoken.line_end)
        self._unanswered: deque[bytes] = deque(maxlen=MOST_UNANSWERED)
        self._line = b""
        self._lines = 0
        self._is_web_client = False
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(SILENT_S, self._is_silent)
        self._joining: asyncio.TimerHandle | None = None
        self.spoken = asyncio.Event()
        connection.overheard = self._overhear
        hearing.close()
        hearing.add("connected", address=address_of(connection))

    def close(self) -> None:
        """Stop listening."""
        self._connection.overheard = None
        self._timer.cancel()
        self.joined()

    def expect(self, join: str) -> None:
        """The bot is expected to join with this line."""
        self._join = join

    def joined(self) -> None:
        """The bot has its seat, so no JOIN is expected any more."""
        self._join = ""
        if self._joining is not None:
            self._joining.cancel()

    def _overhear(self, received: bytes, answered: bytes) -> None:
        if self._connection.wire.seated:
            self.close()  # its match has begun: the wire has what follows
            return
        if received:
            if not self.spoken.is_set() and grammars.is_web_client(received):
                self._comes_from_the_web(received)
            self.spoken.set()
            self._hear(received)
        for line in answered.splitlines():
            self._answer(line)
        self.hearing.on_change()  # its page shows the bytes as well

    def _comes_from_the_web(self, data: bytes) -> None:
        """Say it once: what follows makes no more sense, line by line."""
        self._is_web_client = True
        told = card("web_client", from_connection(self._spoken.slug, "", [("in", data)]))
        self.hearing.add("web_client", why=told.sentence, advice=told.advice)

    def _hear(self, data: bytes) -> None:
        for line in [data] if self._buffer is None else self._buffer.feed(data):
            self._complete(line)
        self._timer.cancel()
        if self._buffer is not None and self._buffer.begun:
            self._timer = self._loop.call_later(SILENT_S, self._has_no_line_end, str(self._buffer.begun))

    def _complete(self, line: bytes) -> None:
        """Examine one of the first lines; later ones are only on the wire."""
        if (hidden := masked(line)) != line:
            line = hidden.replace(MASK, b"...")
        self._line, self._lines = line, self._lines + 1
        if self._spoken.replies:
            self._unanswered.append(line)
        if self._lines == 1 and not self._is_web_client:
            self.hearing.add("first_line", line=shown(line))
            self._look_for_another_protocol(line)

    def _look_for_another_protocol(self, line: bytes) -> None:
        others = _others(self._spoken.slug, line.strip())
        if others:
            titles = " or ".join(protocols()[slug].title for slug in others)
            self.hearing.add("other_protocol", sent=shown(line.strip()), other=titles, slugs=" ".join(others))

    def _answer(self, line: bytes) -> None:
        if self._is_web_client:
            return
        done, wrong = self._spoken.replies or (b"", b"")
        last = (self._buffer and self._buffer.overlong) or self._line
        got = self._unanswered.popleft() if line.startswith((done, wrong)) and self._unanswered else last
        if any(words in line for words in self._spoken.confused):
            got = as_bytes(self._spoken.first_refusal(line + b"\n").get("received", "")) or got
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
    """The address of the peer, without its port."""
    return host_of(connection.transport.peer)


def _others(slug: str, line: bytes) -> tuple[str, ...]:
    """The protocols that would have understood a line that this one does not."""
    if not line or grammars.understands(slug, line):
        return ()
    titles = grammars.others_that_understand(slug, line)
    return tuple(other for other, adapter in protocols().items() if adapter.title in titles)


def _buffer(line_end: str | None) -> LineBuffer | None:
    """Splits lines for display: a \\r before the end is not shown, whatever the protocol does with it."""
    if line_end is None:
        return None
    return LineBuffer(LineEnd.ANY if line_end is LineEnd.ANY else LineEnd.CRLF)


def _meant(commands: tuple[str, ...], line: bytes) -> str:
    """The command that is close to one of the words of the line."""
    for word in line.decode("ascii", "replace").upper().split():
        if near := get_close_matches(word, commands, 1):
            return near[0]
    return ""
