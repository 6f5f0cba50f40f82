"""Ratings as pages show them: rows of the ladder, what a match changed, and the line under a result."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from arena.common.logs import about
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.ladder import PROVISIONAL, SETTLED, LadderStanding, deviation_at
from arena.models import Player, Rating, RatingChange
from arena.web.words import isolated, person_name, title_of

# 95 of 100 lie within this many deviations, as with the margins in Elo tables.
MARGIN = 1.96
FRIENDLY = gettext_noop("Friendly, ratings unchanged")
UNCHANGED = gettext_noop("Ratings unchanged")
COLUMNS = (*LadderStanding._fields, "variant", "player_id", "player__name", "player__slug", "player__kind")

log = logging.getLogger("arena.web")

_looking: set[asyncio.Task[None]] = set()


class PointsChange(NamedTuple):
    """Points of a player before and after a match: `1702 → 1710 (+8)`."""

    before: float
    after: float

    def __str__(self) -> str:
        before, after = round(self.before), round(self.after)
        return f"{before} → {after} ({after - before:+d})".replace("-", "\N{MINUS SIGN}").replace("+0)", "±0)")


class RatingRow(NamedTuple):
    """A player's rating in a variant. `points` and `margin` are whole points, as they stand now."""

    player: int
    name: str
    address: str
    is_bot: bool
    variant: str
    title: str
    points: int
    margin: int
    provisional: bool
    matches: int
    won: int
    drawn: int
    last: str
    at: datetime | None

    @property
    def lost(self) -> int:
        return self.matches - self.won - self.drawn

    @property
    def settled(self) -> bool:
        return self.matches >= SETTLED

    @property
    def short(self) -> str:
        """`1702`, with a question mark while it is provisional."""
        return f"{self.points}{'?' if self.provisional else ''}"

    @property
    def text(self) -> str:
        """`1702 ±76`, with a question mark while it is provisional."""
        return f"{self.short} ±{self.margin}"

    @property
    def form(self) -> str:
        """The last ten in words, for people who do not see the letters."""
        won, drawn = self.last.count("W"), self.last.count("D")
        lost = len(self.last) - won - drawn
        said = _("Last {n}: {won} won, {drawn} drawn, {lost} lost")
        return said.format(n=len(self.last), won=won, drawn=drawn, lost=lost)


async def changes_of(match: str) -> dict[int, PointsChange]:
    """The effect of a match on both players, by their number; empty if nothing was rated."""
    rows = RatingChange.objects.filter(match=match).values_list("player", "before", "points")
    return {player: PointsChange(before, after) async for player, before, after in rows}


def changes_of_all(matches: Iterable[str]) -> dict[str, dict[int, PointsChange]]:
    """The effects of these matches, in one query; without those in which nothing was rated."""
    changes: dict[str, dict[int, PointsChange]] = {}
    rows = RatingChange.objects.filter(match__in=matches).values_list("match", "player", "before", "points")
    for match, player, before, after in rows:
        changes.setdefault(match, {})[player] = PointsChange(before, after)
    return changes


def rating_line(host: Host | None, live: LiveMatch, seat: int) -> str:
    """The line under the result of an ended match: `1702 → 1710 (+8)`, or why nothing changed; "" until it has been
    looked up, and then the match counts as changed.
    """
    setup = live.state.setup
    if not setup.rated:
        return _(FRIENDLY)
    if not live.over:
        return ""
    if live.rating_changes is None or live.rating_changes[0] != live.state.seq:
        if host is None:
            return ""  # a process without the host awaits `look_up` first, unless it could not be read
        live.rating_changes = (live.state.seq, None)
        task = asyncio.get_running_loop().create_task(_look_up_and_tell(host, live))
        _looking.add(task)
        task.add_done_callback(_looking.discard)
    changes = live.rating_changes[1]
    if changes is None:
        return ""
    change = changes.get(setup.seats[seat].player)
    return _(UNCHANGED) if change is None else str(change)


