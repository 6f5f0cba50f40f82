"""What a place that waits for a bot has heard so far: the list that its author watches while hooking the bot up.

Codes and their parameters; a page has the words for them. Everything comes from the connection itself: what was read,
what was answered, and which protocol would have understood it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import NamedTuple

from arena.bots import grammars
from arena.bots.connection import Connection
from arena.bots.evidence import COMMANDS
from arena.protocols import protocols
from arena.protocols.framing import LINE_CAP, shown

MOST_HEARD = 60
SILENT_S = 5.0
STILL_WAITING_S = 30.0
# NAME and JOIN come in one segment or one after the other: who has not joined by then has not been told to.
JOIN_S = 1.0

_LINES = frozenset({"gamestate", "fiar", "droidcon", "native"})
_NOT_UNDERSTOOD = (b"Error INVALID_COMMAND", b'"unknown_type"', b'"bad_json"')


class Heard(NamedTuple):
    """One thing that was heard. `n` counts from 1 and is never used again."""

    code: str
    params: Mapping[str, str]
    at: datetime
    n: int


class Hearing:
    """What was heard, the oldest first; beyond `MOST_HEARD` the oldest are forgotten. `on_change` is called at each."""

    def __init__(self) -> None:
        self.entries: list[Heard] = []
        self.on_change: Callable[[], None] = lambda: None
        self._n = 0
        self._still_waiting: asyncio.TimerHandle | None = None

    def add(self, code: str, /, **params: str) -> None:
        """Something was heard just now."""
        self._add(code, params, datetime.now(UTC))

    def opened(self, port: int | None, join: str, until: datetime) -> None:
        """The address is there, for so long; the author is told again after a while without anybody."""
        self.add("open", port=str(port or ""), join=join, until=f"{until:%H:%M}")
        self.close()
        loop = asyncio.get_running_loop()
        self._still_waiting = loop.call_later(STILL_WAITING_S, self._nobody_came, str(port or ""))

    def adopt(self, other: Hearing) -> None:
        """What was heard of a connection before it was known where it belongs."""
        for entry in other.entries:
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
        self._slug = connection.adapter.slug
        self._begun = b""
        self._line = b""
        self._lines = 0
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(SILENT_S, self._is_silent)
        self._joining: asyncio.TimerHandle | None = None
        self.spoken = asyncio.Event()
        connection.overheard = self._overhear
        hearing.close()
        hearing.add("connected", address=connection.transport.peer.rpartition(":")[0].strip("[]"))

    def close(self) -> None:
        """Listen no more."""
        self._connection.overheard = None
        self._timer.cancel()
        if self._joining is not None:
            self._joining.cancel()

    def _overhear(self, received: bytes, answered: bytes) -> None:
        if received:
            self.spoken.set()
            self._hear(received)
        for line in answered.splitlines():
            self._answer(line)

    def _hear(self, data: bytes) -> None:
        *lines, rest = (self._begun + data).split(b"\n")
        if self._slug not in _LINES:
            lines, rest = [self._begun + data], b""
        for line in lines:
            self._complete(line)
        self._begun = rest[:LINE_CAP]
        self._timer.cancel()
        if self._begun:
            self._timer = self._loop.call_later(SILENT_S, self._has_no_line_end)

    def _complete(self, line: bytes) -> None:
        """Only the first lines are looked at: what comes later is on the wire."""
        self._line, self._lines = line, self._lines + 1
        if self._lines == 1:
            self.hearing.add("first_line", line=shown(line))
            self._look_for_another_protocol(line)

    def _look_for_another_protocol(self, line: bytes) -> None:
        others = _others(self._slug, line.strip())
        if others:
            titles = " or ".join(protocols()[slug].title for slug in others)
            self.hearing.add("other_protocol", sent=shown(line.strip()), other=titles, slugs=" ".join(others))

    def _answer(self, line: bytes) -> None:
        if any(words in line for words in _NOT_UNDERSTOOD):
            meant = _meant(self._slug, self._line)
            self.hearing.add("typo", got=shown(self._line), answered=shown(line), meant=meant)
        elif self._join and self._joining is None:
            self._joining = self._loop.call_later(JOIN_S, self._needs_join, shown(line))

    def _needs_join(self, answered: str) -> None:
        self.hearing.add("needs_join", answered=answered, join=self._join)

    def _is_silent(self) -> None:
        if self._connection.adapter.joins:
            self.hearing.add("silent")

    def _has_no_line_end(self) -> None:
        self.hearing.add("no_line_end", bytes=str(len(self._begun)))


def _others(slug: str, line: bytes) -> tuple[str, ...]:
    """The protocols that would have understood what this one does not."""
    if not line or grammars.understands(slug, line):
        return ()
    titles = grammars.others_that_understand(slug, line)
    return tuple(other for other, adapter in protocols().items() if adapter.title in titles)


def _meant(slug: str, line: bytes) -> str:
    """The command that is close to one of the words of the line."""
    for word in line.decode("ascii", "replace").upper().split():
        if near := get_close_matches(word, COMMANDS.get(slug, ()), 1):
            return near[0]
    return ""
