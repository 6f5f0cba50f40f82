"""Limits how much a bot may send: a number of lines a second, and one more answer for each request. Without it, 256 KiB
of empty lines in one read would stall the loop for all others, for 0.2 s.
"""

from __future__ import annotations

from arena.common.limits import Rate

LINES = Rate(200, 50)
# The cost of a line that ends with CRLF.
COSTS_OF_A_LINE = 2


def lines_in(data: bytes) -> int:
    """The cost of `data`; bytes without a line end cost nothing here, because endless lines are refused elsewhere."""
    return data.count(b"\n") + data.count(b"\r")
