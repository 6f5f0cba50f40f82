"""`SEAT <token>`: the line that a bot, or a bridge before it, may send ahead of everything else, in any protocol.

A machine without I/O in front of the adapter: it holds what may still become the line, and passes everything else on
untouched. Bytes that are glued behind the line are the adapter's.
"""

from __future__ import annotations

import re

from arena.protocols.adapter import BotFault
from arena.protocols.framing import is_overlong

WORD = b"SEAT "
LONGEST = 80

_LINE = re.compile(rb"SEAT[ ]+([!-~]*)[ ]*\r?")


class SeatLine:
    """The beginning of one connection. `token` is what the line shows, "" until it is complete.

    A line without an end, or with more in it than a token, shows `?`, which is nobody's.
    """

    __slots__ = ("_held", "token")

    def __init__(self) -> None:
        self.token = ""
        self._held = b""

    @property
    def undecided(self) -> bool:
        """Whether something is held that may become the line, or whose token is being looked up."""
        return bool(self._held or self.token)

    def feed(self, data: bytes) -> bytes | None:
        """Take bytes from the bot: what of them is the adapter's, None while that is open."""
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
        """All that is held: it belongs to the adapter."""
        held, self._held = self._held, b""
        return held


def why_not(fault: BotFault) -> tuple[str, str]:
    """The code and the sentence for somebody who broke the protocol before there was a match to lose."""
    if is_overlong(fault.received):
        return "line_too_long", f"Received no end of it, expected {fault.expected}."
    return "not_understood", f"Received {fault.received or 'nothing'}, expected {fault.expected}."


def turned_away(code: str, sentence: str) -> bytes:
    """What is told to somebody who is not let in, before the connection is closed."""
    return f"SEAT REFUSED {code}: {sentence}\n".encode()
