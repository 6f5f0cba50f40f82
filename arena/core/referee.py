"""THE DOOR: every act of every person, bot and timer on a match goes through here, and only here.

mailbox → decide → ledger → evolve → update. A live match has one mailbox; while an append is being written to the log,
further acts wait (at most 8, then `busy`, but for those that must not be lost). State never runs ahead of the log, and
nobody is told anything that is not in it, unless the log is damaged. Lateness is judged by the time stamp of the act:
the read that completed its message.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple, TypeVar

from django.db import Error as DatabaseError

from arena.common.logs import LastingTrouble, about
from arena.core.hub import Hub, LiveMatch, Presence, TurnSignal, Update
from arena.core.ledger import Busy, Ledger, LedgerClosed
from arena.core.log_statements import Fenced
from arena.core.log_store import Stale
from arena.core.turn_timers import TurnTimers
from arena.match.commands import (
    Abort,
    Adjudicate,
    Command,
    Fault,
    Flag,
    Pause,
    Play,
    Refusal,
    Resign,
    Resume,
    Rule,
    Start,
)
from arena.match.decide import decide, open_match
from arena.match.evolve import following, replay
from arena.match.ids import Ids
from arena.match.quota import Quota, midnight
from arena.match.state import LogEvent, MatchState, Setup, SetupData
from games import variant

log = logging.getLogger("arena.core.referee")

# The pause before reading again what could not be read.
READ_AGAIN_S = 1.0

MOST_IN_A_MAILBOX = 8
# While an act is being written, readers with something newer to read wait this long.
AGAIN_S = 0.01

T = TypeVar("T")
Events = tuple[LogEvent, ...]
Reply = Callable[[Refusal | None], None]


class QueuedCommand(NamedTuple):
    command: Command
    stamp: float
    reply: Reply


class Referee:
    """The only entry for acts. Call all methods from the loop's thread; times are those of `time.monotonic`."""

    def __init__(self, ledger: Ledger, hub: Hub) -> None:
        self.ledger = ledger
        self.hub = hub
        self._loop = asyncio.get_running_loop()
        self._unanswered: list[tuple[LiveMatch, Reply]] = []  # acts decided after the lease was lost
        self._closed = False
        self.turns = TurnTimers(hub, self)
        ledger.on_restored = self._restored
        self._ids = Ids()
        self._daily = _DailyMatches(ledger)

    def close(self) -> None:
        """Stop all timers; appends in progress are still answered. If another process holds the lease, all other acts
        are refused; by now no bot is among their senders.
        """
        self._closed = True
        self.turns.close()
        if self.ledger.fenced:
            self._unanswered += [(live, act.reply) for live in self.hub.lives.values() for act in live.mailbox]
            for live, reply in self._unanswered:
                _answer(live, reply, _changing_over())

    # -- opening -------------------------------------------------------------------------------------------------------

    async def open(self, setup: Setup) -> LiveMatch:
        """Create a match and log `opened`. Raises KeyError or ValueError for a setup that cannot be played.

        It is rated if that was requested and is possible: unproven players play friendly matches, and so do two bots
        that have reached their limit of rated matches for the day.
        """
        rated = setup.rated and not setup.why_friendly and await self._daily.allows(setup)
        setup = setup._replace(settings=variant(setup.variant).complete(setup.settings), rated=rated)
        match = self._ids.new(time.time())
        events = open_match(setup, datetime.now(UTC))
        stored: asyncio.Future[None] = self._loop.create_future()
        self.ledger.append(match, events, lambda error: _resolve(stored, error))
        await stored
        opened = events[0]._replace(data=SetupData(setup))
        return self.hub.add(LiveMatch(match, replay(events)._replace(setup=setup), [opened, *events[1:]]))

    async def load(self, match: str) -> LiveMatch | None:
        """The live match, read from the log if this process does not have it; None if there is no such match."""
        if (live := self.hub.get(match)) is None:
            events = await self.ledger.read(match)
            live = self.hub.get(match)
            if live is None and events:
                live = LiveMatch(match, replay(events), events)
                if not live.over:
                    self.hub.add(live)
        return live

    async def relay(self, match: str) -> LiveMatch:
        """The live match that is played elsewhere, with all that is stored of it. Raises LookupError for nothing."""
        live = await self.load(match)
        if live is None:
            raise LookupError(f"there is no match {match}")
        if not live.over and not live.turn.elsewhere:
            live.turn.elsewhere, live.private = True, False
            self.turns.begin(live)
        while live.busy:
            await asyncio.sleep(AGAIN_S)
        if not live.over:
            live.busy = True
            try:
                await self._read_again(live)
            finally:
                self._work(live)
        return live

    # -- acts, in words ------------------------------------------------------------------------------------------------

    async def start(self, live: LiveMatch) -> None:
        await self.act(live, Start())

    async def play(self, live: LiveMatch, seat: int, ply: int, text: str, actor: str = "") -> None:
        await self.act(live, Play(seat, ply, text, actor))

    async def resign(self, live: LiveMatch, seat: int, actor: str = "") -> None:
        await self.act(live, Resign(seat, actor))

    async def leave(self, live: LiveMatch, seat: int, code: str, reason: str) -> None:
        """End the match because the seat's player is gone for good: `left`, `disconnect` or `crash`."""
        await self.act(live, Fault(seat, code, reason))

    async def abort(self, live: LiveMatch, code: str, reason: str, seat: int | None = None, actor: str = "") -> None:
        await self.act(live, Abort(code, reason, seat, actor))

    async def adjudicate(self, live: LiveMatch, winner: int | None, reason: str, actor: str) -> None:
        await self.act(live, Adjudicate(winner, reason, actor))

    async def rule(self, live: LiveMatch, verdict: str, winner: int | None, reason: str, actor: str) -> None:
        """Rule after the end how the match counts from now on. The ending itself is unchanged."""
        await self.act(live, Rule(verdict, winner, reason, actor))

    async def pause(self, live: LiveMatch, reason: str, actor: str = "") -> None:
        await self.act(live, Pause(reason, actor))

    async def resume(self, live: LiveMatch, actor: str = "") -> None:
        await self.act(live, Resume(actor, live.afresh))
        live.afresh = False

    async def act(self, live: LiveMatch, command: Command, stamp: float | None = None) -> None:
        """Carry out `command`, and return when it is logged and announced. Raises Refusal."""
        done: asyncio.Future[None] = self._loop.create_future()
        self.post(live, command, lambda refusal: _resolve(done, refusal), stamp)
        await done

    def post(
        self, live: LiveMatch, command: Command, reply: Reply, stamp: float | None = None, must: bool = False
    ) -> None:
        """Put an act into the mailbox, even a full one if it `must`. `reply` is called once, with None or a refusal."""
        if self._closed and self.ledger.fenced:
            reply(_changing_over())
            return
        if len(live.mailbox) >= MOST_IN_A_MAILBOX and not must:
            reply(Refusal("busy", "Too much at once for this match. Nothing was done; try again."))
            return
        live.mailbox.append(QueuedCommand(command, time.monotonic() if stamp is None else stamp, reply))
        if not live.busy:
            self._work(live)

    def signal(self, live: LiveMatch, seat: int, presence: Presence) -> None:
        """Set whether a seat's player is present; while it is away the opponent's clock stands and its own runs."""
        self.hub.signal(live, seat, presence)
        self.turns.stop_or_go(live, time.monotonic())

    # -- the mailbox ---------------------------------------------------------------------------------------------------

    def _work(self, live: LiveMatch) -> None:
        """Decide waiting acts until an append is in progress. While storage fails, nothing is decided."""
        self.turns.look()
        while live.mailbox and not live.busy and not self.ledger.failing and not self.ledger.fenced:
            self._decide(live, live.mailbox.pop(0))

    def _decide(self, live: LiveMatch, act: QueuedCommand) -> None:
        command = act.command
        if live.turn.elsewhere and not live.over and not isinstance(command, Abort | Adjudicate):
            _answer(live, act.reply, Refusal("elsewhere", "Another machine plays this match: it can only be ended."))
            return
        elapsed_ms, given_back_ms = live.turn.elapsed_ms(act.stamp)
        if given_back_ms and isinstance(command, Play | Flag | Pause):
            command = command._replace(given_back_ms=given_back_ms)
        try:
            events = decide(live.state, command, datetime.now(UTC), elapsed_ms)
        except Refusal as refusal:
            _answer(live, act.reply, refusal)
        except Exception:
            self._our_fault(live, act)
        else:
            self._write(live, events, act)

    def _write(self, live: LiveMatch, events: Events, act: QueuedCommand) -> None:
        if not events:
            _answer(live, act.reply, None)
            return
        live.busy = True  # until the append is written, which may be at once
        if events[-1].kind == "ended":
            live.turn.over_at = time.monotonic()
        try:
            done = partial(self._written, live, events, act)
            self.ledger.append(live.id, events, done, live.events)
        except Busy as busy:
            live.busy = False
            _answer(live, act.reply, Refusal("busy", busy.sentence))

    def _our_fault(self, live: LiveMatch, act: QueuedCommand) -> None:
        """End only this match after a bug of the server."""
        log.exception("match %s: %r could not be judged", live.id, act.command, extra=about(live.id))
        _answer(live, act.reply, _broken())
        if type(act.command) is not Abort:
            abort = Abort("server_abort", "the server could not judge this match")
            live.mailbox.insert(0, QueuedCommand(abort, time.monotonic(), _nobody))

    def _written(self, live: LiveMatch, events: Events, act: QueuedCommand, error: Exception | None) -> None:
        if isinstance(error, Fenced):
            self._unanswered.append((live, act.reply))  # it stays busy, so that nothing more is decided here
            return
        if error is not None:
            if not isinstance(error, Stale):
                log.error("match %s: %s could not be stored: %r", live.id, events[0].kind, error, extra=about(live.id))
            self._loop.create_task(self._reload(live, events, act))
            return
        before, states = live.state, following(live.state, events)
        live.state = states[-1]
        live.events.extend(events)
        live.busy = False
        self._announce(live, before, events, states)
        _answer(live, act.reply, None)
        if live.mailbox:
            self._work(live)

    async def _reload(self, live: LiveMatch, unstored: Events, act: QueuedCommand) -> None:
        """Decide on the state in the log from now on. If that cannot be read, the match ends: if need be, only here."""
        try:
            await self._read_again(live)
        except Exception:
            if type(act.command) is Abort:
                self._written(live, unstored, act._replace(reply=_nobody), None)
            self._our_fault(live, act)
        else:
            _answer(live, act.reply, Refusal("stale", "The match has moved on in the meantime. Look again, then move."))
        self._work(live)

    async def _read_again(self, live: LiveMatch) -> None:
        """Discard this process's state of the match and read it from the log, which is authoritative."""
        try:
            events = await _waiting_for_storage(partial(self.ledger.read, live.id), f"match {live.id}")
            before, news = replay(events[: len(live.events)]), tuple(events[len(live.events) :])
            states = following(before, news)
            live.state, live.events = [before, *states][-1], events
        finally:
            live.busy = False
        self._announce(live, before, news, states)

    # -- telling -------------------------------------------------------------------------------------------------------

    def _announce(self, live: LiveMatch, before: MatchState, events: Events, states: Sequence[MatchState]) -> None:
        """Tell everyone about the logged events, then begin the next turn. `states` are those after each event."""
        positions = tuple([state.position for state in states])

        def tell(turn: TurnSignal | None) -> None:
            self.hub.tell(live, Update(live.id, before.seq, live.state.seq, events, turn, positions))

        self.turns.follow(live, events, tell)
        if live.over and before.phase != "ended":  # rulings and notes may follow the ending
            self.hub.ended(live)

    @property
    def stands(self) -> bool:
        """Whether judging is suspended because nothing can be stored."""
        return self.ledger.failing

    def _restored(self, seconds: float) -> None:
        """Continue all matches after storage failed for `seconds`, in which no clock ran."""
        self.turns.look()
        now = time.monotonic()
        self.turns.lose(now - seconds, now)
        for live in self.hub.running():
            if live.turn.is_timed:
                self.hub.changed(live)
            if not live.busy:
                self._work(live)
            self.turns.go_on(live)


