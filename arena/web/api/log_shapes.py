"""The shape of a match with its moves, in answers of `/api/`: what `/m/<id>/log.json` has, and where its page is."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # pydantic can read the one in `typing` only from Python 3.12 on

Result = Literal["1-0", "0-1", "1/2-1/2", "*"]
Kind = Literal["human", "bot", "builtin"]
Winner = Literal[0, 1] | None


class RulingShape(TypedDict):
    """What staff decided after the end: it counts, the ending stays as it was."""

    verdict: Literal["win", "draw", "void"]
    winner: Winner
    reason: str
    at: str


class SeatOfLog(TypedDict):
    name: str
    kind: Kind
    protocol: str | None


class MoveShape(TypedDict):
    ply: int
    seat: Literal[0, 1]
    move: str
    elapsed_ms: int | None
    at: str


class FaultShape(TypedDict):
    """What the side that broke the rules sent, and what was expected."""

    seat: int | None
    received: NotRequired[str]
    expected: NotRequired[str]


class OfferShape(TypedDict):
    """A draw that was offered, or a takeback that was asked for; with a takeback the moves that it took back."""

    seat: Literal[0, 1]
    what: Literal["draw", "takeback"]
    ply: int
    at: str
    answer: Literal["accepted", "declined", "withdrawn", "expired"] | None
    moves: NotRequired[list[MoveShape]]


class HintShape(TypedDict):
    """What the person on `seat` was told to play, asking about the board after `ply` moves."""

    seat: Literal[0, 1]
    ply: int
    move: str
    at: str


class DecidedShape(TypedDict):
    """From move `since` on (0: the start) the `result` is certain: 1 won by seat 0, 0 drawn, -1 lost. `at_latest`:
    before that move nothing was proved.
    """

    since: int
    result: Literal[1, 0, -1]
    at_latest: bool


class MatteredShape(TypedDict):
    """How many of a seat's moves that mattered kept the result."""

    kept: int
    of: int


class MarkShape(TypedDict):
    """Move `ply` changed the result, or alone kept it; `better` are the moves that keep it, best first."""

    ply: int
    seat: Literal[0, 1]
    kind: Literal["threw_away_win", "missed_draw", "only_move"]
    better: list[str]
    words: str


class ValueShape(TypedDict):
    """What a move leads to, for the player who makes it: `plies` to the end, this move included, if they are proved."""

    result: Literal["win", "draw", "loss"]
    plies: int | None


class AnalysisShape(TypedDict):
    """What the kernel has proved. `values` has an object for each position with a move to make."""

    kernel: str
    complete: bool
    decided: DecidedShape | None
    mattered: list[MatteredShape]
    marks: list[MarkShape]
    values: list[dict[str, ValueShape]]


class RareInLog(TypedDict):
    """What not every log has. No player chose the first `opening` moves; a worker that played the match away from the
    host is told in `played_on`.
    """

    opening: NotRequired[int]
    fault: NotRequired[FaultShape]
    ruling: NotRequired[RulingShape]
    offers: NotRequired[list[OfferShape]]
    hints: NotRequired[list[HintShape]]
    analysis: NotRequired[AnalysisShape]
    played_on: NotRequired[dict[str, Any]]


class MatchLog(RareInLog):
    """A match with its moves. `head` is that of its record, null while it runs."""

    id: str
    variant: str
    settings: dict[str, Any]
    room: str | None
    round: int
    rated: bool
    clock: str
    seats: list[SeatOfLog]
    moves: list[MoveShape]
    winner: Winner
    result: Result
    termination: str | None
    reason: str
    position: str
    head: str | None
    page: str
