"""Common mistakes of authors of `native` bots."""

from __future__ import annotations

from arena.protocols.hints import BotError, Evidence, Hint


def spreads_over_lines(evidence: Evidence) -> bool:
    """Its first line is only the beginning of an object."""
    return evidence.received.strip() == "{"


HINTS = (Hint("json_over_lines", frozenset({"timeout", "stall"}), spreads_over_lines, before="illegal_move"),)

ERRORS = {
    "Bytes and lines": (
        BotError(
            "json_over_lines",
            "An object over several lines",
            "`{received}` came as a line: an object has to stand on one line. Expected: {expected}.",
            "Write it without line ends in it: json.dumps(value) without indent in Python, JSON.stringify(value) in "
            "JavaScript.",
        ),
    ),
}
