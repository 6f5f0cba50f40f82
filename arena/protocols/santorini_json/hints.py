"""Common mistakes of authors of `santorini-json` bots."""

from __future__ import annotations

import re

from arena.protocols.grammars import understands
from arena.protocols.hints import BotError, Evidence, Hint, as_bytes
from arena.protocols.santorini_hints import NO_JSON


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


def has_not_taken_its_name(evidence: Evidence) -> bool:
    """It has sent a name before its match and is not ready: it was sent another one and has not acknowledged that."""
    return evidence.heard and not evidence.asked and not evidence.expected


def was_asked_for_an_acknowledgement(evidence: Evidence) -> bool:
    """The last value that it got is one to acknowledge."""
    return evidence.asked.startswith(('["new_game"', '["over"', '["name"'))


def leaves_when_greeted(evidence: Evidence) -> bool:
    """The last value that it got begins a match: clients of the course take it for something else."""
    return evidence.asked.startswith('["new_game"')


def misspells_a_direction(evidence: Evidence) -> bool:
    """Its directions are in small letters, or the other way round."""
    pairs = _DIRECTION.findall(evidence.received)
    return any(
        first.upper() in _WAYS and not (first in _EAST_WEST and second in _NORTH_SOUTH) for first, second in pairs
    )


def acknowledges_a_request(evidence: Evidence) -> bool:
    """It answers a request for a move as it answers news, or has acknowledged news twice."""
    return evidence.received == '"OK"' and evidence.asked.startswith(('["place"', '["turn"'))


_EAST_WEST, _NORTH_SOUTH = ("EAST", "PUT", "WEST"), ("NORTH", "PUT", "SOUTH")
_WAYS = {*_EAST_WEST, *_NORTH_SOUTH}
_DIRECTION = re.compile(r'\["(\w+)", *"(\w+)"\]')
_BAD = frozenset({"bad_output"})
_STALLED = frozenset({"stall"})
_LATE = frozenset({"timeout"})
_GONE = frozenset({"disconnect"})

HINTS = (
    *NO_JSON,
    Hint("before_asked", _BAD, answers_before_it_registered, before="flood"),
    Hint("registered_late", _BAD, registers_late, before="debug_output"),
    Hint("acknowledged_request", _BAD, acknowledges_a_request, before="debug_output"),
    Hint("wrong_acknowledgement", _BAD, answers_with_something_else, before="debug_output"),
    Hint("misspelt_direction", _BAD, misspells_a_direction, before="bad_output"),
    Hint("no_acknowledgement", _STALLED, owes_an_acknowledgement, before="connected_but_silent"),
    Hint("name_not_acknowledged", _STALLED, has_not_taken_its_name, before="connected_but_silent"),
    Hint("no_acknowledgement", _LATE, was_asked_for_an_acknowledgement, before="start_too_slow"),
    Hint("no_acknowledgement", _GONE, leaves_when_greeted, before="connection_lost"),
)

ERRORS = {
    "Bytes and lines": (
        BotError(
            "not_json",
            "Not JSON",
            "`{received}` is not JSON. Expected: {expected}.",
            "Write what you send with a JSON library, json.dumps in Python, JSON.stringify in JavaScript: all strings "
            'have double quotes, "OK" as well, and no comma stands behind a last element.',
        ),
    ),
    "Question and answer": (
        BotError(
            "no_acknowledgement",
            "No acknowledgement",
            '`{asked}` was not acknowledged with "OK".',
            'Answer new_game, over and a new name with "OK", at once and before anything else. Skip the '
            "newline behind each value before you decode the next. If your bot acknowledges nothing at all, it may "
            "speak Santorini (course): choose that protocol for its seat.",
        ),
        BotError(
            "name_not_acknowledged",
            "Another name, not acknowledged",
            'The bot was sent another name, ["name", …], and did not answer "OK".',
            'Answer it with "OK" and use that name, or register under a name that is kept: 1 to 20 small letters, a to '
            "z.",
        ),
        BotError(
            "wrong_acknowledgement",
            "Something other than an acknowledgement",
            "`{received}` answers `{asked}`. Expected: {expected}.",
            'Answer new_game, over and a new name with "OK"; place and turn with the move and nothing else.',
        ),
        BotError(
            "acknowledged_request",
            "An acknowledgement in place of a move",
            "`{received}` answers `{asked}`. Expected: {expected}.",
            'Answer new_game, over and a new name with one "OK"; place and turn with the move and nothing else.',
        ),
        BotError(
            "registered_late",
            "Registered too late",
            "`{received}` came after the match had begun: a bot that says nothing at first counts as a bot without a "
            "name.",
            "Register before anything else is loaded or computed, or not at all: a name is not needed.",
        ),
    ),
    "Moves": (
        BotError(
            "misspelt_direction",
            "Not a direction",
            "`{received}` holds a direction in other words or in another order. Expected: {expected}.",
            'First "EAST", "PUT" or "WEST", then "NORTH", "PUT" or "SOUTH", in capitals; "PUT" where it does not move '
            "that way.",
        ),
    ),
}
