"""`SEAT <token>`: the line that a bot, or a bridge in front of it, may send first in any protocol. A machine without
I/O in front of the adapter holds bytes that may become it, and passes on the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from arena.protocols.adapter import BotFault
from arena.protocols.framing import is_overlong

WORD = b"SEAT "
# How what a refused bot is told begins.
REFUSED = b"SEAT REFUSED "
LONGEST = 80

_LINE = re.compile(rb"SEAT[ ]+([!-~]*)[ ]*\r?")


class SeatLine:
    """The beginning of one connection. `token` is what the line shows, "" until it is complete.

    A line that is too long, or contains more than a token, shows `?`, which is never valid.
    """

    __slots__ = ("_held", "token")

    def __init__(self) -> None:
        self.token = ""
        self._held = b""

    @property
    def undecided(self) -> bool:
        """Whether bytes are held that may become the line, or its token is being checked."""
        return bool(self._held or self.token)

    def feed(self, data: bytes) -> bytes | None:
        """Take bytes from the bot and return those for the adapter, None while that is undecided."""
        self._held += data
        if self.token:
            return None
        if not (WORD.startswith(self._held) or self._held.startswith(WORD)):
            return self.release()
        line, end, rest = self._held.partition(b"\n")
        if end or len(line) > LONGEST:
            found = _LINE.fullmatch(line) if end else None
            self.token = (found and found[1].decode()) or "?"
            self._held = rest
        return None

    def release(self) -> bytes:
        """All bytes that are held, which then go to the adapter."""
        held, self._held = self._held, b""
        return held


def without_seat_line() -> Callable[[bytes], bytes]:
    """For the recorded bytes of one connection, in order, where the token is masked, perhaps in pieces: a function that
    takes the next ones, and returns those behind the line.
    """
    held, is_behind = b"", False

    def take(data: bytes) -> bytes:
        nonlocal held, is_behind
        if is_behind:
            return data
        held += data
        if held.startswith(WORD):
            _, end, rest = held.partition(b"\n")
            is_behind = bool(end)
            return rest
        if WORD.startswith(held):
            return b""
        is_behind = True
        return held

    return take


def why_not(fault: BotFault) -> tuple[str, str]:
    """The code and sentence for a bot that broke the protocol before it had a match to lose."""
    if is_overlong(fault.received):
        return "line_too_long", f"Received no end of it, expected {fault.expected}."
    return "not_understood", f"Received {fault.received or 'nothing'}, expected {fault.expected}."


def turned_away(code: str, sentence: str) -> bytes:
    """What a refused bot is told before its connection is closed."""
    return REFUSED + f"{code}: {sentence}\n".encode()
