"""One vocabulary of endings: why a match ended, whether it has a winner, whether it may count for ratings."""

from __future__ import annotations

from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Termination:
    """Why a match ended, as a text. The first group counts and is rated, the second has no winner and never counts."""

    NORMAL = "normal"  # by the rules, also a draw; `reason` says by which
    RESIGN = "resign"
    TIMEOUT = "timeout"
    ILLEGAL_MOVE = "illegal_move"
    BAD_OUTPUT = "bad_output"
    OUT_OF_TURN = "out_of_turn"
    STALL = "stall"  # no handshake or acknowledgement in its time
    DISCONNECT = "disconnect"  # a bot's seat not back within the grace
    LEFT = "left"  # a person not back, or gone for good
    CRASH = "crash"  # the process exited, or was killed by its own signal
    RESOURCE_LIMIT = "resource_limit"
    AGREEMENT = "agreement"  # a draw that one side offered and the other accepted
    ADJUDICATED = "adjudicated"  # staff, or a proof that held, named a winner or a draw while it ran
    MAX_PLIES = "max_plies"  # a draw; a guard against rules that never end

    NO_START = "no_start"
    ABANDONED = "abandoned"  # it waited for its people, and none of them came back to it
    ABORT = "abort"  # a player, before both had moved
    ADMIN_ABORT = "admin_abort"
    SERVER_ABORT = "server_abort"  # our fault


TERMINATIONS = tuple(text for name, text in vars(Termination).items() if name.isupper())


def termination(text: str) -> str:
    """Raises ValueError where `text` is none."""
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

# What a seat can be blamed for by a `Fault`: the other seat wins.
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


# What staff may decide after the end.
VERDICTS = ("win", "draw", "void")


def counts(termination: str) -> bool:
    """Whether a match that ended so has a result."""
    return termination not in UNCOUNTED


def result(winner: int | None, termination: str | None) -> str:
    """`1-0`, `0-1`, `1/2-1/2`, or `*` while running and where nothing counts."""
    if termination is None or not counts(termination):
        return "*"
    return {0: "1-0", 1: "0-1", None: "1/2-1/2"}[winner]


def score_that_counts(winner: int | None, termination: str, ruling: Mapping[str, Any] | None = None) -> float | None:
    """1, 0.5 or 0 for the side that moved first, None where nothing counts.

    `ruling` is the last one there is, as in the data of a `ruled` event: it counts in place of the ending.
    """
    if ruling is not None:
        winner, nothing = ruling["winner"], ruling["verdict"] == "void"
    else:
        nothing = not counts(termination)
    return None if nothing else {0: 1.0, 1: 0.0, None: 0.5}[winner]
