"""Daphne's protocols with a bound on everything that a stranger can make grow: memory, time, connections.

What Daphne 4.2.3, Autobahn 26 and Twisted 26 leave open, measured on the stock server: 200 MB of output kept for one
viewer that does not read; 386 MB of input for one consumer that sleeps; a 599 MB upload spooled before Django ran; 200
connections that send a byte in five seconds all alive after 77 s; an address and a root path chosen by the client.

One instance of `ServerLimits` holds every bound. `ArenaChannel` is one TCP connection that speaks HTTP, `ArenaRequest`
one request on it, `arena.server.websockets.ArenaWebSocket` what the connection becomes by an upgrade;
`arena.server.server.ArenaServer` owns them all.
"""
# Twisted declares its interfaces with zope, which mypy does not read, and Daphne has no types.
# mypy: disable-error-code="misc, no-untyped-call, override"

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import daphne.server  # noqa: F401  installs the asyncio reactor, and must do so before anything of Twisted is imported
from daphne.http_protocol import HTTPFactory, WebRequest
from twisted.internet import reactor as twisted_reactor
from twisted.internet.protocol import Protocol
from twisted.web.http import HTTPChannel

from arena.common import descriptors
from arena.common.light_event import LightEvent
from arena.common.limits import Rate, counted_as
from arena.server import refusals
from arena.server.forwarded import Headers, forwarded_address
from arena.server.refusals import GuardRefusal

log = logging.getLogger(__name__)

reactor: Any = twisted_reactor
# The cost of a request in its address's budget of pages. A page brings its socket and, the first time, a dozen static
# files.
PAGE, SOCKET, STATIC = 1.0, 0.5, 0.1
NO_PAGE = 0.5  # a request that is refused before the application hears of it


@dataclass(frozen=True, slots=True)
class SocketLimits:
    """Limits on what one websocket sends: beyond them 1008, and 1009 for a message that is too long."""

    waiting_messages: int = 32  # that its consumer has not taken
    message_bytes: int = 16 * 1024  # of one message to us; what we send may be longer
    frames: Rate = Rate(200, 50)  # and those of an answer for each message
    pings: Rate = Rate(10, 1)
    bytes: Rate = Rate(256 * 1024, 64 * 1024)


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Every bound of the web server: bytes, counts, seconds."""

    unsent_bytes: int = 256 * 1024  # that wait for a websocket which does not read; above, it is cut
    socket: SocketLimits = SocketLimits()
    body_bytes: int = 1024 * 1024  # of one request; above, 413
    header_seconds: float = 10  # from a request's first byte (or the connection's opening) to the end of its headers
    body_seconds: float = 30  # from there to the end of its body
    response_seconds: float = 30  # until an answer begins, and that an answer's reader may stand still
    linger_seconds: float = 2  # for which a refused upload is read and discarded, so that its sender sees the answer
    ping_seconds: float = 10  # of silence before a websocket is pinged
    pong_seconds: float = 10  # until the ping must be answered
    check_seconds: float = 1  # between two looks at answers and pings that are due
    connections: int = 4000  # open at once; 0 is no limit
    connections_per_address: int = 400  # of these: a browser opens six and its websockets; 0 is no limit
    openings: Rate = Rate(300, 30)  # of connections by one address; above, they are held back and closed
    pages: Rate = Rate(600, 20)  # of one address; above, 429
    pages_at_once: int = 4  # of one address that are worked on, others wait for them; 0 is no limit
    refusal_seconds: float = 1  # that a 429 is held back: refusing a flood at full speed costs as much as serving it
    stop_seconds: float = 12  # for `on_stop`: half a second, but on a machine with far too much to do
    drain_seconds: float = 2  # for the applications to end by themselves
    exit_seconds: float = 20  # from the signal to the end of the process, whatever hangs


def unsent(transport: Any) -> int:
    """Bytes written to a Twisted connection that wait for the network."""
    return int(len(transport.dataBuffer) - transport.offset + transport._tempDataLen)


def forget_unsent(transport: Any) -> None:
    """Drop the unsent output of a dead connection: in a reference cycle, it would stay until a full garbage collection
    (765 MB measured).
    """
    transport.dataBuffer, transport.offset = b"", 0
    transport._tempDataBuffer, transport._tempDataLen = [], 0


class ArenaChannel(HTTPChannel):
    """One HTTP connection: each request has a deadline, and nothing is written to a client that does not read."""

    transport: Any
    factory: Any
    refused = False
    _stalled_since: float | None = None
    _deadline: Any = None

    def connectionMade(self) -> None:
        super().connectionMade()
        self.limits: ServerLimits = self.factory.server.limits
        self.writable = LightEvent()
        self.writable.set()
        self._must_go_on_within(self.limits.header_seconds)

    def dataReceived(self, data: bytes) -> None:
        if self.refused:
            return
        if self._deadline is None and not self._handlingRequest:
            self._must_go_on_within(self.limits.header_seconds)
        super().dataReceived(data)

    def headerReceived(self, line: bytes) -> bool:
        """Twisted passes every Content-Length of digits to `int`, which reads no more than 4 300 of them."""
        try:
            return bool(super().headerReceived(line))
        except ValueError:
            self._respondToBadRequestAndDisconnect()
            return False

    def rawDataReceived(self, data: bytes) -> None:
        if self.transport.protocol is self:
            super().rawDataReceived(data)
        else:
            # These bytes arrived together with the request for a websocket: Twisted would keep them, and stop reading.
            self.transport.protocol.dataReceived(data)

    def allHeadersReceived(self) -> None:
        super().allHeadersReceived()
        if not self.refused:
            self._must_go_on_within(self.limits.body_seconds)

    def allContentReceived(self) -> None:
        if self.refused:
            return
        self._must_go_on_within(None)
        super().allContentReceived()

    def requestDone(self, request: Any) -> None:
        super().requestDone(request)
        # Twisted's idle timer guards a connection that stays open; nothing guards the last answer of one that closes.
        if not self.persistent:
            self._must_go_on_within(self.limits.response_seconds)

    def refuse_body(self, headers: Headers) -> None:
        """Answer 413, then discard for a moment: closing with unread bytes would reset the connection."""
        self.refused = True
        path: Any = self._path  # bytes, whatever Twisted declares
        refusal = refusals.too_large(self.limits.body_bytes)
        kind, body = refusals.body_of(refusal, path, headers, self.factory.error_pages)
        self.transport.write(refusals.whole("413 Content Too Large", kind, body))
        self._networkProducer.unregisterProducer()
        self.transport.loseWriteConnection()
        self._must_go_on_within(self.limits.linger_seconds)

    def stalled_for(self) -> float:
        """Seconds since the other side stopped reading; 0 while it reads."""
        return 0 if self._stalled_since is None else time.monotonic() - self._stalled_since

    def pauseProducing(self) -> None:
        self._stalled_since = time.monotonic()
        self.writable.clear()
        super().pauseProducing()

    def resumeProducing(self) -> None:
        self._stalled_since = None
        self.writable.set()
        super().resumeProducing()

    def connectionLost(self, reason: Any) -> None:
        self._must_go_on_within(None)
        self.writable.set()
        self.factory.server.places.give_back(self.transport.getPeer().host)
        forget_unsent(self.transport)
        super().connectionLost(reason)

    def cut(self) -> None:
        """Drop the connection at once, with its unsent output."""
        self._deadline = None
        self.transport.abortConnection()
        forget_unsent(self.transport)

    def _must_go_on_within(self, seconds: float | None) -> None:
        """Set the only deadline of this connection; None removes it. Unlike an idle timer, no byte restarts it."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else reactor.callLater(seconds, self.cut)


