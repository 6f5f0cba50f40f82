"""Plays the tournaments that run: looks at the rows, starts what may start, and writes down what the rows cannot know.

It holds nothing that matters: a process that was killed starts again by reading the rows, follows the matches that
continue, and plays those without a result. A pairing with a match that counts is never played again, because the
database refuses the match.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from typing import Any

from asgiref.sync import sync_to_async
from django.db import DatabaseError, Error

from arena.bots.builtin.thinkers import Thinkers
from arena.bots.session import staying, tokens
from arena.cluster.lease import Fence, NotTheHost, by_holder, let_failed_go
from arena.cluster.part import DIRECTOR, PartLease
from arena.common.logs import LastingTrouble
from arena.core.hub import LiveMatch
from arena.match.endings import Termination, counts
from arena.match.state import SeatSetup
from arena.models import Tournament
from arena.rooms.lobby import Lobby
from arena.tournaments import actions, due, leaving, needed
from arena.tournaments.calls import Call, Calls, missing_entries, to_be_called
from arena.tournaments.followed import FollowedMatches
from arena.tournaments.giving import Given, settle_over
from arena.tournaments.live_pairing import LivePairing, OpenRoom
from arena.tournaments.next_up import NextUp, next_up
from arena.tournaments.pace import Pace
from arena.tournaments.sheet import PairingLine, Sheet
from arena.tournaments.slots import Slots
from arena.work.looks import RowLooks

log = logging.getLogger("arena.tournaments")

LOOK_S, CALL_S, AGAIN_S = 0.5, 60.0, 2.0


class Director:
    """All tournaments that run or are paused, one `Run` each. It finds them in the rows, whichever process wrote them.

    Pairings that can be played anywhere are given away as work if there are `slots`. While another process directs,
    nothing begins here, and running matches continue.
    """

    def __init__(
        self,
        lobby: Lobby,
        thinkers: Thinkers,
        open_room: OpenRoom | None = None,
        *,
        call_s: float = CALL_S,
        slots: Slots | None = None,
    ) -> None:
        self.lobby = lobby
        self.thinkers = thinkers
        self.open_room = open_room
        self.call_s = call_s
        self.slots = slots
        # The slugs of the events that somebody is watching: their matches are shown while they are played.
        self.watched: set[str] = set()
        self.stopping = False
        self._runs: dict[int, Run] = {}
        self._looks = RowLooks(LOOK_S)
        self._looked = asyncio.Event()
        self._part = PartLease(DIRECTOR, self._look_again)
        lobby.reserved = self.is_reserved
        tokens.arrivals.add(self._came)
        if slots is not None:
            slots.on_over = self.over
        self._looking = asyncio.get_running_loop().create_task(self._look_for_ever())

    async def looked(self) -> None:
        """Return once the participants of running events are known: before that, a new player could meet anybody."""
        await self._looked.wait()
        await asyncio.gather(*(run.known.wait() for run in self._runs.values()))

    def calls(self, tournament: int) -> list[Call]:
        """The players who are being called."""
        return self._runs[tournament].calls() if tournament in self._runs else []

    def lacking(self, tournament: int) -> list[str]:
        """The bots whose matches wait because this machine cannot start them."""
        return self._runs[tournament].lacking if tournament in self._runs else []

    def runs(self) -> list[Run]:
        return list(self._runs.values())

    def _came(self, player: int) -> None:
        self._looks.soon()
        for run in self._runs.values():
            run.came(player)

    @property
    def directs(self) -> bool:
        return self._part.fence is not None and not self.stopping

    @property
    def fences(self) -> tuple[Fence | None, Fence | None]:
        """The fences that prove that this process is the host and directs."""
        return self.lobby.referee.ledger.store.fence, self._part.fence

    def _look_again(self) -> None:
        for look in (self._looks.call, *(run.pace.news for run in self.runs())):
            look()

    def over(self, tournament: int, pairing: int) -> None:
        """Somebody has played this pairing of the event, or could not."""
        if (run := self._runs.get(tournament)) is not None:
            run.pace.over(pairing)

    def call_slots(self) -> None:
        """There is something new for them."""
        if self.slots is not None:
            self.slots.call()

    def watch(self, slugs: set[str]) -> None:
        """Take note of the events at which somebody is looking now."""
        if slugs != self.watched:
            self.watched = slugs
            for run in self.runs():
                run.pace.news()

    def stays(self, who: SeatSetup) -> bool:
        """Whether this player's connection is still needed by an event that runs or is paused."""
        return who.verified and any(who.player in run.staying for run in self._runs.values())

    def is_reserved(self, who: SeatSetup) -> bool:
        """Whether this proven player takes part in a running event."""
        return who.verified and any(who.player in run.players for run in self._runs.values())

    async def stop(self) -> None:
        """Begin nothing more. Matches of our own processes are played again after the next start."""
        if self.stopping:
            return
        self.stopping = True
        self._looks.call()
        tokens.arrivals.discard(self._came)
        await self._looking  # not cancelled: a query in a thread would go on without us
        await self._looks.close()
        await asyncio.gather(*(run.stop() for run in self._runs.values()))
        await self._part.close()
        if self.slots is not None:
            await self.slots.close()

    async def _look_for_ever(self) -> None:
        await self._part.begin()
        failing = LastingTrouble(log, "the tournaments cannot be looked at, trying again", Error)
        while not self.stopping:
            try:
                longest_s = await self._look()
                failing.is_over()
            except Exception as why:
                longest_s = LOOK_S
                failing.begins(why)
            self._looked.set()
            await self._looks.next(longest_s)

    async def _look(self) -> float:
        """Begin what is due and look which events began or changed. Returns how long this holds if nobody writes."""
        starts_s = await due.look() if self.directs else due.NEVER_S
        next_s, begun = await sync_to_async(self._rows)(tokens.players())
        if self.stopping:  # meanwhile: a run that ends because of this still has matches to stop
            return next_s
        self._runs = {pk: run for pk, run in self._runs.items() if pk in begun or not run.task.done()}
        for pk, version in begun.items():
            if pk not in self._runs or self._runs[pk].task.done():
                self._runs[pk] = Run(self, pk)
            self._runs[pk].look(version)
        for pk in self._runs.keys() - begun.keys():
            self._runs[pk].look(0)
        return min(next_s, starts_s)

    def _rows(self, here: Collection[int]) -> tuple[float, dict[int, int]]:
        if self.directs:
            if not self._looked.is_set():
                settle_over()
            due.begin(here, *self.fences)
        begun = Tournament.objects.filter(state__in=needed.BEGUN)
        return max(LOOK_S, due.next_s()), dict(begun.values_list("pk", "version"))


