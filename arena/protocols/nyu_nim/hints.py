"""Common mistakes of authors of `nyu-nim` bots."""

from __future__ import annotations

import re

from arena.protocols.hints import BotError, Evidence, Hint, always, has_never_answered


def had_no_reset(evidence: Evidence) -> bool:
    """The same take without the reset would have been legal."""
    return evidence.move.endswith("r") and evidence.allows(evidence.move[:-1])


def is_list(evidence: Evidence) -> bool:
    """Both numbers as a list or tuple is shown, which the course of Santorini takes for a square."""
    return re.fullmatch(r"[(\[]\d+,? ?[01][)\]]", evidence.received) is not None


HINTS = (
    Hint("printed_value", frozenset({"bad_output"}), is_list, before="extra_characters"),
    Hint("reads_lines", frozenset({"timeout"}), has_never_answered, before="refused"),
    Hint("no_reset_left", frozenset({"illegal_move"}), had_no_reset, before="illegal_move"),
    Hint("too_many_stones", frozenset({"illegal_move"}), always, before="illegal_move"),
)

ERRORS = {
    "Question and answer": (
        BotError(
            "reads_lines",
            "No answer to the first state",
            "`{asked}` was sent, and nothing came. No state has a line end: a read of a whole line never ends.",
            "Read what is there: recv(1024) in Python and C, read(buffer) in Java; not readline, fgets or fscanf. And "
            "flush the answer.",
        ),
    ),
    "Moves": (
        BotError(
            "no_reset_left",
            "A reset too many",
            "`{received}` resets once more than a player may in one match.",
            "Count your own resets: nothing on the wire tells how many are left.",
        ),
        BotError(
            "too_many_stones",
            "Stones that may not be taken",
            "`{received}` takes a number that is not allowed here: {reason}.",
            "Take 1 to b + 1 stones, 1 to 3 when c is 1, and never more than a.",
        ),
    ),
}