class ArenaRequest(WebRequest):
    """One request: its body is bounded while it arrives; its answer must begin in time and may then last for hours."""

    channel: Any = None  # kept for after the answer, when Twisted has deleted its own

    def __init__(self, channel: ArenaChannel, queued: object = False) -> None:
        # Nobody reads Twisted's own parse of a posted form, and 1 MiB of `a&a&…` keeps it busy for half a second.
        super().__init__(channel, queued, parsePOSTFormSubmission=False)
        self._key = ""  # of its address, while it has one of that address's turns
        self._held_back: Any = None

    def process(self) -> Any:
        """Refuse what is no request for a page or beyond the limits; pass the rest to the application."""
        if self.channel.refused:
            return None
        address = self._address()
        self.client_addr = [address, 0]  # for the log, because the request goes no further
        is_target = self.uri.startswith(b"/")
        is_socket = self.requestHeaders.getRawHeaders(b"Upgrade", [b""])[0].lower() == b"websocket"
        is_static = self.path.startswith(self.server.static_path)
        cost = NO_PAGE if not is_target else SOCKET if is_socket else STATIC if is_static else PAGE
        if wait_s := self.server.pages.take(address, cost):
            held_s = refusals.held_back_s(self.server.limits.refusal_seconds, self.server.places.held(address))
            self._held_back = reactor.callLater(held_s, self._too_many, address, math.ceil(wait_s))
        elif not is_target:
            self._refuse_target(address)
        elif is_socket or self.server.is_exempt(address):
            return super().process()
        else:
            self._key = counted_as(address)
            if self.server.turns.enter(self._key, self.go_on):
                return super().process()
        return None

    def go_on(self) -> None:
        """It is this request's turn."""
        if self.channel is None or self.finished:
            self._leave()
        else:
            super().process()

    def setResponseCode(self, code: int, message: bytes | None = None) -> None:
        """Twisted has no names for 422 and 429."""
        known = code in HTTPStatus._value2member_map_
        super().setResponseCode(code, message or (HTTPStatus(code).phrase.encode() if known else None))

    def handle_reply(self, message: dict[str, Any]) -> None:
        if message.get("type") == "http.response.start":
            self._leave()
        super().handle_reply(message)

    def connectionLost(self, reason: Any) -> None:
        if self._held_back is not None and self._held_back.active():
            self._held_back.cancel()
        self._leave()
        super().connectionLost(reason)

    def _leave(self) -> None:
        key, self._key = self._key, ""
        if key:
            self.server.turns.leave(key, self.go_on)

    def _address(self) -> str:
        """The client's address, as our own proxies vouch for it."""
        hops, seen = self.server.proxy_hops, self.requestHeaders.getRawHeaders(b"x-forwarded-for", [])
        found = forwarded_address([(b"x-forwarded-for", value) for value in seen], hops)
        return found or str(getattr(self.client, "host", ""))

    def _refuse_target(self, address: str) -> None:
        log.info(
            "%s: 400, the target %r does not begin with a slash", address, self.uri[:100], extra={"address": address}
        )
        self.answer(refusals.no_slash(self.uri[:100]))

    def _too_many(self, address: str, retry_s: int) -> None:
        log.info("%s: 429, too many pages", address, extra={"address": address})
        self.answer(refusals.too_many(self.server.pages.rate, retry_s), ("Retry-After", str(retry_s)))

    def answer(self, refusal: GuardRefusal, *more: tuple[str, str]) -> None:
        """Answer without the application."""
        kind, body = refusals.body_of(refusal, self.path, self._sent(), self.server.http_factory.error_pages)
        fields = [("Content-Type", kind), ("Content-Length", str(len(body))), *more]
        encoded = [(name.encode(), value.encode()) for name, value in fields]
        self.handle_reply({"type": "http.response.start", "status": refusal.status, "headers": encoded})
        self.handle_reply({"type": "http.response.body", "body": body})

    def basic_error(self, status: int, status_text: bytes, body: str) -> None:
        """What Daphne refuses by itself, in our form."""
        self.answer(refusals.given_up(status, body))

    def _sent(self) -> list[tuple[bytes, bytes]]:
        """The headers, their names in small letters."""
        return [(name.lower(), each) for name, values in self.requestHeaders.getAllRawHeaders() for each in values]

    def gotLength(self, length: int | None) -> None:
        if length is not None and length > self.server.limits.body_bytes:
            self.requestHeaders.removeHeader(b"Expect")
            self.channel.refuse_body(self._sent())
            length = 0
        super().gotLength(length)

    def handleContentChunk(self, data: bytes) -> None:
        if self.channel.refused:
            return
        if self.content.tell() + len(data) > self.server.limits.body_bytes:
            self.channel.refuse_body(self._sent())
            return
        super().handleContentChunk(data)

    def check_timeouts(self) -> None:
        if not self._response_started:
            super().check_timeouts()
        elif self.channel and self.channel.stalled_for() > self.server.limits.response_seconds:
            self.channel.cut()

    def handle_exception(self, exception: BaseException) -> None:
        """Answer 500, or cut an answer that has begun: Daphne would raise in the timer that reaps connections."""
        if not self._response_started:
            super().handle_exception(exception)
        elif self.channel:
            self.channel.cut()

    def say_goodbye(self) -> None:
        """The server is going down: end a stream, let a short answer finish."""
        if self._response_started and self.application_queue and not self.finished:
            self.send_disconnect()

    def __repr__(self) -> str:
        """For logs, so without the query, which may contain a secret."""
        return f"<ArenaRequest {self.method!r} {self.path!r} from {self.client_addr}>"


