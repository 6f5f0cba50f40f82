"""Others' matches and rooms, on the home page and the wall: the one to watch, more, rooms that wait."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef
from django.urls import is_valid_path
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from arena.bots.builtin.exhibition import Show
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.clock import parse_clock
from arena.models import Entry, Match, Rating, Seat, Tournament
from arena.rooms.room import LiveRoom
from arena.tournaments.sheet import sheet_of
from arena.web.drawing import artist
from arena.web.entries import called, scored
from arena.web.match import fragments, frames
from arena.web.words import clock_words, level_name, minutes, rounds_words, seat_name, title, together
from games import variant

MOST_LIVES = 8
MOST_ROOMS = 50
MOST_ON_WALL = 60
BEST_SHOWN = 3
# In the other formats matches of all rounds are played as soon as both sides are free.
BY_ROUNDS = (Tournament.Format.SWISS, Tournament.Format.KNOCKOUT)
# If nobody is present, a match is shown for this long after its last move.
ABANDONED_S = 120.0
# A match with only this many free places left is about to end, and is not taken off the large card.
NEARLY_OVER = 10

# The rating points of players in variants, as far as they have any.
Points = Mapping[tuple[int, str], float]


def public(host: Host, points: Points | None = None) -> list[LiveMatch]:
    """Public matches in progress, the one most worth watching first."""
    running = [live for live in host.hub.running() if live.private is False and live.state.setup.is_listed]
    shown = [live for live in running if live.state.position.ply and not is_abandoned(live)]
    return sorted(shown, key=lambda live: (*worth(live, points or {}), live.events[0].at), reverse=True)


def is_abandoned(live: LiveMatch) -> bool:
    """No person has its page open, the side to move is not there either, and the last move is long ago.

    Such a match may run for a day: nobody notices when a player without JavaScript leaves.
    """
    seats, mover = live.state.setup.seats, live.state.position.to_move
    if any(seat.kind == "human" and live.readers(str(n)) for n, seat in enumerate(seats)):
        return False
    if mover is not None and seats[mover].kind != "human" and live.presence[mover].here:
        return False
    moved = next(event.at for event in reversed(live.events) if event.kind == "move")
    gone: timedelta = timezone.now() - moved
    return gone.total_seconds() > ABANDONED_S


def worth(live: LiveMatch, points: Points) -> tuple[bool, float, int]:
    """Rated matches of people first, then by the mean of both ratings, then by how many people play."""
    setup = live.state.setup
    people = sum(seat.kind == "human" for seat in setup.seats)
    rated = [points.get((seat.player, setup.variant), 0.0) for seat in setup.seats if seat.player is not None]
    return setup.rated and people == len(setup.seats), sum(rated) / len(setup.seats), people


def is_nearly_over(live: LiveMatch) -> bool:
    rows = live.state.position.board().rows
    return sum(cell.seat is None for row in rows for cell in row) <= NEARLY_OVER


async def points_of(lives: Collection[LiveMatch]) -> Points:
    """The ratings of everyone who plays in these matches, in one query."""
    players = {seat.player for live in lives for seat in live.state.setup.seats if seat.player is not None}
    if not players:
        return {}
    rows = Rating.objects.filter(player__in=players, matches__gt=0).values_list("player", "variant", "points")
    return {(player, slug): number async for player, slug, number in rows}


def mini(live: LiveMatch) -> dict[str, Any]:
    """A match in a list."""
    setup, kind = live.state.setup, variant(live.state.setup.variant)
    if setup.rounds > 1:
        how = _("round {n} of {rounds}").format(n=setup.round, rounds=setup.rounds)
    else:
        how = _("rated") if setup.rated else _("friendly")
    return {
        "id": live.id,
        "address": f"/m/{live.id}/",
        "picture": artist(kind.game).mini(live.state.position),
        "names": [seat_name(seat, n, setup.at_one_screen) for n, seat in enumerate(setup.seats)],
        "bots": [seat.kind == "bot" for seat in setup.seats],
        "seats": fragments.SEATS,
        "line": together(_("{game}, {how}, move {n}").format(game=title(kind), how=how, n=live.state.position.ply)),
        "live": not live.over,
        "to_move": live.state.to_move,
        "lefts": [_left(live, seat) for seat in (0, 1)],
    }


def _left(live: LiveMatch, seat: int) -> SafeString:
    """The time that a seat had left when the running turn began, by the log, for a projector, which counts down by
    itself; "" without a clock.
    """
    left = live.state.left_ms[seat]
    if left is None:
        return mark_safe("")
    runs = f' data-since="{round(live.events[-1].at.timestamp() * 1000)}"' if live.state.to_move == seat else ""
    return mark_safe(f'<b class="left num" data-left="{left}"{runs}>{minutes(left)}</b>')


def featured(host: Host, live: LiveMatch) -> dict[str, Any]:
    """The match of the large card: `clocks` are the times left and whether they run, "" without a clock.

    `headline` says who won; None while it runs.
    """
    scene = frames.scene(host, live, "")
    clocks = [
        {"left": "" if card.left_ms is None else minutes(card.left_ms), "runs": card.running and not live.over}
        for card in scene.cards
    ]
    return mini(live) | {
        "lines": [card.line for card in scene.cards],
        "clocks": clocks,
        "watching": scene.signals.watching,
        "headline": scene.result and scene.result.title,
    }


def exhibited(show: Show) -> dict[str, Any]:
    """The exhibition on the large card or the wall: two built-in players, in a game without a page."""
    outcome = show.position.outcome()
    names = [level_name(level) for level in show.levels]
    headline = ""
    if outcome is not None:
        headline = _("Draw") if outcome.winner is None else _("{name} won").format(name=names[outcome.winner])
    return {
        "id": f"exhibition-{show.number}",
        "picture": artist(show.variant.game).mini(show.position),
        "names": names,
        "seats": fragments.SEATS,
        "line": together(_("{game}, move {n}").format(game=title(show.variant), n=show.position.ply)),
        "headline": headline,
        "play": f"/?game={show.variant.slug}",
    }


def wall(lives: list[LiveMatch], game: str) -> dict[str, Any]:
    """All matches of a game, or of all games for "": `matches`, and how many `more` there are than can be shown."""
    chosen = [live for live in lives if not game or variant(live.state.setup.variant).game == game]
    shown = chosen[:MOST_ON_WALL]
    return {"matches": [mini(live) for live in shown], "more": len(chosen) - len(shown)}


def waiting(host: Host) -> list[dict[str, Any]]:
    """Rooms in which somebody waits for an opponent, longest waiting first."""
    return [_waiting(room) for room in host.lobby.open_rooms()[:MOST_ROOMS]]


class RunningTournament(NamedTuple):
    """`best` are rank, entry and points of the leaders; `round` is 0 where all rounds are played at once."""

    row: Tournament
    players: int
    round: int
    played: int
    total: int
    best: list[tuple[int, Entry, float]]


def running_tournament() -> RunningTournament | None:
    """The most recent running tournament: its three leaders, and its progress. Queries the database."""
    if not is_valid_path("/t/x/"):
        return None  # there is no page to lead to
    running = Tournament.objects.listed().filter(state=Tournament.State.RUNNING).order_by("-started").first()
    if running is None:
        return None
    sheet = sheet_of(running)
    progress = sheet.progress
    best = [(each.rank, sheet.entries[each.entry], each.points) for each in sheet.standings[:BEST_SHOWN]]
    number = sheet.round if running.format in BY_ROUNDS else 0
    return RunningTournament(running, len(sheet.entries), number, progress.played, progress.total, best)


def told(running: RunningTournament) -> dict[str, Any]:
    """The same in the page's words."""
    players = ngettext("{n} player", "{n} players", running.players).format(n=running.players)
    game = title(variant(running.row.variant))
    return {
        "name": running.row.name,
        "address": f"/t/{running.row.slug}/",
        "line": " · ".join((game, players, *([_("round {n}").format(n=running.round)] if running.round else []))),
        "played": running.played,
        "total": running.total,
        "best": [
            {"rank": rank, "name": called(entry), "points": scored(points)} for rank, entry, points in running.best
        ],
    }


