"""The shapes of answers of `/api/`. The document at `/api/v1/openapi.json` is made from these types; tests check them.

Times are texts in UTC, `2026-01-31T12:00:00.123Z`. Seats are 0, which moves first, and 1.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # pydantic can read the one in `typing` only from Python 3.12 on

from arena.web.api.log_shapes import Result, RulingShape, SeatOfLog, Winner
from arena.web.api.meant import ClockText, Counted, ReasonText, SideText, VariantSlug, WhoEnters


class ErrorBody(TypedDict):
    code: str
    sentence: str
    hint: str


class RefusalShape(TypedDict):
    """Any refusal: a code for programs, a sentence for people, a hint what to do."""

    error: ErrorBody


class Index(TypedDict):
    matches: str
    bulk: str
    players: str
    bots: str
    tournaments: str
    leaderboards: str
    lobby: str
    openapi: str
    variants: list[str]
    protocols: list[str]


class SeatOfList(SeatOfLog):
    player: str | None


class MatchLine(TypedDict):
    id: str
    variant: str
    round: int
    rated: bool
    clock: str
    event: str | None
    seats: list[SeatOfList]
    opened: str
    started: str | None
    ended: str | None
    plies: int | None
    winner: Winner
    result: Result
    termination: str | None
    reason: str
    ruling: RulingShape | None
    api: str
    page: str


class MatchList(TypedDict):
    matches: list[MatchLine]
    next: str | None


class RatingShape(TypedDict):
    """95 of 100 lie within `margin` to both sides of `points`; `provisional` while that is wide."""

    points: int
    margin: int
    provisional: bool
    matches: int
    won: int
    drawn: int
    lost: int


class RatingOfVariant(RatingShape):
    variant: str


class PlayerLine(TypedDict):
    slug: str
    name: str
    kind: Literal["person", "guest", "bot"]
    ratings: list[RatingOfVariant]
    api: str
    page: str


class PlayerList(TypedDict):
    players: list[PlayerLine]
    next: str | None


class PlayerShape(PlayerLine):
    bots: list[str]
    matches: str
    history: str


class RatingStep(TypedDict):
    """What one rated match did to a player's points."""

    match: str
    at: str | None
    variant: str
    before: int
    points: int
    result: Literal["won", "drawn", "lost"]


class RatingHistory(TypedDict):
    history: list[RatingStep]
    next: str | None


class LeaderboardLine(RatingShape):
    """`place` counts from 1 among those whose rating is settled."""

    place: int
    name: str
    slug: str
    kind: Literal["person", "guest", "bot"]
    page: str


class Leaderboards(TypedDict):
    leaderboards: dict[str, str]


class Leaderboard(TypedDict):
    variant: str
    players: list[LeaderboardLine]


class BotLine(TypedDict):
    slug: str
    name: str
    variant: str
    protocol: str
    family: str
    version: str
    enabled: bool
    online: bool
    rating: RatingShape | None
    api: str
    page: str


class BotList(TypedDict):
    bots: list[BotLine]
    next: str | None


class BotShape(BotLine):
    matches: str


class TournamentLine(TypedDict):
    slug: str
    name: str
    variant: str
    type: str
    state: str
    created: str
    starts: str | None
    started: str | None
    finished: str | None
    api: str
    page: str


class TournamentList(TypedDict):
    tournaments: list[TournamentLine]
    next: str | None


class TournamentShape(TypedDict):
    """Entries, pairings and table, as in the exported file but without moves; `all` is that file."""

    format: str
    slug: str
    name: str
    variant: str
    type: str
    state: str
    why: str
    settings: dict[str, Any]
    entries: list[dict[str, Any]]
    pairings: list[dict[str, Any]]
    standings: list[dict[str, Any]]
    all: str
    page: str


# -- what is sent, and what is said to it ------------------------------------------------------------------------------


class OpenRoom(TypedDict):
    """A side is `me`, `anyone`, `builtin:<level>`, `bot:<slug>` or `socket:<protocol>`. What is left out is as usual:
    a clock and rounds that suit the sides, full speed, takebacks in friendly matches.
    """

    variant: VariantSlug
    first: SideText
    second: SideText
    clock: NotRequired[ClockText]
    rounds: NotRequired[Literal[1, 2, 4]]
    rated: NotRequired[bool]
    private: NotRequired[bool]
    pace: NotRequired[Literal["watchable", "full"]]
    offers: NotRequired[Literal["friendly", "on", "off"]]
    adjudicate: NotRequired[Literal[0, 4, 8, 12, 20]]


class RoomShape(TypedDict):
    """`link` seats the person who opens it on a free side; `match` is the newest one, null before anybody has come."""

    code: str
    variant: str
    clock: str
    rounds: int
    rated: bool
    private: bool
    closed: bool
    match: str | None
    link: str
    api: str
    page: str


class Enter(TypedDict):
    """`who` is `me`, `bot:<slug>` or, for organisers, `builtin:<level>`. `agrees`: a person who also plays bots."""

    who: WhoEnters
    agrees: NotRequired[bool]


class Entered(TypedDict):
    seed: int
    name: str
    api: str


class Leave(TypedDict):
    """`entry` is the seed; an organiser can also bring back (`undo`) and take back what was given up (`take-back`)."""

    entry: Counted
    act: NotRequired[Literal["withdraw", "undo", "take-back"]]


class NothingMore(TypedDict):
    """The address says it all."""


class PlayAgain(TypedDict):
    round: Counted
    number: Counted
    leg: NotRequired[Counted]
    reason: ReasonText


class Award(PlayAgain):
    """`a` or `b` has won, `draw`, `both` have lost, `drop`: no match."""

    to: Literal["a", "b", "draw", "both", "drop"]


class SetPairs(TypedDict):
    """`first` and `second` are seeds. `pair` them in the next round, the first one moving first, or keep them `apart`;
    `unpair` and `together` take that back. With `round`, nothing is done unless that is still the next one.
    """

    act: Literal["pair", "unpair", "apart", "together"]
    first: Counted
    second: Counted
    round: NotRequired[Counted]
    reason: ReasonText


class TournamentDone(TypedDict):
    slug: str
    state: str
    api: str
    page: str


# -- what webhooks are sent --------------------------------------------------------------------------------------------


class MatchMessage(TypedDict):
    """A match that you or a bot of yours played, or of an event of yours, is over."""

    type: Literal["match.over"]
    timestamp: str
    data: MatchLine


class BotMessage(TypedDict):
    """A bot of yours has had no connection for a minute, or is in quarantine."""

    type: Literal["bot.offline", "bot.quarantined"]
    timestamp: str
    data: BotLine


class TournamentMessage(TypedDict):
    """An event of yours, or one that you or a bot of yours takes part in, has begun, or its table is final."""

    type: Literal["tournament.begun", "tournament.final"]
    timestamp: str
    data: TournamentLine


class TestMessage(TypedDict):
    """What "Send a test" sends."""

    type: Literal["test"]
    timestamp: str
    data: NothingMore
