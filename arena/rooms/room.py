"""A room: two sides sit down and play a series of rounds, seats swapped each round. Each round is a match.

The room begins a round when both sides are ready, tells both which seat they have, and decides what follows when the
match has ended.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

from arena.common import descriptors
from arena.core.hub import LiveMatch, TurnSignal, Update
from arena.core.referee import Referee
from arena.core.retry import retry
from arena.match.commands import Abort, Refusal, Resume
from arena.match.endings import Termination, counts
from arena.match.series import Score, goes_on, seat_of, side_of
from arena.match.state import SeatSetup, Setup
from arena.rooms.people import Person
from arena.rooms.plan import Occupant, Plan
from arena.rooms.reservation import Reservation, SideState, side_for, why_no_side

log = logging.getLogger("arena.rooms.room")

# When the match of a bot that cannot come back has ended by that.
AFTER_S = 1.0
# A round that ends by a fault of ours is played again, but not forever.
MOST_VOIDS = 3


class LiveRoom:
    """A room in this process.

    `last` says whether the match that has just ended was the last one, before anybody else hears of its end.
    `on_start(live)` and `on_round(live)` are called when a round has begun and has ended, each of `on_over` when the
    series is over; who follows the room is told at any change. `keeps(who)` says whether a player's connection is
    needed after the series, `is_here(who)` whether a person who waits for the first match is there. `sides` are the two
    of them, whoever sits there; what has become of each is its `reservations`.
    """

    def __init__(self, referee: Referee, plan: Plan) -> None:
        self.referee = referee
        self.plan = plan
        self.reservations: tuple[Reservation[Occupant], Reservation[Occupant]] = Reservation(), Reservation()
        self.round = plan.first_round
        self.score = Score()
        self.live: LiveMatch | None = None
        self.last = False
        self.over = False
        self.changed_at = asyncio.get_running_loop().time()
        self.on_start: Callable[[LiveMatch], None] = lambda live: None
        self.on_round: Callable[[LiveMatch], None] = lambda live: None
        self.on_over: list[Callable[[], None]] = []
        self.keeps: Callable[[SeatSetup], bool] = lambda who: False
        self.is_here: Callable[[SeatSetup], bool] = lambda who: True
        self._followers: tuple[Callable[[], None], ...] = ()
        self._voids = 0
        self._held = self._interrupted = False
        self._missing: list[Occupant] = []
        self._begin_timer: asyncio.TimerHandle | None = None
        self._beginning: asyncio.Task[None] | None = None

    # -- who follows it ------------------------------------------------------------------------------------------------

    def follow(self, call: Callable[[], None]) -> None:
        """Call this whenever the room may look different; what is different is asked of the room."""
        self._followers += (call,)

    def unfollow(self, call: Callable[[], None]) -> None:
        self._followers = tuple(each for each in self._followers if each != call)

    def publish(self) -> None:
        """Tell who follows the room that it may look different."""
        for call in self._followers:
            call()

    # -- sitting -------------------------------------------------------------------------------------------------------

    @property
    def sides(self) -> list[Occupant | None]:
        return [each.occupant for each in self.reservations]

    @property
    def is_offered(self) -> bool:
        """Whether the address of one of its sides is open."""
        return any(each.state is SideState.OFFERED for each in self.reservations)

    def is_away(self, side: int) -> bool:
        """Whether the connection of who sits there is gone, and its return is awaited."""
        return self.reservations[side].state is SideState.AWAY

    def side_for(self, who: SeatSetup) -> int | None:
        """The side that `who` would get, None where none is free that may be theirs."""
        return side_for(self.plan.places, self.sides, who)

    def free_side(self) -> int | None:
        """The first side that nobody has taken."""
        return next((side for side, occupant in enumerate(self.sides) if occupant is None), None)

    def sit(self, occupant: Occupant, side: int | None = None) -> int:
        """Take a side: the one that is theirs unless it is named. Raises Refusal when there is none."""
        side = self.side_for(occupant.setup) if side is None else side
        if side is None or self.sides[side] is not None:
            raise why_no_side(self.plan.places, self.sides, occupant.setup)
        self.reservations[side].take(occupant)
        self._changed()
        return side

    def replace(self, side: int, occupant: Occupant) -> None:
        """The player of this side is back on a new connection."""
        self.reservations[side].take(occupant)
        self._changed()

    def lose(self, occupant: Occupant, grace_s: float) -> None:
        """The connection of who sits there is gone, and may come back for so long; a running match ends by itself."""
        side = self.side_of(occupant)
        if side is None:
            return
        reservation = self.reservations[side]
        if grace_s:
            reservation.lose()
        if self._held:
            return
        if self.playing or (grace_s and self.begun):
            reservation.give_up_after(grace_s or AFTER_S, partial(self._give_up, occupant))
        else:
            self.stand(occupant)

    def _give_up(self, occupant: Occupant) -> None:
        """Nobody took the seat over in time, and no match has ended by that."""
        if not (self.playing or self.over):
            self.stand(occupant)

    def stand(self, occupant: Occupant) -> None:
        """Leave for good, where no match runs. With somebody else it would be another series, so a begun one ends."""
        side = self.side_of(occupant)
        if side is None:
            return
        self.reservations[side].leave()
        if self.begun:
            self.close()
        self._changed()

    def is_absent(self, side: int) -> bool:
        """Whether a person sits there who has closed the page before the first match."""
        occupant = self.sides[side]
        return isinstance(occupant, Person) and not self.begun and not self.is_here(occupant.setup)

    def side_of(self, occupant: Occupant) -> int | None:
        return next((side for side in (0, 1) if self.reservations[side].occupant is occupant), None)

    def occupant_on(self, seat: int) -> Occupant | None:
        """Who has this seat in the current round."""
        return self.reservations[side_of(seat, self.round)].occupant

    # -- rounds --------------------------------------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        """Whether a match runs or is about to."""
        return self._beginning is not None or (self.live is not None and not self.live.over)

    @property
    def begun(self) -> bool:
        """Whether a round of the series has been played or is being played."""
        return self.live is not None or self.plan.first_round > 1

    def look(self) -> None:
        """Begin the round if both sides are there and ready, or go on with the one that a restart interrupted."""
        self.publish()
        if self._interrupted:
            self._go_on()
        elif not (self.playing or self.over or self._begin_timer) and all(
            occupant is not None and occupant.ready and not self.is_absent(side)
            for side, occupant in enumerate(self.sides)
        ):
            self._beginning = asyncio.get_running_loop().create_task(self._begin())

    async def begin(self) -> None:
        """Begin the round now, and return when its match has started or could not."""
        self.look()
        if self._beginning is not None:
            await asyncio.shield(self._beginning)  # who asked may be gone before both sides have been told

    async def _begin(self) -> None:
        sides = [occupant for occupant in self.sides if occupant is not None]
        try:
            await self._open_and_start(sides)
        except Exception as why:
            said = ("room %s: round %d could not begin: %s", self.plan.code, self.round, why)
            log.warning(*said) if isinstance(why, Refusal) else log.exception(*said)
            self.close()
            if self.live is not None and not self.live.over:
                retry(self.referee, self.live, Abort("server_abort", "the round could not begin"))
        finally:
            self._beginning = None
            self._changed()

    async def _open_and_start(self, sides: list[Occupant]) -> None:
        failed = [await _prepared(occupant) for occupant in sides]
        live = await self.referee.open(self.plan.setup(self.round, sides))
        before = self.live
        self.adopt(live)
        if before is not None:
            self.referee.hub.changed(before)  # its pages are told where it goes on
        self.on_start(live)
        for side, occupant in enumerate(sides):
            occupant.take_seat(live, seat_of(side, self.round), self.round, self.plan.rounds)
        with suppress(Refusal):  # over before it began: a seat that was not ready has lost already
            await self._start(live, failed)

    async def _start(self, live: LiveMatch, failed: list[str]) -> None:
        for side, why in enumerate(failed):
            if why:
                await self.referee.leave(live, seat_of(side, self.round), "crash", why)
                return
        await self.referee.start(live)

    def adopt(self, live: LiveMatch) -> None:
        """This is the room's match now: a new one, or one that was running before a restart."""
        self.live = live
        self.mark(live)
        self.referee.hub.follow(live, self._follow)

    def mark(self, live: LiveMatch) -> None:
        """Let the match know where it is played."""
        live.room_code, live.private = self.plan.code, self.plan.private

    def _follow(self, live: LiveMatch, news: Update | TurnSignal) -> None:
        if isinstance(news, Update) and news.events and news.events[-1].kind == "ended" and live is self.live:
            self.last = self._is_last(live)
            # Once everybody has been told: dismissing a session before it has heard the end would cut it short.
            asyncio.get_running_loop().call_soon(self._round_ended, live)

    def _is_last(self, live: LiveMatch) -> bool:
        state = live.state
        assert state.termination is not None, "an ended match has a termination"
        if state.termination == Termination.SERVER_ABORT:
            return self._voids + 1 >= MOST_VOIDS
        occupant = None if state.winner is None else self.occupant_on(1 - state.winner)
        loser = None if occupant is None else occupant.as_loser()
        return self.over or not goes_on(state.setup.round, self.plan.rounds, state.winner, state.termination, loser)

    def _round_ended(self, live: LiveMatch) -> None:
        state = live.state
        assert state.termination is not None, "an ended match has a termination"
        self.score = self.score.after(self.round, state.winner, state.termination)
        self._interrupted = False
        if not self.last:
            self._voids = 0 if counts(state.termination) else self._voids + 1
            self.round += 1 if counts(state.termination) else 0
            self._take_break(state.setup)
        self.on_round(live)
        if self.last:
            self.close()
        self._changed()

    def _take_break(self, before: Setup) -> None:
        delay = self.plan.break_s if any(seat.kind == "human" for seat in before.seats) else 0.0
        self._begin_timer = asyncio.get_running_loop().call_later(delay, self._break_over)

    def _break_over(self) -> None:
        self._begin_timer = None
        self.look()

    def next_round_in(self) -> float | None:
        """Seconds until the next round begins, None outside a break."""
        if self._begin_timer is None:
            return None
        return max(0.0, self._begin_timer.when() - asyncio.get_running_loop().time())

    # -- after a restart -----------------------------------------------------------------------------------------------

    def go_on_after(self, live: LiveMatch) -> None:
        """A restart came between this match and the next round."""
        self.live = live
        self.mark(live)
        self._take_break(live.state.setup)

    def interrupted(self, missing: Iterable[Occupant]) -> None:
        """The match has been paused by a restart: it goes on when those who are missing are back or given up."""
        self._interrupted = True
        self._missing = list(missing)
        self._go_on()

    def _go_on(self) -> None:
        self._missing = [occupant for occupant in self._missing if self._is_missing(occupant)]
        if not self._missing and self.live is not None:
            self._interrupted = False
            retry(self.referee, self.live, Resume(afresh=True))

    def _is_missing(self, occupant: Occupant) -> bool:
        side = self.side_of(occupant)
        return side is not None and (occupant.away if isinstance(occupant, Person) else self.is_away(side))

    # -- the end -------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """The series is over or cannot go on: everyone who sits is dismissed."""
        told, self.over = () if self.over else tuple(self.on_over), True
        self.rest()
        for reservation in self.reservations:
            reservation.close()
            if reservation.occupant is not None:
                reservation.occupant.dismiss()
        for tell in told:
            tell()
        self.publish()

    def rest(self) -> None:
        """Begin nothing any more."""
        if self._begin_timer is not None:
            self._begin_timer.cancel()
            self._begin_timer = None

    def hold(self) -> None:
        """Our side goes down: no round begins any more, and who is gone is neither waited for nor given up."""
        self._held = True
        self.rest()
        for reservation in self.reservations:
            reservation.hold()

    def _changed(self) -> None:
        self.changed_at = asyncio.get_running_loop().time()
        there = self.free_side() is None
        for occupant in self.sides:
            if occupant is not None:
                occupant.met(there)
        self.publish()
        if self.live is not None:
            self.referee.hub.changed(self.live)


async def _prepared(occupant: Occupant) -> str:
    """Why the occupant cannot play this round, "" when it can."""
    try:
        await occupant.prepare()
    except OSError as why:
        if descriptors.exhausted(why):
            raise Refusal("no_room", descriptors.WORDS) from why  # ours, and nobody loses a match by it
        return str(why)
    return ""
