"""After a restart: every match without an ending continues, or is played again if its protocol cannot resume.

Clocks stand until every bot is back, and every player with a clock; what staff had paused waits for staff as well. A
bot whose connection died with the server is `Absent`: its next connection takes its seat. A bot that this server runs
gets a new process, and its time to start up once more. Nobody loses because we crashed; a player who is not back within
a minute loses for that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import F, OuterRef, Subquery

from arena.common.logs import about
from arena.core import storage_trouble, storage_watch
from arena.core.hub import LiveMatch, Presence
from arena.core.retry import retry
from arena.core.waiting import must_wait
from arena.match.commands import Fault, Refusal
from arena.match.endings import Termination, counts
from arena.match.series import Loser, goes_on, seat_of
from arena.match.state import MatchState, SeatSetup, Setup
from arena.models import Match, Pairing, Room
from arena.protocols import protocol
from arena.rooms.lobby import Lobby
from arena.rooms.people import Person
from arena.rooms.plan import Occupant, Plan
from arena.rooms.reservation import FREE, is_run_here
from arena.rooms.room import LiveRoom
from arena.rooms.room_rows import kept_in, parked, standing

log = logging.getLogger("arena.rooms.restart")

DECIDED = "the pairing had been decided when the match began"
RETURN_S = 60.0
# A series that nobody has continued for this long is left as it is.
RECENT = timedelta(hours=24)
# A page reconnects within seconds of a restart. A player without JavaScript never connects, so this is generous.
PEOPLE_RETURN_S = 15 * 60.0


class Absent:
    """The seat of a bot whose connection died with the server. Its next connection takes over."""

    ready = False

    def __init__(self, room: LiveRoom, setup: SeatSetup) -> None:
        self.setup = setup
        self._room = room

    def as_loser(self) -> Loser:
        return Loser("bot", is_there=False)

    async def prepare(self) -> None:
        """Never called: it is not ready."""

    def take_seat(self, live: LiveMatch, seat: int) -> None:
        """Its match continues when it is back."""

    def met(self, there: bool) -> None:
        """There is nobody to tell."""

    def dismiss(self) -> None:
        """There is nothing to close."""

    def succeeded_by(self, occupant: Occupant) -> None:
        """The bot is back, and takes this seat."""
        live, side = self._room.live, self._room.sides.of(occupant)
        assert side is not None, "it has just been seated"
        if live is not None and not live.over:
            seat = seat_of(side, live.state.setup.round)
            occupant.take_seat(live, seat)
            self._room.referee.signal(live, seat, Presence())

    def give_up(self) -> None:
        """Nobody came: the running match is lost, unless it must wait, or the seat is free."""
        room, live, side = self._room, self._room.live, self._room.sides.of(self)
        if side is None:
            return
        if live is None or live.over:
            room.stand(self)
            return
        seat, loop = seat_of(side, room.round), asyncio.get_running_loop()
        if must_wait(room.referee, live, RETURN_S):
            until = loop.time() + RETURN_S
            loop.call_at(until, self.give_up)
            room.referee.signal(live, seat, Presence(False, until))
            return
        reason = f"{self.setup.name} did not come back within {RETURN_S:g} s of a restart"
        retry(room.referee, live, Fault(seat, "disconnect", reason))


async def restore(lobby: Lobby, elsewhere: Collection[str]) -> int:
    """Continue every match that has no ending, except those that wait for people or are played `elsewhere`. Returns
    how many there were. Raises OperationalError if the database cannot be reached: a match that is left behind would
    go on only after another restart.

    All at once: one of our bots that is slow to start again, or never does, delays no other match.
    """
    others = {*await parked(), *elsewhere}
    matches = [match for match in await lobby.referee.ledger.open_matches() if match not in others]
    for away in await asyncio.gather(*(_try(_restore, lobby, match) for match in matches), return_exceptions=True):
        if away is not None:
            raise away
    for match in await _last_of_series(set(lobby.rooms)):
        await _try(_restore_series, lobby, match)
    return len(matches)


async def _try(restore: Callable[[Lobby, str], Awaitable[None]], lobby: Lobby, match: str) -> None:
    try:
        await restore(lobby, match)
    except Exception as why:
        if storage_watch.saw(why) is storage_trouble.AWAY:
            raise
        log.exception("match %s cannot go on", match, extra=about(match))


async def _restore(lobby: Lobby, match: str) -> None:
    live = await lobby.referee.load(match)
    if live is None or live.over:
        return
    setup = live.state.setup
    room = await room_as_logged(lobby, setup)
    room.mark(live)
    decided = await _is_decided(setup.pairing)
    if (
        not decided
        and live.state.phase != "opened"
        and _resumes(room, setup)
        and await _seated_again(lobby, room, live)
    ):
        await _go_on(lobby, room, live)
        # Not before it is said who is waited for: on a busy machine the pause above takes its time.
        asyncio.get_running_loop().call_later(RETURN_S, _return_over, room)
        room.look()
        return
    why = DECIDED if decided else "the server was restarted; the round is played again"
    await lobby.referee.abort(live, "server_abort", why)
    if setup.pairing is not None:
        room.close()  # the tournament decides what is played again, and opens another room for it
        return
    if room.plan.code and await _awaited_again(lobby, room, setup):
        room.go_on_after(live)
    room.look()


async def _is_decided(pairing: int | None) -> bool:
    """Whether this pairing of an event has been decided without a match, and so in the moment in which one began."""
    to_play = (Pairing.State.OPEN, Pairing.State.HANDED)
    return pairing is not None and await Pairing.objects.filter(pk=pairing).exclude(state__in=to_play).aexists()


# -- between two rounds ------------------------------------------------------------------------------------------------


async def _last_of_series(known: set[str]) -> list[str]:
    """The last match of every room that has not been opened again and whose series was not over: it continues with the
    next round. A match that is not over itself is continued elsewhere, or waits for its people.
    """
    newest = Match.objects.filter(room=OuterRef("pk")).order_by("-series", "-round", "-opened")
    rooms = Room.objects.filter(closed=None, last_used__gt=datetime.now(UTC) - RECENT).annotate(
        match=Subquery(newest.values("id")[:1]),
        series=Subquery(newest.values("series")[:1]),
        ended=Subquery(newest.values("ended")[:1]),
    )
    unfinished = rooms.filter(series__gt=F("finished"), ended__isnull=False).values_list("code", "match")
    return [match async for code, match in unfinished if code not in known]


async def _restore_series(lobby: Lobby, match: str) -> None:
    """Its next round, if any, begins when both sides are back."""
    live = await lobby.referee.load(match)
    if live is None or not live.over or not _goes_on(live.state):
        return
    setup = live.state.setup
    counted = live.state.termination is not None and counts(live.state.termination)
    room = await room_as_logged(lobby, setup._replace(round=setup.round + counted))
    if await _awaited_again(lobby, room, setup):
        lobby.referee.hub.add(live)
        lobby.referee.hub.ended(live)
        room.go_on_after(live)


async def _awaited_again(lobby: Lobby, room: LiveRoom, setup: Setup) -> bool:
    """Seat everybody for the next round, and wait for those who have to come back. False if a bot of ours is not
    available: then the series is over, and nobody waits.
    """
    try:
        await reseat(lobby, room, setup)
    except Refusal as why:
        log.warning("room %s: its series is over: %s", room.plan.code, why)
        room.close()
        return False
    asyncio.get_running_loop().call_later(RETURN_S, _return_over, room)
    return True


def _goes_on(state: MatchState) -> bool:
    """Whether another round follows, as far as the log can tell. For a tournament's match its director decides."""
    setup, termination = state.setup, state.termination or ""
    loser = None if state.winner is None else _loser(setup.seats[1 - state.winner], termination)
    return setup.pairing is None and goes_on(setup.round, setup.rounds, state.winner, termination, loser)


