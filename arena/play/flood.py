"""How much a bot may say: so many lines a second, and those of one more answer for each question it was asked.

An unbounded answer to an unbounded flood is how one bot stalls the loop of all others: 256 KiB of empty lines in one
read are 0.2 s of error messages.
"""

from __future__ import annotations

from arena.common.limits import Rate

LINES = Rate(200, 50)
# A line with CRLF costs two.
COSTS_OF_A_LINE = 2


def lines_in(data: bytes) -> int:
    """What `data` costs; bytes without the end of a line cost nothing here, an endless line is refused elsewhere."""
    return data.count(b"\n") + data.count(b"\r")
