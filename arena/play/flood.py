"""Limits how much a bot may send: a number of lines a second, and one more answer for each request.

Without a limit, one bot could stall the loop for all others: 256 KiB of empty lines in one
read are 0.2 s of error messages.
"""

from __future__ import annotations

from arena.common.limits import Rate

LINES = Rate(200, 50)
# The cost of a line that ends with CRLF.
COSTS_OF_A_LINE = 2


def lines_in(data: bytes) -> int:
    """The cost of `data`; bytes without a line end cost nothing here, because endless lines are refused elsewhere."""
    return data.count(b"\n") + data.count(b"\r")