def _answer(live: LiveMatch, reply: Reply, refusal: Refusal | None) -> None:
    try:
        reply(refusal)
    except Exception:
        log.exception("match %s: an answer could not be given", live.id, extra=about(live.id))


class _DailyMatches:
    """The rated matches of two bots on one day."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._quota = Quota()

    async def allows(self, setup: Setup) -> bool:
        """Whether the quota allows one more match, which it counts. After a restart, the log tells today's count."""
        if pair := self._quota.unknown(setup, now := time.time()):
            counting = partial(self._ledger.rated_since, pair, midnight(now))
            self._quota.known(pair, await _waiting_for_storage(counting, "the matches of two bots"))
        return self._quota.take(setup, time.time())


def _broken() -> Refusal:
    return Refusal("server_abort", "Something broke on our side. The match ends and counts for nobody.")


def _changing_over() -> Refusal:
    return Refusal("changing_over", LedgerClosed.sentence)


def _nobody(refusal: Refusal | None) -> None:
    """A reply callback for acts without a sender."""


def _resolve(future: asyncio.Future[None], error: Exception | None) -> None:
    if future.done():
        return
    if isinstance(error, Fenced):
        error = LedgerClosed()
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)


async def _waiting_for_storage(read: Callable[[], Awaitable[T]], what: str) -> T:
    """The result of `read`, retried while storage fails: nothing can go on without it."""
    failing = LastingTrouble(log, f"{what} cannot be read, trying again")
    while True:
        try:
            found = await read()
        except DatabaseError as why:
            failing.begins(why)
            await asyncio.sleep(READ_AGAIN_S)
        else:
            failing.is_over()
            return found
