"""`/api/stream/`: events as lines of JSON in one long answer. An empty line shows that the connection is alive.

A stream holds a cursor and a wake-up, never a queue: a slow reader gets everything new at once, the server cuts off
readers that do not read at all, and one in the lobby that is too far behind is told why and disconnected.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse

from arena.common.limits import Shares
from arena.core.hub import Hub, LiveMatch, TurnSignal, Update
from arena.host import Host
from arena.match.endings import result
from arena.match.export import timestamp
from arena.match.state import LogEvent
from arena.web import open_sockets
from arena.web.api.answers import api, error
from arena.web.api.query import Parameter, Query, WrongQuery
from arena.web.guests import Visitor
from arena.web.lobby import showcase
from arena.web.match.logs import log_json
from arena.web.match.matches import live_of

log = logging.getLogger("arena.web")

TYPE = "application/x-ndjson; charset=utf-8"
KEEP_ALIVE_S = 7.0
EVERY_S = 0.5
MOST_NEWS = 1000
MOST_OF_ONE_ADDRESS, MOST_STREAMS = 8, 500
MOST_SEQ = 2**53
NOBODY = Visitor()
SINCE = {"since": Parameter("The number behind which the stream goes on.", least=0, most=MOST_SEQ)}
# The public part of an event's data: the rest identifies the holders of seats. Notes quote wires, which may be private.
SHOWN = ("winner", "termination", "reason", "verdict")


class Seats:
    """The number of streams, per address and in all."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # an answer is closed in a thread, and garbage-collected in any
        self._shares = Shares(MOST_STREAMS, MOST_OF_ONE_ADDRESS, settings.ARENA_TRUSTED_NETS)

    @property
    def open(self) -> int:
        return self._shares.total

    def take(self, address: str) -> StreamSlot | None:
        """A place for one more stream; None if there are too many."""
        with self._lock:
            return StreamSlot(self, address) if self._shares.take(address) else None

    def give_back(self, address: str) -> None:
        with self._lock:
            self._shares.give_back(address)


class StreamSlot:
    """The place of one stream. It is given back exactly once, even by an answer that never began."""

    def __init__(self, seats: Seats, address: str) -> None:
        self._seats, self._address, self._held = seats, address, True

    def give_back(self) -> None:
        if self._held:
            self._held = False
            self._seats.give_back(self._address)

    def __del__(self) -> None:
        self.give_back()


class Reader:
    """The reader of one stream: woken when there is something new, and when it has to end early."""

    def __init__(self, visitor: Visitor = NOBODY, session: str | None = None, since: float = math.inf) -> None:
        """`since`: when the visitor was looked for (monotonic)."""
        self.woken = asyncio.Event()
        self.why_ended = ""
        self._visitor, self._session, self._since = visitor, session, since

    def end(self, code: int, reason: str) -> None:
        """End it like a page's socket whose session is over."""
        self.why_ended = reason
        self.woken.set()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """While it reads, it can be ended: with its session, if it has one, and with the server."""
        _readers.add(self)
        try:
            who, since = self._visitor, self._since
            opened = open_sockets.Opened(self, session=self._session, account=who.account, guest=who.guest, since=since)
            with opened:
                yield
        finally:
            _readers.discard(self)

    def closing(self) -> str:
        """The last line of a stream that ends early."""
        sentence = f"This stream ends: {self.why_ended}. Ask again with since, if you still may."
        return _line({"type": "closed", "sentence": sentence})


_readers: set[Reader] = set()


def end_all(reason: str) -> None:
    """End all streams of this process in order, each with a line that says why."""
    for reader in tuple(_readers):
        reader.end(open_sockets.AGAIN, reason)


class Stream(StreamingHttpResponse):
    """The answer, which holds a seat among the streams."""

    def __init__(self, lines: AsyncIterator[str], seat: StreamSlot) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(lines, content_type=TYPE, headers=headers)
        self._seat = seat

    def close(self) -> None:
        super().close()
        self._seat.give_back()


_seats = Seats()


@api(hosted=True, parameters=SINCE)
async def match(request: HttpRequest, host: Host, wish: Query, match: str) -> HttpResponseBase:
    """The match as it stands, then its events to its end. `?since=` leaves out the match and all events up to there."""
    begun = time.monotonic()
    live, visitor = await live_of(request, host, match)
    since = wish.number("since")
    if since is not None and since > live.state.seq:
        raise WrongQuery(f"since={since}: this match has {live.state.seq} events so far.")
    # A visitor who may see a private match is known by their session, and sees it as long as that lasts.
    reader = Reader(visitor, request.session.session_key, begun) if live.private else Reader()
    return streamed(request, lambda seat: _of_match(host.hub, live, since, seat, reader))


@api(hosted=True, parameters=SINCE)
async def lobby(request: HttpRequest, host: Host, wish: Query) -> HttpResponseBase:
    """Matches of the home page, then those that begin and end; `?since=` continues after a known number."""
    since = wish.number("since")
    return streamed(request, lambda seat: _of_lobby(news_of(host), since, seat))


def streamed(request: HttpRequest, lines: Any) -> HttpResponseBase:
    """Lines as an answer that holds one of the places for streams; HEAD, and one too many, get no lines."""
    seat = _seats.take(request.META.get("REMOTE_ADDR") or "127.0.0.1")
    if seat is None:
        answer = error(429, "too_many_streams", f"{MOST_OF_ONE_ADDRESS} streams at once are all an address may have.")
        answer["Retry-After"] = "10"
        return answer
    return Stream(_no_lines() if request.method == "HEAD" else lines(seat), seat)


