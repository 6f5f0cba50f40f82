"""A player's matches: the list on profiles and pages of bots, and sums over the newest matches.

Sums cover the newest `MOST` matches, in one query however many there are; the list goes back to the first match, a page
at a time, by the numbers of seats. Matches of private rooms are included for visitors who may see them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from statistics import median
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.db.models import Case, CharField, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils.formats import number_format
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from arena.common.names import is_former
from arena.match.endings import UNCOUNTED, Termination, ruled_as
from arena.models import Event, Player, Ruling, Seat
from arena.models.match import public
from arena.models.whole_logs import unpacked
from arena.web.guests import Visitor
from arena.web.joined import numbers_of
from arena.web.languages import USUAL
from arena.web.words import person_name

MOST = 1000
A_PAGE = 25
MOST_OPPONENTS = 20
FORM, MOST_FAVOURITES = 10, 3
# Matches whose moves are looked at for reply times.
TIMED = 100

COLUMNS = ("match__variant", "how", "match__reason", "match__ended", "match__rated", "why")
OPPONENT = ("name", Coalesce("player__joined__person__slug", "player__slug"), "kind")
OUTCOMES = {"won": "W", "drawn": "D", "lost": "L", "void": "–"}
# The reasons of `games/`, as logs store them.
BY_THE_RULES = {
    gettext_noop("four in a row"),
    gettext_noop("board full"),
    gettext_noop("last stone"),
    gettext_noop("reached height 3"),
    gettext_noop("no legal turn"),
}
# Why a match was lost, in a few words; the reason of the match says it in full.
CAUSES: dict[str, str] = {
    Termination.NORMAL: gettext_noop("on the board"),
    Termination.RESIGN: gettext_noop("resignation"),
    Termination.TIMEOUT: gettext_noop("clock"),
    Termination.ILLEGAL_MOVE: gettext_noop("illegal move"),
    Termination.BAD_OUTPUT: gettext_noop("bad reply"),
    Termination.OUT_OF_TURN: gettext_noop("out of turn"),
    Termination.STALL: gettext_noop("no acknowledgement"),
    Termination.DISCONNECT: gettext_noop("disconnect"),
    Termination.LEFT: gettext_noop("left"),
    Termination.CRASH: gettext_noop("crash"),
    Termination.RESOURCE_LIMIT: gettext_noop("resource limit"),
    Termination.ADJUDICATED: gettext_noop("decision"),
}
# Other endings, which nobody lost.
LOST_BY_NOBODY: dict[str, str] = {
    Termination.AGREEMENT: gettext_noop("draw agreed"),
    Termination.MAX_PLIES: gettext_noop("too many moves"),
    Termination.NO_START: gettext_noop("never begun"),
    Termination.ABANDONED: gettext_noop("abandoned"),
    Termination.ABORT: gettext_noop("stopped early"),
    Termination.ADMIN_ABORT: gettext_noop("stopped by a referee"),
    Termination.SERVER_ABORT: gettext_noop("void"),
}


def reason_words(termination: str, reason: str) -> str:
    """Why a match ended. The stored reason is in English and says it in full; other languages name the rule or kind."""
    if get_language() == USUAL and reason:
        return reason
    if termination == Termination.NORMAL and reason in BY_THE_RULES:
        return _(reason)
    return _({**CAUSES, **LOST_BY_NOBODY}[termination]) if termination else ""


class PlayedMatch(NamedTuple):
    """One ended match from one side: `number` is that of the seat, `outcome` a key of OUTCOMES; this and `termination`
    are those of the ruling that counts, if there is one. `why` is its reason, None without one.
    """

    number: int
    match: str
    variant: str
    outcome: str
    termination: str
    reason: str
    ended: datetime
    opponent: str
    slug: str
    kind: str
    rated: bool
    why: str | None

    @property
    def letter(self) -> str:
        return OUTCOMES[self.outcome]

    @property
    def cause(self) -> str:
        return _(CAUSES.get(self.termination, self.termination.replace("_", " ")))


class Tally(NamedTuple):
    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def matches(self) -> int:
        return sum(self)


class Habits(NamedTuple):
    """The newest results, newest first, as letters; the length of the current streak; the variants played most."""

    last: tuple[str, ...]
    streak: int
    favourites: tuple[tuple[str, int], ...]

    @property
    def letter(self) -> str:
        return self.last[0] if self.last else ""


class Opponent(NamedTuple):
    name: str
    slug: str
    tally: Tally


class Times(NamedTuple):
    """How long a player takes for a move, in milliseconds, over this many of its last moves."""

    median_ms: float
    most_ms: int
    moves: int

    @property
    def median_words(self) -> str:
        return _seconds(self.median_ms)

    @property
    def most_words(self) -> str:
        return _seconds(self.most_ms)


class Wish(NamedTuple):
    """Filters of the list, "" for all; only matches before seat number `before`, None for the newest."""

    variant: str = ""
    outcome: str = ""
    termination: str = ""
    before: int | None = None


# -- from the database -------------------------------------------------------------------------------------------------


async def newest(player: Player, visitor: Visitor) -> list[PlayedMatch]:
    """The newest `MOST` matches, the newest first."""
    return await sync_to_async(lambda: _played(_seats(player, visitor)[:MOST]))()


async def listed(player: Player, visitor: Visitor, wish: Wish) -> tuple[list[PlayedMatch], int | None]:
    """A page of the list, and where the next one begins, None after the last."""
    found = await sync_to_async(lambda: _played(_wanted(_seats(player, visitor), wish)[: A_PAGE + 1]))()
    return found[:A_PAGE], found[A_PAGE - 1].number if len(found) > A_PAGE else None


async def reply_times(player: Player) -> Times | None:
    """The reply times in the last `TIMED` matches; None if there are none."""
    return await sync_to_async(read_reply_times)(player)


def _seats(player: Player, visitor: Visitor) -> QuerySet[Seat]:
    """Seats at ended matches that the visitor may see, the newest first."""
    last = Ruling.objects.filter(match=OuterRef("match")).order_by("-n")
    mine = numbers_of(player.pk)
    seats = Seat.objects.filter(player__in=mine, match__ended__isnull=False, match__kind=None).order_by("-id")
    ruling = {"verdict": "verdict", "ruled": "winner", "why": "reason"}
    seats = seats.annotate(**{name: Subquery(last.values(column)[:1]) for name, column in ruling.items()})
    if not (visitor.sees_private or visitor.player == player.pk or _owns(visitor, player)):
        seats = seats.filter(public("match__") | Q(match__room__code__in=visitor.rooms))
    return seats.annotate(
        how=Case(
            When(verdict=None, then=F("match__termination")),
            When(verdict="void", then=Value(ruled_as("void"))),
            default=Value(ruled_as("win")),
            output_field=CharField(),
        ),
        outcome=Case(
            When(Q(verdict="void") | Q(verdict=None, match__termination__in=UNCOUNTED), then=Value("void")),
            When(Q(verdict="win", ruled=F("seat")) | Q(verdict=None, match__winner=F("seat")), then=Value("won")),
            When(Q(verdict="draw") | Q(verdict=None, match__winner=None), then=Value("drawn")),
            default=Value("lost"),
            output_field=CharField(),
        ),
    )


def _owns(visitor: Visitor, player: Player) -> bool:
    return visitor.account is not None and player.kind == Player.Kind.BOT and player.bot.owner_id == visitor.account


def _wanted(seats: QuerySet[Seat], wish: Wish) -> QuerySet[Seat]:
    if wish.variant:
        seats = seats.filter(match__variant=wish.variant)
    if wish.outcome:
        seats = seats.filter(outcome=wish.outcome)  # type: ignore[misc]  # a column that `_sides` adds
    if wish.termination:
        seats = seats.filter(how=wish.termination)  # type: ignore[misc]
    return seats if wish.before is None else seats.filter(pk__lt=wish.before)


def _played(seats: QuerySet[Seat]) -> list[PlayedMatch]:
    """The matches and opponents in two queries; model instances would take four times as long for a thousand."""
    rows = list(seats.values_list("pk", "match", "seat", "outcome", *COLUMNS))
    both = Seat.objects.filter(match__in=[row[1] for row in rows])
    sat = {(match, seat): who for match, seat, *who in both.values_list("match", "seat", *OPPONENT)}
    return [_side(row, sat.get((row[1], 1 - row[2]), ("", None, ""))) for row in rows]


def _side(row: tuple[Any, ...], other: Sequence[Any]) -> PlayedMatch:
    number, match, _, outcome, variant, termination, reason, ended, rated, why = row
    name, slug, kind = other
    slug, reason = linked(slug), told_with(name, reason=reason)
    shown = person_name(name)
    return PlayedMatch(number, match, variant, outcome, termination, reason, ended, shown, slug, kind, rated, why)


def told_with(*players: str, reason: str) -> str:
    """The stored reason; "" if it may name one of these players, who has closed the account."""
    return "" if any(map(is_former, players)) else reason


def linked(slug: str | None) -> str:
    """The slug under which there is a page of this player; "" if there is none."""
    return slug if slug and not is_former(slug) else ""


def read_reply_times(player: Player) -> Times | None:
    """Like `reply_times`, for a thread."""
    seats = dict(Seat.objects.filter(player=player).order_by("-id").values_list("match_id", "seat")[:TIMED])
    own = [ms for match, seat, ms in _move_times(seats) if seats[match] == seat and ms is not None]
    return times_of(own) if own else None


def _move_times(matches: Iterable[str]) -> Iterator[tuple[str, int | None, int | None]]:
    """Match, seat and time of each move, packed or not, in one query."""
    moves = Q(kind=Event.Kind.MOVE, elapsed_ms__isnull=False) | Q(kind=Event.Kind.ENDED)
    rows = Event.objects.filter(moves, match__in=matches)
    for match, kind, seat, ms, packed in rows.values_list("match_id", "kind", "seat", "elapsed_ms", "packed__events"):
        if kind == Event.Kind.MOVE:
            yield match, seat, ms
        elif packed is not None:
            yield from ((match, event.seat, event.elapsed_ms) for event in unpacked(match, packed)[0])


# -- what they add up to -----------------------------------------------------------------------------------------------


def habits(newest: Sequence[PlayedMatch]) -> Habits:
    """The habits of a player; void matches are left out."""
    counted = [each for each in newest if each.outcome != "void"]
    letters = [each.letter for each in counted]
    streak = next((n for n, letter in enumerate(letters) if letter != letters[0]), len(letters))
    played = Counter(each.variant for each in counted).most_common(MOST_FAVOURITES)
    return Habits(tuple(letters[:FORM]), streak, tuple(played))


def tally(played: Iterable[PlayedMatch]) -> Tally:
    """How many were won, drawn and lost, without void matches."""
    counted = Counter(each.outcome for each in played)
    return Tally(counted["won"], counted["drawn"], counted["lost"])


def lost_by(played: Iterable[PlayedMatch]) -> list[tuple[str, str, int]]:
    """The causes of losses, most frequent first: the termination, its words, how often."""
    counted = Counter(each.termination for each in played if each.outcome == "lost")
    return [(cause, _(CAUSES.get(cause, cause)), number) for cause, number in counted.most_common()]


def opponents(played: Sequence[PlayedMatch]) -> list[Opponent]:
    """Results against each opponent, most frequent first."""
    by: dict[tuple[str, str], list[PlayedMatch]] = {}
    for each in played:
        if each.outcome != "void":
            by.setdefault((each.slug or each.opponent, each.slug), []).append(each)
    most = sorted(by.items(), key=lambda item: -len(item[1]))[:MOST_OPPONENTS]
    return [Opponent(found[0].opponent, slug, tally(found)) for (_, slug), found in most]


def times_of(elapsed_ms: Sequence[int]) -> Times:
    """The median and the 99th percentile."""
    ranked = sorted(elapsed_ms)
    return Times(median(ranked), ranked[-(-99 * len(ranked) // 100) - 1], len(ranked))


def _seconds(ms: float) -> str:
    """`12 ms`, `0.25 s`, `7.1 s`."""
    if ms < 100:
        return f"{ms:.0f} ms"
    return f"{number_format(ms / 1000, 2 if ms < 1000 else 1)} s"
