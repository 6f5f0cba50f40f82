"""Websockets of browsers: they translate, and decide nothing.

Each is a raw ASGI application, because Channels' own consumers use one shared thread for every message: one slow
database call anywhere then stalls every socket (4 954 → 18 echoes a second measured). The session is read once, at
connect. A reader holds a cursor and a wake-up, never a queue: when woken, it is sent what it does not have yet.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from django.db import DatabaseError
from django.utils import translation

from arena.cluster.front import RESTART
from arena.common.light_event import LightEvent
from arena.common.limits import Bucket
from arena.core import storage_watch
from arena.core.hub import LiveMatch
from arena.host import Host, NoHost, here
from arena.match.commands import Refusal
from arena.server.text_frame import MEASURE, WRITE_FRAME, TextFrame
from arena.transports.websocket import POLICY, Receive, Send
from arena.web import guests, languages, notices, open_sockets
from arena.web.elsewhere import Matches
from arena.web.guests import Visitor, session_key, visitor_of_headers
from arena.web.lobby import feed
from arena.web.match import fragments, frames, rounds
from arena.web.match.host_matches import matches
from arena.web.match.permissions import may_see
from arena.web.open_sockets import AGAIN
from arena.web.people import ratings
from arena.web.prefs import Prefs
from arena.web.sockets.lag import Lag
from arena.web.sockets.page_messages import form_of, have_of
from arena.web.tournaments import feed as tournaments_feed
from arena.web.words import spoken

HEARTBEAT_S = 10.0
# This soon after a message a reader is told once which is the newest, so a lost one is noticed at once.
HEAD_S = 0.7
MOST_STRIKES = 3
MESSAGES, MESSAGES_PER_S = 30, 1.5
# The page's extension reconnects by itself after AGAIN, but not after this.
GONE = 4404

Scope = Mapping[str, Any]
WriteFrame = Callable[[Callable[[], TextFrame]], bool]

visitor_in_thread = database_sync_to_async(visitor_of_headers, thread_sensitive=False)


class Close(Exception):
    """This socket ends with a code and a reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def unknown(scope: Scope, close: Close) -> Close:
    """How the socket of a browser ends that is not who it must be: it comes again if its new cookie is on the way."""
    return Close(AGAIN, "logged in") if open_sockets.is_renewed(session_key(scope["headers"])) else close


