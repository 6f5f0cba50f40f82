"""Live matches of this process, their followers and viewers, and the updates that report what was logged.

A bot's session, a built-in player and a room are plain callables: they get every update at once. A browser has a cursor
and a wake-up instead of a queue: it is woken when there is something newer than it has, so even the slowest reader gets
the newest state. Players are woken at once, watchers at most every 50 ms a match, and less often when many busy matches
are watched. Nothing here waits for a reader.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.common.logs import about
from arena.core.slices import SLICE_S, Slices
from arena.core.viewers import NOBODY, Viewer
from arena.match.state import Left, LogEvent, MatchState
from arena.match.turn import RunningTurn
from games import Position

log = logging.getLogger("arena.core.hub")

WATCHER_FRAME_S = 0.05
# The frames for the watchers of all matches together take at most this share of the loop's time. At 0.25 ms a frame,
# ten matches are not slowed, nor are people, who move a hundred times less often than bots; fifty get four frames a
# second each.
FRAMES_SHARE = 0.05
# The expected time of a frame before any has been made. Later it is measured, because a busy machine takes longer: each
# frame contributes a sixteenth, and counts for no more than a slice, so that a crowd slows down only itself.
FIRST_FRAME_S, FRAMES_COUNTED = 0.00025, 16
# After a frame of a crowded match, its next frame waits four times as long as this one kept the loop busy.
CROWD_RESTS = 4
MOST_ENDED_KEPT = 256
# After a match, a player without an open page counts as gone only after this time: the page may be reloading.
LEFT_AFTER_S = 10.0

# Called when something changes that appears on every page.
on_every_page: list[Callable[[], None]] = []


class TurnSignal(NamedTuple):
    """Reports that the turn of `seat` begins, after the event `seq`."""

    seq: int
    seat: int
    left_ms: Left


class Update(NamedTuple):
    """One committed append, never split: the events `base`+1 … `seq`, and the `positions` after each of them. `turn` is
    None while no clock runs.

    A reader that already has the events up to `have` ignores the update if seq ≤ have, applies the events above `have`
    if base ≤ have < seq, and reads the log if base > have.
    """

    match: str
    base: int
    seq: int
    events: tuple[LogEvent, ...]
    turn: TurnSignal | None
    positions: tuple[Position, ...]

    def to_json(self) -> dict[str, Any]:
        """The update as JSON values, to be sent between processes."""
        events = [_event_json(event) for event in self.events]
        turn = self.turn and {"seat": self.turn.seat, "left_ms": list(self.turn.left_ms)}
        return {"match": self.match, "base": self.base, "seq": self.seq, "events": events, "turn": turn}


def _event_json(event: LogEvent) -> dict[str, Any]:
    left = [event.left0_ms, event.left1_ms]
    at = event.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    said = event._asdict() | {"at": at, "data": dict(event.data), "left_ms": left}
    del said["left0_ms"], said["left1_ms"]
    return said


Follower = Callable[["LiveMatch", Update | TurnSignal], None]


NO_FRAMES: Mapping[Any, Any] = MappingProxyType({})


class Presence(NamedTuple):
    """Whether the seat's player is present, and until when it may come back (monotonic); only the latest is kept.

    `why` is how a bot's connection ended, in the words of its transport.
    """

    here: bool = True
    until: float | None = None
    why: str = ""


# Shared by all matches whose players are there.
BOTH_HERE = (Presence(), Presence())


class PageFacts:
    """What pages have computed about a match, cached with it.

    `replies` holds the number of events counted so far, and both seats' replies and milliseconds in them. `analysis` is
    the summary of its proved values (arena.work.analyses), None while the match runs or before it is first read. `chat`
    holds the numbers of the newest line among the players and of the newest other line known to the host, `series` how
    the series of an ended match stands, for when its room is gone.
    """

    __slots__ = ("analysis", "chat", "replies", "series")

    def __init__(self) -> None:
        self.replies: tuple[int, tuple[int, int], tuple[int, int]] = (0, (0, 0), (0, 0))
        self.analysis: Any = None
        self.chat = (0, 0)
        self.series: Any = None


class LiveMatch:
    """One match in this process: its state, log, mailbox and followers.

    Only the referee changes `state`, `events`, `mailbox` and `turn`.
    `version` changes with everything that a page shows, so (seq, version) identifies what a viewer has seen.
    """

    __slots__ = (
        "afresh",
        "busy",
        "events",
        "facts",
        "followers",
        "frames",
        "id",
        "mailbox",
        "paced",
        "presence",
        "private",
        "rating_changes",
        "ratings",
        "room_code",
        "state",
        "timer",
        "turn",
        "version",
        "viewers",
        "wires",
    )

    def __init__(self, match: str, state: MatchState, events: list[LogEvent]) -> None:
        self.id = match
        self.state = state
        self.events = events
        self.mailbox: list[Any] = []  # a deque would take 0.6 KiB even when empty
        self.busy = False
        # Set if staff paused the match before a restart: on resuming, the server's processes are new.
        self.afresh = False
        self.turn = RunningTurn()
        self.timer: asyncio.TimerHandle | None = None
        self.paced: asyncio.TimerHandle | None = None
        self.followers: tuple[Follower, ...] = ()
        self.viewers = NOBODY
        self.presence = BOTH_HERE
        self.version = 0
        self.frames = NO_FRAMES
        # The traffic of its bots' connections: an arena.bots.session.wire.Wire for each seat that has one.
        self.wires: list[Any] = [None, None]
        self.room_code = ""
        # None means not yet looked up, as for a match that was read from its log.
        self.private: bool | None = None
        # The rating changes caused by the match, with the number of the event they follow, for
        # arena.web.people.ratings.
        self.rating_changes: tuple[int, Any] | None = None
        # Both seats' ratings as pages show them, "" for none; None until they are first read.
        self.ratings: tuple[str, str] | None = None
        self.facts = PageFacts()

    @property
    def over(self) -> bool:
        return self.state.phase == "ended"

    def left_ms(self, now: float) -> Left:
        """The time left of both sides in ms at `now` (monotonic). A bot's clock stands during its start-up grace."""
        both = zip(self.lasts_ms(now), self.state.left_ms, strict=True)
        first, second = (None if most is None else min(lasts or 0, most) for lasts, most in both)
        return first, second

    def lasts_ms(self, now: float) -> Left:
        """How long the time of both sides lasts from `now`: what is left of it, and of a start-up grace."""
        state = self.state
        mover, left = state.to_move, list(state.left_ms)
        if mover is not None and self.turn.since is not None and (before := left[mover]) is not None:
            spent = round(self.turn.charged_s(now) * 1000) - state.startup_ms
            left[mover] = max(0, before - spent)
        return left[0], left[1]

    def runs(self) -> int | None:
        """The seat whose time runs, or None."""
        mover, turn = self.state.to_move, self.turn
        if mover is None or turn.since is None or self.state.left_ms[mover] is None or turn.stands_since is not None:
            return None
        return mover

    def stop_or_go(self, now: float) -> None:
        """Stop the clock of the running turn while its player is present and the opponent is away, else let it go on.
        In a match that may wait, the clock stops while either is away.
        """
        first, second = self.presence
        if first.here and second.here and self.turn.stands_since is None:
            return
        mover = self.state.to_move
        stands = mover is not None and not (first.here and second.here)
        if stands and not self.state.setup.may_wait:
            stands = self.presence[mover or 0].here
        self.turn.stand(stands, now)

    def readers(self, audience: str) -> int:
        """The number of browsers that watch, here and on fronts."""
        return sum(viewer.people for viewer in self.viewers[audience])