class Run:
    """The part of a tournament that is played here. It lasts over a pause, in which it knows who has stayed."""

    def __init__(self, director: Director, pk: int) -> None:
        self.director = director
        self.pk = pk
        self.players: frozenset[int | None] = frozenset()
        self.staying: frozenset[int | None] = frozenset()
        self.known, self.is_running, self.lacking = asyncio.Event(), True, list[str]()
        self._version, self._given = -1, Given(pk)
        self._running: dict[int, LivePairing] = {}
        self.pace = Pace(lambda: sum(run.is_running for run in director.runs()))
        self._followed = FollowedMatches(director.lobby, self.pace.news, self._fault)
        self._calls = Calls(lambda: director.call_s, self._missed, self.pace.news)
        self.task = asyncio.get_running_loop().create_task(self._play())

    def look(self, version: int) -> None:
        """Somebody has changed the rows since they were read."""
        if version != self._version:
            self._version = version
            self.pace.news()

    def calls(self) -> list[Call]:
        in_rooms = (running for running in self._running.values() if running.missing and running.until is not None)
        return [*self._calls.now(), *(Call(each.missing, each.until or 0.0, each.code) for each in in_rooms)]

    def came(self, player: int) -> None:
        """A bot has arrived and may play at once."""
        self._calls.come(player)

    async def stop(self) -> None:
        """The server stops: the matches of our own processes end without a result."""
        self.pace.news()
        await self.task
        await self._calls.stop()
        await asyncio.gather(*(running.stop() for running in self._running.values()), return_exceptions=True)

    async def _play(self) -> None:
        """Look, start what may start, and wait for news, until the tournament stops and its matches are over."""
        failing = LastingTrouble(log, f"tournament {self.pk} cannot go on, trying again", Error)
        while not self.director.stopping:
            self.pace.begin()
            try:
                if not await self._step():
                    return
                failing.is_over()
            except Exception as why:
                failing.begins(why)
                asyncio.get_running_loop().call_later(AGAIN_S, self.pace.news)
            finally:
                self.known.set()
            await self.pace.next(self._give_next)

    async def _step(self) -> bool:
        """Whether there is or may be anything to do."""
        sheet = await sync_to_async(self._read)()
        self.is_running = sheet.tournament.state == "running"
        self.players = needed.players(sheet)
        self._let_go(needed.staying(sheet))
        self._call_off(sheet)
        if self.director.slots is not None and self.director.directs:
            await self._look_after(sheet)
        if self.is_running and self.director.directs:
            await self._direct(sheet)
        return sheet.tournament.state in needed.BEGUN or bool(self._running or self._followed.matches)

    async def _direct(self, sheet: Sheet) -> None:
        await self._follow(sheet)
        if await asyncio.to_thread(needed.look, sheet):
            self.pace.news()
        self._given.expect(sheet, found := self._start(sheet))
        if found.away:
            await sync_to_async(self._given.add)(sheet, found.away)
            self.director.call_slots()
        if sheet.progress.handed or self.lacking or needed.disabled(sheet):  # what ends that is not in our rows
            asyncio.get_running_loop().call_later(AGAIN_S, self.pace.soon)

    def _let_go(self, needed: frozenset[int | None]) -> None:
        """Dismiss bots that have stayed for this event and have nothing more to play in any."""
        before, self.staying = self.staying, needed
        for player in before - needed:
            if player is not None and not any(player in run.staying for run in self.director.runs()):
                staying.end(tokens.connections_of(player))

    def _read(self) -> Sheet:
        let_failed_go()
        self._given.read()
        return actions.go_on(Tournament.every.get(pk=self.pk))

    async def _follow(self, sheet: Sheet) -> None:
        for line in sheet.lines:
            if line.status == "running" and not self._is_played(line.pk):
                assert line.match is not None, "a running pairing has a match"
                await self._followed.add(line.pk, line.match.id)

    def _is_played(self, pairing: int) -> bool:
        """Whether its match is played here, or somewhere else on our behalf."""
        return pairing in self._given.pairings or pairing in self._running or pairing in self._followed.matches

    # -- what is given away --------------------------------------------------------------------------------------------

    async def _look_after(self, sheet: Sheet) -> None:
        watched = sheet.tournament.slug in self.director.watched
        if self._given.is_news(watched):
            await sync_to_async(self._given.watch)(watched)
            self.director.call_slots()
        if self._given.look(sheet):
            await self._report(self._given.settle, sheet)
            self.pace.news()

    async def _give_next(self, over: set[int]) -> bool:
        """Give away pairings in place of these, as the last look has found them; False if another look is needed."""
        if self.director.slots is None or not self.director.directs or self.director.lobby.quota.closed:
            return False
        try:
            return await sync_to_async(self._given.replace)(over)
        except DatabaseError:
            return False  # and the look says so
        finally:
            self.director.call_slots()

    # -- what may start ------------------------------------------------------------------------------------------------

    def _start(self, sheet: Sheet) -> NextUp:
        """Start what may be played here. Returns the rest too, to be given away."""
        if self.director.lobby.quota.closed:
            asyncio.get_running_loop().call_later(AGAIN_S, self.pace.news)
            return NextUp()
        here, (waiting, self.lacking) = tokens.players(), needed.ready(sheet)
        for entry in to_be_called(sheet, waiting, here):
            self._calls.call(entry)
        busy = {entry for running in self._running.values() for entry in running.entries}
        busy |= {entry for line in sheet.lines if line.pk in self._followed.matches for entry in (line.a, line.b or 0)}
        held = needed.players_of(self.director.lobby.referee.hub.running())
        called = [running for running in self._running.values() if running.missing]
        if (elsewhere := needed.at_play(sheet.entries.values(), held) - busy) or called:
            asyncio.get_running_loop().call_later(AGAIN_S, self.pace.soon)  # other events may hold or free them
        free = sheet.tournament.settings.get("concurrency", 1) - len(self._followed.matches) - len(self._given.pairings)
        free -= len(self._running) - len(called)  # a call takes up no place
        waiting = [line for line in waiting if line.pk not in self._running and line.pk not in self._given.pairings]
        found = next_up(sheet, waiting, here, busy | elsewhere, free, gives=self.director.slots is not None)
        for line in found.here:
            self._begin(sheet, line)
        return found

    def _call_off(self, sheet: Sheet) -> None:
        """Call off pairings that are not to be played now, or whose missing bot plays in another event meanwhile."""
        waiting = needed.waiting(sheet) if sheet.tournament.state == "running" else []
        self._calls.keep(missing_entries(sheet, waiting, tokens.players()))
        wanted = {line.pk for line in waiting}
        for running in [each for pk, each in self._running.items() if pk not in wanted or each.is_held_up()]:
            running.call_off(sheet)

    def _begin(self, sheet: Sheet, line: PairingLine) -> LivePairing:
        director = self.director
        running = LivePairing(sheet, line, director.lobby, director.thinkers, director.open_room, director.call_s)
        self._running[line.pk] = running
        running.on_change, running.keeps = self.pace.news, director.stays
        running.on_fault = lambda live: self._fault(line.pk, live)
        running.task = asyncio.get_running_loop().create_task(self._meet(line.pk, running))
        return running

    async def _meet(self, pairing: int, running: LivePairing) -> None:
        """Play one pairing from its start or call to its end. Whatever goes wrong is a fault of this pairing alone."""
        try:
            missing = await running.play()
            await running.reported()
        except Exception:
            if not self.director.stopping:
                log.exception("pairing %s of tournament %s could not be played", pairing, self.pk)
                await self._report(actions.count_fault, pairing, hand_over=False)
        else:
            if missing:
                await self._report(leaving.count_calls, missing)
            for pk in running.came:
                await self._report(leaving.count_came, pk)
        if not self.director.stopping:
            del self._running[pairing]
            self.pace.news()

    def _fault(self, pairing: int, live: LiveMatch) -> asyncio.Task[None] | None:
        """A match of ours ended without a result while we were up. If staff have stopped it, its row says so."""
        termination = live.state.termination or ""
        if counts(termination) or termination == Termination.ADMIN_ABORT or self.director.stopping:
            return None
        return asyncio.get_running_loop().create_task(self._report(actions.count_fault, pairing, hand_over=False))

    async def _missed(self, entry: int) -> None:
        if not self.director.lobby.quota.closed:  # nobody can begin a match on a host that is about to stop
            await self._report(leaving.count_call, entry)

    async def _report(self, act: Callable[..., None], of: int | Collection[int] | Sheet, **more: Any) -> None:
        """Store this about a pairing or entries, waiting while storage fails. Only the holder of the lease reports: a
        host that stood still would miss players with whom the next one plays.
        """
        host, director = self.director.fences

        def report() -> None:
            with by_holder(host), by_holder(director, keeps=True):
                act(of, **more)

        failing = LastingTrouble(log, f"tournament {self.pk}: what happened cannot be stored, trying again")
        while True:
            try:
                await sync_to_async(report)()
                failing.is_over()
                return
            except NotTheHost as why:
                log.warning("tournament %s: %s", self.pk, why)
                return
            except DatabaseError as why:
                failing.begins(why)
                await asyncio.sleep(AGAIN_S)
