"""Common mistakes of authors of `fiar` bots."""

from __future__ import annotations

from arena.protocols.hints import BotError, Evidence, Hint


def was_asked_again(evidence: Evidence) -> bool:
    """Its last answer was illegal, and the line that was sent again has none."""
    return bool(evidence.refusal)


HINTS = (Hint("asked_again", frozenset({"timeout", "stall"}), was_asked_again, before="refused"),)

ERRORS = {
    "Question and answer": (
        BotError(
            "asked_again",
            "The same line again, and no answer to it",
            "`{received}` was refused, so the line was sent again, and nothing followed.",
            "Answer each line that comes, also one like the last: it comes again when a column was off the board or "
            "full, and another is wanted. Columns count from 1 to 7.",
        ),
    ),
}