async def _no_lines() -> AsyncIterator[str]:
    """For HEAD: with the headers of GET, and like there nobody knows the length."""
    lines: tuple[str, ...] = ()
    for line in lines:
        yield line


# -- a match -----------------------------------------------------------------------------------------------------------


async def _of_match(
    hub: Hub, live: LiveMatch, since: int | None, seat: StreamSlot, reader: Reader
) -> AsyncIterator[str]:
    def follower(live: LiveMatch, news: Update | TurnSignal) -> None:
        reader.woken.set()

    hub.follow(live, follower)
    try:
        with reader.reading():
            have = live.state.seq if since is None else since
            if since is None:
                yield _line({"type": "match", "seq": have, **log_json(live)})
            while not reader.why_ended:
                reader.woken.clear()
                if new := live.events[have:]:
                    have = new[-1].seq
                    yield "".join(_line(shown(event)) for event in new)
                elif live.over:
                    yield _line({"type": "end", "seq": have})
                    return
                elif not await _happened(reader.woken):
                    yield "\n"
            yield reader.closing()
    finally:
        hub.unfollow(live, follower)
        seat.give_back()


def shown(event: LogEvent) -> dict[str, Any]:
    """An event as everybody may read it."""
    return {
        "type": "event",
        "seq": event.seq,
        "at": timestamp(event.at),
        "kind": event.kind,
        "ply": event.ply,
        "seat": event.seat,
        "move": event.move or None,
        "elapsed_ms": event.elapsed_ms,
        "left_ms": [event.left0_ms, event.left1_ms],
    } | {name: event.data[name] for name in SHOWN if name in event.data and event.kind != "note"}


# -- the lobby ---------------------------------------------------------------------------------------------------------


class MatchNews:
    """Matches that began and ended, numbered; looked for twice a second while somebody reads.

    The numbers start at the time at which this process began, so they also grow from one process to the next.
    """

    def __init__(self, host: Host) -> None:
        self.host = host
        self.seq = int(time.time() * 1000)
        self.lines: deque[tuple[int, str]] = deque(maxlen=MOST_NEWS)
        self.matches: dict[str, dict[str, Any]] = {}
        self.readers: set[asyncio.Event] = set()
        self._task: asyncio.Task[None] | None = None

    def read(self, reader: asyncio.Event) -> None:
        self.look()
        self.readers.add(reader)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._go_on())

    def leave(self, reader: asyncio.Event) -> None:
        self.readers.discard(reader)
        if not self.readers and self._task is not None:
            self._task.cancel()
            self._task = None

    def look(self) -> None:
        """Note what has changed."""
        now = {live.id: _begun(live) for live in showcase.public(self.host)}
        for match in [match for match in self.matches if match not in now]:
            self._note({"type": "ended", **self.matches.pop(match), **_ending(self.host.hub.get(match))})
        for match in [match for match in now if match not in self.matches]:
            self.matches[match] = now[match]
            self._note({"type": "started", **now[match]})

    def since(self, have: int | None) -> list[tuple[int, str]] | None:
        """The lines after this number; None if it is no longer known, or was never given."""
        oldest = self.lines[0][0] if self.lines else self.seq + 1
        if have is None or not oldest - 1 <= have <= self.seq:
            return None
        return [line for line in self.lines if line[0] > have]

    def _note(self, news: dict[str, Any]) -> None:
        self.seq += 1
        self.lines.append((self.seq, _line({"seq": self.seq, **news})))
        for reader in self.readers:
            reader.set()

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            try:
                self.look()
            except Exception:
                log.exception("the news of the lobby could not be looked for")


@lru_cache(maxsize=1)
def news_of(host: Host) -> MatchNews:
    """The news of this host; those of an earlier one are dropped."""
    return MatchNews(host)


async def _of_lobby(news: MatchNews, since: int | None, seat: StreamSlot) -> AsyncIterator[str]:
    reader = Reader()
    news.read(reader.woken)
    try:
        with reader.reading():
            have = since
            if have is None or news.since(have) is None:
                have = news.seq
                yield _line({"type": "lobby", "seq": have, "matches": list(news.matches.values())})
            while not reader.why_ended:
                reader.woken.clear()
                new = news.since(have)
                if new is None:
                    yield _line({"type": "too_slow", "sentence": f"More than {MOST_NEWS} lines behind. Connect again."})
                    return
                if new:
                    have = new[-1][0]
                    yield "".join(line for _, line in new)
                elif not await _happened(reader.woken):
                    yield "\n"
            yield reader.closing()
    finally:
        news.leave(reader.woken)
        seat.give_back()


def _begun(live: LiveMatch) -> dict[str, Any]:
    setup = live.state.setup
    return {
        "match": live.id,
        "variant": setup.variant,
        "rated": setup.rated,
        "seats": [{"name": seat.name, "kind": seat.kind, "protocol": seat.protocol or None} for seat in setup.seats],
        "stream": f"/api/stream/matches/{live.id}/",
        "page": f"/m/{live.id}/",
    }


def _ending(live: LiveMatch | None) -> dict[str, Any]:
    """The ending of a match; if it has left this process, read from its log."""
    if live is None:
        return {}
    state = live.state
    return {
        "winner": state.winner,
        "result": result(state.winner, state.termination),
        "termination": state.termination,
        "reason": state.reason,
    }


async def _happened(woken: asyncio.Event) -> bool:
    """Wait for news; False when it is time to show that the connection is alive."""
    try:
        async with asyncio.timeout(KEEP_ALIVE_S):
            await woken.wait()
    except TimeoutError:
        return False
    return True


def _line(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False) + "\n"