def _loser(seat: SeatSetup, termination: str) -> Loser:
    """The log does not say whether a bot that had lost its connection was back. Its room had not ended, so it was, if
    it could be. A process of ours, which has time to start up, is a new one in each round.
    """
    if seat.kind != "bot" or seat.startup_ms:
        return Loser(seat.kind)
    is_there = termination != Termination.DISCONNECT or _may_return(seat)
    return Loser("bot", is_there, bool(seat.protocol) and protocol(seat.protocol).fault_ends_series)


def _may_return(seat: SeatSetup) -> bool:
    """A bot that showed nothing for its seat cannot come back to it."""
    return seat.player is not None or bool(seat.holder)


# -- rooms and who sits in them ----------------------------------------------------------------------------------------


async def room_as_logged(lobby: Lobby, setup: Setup) -> LiveRoom:
    """The room of a match with this setup, as it was before anybody sat down."""
    row = await Room.objects.filter(pk=setup.room).afirst() if setup.room is not None else None
    plan = Plan(
        variant=setup.variant,
        settings=setup.settings,
        clock=setup.clock,
        rounds=setup.rounds,
        pace_ms=setup.pace_ms,
        pairing=setup.pairing,
        opening=setup.opening,
        offers=setup.offers,
        adjudicate=setup.adjudicate,
        kind=setup.kind,
        rated=row.rated if row else setup.rated,
        private=bool(row and row.private),
        code=row.shown_code if row else "",
        room=setup.room,
        series=setup.series,
        first_round=setup.round,
        places=await kept_in(row.pk, again=setup.series > 1) if row else FREE,
    )
    if row is None:
        return LiveRoom(lobby.referee, plan)
    score, _over = await standing(row.pk, plan.series)
    room = lobby.add(plan)  # only now: until its match is in it, whoever found it by its code would sit down there
    room.series.score = score
    return room