def rating_notes(host: Host | None, live: LiveMatch, audience: str) -> tuple[str, ...]:
    """The result card's words about ratings: a player's own, or both with names for watchers."""
    if not live.over or not live.state.setup.rated:
        return ()
    lines = [rating_line(host, live, seat) for seat in (0, 1)]
    if audience:
        return (lines[int(audience)],) if lines[int(audience)] else ()
    if lines[0] == lines[1]:
        return (lines[0],) if lines[0] else ()
    return tuple(f"{isolated(seat.name)}: {line}" for seat, line in zip(live.state.setup.seats, lines, strict=True))


async def look_up(live: LiveMatch) -> None:
    """Look up what `rating_line` and the players' cards need and do not have yet."""
    if live.ratings is None:
        live.ratings = await _beside_names(live)
    seq, known = live.state.seq, live.rating_changes
    if live.over and live.state.setup.rated and (known is None or known[0] != seq or known[1] is None):
        changes = await changes_of(live.id)
        if live.state.seq == seq:  # else a ruling came meanwhile, and who looked up later knows more
            live.rating_changes = (seq, changes)


async def _beside_names(live: LiveMatch) -> tuple[str, str]:
    """`1702`, `1702?` while it is provisional, for both seats; "" without a rating in this variant."""
    setup = live.state.setup
    players = [seat.player for seat in setup.seats if seat.player is not None]
    known = {row.player: row.short for row in await _rows(_played(setup.variant, players))} if players else {}
    first, second = (known.get(seat.player or 0, "") for seat in setup.seats)
    return first, second


def beside(variant: str, players: Iterable[int]) -> dict[int, str]:
    """The same for those of these players who have a rating."""
    return {row.player: row.short for row in rows(_played(variant, players).values_list(*COLUMNS))}


def _played(variant: str, players: Iterable[int]) -> QuerySet[Rating]:
    return Rating.objects.filter(variant=variant, player__in=players, matches__gt=0)


async def look_up_if_readable(live: LiveMatch) -> bool:
    """The same; what cannot be read just now is left out, and looked up for the next reader. Returns whether it was."""
    try:
        await look_up(live)
    except DatabaseError:
        log.exception("match %s: the ratings of its players cannot be read", live.id, extra=about(live.id))
        live.rating_changes = None
        return False
    return True


async def _look_up_and_tell(host: Host, live: LiveMatch) -> None:
    if await look_up_if_readable(live):
        host.hub.changed(live)


async def ratings_of(player: int) -> list[RatingRow]:
    """A player's ratings, the variant they have played most first."""
    return await _rows(Rating.objects.filter(player=player).order_by("-matches", "variant"))


async def top(variant: str, most: int = 5) -> list[RatingRow]:
    """The best settled players of a variant."""
    return await _rows(Rating.objects.filter(variant=variant, settled=True).order_by("-points", "player")[:most])


async def _rows(ratings: QuerySet[Rating]) -> list[RatingRow]:
    return rows([row async for row in ratings.values_list(*COLUMNS)])


def rows(found: Iterable[tuple[Any, ...]]) -> list[RatingRow]:
    """Rows of COLUMNS as they stand now."""
    now = timezone.now()
    made = []
    for row in found:
        standing, (variant, player, name, slug, kind) = LadderStanding(*row[:-5]), row[-5:]
        deviation = deviation_at(standing, now)
        address = Player(slug=slug, kind=kind).get_absolute_url()
        made.append(
            RatingRow(
                player,
                person_name(name),
                address,
                kind == Player.Kind.BOT,
                variant,
                title_of(variant),
                round(standing.points),
                round(MARGIN * deviation),
                deviation >= PROVISIONAL,
                standing.matches,
                standing.won,
                standing.drawn,
                standing.last,
                standing.at,
            )
        )
    return made


def numbers(row: RatingRow) -> dict[str, Any]:
    """A rating in the form for programs."""
    return {name: getattr(row, name) for name in ("points", "margin", "provisional", "matches", "won", "drawn", "lost")}
