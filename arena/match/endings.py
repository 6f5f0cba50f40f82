"""The vocabulary of endings: why a match ended, whether it has a winner, whether it may count for ratings."""

from __future__ import annotations

from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Termination:
    """Why a match ended. The first group counts and is rated; the second group has no winner and never counts."""

    NORMAL = "normal"  # by the rules, including draws; `reason` names the rule
    RESIGN = "resign"
    TIMEOUT = "timeout"
    ILLEGAL_MOVE = "illegal_move"
    BAD_OUTPUT = "bad_output"
    OUT_OF_TURN = "out_of_turn"
    STALL = "stall"  # no handshake or acknowledgement in time
    DISCONNECT = "disconnect"  # a bot's connection was not restored within the grace
    LEFT = "left"  # a person did not return, or left for good
    CRASH = "crash"  # the process exited or was killed by its own signal
    RESOURCE_LIMIT = "resource_limit"
    AGREEMENT = "agreement"  # a draw that one side offered and the other accepted
    ADJUDICATED = "adjudicated"  # staff or a proof named a winner or a draw during the match
    MAX_PLIES = "max_plies"  # a draw; guards against rules that never end

    NO_START = "no_start"
    ABANDONED = "abandoned"  # the match waited for its people, and none returned
    ABORT = "abort"  # by a player, before both had moved
    ADMIN_ABORT = "admin_abort"
    SERVER_ABORT = "server_abort"  # the server's fault


TERMINATIONS = tuple(text for name, text in vars(Termination).items() if name.isupper())


def termination(text: str) -> str:
    """`text` itself. Raises ValueError if it is not a termination."""
    if text not in TERMINATIONS:
        raise ValueError(f"ended by {text!r}, which is no termination")
    return text


UNCOUNTED = frozenset(
    {
        Termination.NO_START,
        Termination.ABANDONED,
        Termination.ABORT,
        Termination.ADMIN_ABORT,
        Termination.SERVER_ABORT,
    }
)

# Terminations by which a `Fault` may blame a seat: the other seat wins.
FAULTS = frozenset(
    {
        Termination.ILLEGAL_MOVE,
        Termination.BAD_OUTPUT,
        Termination.OUT_OF_TURN,
        Termination.STALL,
        Termination.DISCONNECT,
        Termination.LEFT,
        Termination.CRASH,
        Termination.RESOURCE_LIMIT,
    }
)
# By which a bot loses that has failed.
FAILURES = FAULTS | {Termination.TIMEOUT}


# The rulings that staff may make after the end.
VERDICTS = ("win", "draw", "void")


def counts(termination: str) -> bool:
    """Whether a match with this termination has a result."""
    return termination not in UNCOUNTED


def ruled_as(verdict: str) -> str:
    """The termination that counts instead of a match's own once staff have ruled on it."""
    return Termination.ADMIN_ABORT if verdict == "void" else Termination.ADJUDICATED


def result(winner: int | None, termination: str | None) -> str:
    """`1-0`, `0-1`, `1/2-1/2`, or `*` while running and if nothing counts."""
    if termination is None or not counts(termination):
        return "*"
    return {0: "1-0", 1: "0-1", None: "1/2-1/2"}[winner]


def score_that_counts(winner: int | None, termination: str, ruling: Mapping[str, Any] | None = None) -> float | None:
    """The score of the side that moved first, 1, 0.5 or 0; None if the match does not count.

    `ruling` is the data of the last `ruled` event, if any; it replaces the ending.
    """
    if ruling is not None:
        winner, nothing = ruling["winner"], ruling["verdict"] == "void"
    else:
        nothing = not counts(termination)
    return None if nothing else {0: 1.0, 1: 0.0, None: 0.5}[winner]
