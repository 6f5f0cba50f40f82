"""A room: two sides play a series of rounds, each a match, seats swapped each round. It begins a round when both are
ready, tells them their seats, and decides what follows.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

from arena.common import descriptors
from arena.core.hub import Hub, LiveMatch, TurnSignal, Update
from arena.core.referee import Referee
from arena.core.retry import retry
from arena.match.commands import Abort, Refusal, Resume
from arena.match.series import SeriesProgress, seat_of, side_of
from arena.match.state import SeatSetup, Setup
from arena.protocols import facts_of
from arena.rooms.breaks import Break
from arena.rooms.people import Person
from arena.rooms.plan import Occupant, Plan
from arena.rooms.reservation import side_for, why_no_side
from arena.rooms.room_updates import Followers
from arena.rooms.sides import Sides

log = logging.getLogger("arena.rooms.room")

# By then its match has given up a bot that cannot come back, or waits on because it is paused.
AFTER_S = 1.0


_SLOTS = (
    *("_beginning", "_held", "_missing", "changed_at", "followers", "is_here", "keeps", "last", "live", "on_over"),
    *("on_round", "on_start", "over", "pause", "plan", "referee", "series", "sides"),
)


class LiveRoom:
    """A room in this process.

    `last` says whether the match that has just ended was the last one, before anybody else hears of its end.
    `on_start(live)` and `on_round(live)` are called when a round has begun and has ended, each of `on_over` when the
    series is over, the `followers` whenever it may look different. `keeps(who)` says whether a player's connection is
    needed after the series, `is_here(room, who)` whether a person who waits for the first match is there.
    """

    __slots__ = _SLOTS

    def __init__(self, referee: Referee, plan: Plan) -> None:
        self.referee = referee
        self.plan = plan
        self.sides = Sides()
        self.series = SeriesProgress(plan.first_round)
        self.live: LiveMatch | None = None
        self.last = self.over = self._held = False
        self.changed_at = asyncio.get_running_loop().time()
        self.on_start: Callable[[LiveMatch], None] = _untold
        self.on_round: Callable[[LiveMatch], None] = _untold
        self.on_over: tuple[Callable[[LiveRoom], None], ...] = ()
        self.keeps: Callable[[SeatSetup], bool] = _keeps_nobody
        self.is_here: Callable[[LiveRoom, SeatSetup], bool] = _is_here
        self.followers = Followers()
        self.pause = Break()
        self._missing: list[Occupant] | None = None  # while its match waits for them after a restart
        self._beginning: asyncio.Task[None] | None = None

    # -- sitting -------------------------------------------------------------------------------------------------------

    def side_for(self, who: SeatSetup) -> int | None:
        """The side that `who` would get, None if none is free for it."""
        return side_for(self.plan.places, list(self.sides), who)

    def sit(self, occupant: Occupant, side: int | None = None) -> int:
        """Take the named side, or else the one that is theirs. Raises Refusal if there is none."""
        if self.plan.opening and not facts_of(occupant.setup.protocol).tells_positions:
            raise Refusal(
                "wrong_protocol", "This room begins in the middle of a match, which your protocol cannot express."
            )
        side = self.side_for(occupant.setup) if side is None else side
        if side is None or self.sides[side] is not None:
            raise why_no_side(self.plan.places, list(self.sides), occupant.setup)
        self.sides.reservations[side].take(occupant)
        self._changed()
        return side

    def replace(self, side: int, occupant: Occupant) -> None:
        """The player of this side is back on a new connection."""
        self.sides.reservations[side].take(occupant)
        self._changed()

    def lose(self, occupant: Occupant, grace_s: float) -> None:
        """The occupant's connection is gone, and may come back for this long; a running match ends by itself."""
        side = self.sides.of(occupant)
        if side is None:
            return
        reservation = self.sides.reservations[side]
        if grace_s:
            reservation.lose()
        if self._held:
            return
        if self.playing or (grace_s and self.begun):
            reservation.give_up_after(grace_s + AFTER_S, partial(self._give_up, occupant, grace_s))
        else:
            self.stand(occupant)

    def _give_up(self, occupant: Occupant, grace_s: float) -> None:
        """Nobody took the seat over in time. While a match is played it waits on: answers that the bot sent ahead may
        play for it still, and only when they have run out it is awaited.
        """
        if self.playing:
            self.lose(occupant, grace_s)
        elif not self.over:
            self.stand(occupant)

    def stand(self, occupant: Occupant) -> None:
        """Leave for good while no match runs. A series that has begun ends: it is between these two players."""
        side = self.sides.of(occupant)
        if side is None:
            return
        self.sides.reservations[side].leave()
        if self.begun:
            self.close()
        self._changed()

    def is_absent(self, side: int) -> bool:
        """Whether a person sits there who has closed the page before the first match."""
        occupant = self.sides[side]
        return isinstance(occupant, Person) and not self.begun and not self.is_here(self, occupant.setup)

    # -- rounds --------------------------------------------------------------------------------------------------------

    @property
    def round(self) -> int:
        """The round that is being played or comes next."""
        return self.series.round

    @property
    def playing(self) -> bool:
        """Whether a match is running or about to begin."""
        return self._beginning is not None or (self.live is not None and not self.live.over)

    @property
    def begun(self) -> bool:
        """Whether a round of the series has been played or is being played."""
        return self.live is not None or self.plan.first_round > 1

    def look(self) -> None:
        """Begin the round if both sides are there and ready, or continue one that a restart interrupted."""
        self.followers.tell()
        stands = self._held or not self.referee.hub.begins or self.pause.left_s is not None
        if self._missing is not None:
            self._go_on()
        elif not (stands or self.playing or self.over) and all(
            occupant is not None and occupant.ready and not self.is_absent(side)
            for side, occupant in enumerate(self.sides)
        ):
            self._beginning = asyncio.get_running_loop().create_task(self._begin())

    async def begin(self) -> None:
        """Begin the round now, and return when its match has started or could not be started."""
        self.look()
        if self._beginning is not None:
            await asyncio.shield(self._beginning)  # the player who asked may be gone before both sides have been told

    async def _begin(self) -> None:
        try:
            await self._open_and_start()
        except Exception as why:
            said = ("room %s: round %d could not begin: %s", self.plan.code, self.round, why)
            log.warning(*said) if isinstance(why, Refusal) else log.exception(*said)
            self.close()
            if self.live is not None and not self.live.over:
                retry(self.referee, self.live, Abort("server_abort", "the round could not begin"))
        finally:
            self._beginning = None
            self._changed()

    async def _open_and_start(self) -> None:
        failed = [await _prepared(occupant) for occupant in self.sides.both]
        sides = self.sides.both
        if self.over or min(len(failed), len(sides)) < 2:
            _end_started(sides)
            return
        live = await self.referee.open(self.plan.setup(self.round, sides))
        if self.over or self.sides.free is not None:  # closed, or one has left, while that was stored
            _undo(self.referee, live, self.sides.both)
            return
        before = self.live
        self.adopt(live)
        if before is not None:
            self.referee.hub.changed(before)  # its pages are told where it continues
        self.on_start(live)
        for side, occupant in enumerate(sides):
            occupant = self.sides[side] or occupant  # one may have come back meanwhile
            occupant.take_seat(live, seat_of(side, self.round))
        with suppress(Refusal):  # over before it began: a seat that was not ready has lost already
            await _start(self.referee, live, failed)

    def adopt(self, live: LiveMatch) -> None:
        """Make this the room's match: a new one, or one that was running before a restart."""
        self.live = live
        self.mark(live)
        self.referee.hub.follow(live, self._follow)

    def mark(self, live: LiveMatch) -> None:
        """Tell the match where it is played."""
        live.room_code, live.private = self.plan.code, self.plan.private

    def _follow(self, live: LiveMatch, news: Update | TurnSignal) -> None:
        if isinstance(news, Update) and news.events and news.events[-1].kind == "ended" and live is self.live:
            self.last = self._is_last(live)
            # Only after everybody has been told: dismissing a session before it has heard the end would cut it short.
            asyncio.get_running_loop().call_soon(self._round_ended, live)

    def _is_last(self, live: LiveMatch) -> bool:
        state = live.state
        assert state.termination is not None, "an ended match has a termination"
        occupant = None if state.winner is None else self.sides[side_of(1 - state.winner, self.round)]
        ending = state.setup.round, state.winner, state.termination, None if occupant is None else occupant.as_loser()
        return self.over or self.series.is_over(self.plan.rounds, *ending)

    def _round_ended(self, live: LiveMatch) -> None:
        state = live.state
        assert state.termination is not None, "an ended match has a termination"
        self.series.count(state.winner, state.termination)
        self._missing = None
        if not self.last:
            self.series.go_on(state.termination)
            self._take_break(state.setup)
        self.on_round(live)
        if self.last:
            self.close()
        self._changed()
        _tell_earlier(self.referee.hub, self.plan)

    def _take_break(self, before: Setup) -> None:
        delay = self.plan.break_s if any(seat.kind == "human" for seat in before.seats) else 0.0
        self.pause.begin(delay, self.look)

    # -- after a restart -----------------------------------------------------------------------------------------------

    def go_on_after(self, live: LiveMatch) -> None:
        """A restart came between this match and the next round."""
        self.live = live
        self.mark(live)
        self._take_break(live.state.setup)

    def interrupted(self, missing: Iterable[Occupant]) -> None:
        """The match was paused by a restart: it continues when the missing players are back or given up."""
        self._missing = list(missing)
        self._go_on()

    def _go_on(self) -> None:
        self._missing = [occupant for occupant in self._missing or () if self._is_missing(occupant)]
        if not self._missing and self.live is not None:
            self._missing = None
            retry(self.referee, self.live, Resume(afresh=True))

    def _is_missing(self, occupant: Occupant) -> bool:
        side = self.sides.of(occupant)
        return side is not None and (occupant.away if isinstance(occupant, Person) else self.sides.is_away(side))

    # -- the end -------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """The series is over or cannot continue: every occupant is dismissed."""
        told, self.over = () if self.over else self.on_over, True
        self.pause.cancel()
        self.sides.dismiss()
        for tell in told:
            tell(self)
        self.followers.tell()

    def hold(self) -> None:
        """The host is going down: no more rounds begin, and absent players are neither awaited nor given up."""
        self._held = True
        self.pause.cancel()
        self.sides.hold()

    def _changed(self) -> None:
        self.changed_at = asyncio.get_running_loop().time()
        there = self.sides.free is None
        for occupant in self.sides.both:
            occupant.met(there)
        self.followers.tell()
        if self.live is not None:
            self.referee.hub.changed(self.live)