async def last_match(host: Host, known: LiveMatch | None = None) -> LiveMatch | None:
    """The most recent finished public match; its log is not read if it is already known."""
    over = Match.objects.filter(ended__isnull=False, plies__gt=1, kind=None).exclude(room__private=True)
    over = over.exclude(Exists(Seat.objects.filter(match=OuterRef("pk"), kind=Seat.Kind.BOT, name__iexact="test")))
    number = await over.order_by("-opened").values_list("id", flat=True).afirst()
    if known is not None and known.id == number:
        return known
    return None if number is None else await host.referee.load(number)


def _waiting(room: LiveRoom) -> dict[str, Any]:
    plan = room.plan
    side = next(side for side in (0, 1) if room.sides[side] is not None)
    occupant = room.sides[side]
    assert occupant is not None, "somebody waits"
    seat = occupant.setup
    return {
        "code": plan.code,
        "address": f"/r/{plan.code}/",
        "title": title(variant(plan.variant)),
        "line": rounds_words(plan.rounds),
        "seat": fragments.SEATS[side],
        "name": seat_name(seat, side),
        "tag": {"bot": "bot", "human": "" if seat.verified else "guest"}.get(seat.kind, ""),
        "clock": clock_words(parse_clock(plan.clock)) or pgettext("clock", "none"),
        "rated": plan.rated,
    }