def _resumes(room: LiveRoom, setup: Setup) -> bool:
    """Whether a match may continue from the middle, possibly with a new process for one that died with us, if its room
    says what to start. Only processes of ours have time to start up.
    """
    for side in (0, 1):
        seat = setup.seats[seat_of(side, setup.round)]
        if seat.kind == "bot" and not _may_return(seat):
            return False
        if seat.protocol and not protocol(seat.protocol).resumes:
            return False
        if seat.startup_ms and not is_run_here(room.plan.places[side]):
            return False
    return True


async def _seated_again(lobby: Lobby, room: LiveRoom, live: LiveMatch) -> bool:
    """Seat everybody and start our processes; False if one of them is not available."""
    try:
        await reseat(lobby, room, live.state.setup)
        for occupant in room.sides:
            assert occupant is not None, "both sides have just been seated"
            await occupant.prepare()
    except (Refusal, OSError) as why:
        log.warning("match %s: a bot of this server cannot be started again: %s", live.id, why, extra=about(live.id))
        return False
    return True


async def reseat(lobby: Lobby, room: LiveRoom, setup: Setup) -> None:
    """Seat the same players, as far as they are ours; the others may come back. Our bots are started again."""
    for side in (0, 1):
        if not is_run_here(room.plan.places[side]) and room.sides[side] is None:
            occupant = _occupant(lobby, room, setup.seats[seat_of(side, setup.round)])
            if room.plan.code and isinstance(occupant, Person):
                lobby.pages.expect(room.plan.code.upper(), occupant.setup.player, PEOPLE_RETURN_S)
            room.sit(occupant, side)
            if isinstance(occupant, Absent):
                room.sides.reservations[side].lose()
    await lobby.seat_kept(room)


def _occupant(lobby: Lobby, room: LiveRoom, seat: SeatSetup) -> Any:
    if seat.kind == "human":
        return Person(lobby.referee, seat)
    if seat.kind == "builtin":
        return lobby.make_builtin(seat.level)
    return Absent(room, seat)


async def _go_on(lobby: Lobby, room: LiveRoom, live: LiveMatch) -> None:
    """Clocks stand until all are back; then the interrupted turn begins again. What staff paused waits for staff."""
    if live.state.phase == "running":
        await lobby.referee.pause(live, "the server was restarted")
    live.afresh = bool(live.state.paused_by)
    room.adopt(live)
    if not room.plan.code:
        lobby.add_loose(room)
    round, until = live.state.setup.round, asyncio.get_running_loop().time() + RETURN_S
    for side, occupant in enumerate(room.sides):
        assert occupant is not None, "both sides have just been seated"
        seat = seat_of(side, round)
        occupant.take_seat(live, seat)
        if isinstance(occupant, Person):
            occupant.on_arrival = room.look
            occupant.await_return(PEOPLE_RETURN_S)
        elif isinstance(occupant, Absent):
            lobby.referee.signal(live, seat, Presence(False, until))
    clocked = live.state.clock.kind != "none"
    room.interrupted(each for each in room.sides if isinstance(each, Absent) or (clocked and isinstance(each, Person)))


def _return_over(room: LiveRoom) -> None:
    """A player who is not back by now has lost the running match, or the seat is free; nobody else is waited for."""
    for occupant in list(room.sides):
        if isinstance(occupant, Absent):
            occupant.give_up()
    if room.live is not None and not room.live.over:
        room.interrupted(())
