"""Live matches of this process, who follows them, and the updates that tell them what was written.

A bot's session, a built-in player and a room are plain callables: they get every update at once. A browser holds a
cursor and a wake-up, never a queue: it is woken when there is something newer than what it has, so the slowest reader
simply gets the newest state. Players are woken at once, watchers at most once in 50 ms a match, and less often where
many matches are watched that move all the time. Nobody waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping, MutableSet
from functools import partial
from typing import Any, NamedTuple, Protocol, cast

from arena.common.logs import about
from arena.core.slices import Slices
from arena.match.state import Left, LogEvent, MatchState
from arena.match.turn import RunningTurn
from games import Position

log = logging.getLogger("arena.core.hub")

WATCHER_FRAME_S = 0.05
# Of all matches together: a frame takes 0.2 to 0.3 ms of the loop, so watchers leave it nine tenths, however many there
# are. Fewer than 15 matches are never slowed, nor are people, who move a hundred times less often than bots.
FRAMES_PER_S = 300
# Of a match with a crowd: after what its frames took of the loop, they leave it alone four times as long.
CROWD_RESTS = 4
MOST_ENDED_KEPT = 256
# After a match, who has closed its page has left so much later: it may only be loading again.
LEFT_AFTER_S = 10.0

# Told when something that stands on every page has changed.
on_every_page: list[Callable[[], None]] = []


class TurnSignal(NamedTuple):
    """A signal: the turn of `seat` begins now, after the event `seq`."""

    seq: int
    seat: int
    left_ms: Left


class Update(NamedTuple):
    """One committed append, never split: the events `base`+1 … `seq`, and the `positions` after each of them. `turn` is
    None while nobody's clock runs.

    A reader that has `have`: seq ≤ have, drop; base ≤ have, apply the events above have; base > have, read the log.
    """

    match: str
    base: int
    seq: int
    events: tuple[LogEvent, ...]
    turn: TurnSignal | None
    positions: tuple[Position, ...]

    def to_json(self) -> dict[str, Any]:
        """The update as it travels between processes."""
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


class Viewer(Protocol):
    """Browsers on a match. `audience` is "0" or "1" for the seats and "" for watchers, `people` how many they are."""

    audience: str
    people: int

    def wake(self) -> None: ...

    def end(self, code: int, reason: str) -> None:
        """The match is not known here any more."""


# The audiences of a match that nobody has looked at yet, as most matches of bots: sets of its own take 0.7 KiB.
NOBODY = cast(Mapping[str, MutableSet[Viewer]], dict.fromkeys(("0", "1", ""), frozenset()))


class Presence(NamedTuple):
    """A signal, last one wins: whether the seat's player is there, and until when it may come back (monotonic)."""

    here: bool = True
    until: float | None = None


_HERE = Presence()


class PageFacts:
    """What pages have worked out of a match, kept with it so that it is not done again.

    `replies` says how many events have been counted, and the replies and milliseconds of both seats in them. `analysis`
    is what its proved values say (arena.work.analyses), None while the match runs or nobody has looked it up.
    `chat` are the numbers of the newest line among the players and of the newest other one that the host has heard of.
    """

    __slots__ = ("analysis", "chat", "replies")

    def __init__(self) -> None:
        self.replies: tuple[int, tuple[int, int], tuple[int, int]] = (0, (0, 0), (0, 0))
        self.analysis: Any = None
        self.chat = (0, 0)