class Full(Protocol):
    """A connection for which there is no spare file descriptor: told so after its request, or after a second."""

    waiting = 0
    transport: Any

    def connectionMade(self) -> None:
        Full.waiting += 1
        self._soon = reactor.callLater(1, self.transport.abortConnection)

    def dataReceived(self, data: bytes) -> None:
        self.transport.write(refusals.no_room())
        self.transport.loseConnection()

    def connectionLost(self, reason: Any = None) -> None:
        Full.waiting -= 1
        if self._soon.active():
            self._soon.cancel()


class HeldBack(Protocol):
    """A connection of an address that opens too many, not read and cut after a moment: closed at once, it would be
    there again at once, and accepting it costs as much as a small answer.
    """

    transport: Any

    def __init__(self, server: Any) -> None:
        self._server = server

    def connectionMade(self) -> None:
        self.transport.pauseProducing()
        self._end = reactor.callLater(self._server.limits.refusal_seconds, self.transport.abortConnection)

    def connectionLost(self, reason: Any = None) -> None:
        if self._end.active():
            self._end.cancel()
        self._server.places.give_back(self.transport.getPeer().host)


class ArenaFactory(HTTPFactory):
    """Makes a channel for each connection that gets a place."""

    # Without Twisted's switch to HTTP/2, which nothing here speaks.
    protocol = ArenaChannel

    def __init__(self, server: Any, pages: refusals.ErrorPages | None) -> None:
        super().__init__(server)
        self.error_pages = pages

    def buildProtocol(self, addr: Any) -> ArenaChannel | Full | HeldBack | None:
        if not descriptors.admit():
            return Full() if Full.waiting < descriptors.reserve() // 4 else None  # others are closed without words
        if not self.server.places.take(addr.host):
            return None
        if self.server.openings.take(addr.host):
            return HeldBack(self.server)
        channel: ArenaChannel = super().buildProtocol(addr)
        channel.requestFactory = ArenaRequest  # type: ignore[assignment]
        return channel

    def log(self, request: Any) -> None:
        """Log nothing: Twisted's line would contain the query. The server writes its own."""
