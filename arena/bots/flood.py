"""How much a bot may say: so many lines a second, and those of one more answer for each question it was asked.

An unbounded answer to an unbounded flood is how one bot stalls the loop of all others: 256 KiB of empty lines in one
read are 0.2 s of error messages.
"""

from __future__ import annotations

LINES_PER_S = 50.0
LINES_AT_ONCE = 200.0


class Allowance:
    """The lines that one connection may still send. Times are of `time.monotonic`.

    `answer_lines` is how many an answer has at most: JSON may be printed over several.
    """

    __slots__ = ("_left", "_since", "_answer_lines")

    def __init__(self, now: float, answer_lines: int = 1) -> None:
        self._left, self._since, self._answer_lines = LINES_AT_ONCE, now, answer_lines

    def take(self, data: bytes, now: float) -> bool:
        """Take what `data` costs; whether that was allowed."""
        lines = data.count(b"\n") + data.count(b"\r")
        self._left -= lines
        if self._left >= 0:
            return True
        self._left = min(LINES_AT_ONCE - lines, self._left + (now - self._since) * LINES_PER_S)
        self._since = now
        return self._left >= 0

    def grant(self) -> None:
        """A question may be answered, however often it is asked; a line with CRLF costs two."""
        if self._left < LINES_AT_ONCE:
            self._left += 2 * self._answer_lines
