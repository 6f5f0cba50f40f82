"""Common mistakes of authors of `droidcon` bots."""

from __future__ import annotations

from arena.protocols.hints import BotError, Evidence, Hint, has_never_answered

_COMMANDS = ("NAME", "JOIN", "PUT")


def has_not_joined(evidence: Evidence) -> bool:
    """It has said something, but has no seat."""
    return bool(evidence.unfinished)


def was_answered_with_an_error(evidence: Evidence) -> bool:
    """It sent whole lines, but no PUT."""
    return evidence.unfinished.endswith("\\x0a")


def begins_with_something_else(evidence: Evidence) -> bool:
    """Its first line, a greeting or a prompt, was no command; the lines after it were answered with errors as well."""
    first, end, _ = evidence.unfinished.partition("\\x0a")
    return bool(end) and first.upper().split()[:1] not in [[command] for command in _COMMANDS]


HINTS = (
    Hint("unknown_command", frozenset({"stall"}), begins_with_something_else, before="refused"),
    Hint("not_joined", frozenset({"stall"}), has_not_joined, before="refused"),
    Hint("unknown_command", frozenset({"timeout"}), was_answered_with_an_error, before="refused"),
    Hint("reads_once", frozenset({"timeout"}), has_never_answered, before="no_answer"),
)

ERRORS = {
    "Bytes and lines": (
        BotError(
            "unknown_command",
            "We did not understand that",
            "`{received}` is not a command of this protocol; it was answered with an error and changed nothing.",
            "{meant}Send only what the protocol names: {expected}.",
        ),
    ),
    "Question and answer": (
        BotError(
            "reads_once",
            "No answer to the first YOUR_MOVE",
            "`{asked}` was sent together with the line before it, and nothing came.",
            "One read may bring several lines, or part of one: keep what you read, and take one line after the other "
            "from it up to each \\n. And flush the answer.",
        ),
    ),
    "Connecting": (
        BotError(
            "not_joined",
            "Waiting for JOIN",
            "`{unfinished}` came, but no valid JOIN.",
            "Send NAME, then JOIN, each with its \\n, and read the answers: each is SUCCESS, or Error and the reason.",
        ),
    ),
}