class Hub:
    """The live matches of this process by id, and the most recently ended ones.

    `frame_s` is the least time between two frames for the watchers of a match; on a front, the host has already applied
    it.
    """

    def __init__(self, frame_s: float = WATCHER_FRAME_S) -> None:
        self._frame_s = frame_s
        self.lives: dict[str, LiveMatch] = {}
        self.viewed: set[LiveMatch] = set()  # those at which browsers look
        # Called with every match that this process starts or continues; with each that has ended, after its followers.
        self.on_add: list[Callable[[LiveMatch], None]] = []
        self.on_end: list[Callable[[LiveMatch], None]] = []
        # The match that staff have chosen for the home page, until it ends.
        self.featured: LiveMatch | None = None
        self.begins = True  # whether rounds may begin; not while the server is about to stop
        self._ended: deque[str] = deque()
        # The timers of the next frames; each is kept until all watchers of its match have been woken.
        self.frame_timers: dict[LiveMatch, asyncio.TimerHandle] = {}
        self._frame_takes_s = FIRST_FRAME_S

    def add(self, live: LiveMatch) -> LiveMatch:
        self.lives[live.id] = live
        for tell in self.on_add:
            tell(live)
        return live

    def get(self, match: str) -> LiveMatch | None:
        return self.lives.get(match)

    def running(self) -> list[LiveMatch]:
        """The matches without an ending."""
        return [live for live in self.lives.values() if not live.over]

    def ended(self, live: LiveMatch) -> None:
        """Keep an ended match for those who still look at it, and drop the oldest if there are too many."""
        if self.featured is live:
            self.featured = None
        for tell in self.on_end:
            asyncio.get_running_loop().call_soon(tell, live)
        self._keep(live)

    def kept(self, live: LiveMatch) -> LiveMatch:
        """The shared object of an ended match while its players look at it: this one if there is none yet."""
        if (found := self.lives.get(live.id)) is not None:
            return found
        for audience in ("0", "1"):
            self._expect(live, audience)
        self._keep(live)
        return live

    def _keep(self, live: LiveMatch) -> None:
        """Keep the match; if there are too many, drop the oldest that none of its players looks at."""
        self.lives[live.id] = live
        self._ended.append(live.id)
        while len(self._ended) > MOST_ENDED_KEPT:
            self._let_go(self._ended.popleft())

    def _let_go(self, match: str) -> None:
        live = self.lives.get(match)
        if live is not None and not (live.viewers["0"] or live.viewers["1"] or match in self._ended):
            del self.lives[match]

    def follow(self, live: LiveMatch, follower: Follower) -> None:
        live.followers += (follower,)

    def unfollow(self, live: LiveMatch, follower: Follower) -> None:
        live.followers = tuple([other for other in live.followers if other != follower])

    def view(self, live: LiveMatch, viewer: Viewer) -> None:
        if live.viewers is NOBODY:
            live.viewers = {audience: set() for audience in NOBODY}
        live.viewers[viewer.audience].add(viewer)
        self.viewed.add(live)
        if live.over and viewer.audience:
            self.signal(live, int(viewer.audience), Presence())

    def unview(self, live: LiveMatch, viewer: Viewer) -> None:
        if viewer in live.viewers[viewer.audience]:
            live.viewers[viewer.audience].remove(viewer)
        if not any(live.viewers.values()):
            self.viewed.discard(live)
        if live.over and viewer.audience:
            self._expect(live, viewer.audience)
            self._let_go(live.id)

    def measured(self, live: LiveMatch) -> None:
        """The line of a player has become slower or faster, which the pages show."""
        self.changed(live)

    def _expect(self, live: LiveMatch, audience: str) -> None:
        """After the match, report a player as gone that does not soon have a page of it open."""
        asyncio.get_running_loop().call_later(LEFT_AFTER_S, self._look_for, live, audience)

    def _look_for(self, live: LiveMatch, audience: str) -> None:
        if not live.viewers[audience]:
            self.signal(live, int(audience), Presence(False))

    def tell(self, live: LiveMatch, news: Update | TurnSignal) -> None:
        """Pass `news` to every follower and wake the viewers. A follower that raises is dropped; others go on."""
        for follower in live.followers:
            try:
                follower(live, news)
            except Exception:
                log.exception("match %s: a follower failed and is dropped", live.id, extra=about(live.id))
                self.unfollow(live, follower)
        self.changed(live)

    def signal(self, live: LiveMatch, seat: int, presence: Presence) -> None:
        """Set whether a seat's player is present. Not stored; only the latest value is kept."""
        if live.presence[seat] != presence:
            other = live.presence[1 - seat]
            live.presence = (other, presence) if seat else (presence, other)
            self.changed(live)

    def changed(self, live: LiveMatch) -> None:
        """Report a change on the match's pages: wake players now, watchers with the next frame."""
        live.version += 1
        if live.frames:
            live.frames = NO_FRAMES
        if live.viewers is NOBODY:
            return
        for seat in ("0", "1"):
            if live.viewers[seat]:
                self._wake(live, seat)
        if live.viewers[""] and live not in self.frame_timers:
            self._frame_after(live, self._frame_s)

    def wake_all(self) -> None:
        """Report a change that appears on every page."""
        for live in tuple(self.lives.values()):
            self.changed(live)
        for tell in tuple(on_every_page):
            tell()

    def _frame_after(self, live: LiveMatch, wait: float) -> None:
        wait = max(wait, (len(self.frame_timers) + 1) * self._frame_takes_s / FRAMES_SHARE)
        self.frame_timers[live] = asyncio.get_running_loop().call_later(wait, self._frame, live)

    def _frame(self, live: LiveMatch) -> None:
        """Wake the watchers. Changes before all of them have been woken belong to a new frame."""
        version = live.version
        Slices(live.viewers[""], partial(self._wake_watcher, live), partial(self._framed, live, version))

    def _framed(self, live: LiveMatch, version: int, spent: float) -> None:
        del self.frame_timers[live]
        self._frame_takes_s += (min(spent, SLICE_S) - self._frame_takes_s) / FRAMES_COUNTED
        rest = spent * CROWD_RESTS
        if live.version != version or rest > WATCHER_FRAME_S:
            self._frame_after(live, max(rest, self._frame_s))

    def _wake_watcher(self, live: LiveMatch, viewer: Viewer) -> None:
        if viewer in live.viewers[""]:  # it may have left while others were woken
            self._wake_one(live, viewer)

    def _wake(self, live: LiveMatch, audience: str) -> None:
        for viewer in tuple(live.viewers[audience]):
            self._wake_one(live, viewer)

    def _wake_one(self, live: LiveMatch, viewer: Viewer) -> None:
        try:
            viewer.wake()
        except Exception:
            log.exception("match %s: a page failed and is dropped", live.id, extra=about(live.id))
            self.unview(live, viewer)