class Consumer(ABC):
    """One socket: `run` receives, and everything is sent by one writer that is woken."""

    # The reader, set once the socket is open, and the language they read.
    visitor = Visitor()
    language = languages.USUAL
    heartbeat_s: float | None = None  # the usual one

    def __init__(self) -> None:
        self._woken = LightEvent()
        self._news = False
        self._quiet_at = 0.0
        self._quiet: asyncio.TimerHandle | None = None
        self._send: Send
        self._write_frame: WriteFrame | None = None
        self._strikes = 0
        self._bucket = Bucket(MESSAGES, MESSAGES_PER_S)
        self._end: Close | None = None
        self._served_by: asyncio.Task[Any] | None = None
        self._said = ""

    def end(self, code: int, reason: str) -> None:
        """Close the socket: it is no longer for this visitor."""
        self._end = Close(code, reason)
        self._woken.set()

    def wake(self) -> None:
        """There is something newer than what this reader has."""
        self._news = True
        self._woken.set()

    async def run(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the socket until it ends."""
        await receive()
        self._send, self._write_frame = send, scope.get("extensions", {}).get(WRITE_FRAME)
        await send({"type": "websocket.accept"})
        self.speak(scope)
        begun, whose = time.monotonic(), session_key(scope["headers"])
        try:
            with open_sockets.Opened(self, session=whose):
                await self.find(scope)
                who = self.visitor
                with open_sockets.Opened(self, account=who.account, guest=who.guest, since=begun):
                    await self._serve(receive)
        except Close as close:
            await send({"type": "websocket.close", "code": close.code, "reason": close.reason})
        except NoHost:
            await send({"type": "websocket.close", "code": AGAIN, "reason": "the server is starting"})
        except DatabaseError as error:
            if storage_watch.saw(error) is None:
                raise
            await send({"type": "websocket.close", "code": AGAIN, "reason": "the database cannot be reached"})
        finally:
            self.closed()

    def speak(self, scope: Scope, account: Prefs | None = None) -> None:
        """Speak the reader's language in the tasks of this socket; `account` are the preferences of their account."""
        self.language = languages.of_socket(scope["headers"], account, scope["query_string"])
        if translation.get_language() != self.language:  # to say so takes half a kilobyte of each socket
            translation.activate(self.language)

    async def _serve(self, receive: Receive) -> None:
        """The writer ends with the reader; if it ends first, its exception is ours. Only the writer has its own task:
        two more would take a kilobyte of each socket.
        """
        self._served_by = reading = asyncio.current_task()
        assert reading is not None, "a socket is served in a task"
        writing = asyncio.ensure_future(self._write())
        writing.add_done_callback(self._stop)
        try:
            await self._read(receive)
        except asyncio.CancelledError:
            if not writing.done() or reading.uncancel():
                raise  # it was not the writer that stopped us, or not alone
            writing.result()
        finally:
            self._served_by = None  # a writer that has ended just now must not stop what follows
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)

    def _stop(self, _: asyncio.Future[None]) -> None:
        if self._served_by is not None:
            self._served_by.cancel()

    async def _read(self, receive: Receive) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            try:
                await self.hear(self._parsed(message))
            except Refusal as refusal:
                await self.say(self.refused(refusal))

    async def _write(self) -> None:
        try:
            await self.write()
            self._expect_within(HEAD_S)
            while True:
                await self._woken.wait()
                self._woken.clear()
                if self._end is not None:
                    raise self._end
                if self._news:
                    self._news = False
                    await self.write()
                    self._expect_within(HEAD_S)
                else:
                    await self.say(fragments.heartbeat(round(time.time() * 1000), self.newest()))
                    self._expect_within(self.heartbeat_s or HEARTBEAT_S)
        finally:
            if self._quiet is not None:
                self._quiet.cancel()

    def _expect_within(self, seconds: float) -> None:
        """Wake the writer if there is no news for this long.

        A timer for each frame would be a tenth of the cost of a frame, so one that rings too early is restarted.
        """
        loop = asyncio.get_running_loop()
        self._quiet_at = loop.time() + seconds
        if self._quiet is not None and self._quiet.when() > self._quiet_at:
            self._quiet.cancel()
            self._quiet = None
        if self._quiet is None:
            self._quiet = loop.call_at(self._quiet_at, self._rung)

    def _rung(self) -> None:
        loop = asyncio.get_running_loop()
        self._quiet = None
        if loop.time() < self._quiet_at:
            self._quiet = loop.call_at(self._quiet_at, self._rung)
        else:
            self._woken.set()

    def newest(self) -> int | None:
        """The number of the last event that this reader was sent; None if there are none."""
        return None

    def _parsed(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The form in a message. Raises Refusal for anything else, and Close if that goes on."""
        if not self._bucket.take():
            most = f"{MESSAGES} at once and then {MESSAGES_PER_S:g} a second are taken"
            raise Close(POLICY, f"too many messages: {most}")
        try:
            return form_of(message.get("text"))
        except ValueError as why:
            self._strikes += 1
            if self._strikes >= MOST_STRIKES:
                raise Close(POLICY, "these messages cannot be read") from None
            raise Refusal("invalid_message", f"{why} Nothing was done.") from None

    async def say(self, text: str) -> None:
        await self._send({"type": "websocket.send", "text": text})

    async def find(self, scope: Scope) -> None:
        """Find the subject of this socket. Raises Close, or NoHost."""
        await self.open(here(), scope)

    async def open(self, host: Host, scope: Scope) -> None:
        """The same for what only the host can show."""
        raise NotImplementedError

    @abstractmethod
    def closed(self) -> None:
        """The socket has ended, at whatever stage."""

    @abstractmethod
    async def write(self) -> None:
        """Send what is new."""

    async def say_if_new(self, text: str) -> None:
        """Send `text` unless it was the last thing sent this way."""
        if text != self._said:
            self._said = text
            await self.say(text)

    async def hear(self, form: dict[str, Any]) -> None:
        """Do what a form asks for. Raises Refusal, always if the page has no forms."""
        raise Refusal("invalid_message", "This page only listens. Nothing was done.")

    def refused(self, refusal: Refusal) -> str:
        return notices.notice(spoken(refusal.sentence))


class RoomConsumer(Consumer):
    """A browser on a match: a seat's, which may move, or a watcher's, which cannot write."""

    people = 1

    def __init__(self, match: str) -> None:
        super().__init__()
        self.audience = ""
        self._match = match
        self._have = 0
        self._seen = (-1, -1)
        self._matches: Matches
        self._live: LiveMatch | None = None
        self._depart: Callable[[], None] | None = None
        self._lag: Lag | None = None

    async def find(self, scope: Scope) -> None:
        """Works on a front as well, which follows the match."""
        self._matches = matches()
        self.visitor = await visitor_in_thread(scope["headers"])
        self.speak(scope, self.visitor.prefs)
        self._have = have_of(scope["query_string"])
        live = await self._matches.load(self._match)
        if live is None or not await may_see(live, self.visitor):
            raise Close(GONE, "there is no such match")
        await ratings.look_up_if_readable(live)
        await rounds.look_up(live)
        self.audience = guests.audience_of(live, self.visitor.player)
        if not self.audience and scope["query_string"].partition(b"&seat=")[2]:  # its page is a player's
            raise unknown(scope, Close(open_sockets.LOGGED_OUT, "logged out"))
        live = await (self._matches.attend if self.audience else self._matches.watch)(live)
        self._live = live
        self._matches.hub.view(live, self)
        if self.audience and (measure := scope.get("extensions", {}).get(MEASURE)) is not None:
            self._lag = Lag(measure, partial(self._matches.hub.measured, live))
        if self.audience and self.visitor.player is not None:
            self._depart = self._matches.enter(live, self.visitor.player)
            await self._matches.go_on(live)

    def closed(self) -> None:
        if self._live is not None:
            self._matches.hub.unview(self._live, self)
        if self._depart is not None:
            self._depart()

    @property
    def lag_ms(self) -> int:
        return 0 if self._lag is None else self._lag.ms

    def newest(self) -> int | None:
        return self._have

    def wake(self) -> None:
        """A watcher is written to at once: for a crowd, switching to a task for each would take longer than sending."""
        if self.audience or self._write_frame is None:
            super().wake()
            return
        try:
            self._news = not self._write_at_once(self._write_frame)
            self._expect_within(HEAD_S)
        except Exception:
            super().wake()  # its own task fails as well, and ends the socket

    async def write(self) -> None:
        if self._write_frame is None:  # as over a front
            if self._has_news():
                await self.say(self._newest_frame())
        elif not self._write_at_once(self._write_frame):
            self._news = True  # it is slow: once more when the writer wakes next
        if self._lag is not None and self._live is not None:
            self._lag.follow(self._live, int(self.audience))

    def _write_at_once(self, write_frame: WriteFrame) -> bool:
        """Whether this reader has been sent everything. Nothing is rendered for a slow one."""
        return not self._has_news() or write_frame(self._newest_frame)

    def _has_news(self) -> bool:
        live = self._live
        assert live is not None, "the match was found at the opening"
        return (live.state.seq, live.version) != self._seen

    def _newest_frame(self) -> TextFrame:
        live = self._live
        assert live is not None, "the match was found at the opening"
        frame = frames.frame(self._matches.host, live, self.audience, self._have, self.language)
        self._have, self._seen = live.state.seq, (live.state.seq, live.version)
        return frame

    async def hear(self, form: dict[str, Any]) -> None:
        assert self._live is not None, "the match was found at the opening"
        try:
            await self._matches.play(self._live, self.visitor.player, form.get("ply"), form.get("move"))
        except NoHost:
            raise Close(RESTART, "the arena changes over") from None

    def refused(self, refusal: Refusal) -> str:
        assert self._live is not None, "the match was found at the opening"
        return fragments.refused(
            frames.scene(self._matches.host, self._live, self.audience, base=self._live.state.seq),
            refusal.code,
            refusal.sentence,
        )


class LobbyConsumer(Consumer):
    """A browser on the home page, on the wall with `?watch=`, or on a tournament with `?tournament=`. It listens."""

    def __init__(self) -> None:
        super().__init__()
        self._feed: feed.Feed | None = None
        self._view = feed.HOME

    async def open(self, host: Host, scope: Scope) -> None:
        asked = parse_qs(scope["query_string"].decode("latin1"), keep_blank_values=True)
        if "watch" in asked:
            self._view = feed.wall_of(asked["watch"][0])
        if "tournament" in asked:
            if not await tournaments_feed.is_public(slug := asked["tournament"][0]):
                raise Close(GONE, "there is no such tournament")
            self._view = tournaments_feed.view_of(slug, asked.get("tie-break", [""])[0])
        self._view = languages.named(self._view, self.language)
        self._feed = tournaments_feed.of(host) if "tournament" in asked else feed.of(host)
        self._feed.view(self, self._view)

    def closed(self) -> None:
        if self._feed is not None:
            self._feed.unview(self, self._view)

    async def write(self) -> None:
        assert self._feed is not None, "the feed was found at the opening"
        await self.say_if_new(self._feed.texts.get(self._view, ""))
