"""Common mistakes of authors of `santorini-json` bots."""

from __future__ import annotations

from arena.protocols.grammars import understands
from arena.protocols.hints import BotError, Evidence, Hint, as_bytes


def answers_before_it_registered(evidence: Evidence) -> bool:
    """It sent an answer that would only be valid later."""
    return evidence.expected.startswith('["join"') and understands(evidence.protocol, as_bytes(evidence.received))


def registers_late(evidence: Evidence) -> bool:
    """Its name came instead of an acknowledgement."""
    return answers_with_something_else(evidence) and evidence.received.startswith('["join"')


def answers_with_something_else(evidence: Evidence) -> bool:
    """Some other value came instead of a due acknowledgement."""
    return evidence.expected == '"OK"'


def owes_an_acknowledgement(evidence: Evidence) -> bool:
    """It has not acknowledged the last value."""
    return bool(evidence.asked or evidence.expected)


def was_asked_for_an_acknowledgement(evidence: Evidence) -> bool:
    """The last value that it got is one to acknowledge."""
    return evidence.asked.startswith(('["new_game"', '["over"', '["name"'))


def is_no_json(evidence: Evidence) -> bool:
    """A text in single quotes or none, or a value in Python's or JavaScript's own notation."""
    text = (evidence.received or evidence.unfinished).strip()
    if not text:
        return False
    bare = text.startswith("'") or text.upper() == "OK"
    return bare or (evidence.expected.startswith("a JSON value") and text[0] in "[{")


_BAD = frozenset({"bad_output"})
_STALLED = frozenset({"stall"})
_LATE = frozenset({"timeout"})

HINTS = (
    Hint("before_asked", _BAD, answers_before_it_registered, before="flood"),
    Hint("registered_late", _BAD, registers_late, before="debug_output"),
    Hint("not_json", _BAD, is_no_json, before="debug_output"),
    Hint("wrong_acknowledgement", _BAD, answers_with_something_else, before="debug_output"),
    Hint("not_json", frozenset({"timeout", "stall"}), is_no_json, before="incomplete_answer"),
    Hint("no_acknowledgement", _STALLED, owes_an_acknowledgement, before="connected_but_silent"),
    Hint("no_acknowledgement", _LATE, was_asked_for_an_acknowledgement, before="start_too_slow"),
)

ERRORS = {
    "Bytes and lines": (
        BotError(
            "not_json",
            "Not JSON",
            "`{received}` is not JSON: JSON puts strings in double quotes. Expected: {expected}.",
            'Write what you send with a JSON library, json.dumps in Python, JSON.stringify in JavaScript: "OK" has its '
            "quotes on the wire.",
        ),
    ),
    "Question and answer": (
        BotError(
            "no_acknowledgement",
            "No acknowledgement",
            "`{asked}` was not acknowledged. Expected: {expected}.",
            'Answer new_game, over and a new name with "OK", at once and before anything else.',
        ),
        BotError(
            "wrong_acknowledgement",
            "Something other than an acknowledgement",
            "`{received}` answers `{asked}`. Expected: {expected}.",
            'Answer new_game, over and a new name with "OK"; place and turn with the move and nothing else.',
        ),
        BotError(
            "registered_late",
            "Registered too late",
            "`{received}` came after the match had begun: a bot that says nothing at first counts as a bot without a "
            "name.",
            "Register before anything else is loaded or computed, or not at all: a name is not needed.",
        ),
    ),
}