def _tell_earlier(hub: Hub, plan: Plan) -> None:
    """Tell the open pages of earlier rounds, which list the one that has ended too and say how the series stands."""
    for other in tuple(hub.viewed) if plan.rounds > 1 else ():
        if (other.room_code, other.state.setup.series) == (plan.code, plan.series):
            hub.changed(other)


def _end_started(sides: list[Occupant]) -> None:
    """End the processes of ours that were started in vain. Nobody else has time to start up."""
    for occupant in sides:
        if occupant.setup.startup_ms:
            occupant.dismiss()


def _undo(referee: Referee, live: LiveMatch, left: list[Occupant]) -> None:
    """End a match without both its players, before it has begun."""
    _end_started(left)
    retry(referee, live, Abort("server_abort", "one of the players left before the match began"))


async def _start(referee: Referee, live: LiveMatch, failed: list[str]) -> None:
    """Start the match, unless one of the sides, in their order, cannot play for this reason."""
    for side, why in enumerate(failed):
        if why:
            await referee.leave(live, seat_of(side, live.state.setup.round), "crash", why)
            return
    await referee.start(live)


async def _prepared(occupant: Occupant) -> str:
    """Why the occupant cannot play this round, "" if it can."""
    try:
        await occupant.prepare()
    except OSError as why:
        if descriptors.exhausted(why):
            raise Refusal("no_room", descriptors.WORDS) from why  # our own bot, and nobody loses a match because of it
        return str(why)
    return ""


# The defaults of a room. They are shared, because functions made for each room would each take memory.


def _untold(live: LiveMatch) -> None:
    """Needs no answer."""


def _keeps_nobody(who: SeatSetup) -> bool:
    return False


def _is_here(room: LiveRoom, who: SeatSetup) -> bool:
    return True