class LiveMatch:
    """One match in this process: its state, its log, its mailbox, its followers.

    Only the referee changes `state`, `events`, `mailbox` and `turn`.
    `version` moves when anything that a page shows has changed, so (seq, version) names what a viewer has seen.
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
        self.mailbox: list[Any] = []  # a deque is 0.6 KiB, whether anything waits or not
        self.busy = False
        # Staff had paused it before a restart: when they continue it, processes of ours are new ones.
        self.afresh = False
        self.turn = RunningTurn()
        self.timer: asyncio.TimerHandle | None = None
        self.paced: asyncio.TimerHandle | None = None
        self.followers: list[Follower] = []
        self.viewers = NOBODY
        self.presence = [_HERE, _HERE]
        self.version = 0
        self.frames: dict[Any, Any] = {}
        # What goes over the connections of its bots: a Wire of arena.bots.session.wire for a seat that has one.
        self.wires: list[Any] = [None, None]
        self.room_code = ""
        # None: not looked up yet, as for a match that was read from its log.
        self.private: bool | None = None
        # What the match did to its players' ratings as of an event's number, for pages: arena.web.people.ratings.
        self.rating_changes: tuple[int, Any] | None = None
        # The ratings of both seats as pages show them, "" for none; None while nobody has asked.
        self.ratings: tuple[str, str] | None = None
        self.facts = PageFacts()

    @property
    def over(self) -> bool:
        return self.state.phase == "ended"

    def left_ms(self, now: float) -> Left:
        """What both sides have left now (monotonic time). A bot's clock stands while its start-up grace lasts."""
        state = self.state
        mover, left = state.to_move, list(state.left_ms)
        since = self.turn.since
        if mover is not None and since is not None and (before := left[mover]) is not None:
            spent = round((now - since - self.turn.lost_s(now)) * 1000) - state.startup_ms
            left[mover] = max(0, before - max(0, spent))
        return left[0], left[1]

    def runs(self, now: float) -> int | None:
        """The seat whose clock counts down at this moment."""
        mover, since, turn = self.state.to_move, self.turn.since, self.turn
        if mover is None or since is None or self.state.left_ms[mover] is None or turn.stands_since is not None:
            return None
        return mover if now - since - turn.lost_s(now) >= self.state.startup_ms / 1000 else None

    def stop_or_go(self, now: float) -> None:
        """The clock of the running turn stands while its side is here and the other one is away; where the match may
        wait, while anybody is away.
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
        """How many browsers look on, here and on fronts."""
        return sum(viewer.people for viewer in self.viewers[audience])


class Hub:
    """The live matches of this process by their id, and the most recently ended ones.

    `frame_s` is the least time between two frames for the watchers of a match; a front's host has kept it already.
    """

    def __init__(self, frame_s: float = WATCHER_FRAME_S) -> None:
        self._frame_s = frame_s
        self.lives: dict[str, LiveMatch] = {}
        # Told of every match that this process begins to play, or goes on with.
        self.on_add: list[Callable[[LiveMatch], None]] = []
        # Told of every match that has ended, once it has been told to its followers.
        self.on_end: list[Callable[[LiveMatch], None]] = []
        # The match that staff have chosen for the home page, until it is over.
        self.featured: LiveMatch | None = None
        # Whether rounds may begin: not while the server is to stop.
        self.begins = True
        self._ended: deque[str] = deque()
        # When the watchers of a match are woken next; kept until all of them have been.
        self.frame_timers: dict[LiveMatch, asyncio.TimerHandle] = {}

    def add(self, live: LiveMatch) -> LiveMatch:
        self.lives[live.id] = live
        for tell in self.on_add:
            tell(live)
        return live

    def get(self, match: str) -> LiveMatch | None:
        return self.lives.get(match)

    def running(self) -> list[LiveMatch]:
        """Matches without an ending."""
        return [live for live in self.lives.values() if not live.over]

    def ended(self, live: LiveMatch) -> None:
        """Keep an ended match for those who still look at it, and forget the oldest of the many."""
        if self.featured is live:
            self.featured = None
        for tell in self.on_end:
            asyncio.get_running_loop().call_soon(tell, live)
        self._keep(live)

    def kept(self, live: LiveMatch) -> LiveMatch:
        """The object of an ended match that its players share while they look at it: this one if there is none yet."""
        if (found := self.lives.get(live.id)) is not None:
            return found
        for audience in ("0", "1"):
            self._expect(live, audience)
        self._keep(live)
        return live

    def _keep(self, live: LiveMatch) -> None:
        """For those who still look at it; of many the oldest is let go that none of its players looks at."""
        self.lives[live.id] = live
        self._ended.append(live.id)
        while len(self._ended) > MOST_ENDED_KEPT:
            self._let_go(self._ended.popleft())

    def _let_go(self, match: str) -> None:
        live = self.lives.get(match)
        if live is not None and not (live.viewers["0"] or live.viewers["1"] or match in self._ended):
            del self.lives[match]

    def follow(self, live: LiveMatch, follower: Follower) -> None:
        live.followers.append(follower)

    def unfollow(self, live: LiveMatch, follower: Follower) -> None:
        if follower in live.followers:
            live.followers.remove(follower)

    def view(self, live: LiveMatch, viewer: Viewer) -> None:
        if live.viewers is NOBODY:
            live.viewers = {audience: set() for audience in NOBODY}
        live.viewers[viewer.audience].add(viewer)
        if live.over and viewer.audience:
            self.signal(live, int(viewer.audience), Presence())

    def unview(self, live: LiveMatch, viewer: Viewer) -> None:
        if viewer in live.viewers[viewer.audience]:
            live.viewers[viewer.audience].remove(viewer)
        if live.over and viewer.audience:
            self._expect(live, viewer.audience)
            self._let_go(live.id)

    def _expect(self, live: LiveMatch, audience: str) -> None:
        """After the match: a player with no page of it open soon is gone."""
        asyncio.get_running_loop().call_later(LEFT_AFTER_S, self._look_for, live, audience)

    def _look_for(self, live: LiveMatch, audience: str) -> None:
        if not live.viewers[audience]:
            self.signal(live, int(audience), Presence(False))

    def tell(self, live: LiveMatch, news: Update | TurnSignal) -> None:
        """Hand `news` to every follower and wake the viewers. A follower that fails is dropped, others are not hurt."""
        for follower in tuple(live.followers):
            try:
                follower(live, news)
            except Exception:
                log.exception("match %s: a follower failed and is dropped", live.id, extra=about(live.id))
                self.unfollow(live, follower)
        self.changed(live)

    def signal(self, live: LiveMatch, seat: int, presence: Presence) -> None:
        """Say whether a seat's player is there. Not stored; the last one wins."""
        if live.presence[seat] != presence:
            live.presence[seat] = presence
            self.changed(live)

    def changed(self, live: LiveMatch) -> None:
        """Something that a page shows has changed: wake players now, watchers with the next frame."""
        live.version += 1
        if live.frames:
            live.frames = {}
        if live.viewers is NOBODY:
            return
        for seat in ("0", "1"):
            if live.viewers[seat]:
                self._wake(live, seat)
        if live.viewers[""] and live not in self.frame_timers:
            self._frame_after(live, self._frame_s)

    def wake_all(self) -> None:
        """Something that stands on every page has changed."""
        for live in tuple(self.lives.values()):
            self.changed(live)
        for tell in tuple(on_every_page):
            tell()

    def _frame_after(self, live: LiveMatch, wait: float) -> None:
        wait = max(wait, (len(self.frame_timers) + 1) / FRAMES_PER_S)
        self.frame_timers[live] = asyncio.get_running_loop().call_later(wait, self._frame, live)

    def _frame(self, live: LiveMatch) -> None:
        """Wake the watchers. What changes before all of them have been woken is a new frame."""
        version = live.version
        Slices(live.viewers[""], partial(self._wake_watcher, live), partial(self._framed, live, version))

    def _framed(self, live: LiveMatch, version: int, spent: float) -> None:
        del self.frame_timers[live]
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
