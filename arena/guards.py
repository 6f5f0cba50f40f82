"""Daphne's protocols with a bound on everything that a stranger can make grow: memory, time, connections.

What Daphne 4.2.3, Autobahn 26 and Twisted 26 leave open, measured on the stock server: 200 MB of output kept for one
viewer that does not read; 386 MB of input for one consumer that sleeps; a 599 MB upload spooled before Django ran; 200
connections that send a byte in five seconds all alive after 77 s; an address and a root path of the client's choice.

One instance of `Limits` holds every bound. `ArenaChannel` is one TCP connection that speaks HTTP, `ArenaRequest` one
request on it, `ArenaWebSocket` what the connection becomes by an upgrade; `arena.server.ArenaServer` owns them all.
"""
# Twisted declares its interfaces with zope, which mypy does not read, and Daphne has no types.
# mypy: disable-error-code="misc, no-untyped-call, override"

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

import daphne.server  # noqa: F401  installs the asyncio reactor, and must do so before anything of Twisted is imported
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.ws_protocol import WebSocketProtocol
from twisted.internet import reactor as twisted_reactor
from twisted.web.http import HTTPChannel

reactor: Any = twisted_reactor
POLICY_VIOLATION, SERVICE_RESTART = 1008, 1012
TOO_LARGE = b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b"
Network = str | IPv4Network | IPv6Network
Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Limits:
    """Every bound of the web server: bytes, counts, seconds."""

    unsent_bytes: int = 256 * 1024  # that wait for a websocket which does not read; above, it is cut
    waiting_messages: int = 32  # of a websocket that its consumer has not taken; above, it is closed with 1008
    message_bytes: int = 16 * 1024  # of one message to us; what we send may be longer
    body_bytes: int = 1024 * 1024  # of one request; above, 413
    header_seconds: float = 10  # from a request's first byte (or the connection's opening) to the end of its headers
    body_seconds: float = 30  # from there to the end of its body
    response_seconds: float = 30  # until an answer begins, and that an answer's reader may stand still
    linger_seconds: float = 2  # that a refused upload is read into nothing, so that its sender sees the answer
    ping_seconds: float = 10  # of silence before a websocket is pinged
    pong_seconds: float = 10  # until the ping must be answered
    check_seconds: float = 1  # between two looks at answers and pings that are due
    connections_per_address: int = 100  # open at once; 0 is no limit
    stop_seconds: float = 5  # for `on_stop`
    drain_seconds: float = 2  # for the applications to end by themselves
    exit_seconds: float = 10  # from the signal to the end of the process, whatever hangs


def unsent(transport: Any) -> int:
    """Bytes that were written to a Twisted connection and wait for the network."""
    return int(len(transport.dataBuffer) - transport.offset + transport._tempDataLen)


def forget_unsent(transport: Any) -> None:
    """Let go of what waits to be sent on a dead connection.

    The connection is part of a reference cycle: its buffers would stay until a full collection (765 MB measured).
    """
    transport.dataBuffer, transport.offset = b"", 0
    transport._tempDataBuffer, transport._tempDataLen = [], 0


def forwarded_address(headers: Headers, hops: int) -> str | None:
    """The client's address as the outermost of our own `hops` proxies saw it; None without proxies or their entry.

    Counted from the right of X-Forwarded-For: each proxy appends the peer it saw, and a client may write all before.
    """
    seen = _values(headers, b"x-forwarded-for")
    if not hops or len(seen) < hops:
        return None
    try:
        return str(ip_address(seen[-hops]))
    except ValueError:
        return None


def forwarded_https(headers: Headers, hops: int) -> bool:
    """Whether the client spoke TLS to our outermost proxy. Proxies may append to X-Forwarded-Proto or replace it."""
    protos = _values(headers, b"x-forwarded-proto")
    return bool(hops and protos) and protos[-min(hops, len(protos))].lower() == "https"


class Places:
    """Counts the open connections of each address. Loopback and the trusted nets are not counted."""

    def __init__(self, each: int, trusted_nets: Iterable[Network] = ()) -> None:
        """`each` is how many one address may hold, 0 for no limit. ValueError for a net that cannot be read."""
        self.each = each
        self.trusted_nets = [ip_network(str(net)) for net in trusted_nets]
        self.taken: Counter[str] = Counter()

    def take(self, host: str) -> bool:
        """Whether one more connection of this address may open; if so it is counted."""
        if (key := self._key(host)) is None:
            return True
        if self.taken[key] >= self.each:
            return False
        self.taken[key] += 1
        return True

    def give_back(self, host: str) -> None:
        """A connection that had taken a place is gone."""
        if (key := self._key(host)) is None:
            return
        self.taken[key] -= 1
        if self.taken[key] <= 0:
            del self.taken[key]

    def _key(self, host: str) -> str | None:
        """What is counted, None for the exempt. One holder of IPv6 has a /64 at least."""
        address = ip_address(host.partition("%")[0])
        if isinstance(address, IPv6Address) and address.ipv4_mapped:
            address = address.ipv4_mapped
        if not self.each or address.is_loopback or any(address in net for net in self.trusted_nets):
            return None
        return str(ip_network((address, 64), strict=False)) if isinstance(address, IPv6Address) else str(address)


class ArenaChannel(HTTPChannel):
    """One TCP connection that speaks HTTP: each request has a deadline, and whoever does not read is not written to."""

    transport: Any
    factory: Any
    refused = False
    _stalled_since: float | None = None
    _deadline: Any = None

    def connectionMade(self) -> None:
        super().connectionMade()
        self.limits: Limits = self.factory.server.limits
        self.writable = asyncio.Event()
        self.writable.set()
        self._must_go_on_within(self.limits.header_seconds)

    def dataReceived(self, data: bytes) -> None:
        if self.refused:
            return
        if self._deadline is None and not self._handlingRequest:
            self._must_go_on_within(self.limits.header_seconds)
        super().dataReceived(data)

    def rawDataReceived(self, data: bytes) -> None:
        if self.transport.protocol is self:
            super().rawDataReceived(data)
        else:
            # They came in one piece with the request for a websocket: Twisted would keep them, and stop reading.
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
        # Twisted's idle timer guards a connection that stays open, nothing the last answer of one that closes.
        if not self.persistent:
            self._must_go_on_within(self.limits.response_seconds)

    def refuse_body(self) -> None:
        """Answer 413 and read on into nothing for a moment: a close with bytes unread would reset the answer away."""
        self.refused = True
        body = b"The request body is too large: at most %d bytes are taken.\n" % self.limits.body_bytes
        self.transport.write(TOO_LARGE % (len(body), body))
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
        """Drop the connection at once, and what waits for it."""
        self._deadline = None
        self.transport.abortConnection()
        forget_unsent(self.transport)

    def _must_go_on_within(self, seconds: float | None) -> None:
        """Set the one deadline of this connection; None takes it away. Unlike an idle timer, no byte restarts it."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else reactor.callLater(seconds, self.cut)


class ArenaRequest(WebRequest):
    """One request: its body is bounded while it arrives; its answer must begin in time and may then last for hours."""

    channel: Any = None  # for when Twisted has deleted its own, after the answer

    def __init__(self, channel: ArenaChannel, queued: object = False) -> None:
        # Nobody reads Twisted's own parse of a posted form, and 1 MiB of `a&a&…` keeps it busy for half a second.
        super().__init__(channel, queued, parsePOSTFormSubmission=False)

    def gotLength(self, length: int | None) -> None:
        if length is not None and length > self.server.limits.body_bytes:
            self.requestHeaders.removeHeader(b"Expect")
            self.channel.refuse_body()
            length = 0
        super().gotLength(length)

    def handleContentChunk(self, data: bytes) -> None:
        if self.channel.refused:
            return
        if self.content.tell() + len(data) > self.server.limits.body_bytes:
            self.channel.refuse_body()
            return
        super().handleContentChunk(data)

    def check_timeouts(self) -> None:
        if not self._response_started:
            super().check_timeouts()
        elif self.channel and self.channel.stalled_for() > self.server.limits.response_seconds:
            self.channel.cut()

    def handle_exception(self, exception: BaseException) -> None:
        """Answer 500, or cut an answer that has begun: for that Daphne raises in the timer that reaps connections."""
        if not self._response_started:
            super().handle_exception(exception)
        elif self.channel:
            self.channel.cut()

    def say_goodbye(self) -> None:
        """The server is going down: end a stream, let a short answer finish."""
        if self._response_started and self.application_queue and not self.finished:
            self.send_disconnect()

    def __repr__(self) -> str:
        """For logs, so without the query, which may hold a secret."""
        return f"<ArenaRequest {self.method!r} {self.path!r} from {self.client_addr}>"


class ArenaWebSocket(WebSocketProtocol):
    """One websocket: what waits to be sent and what waits to be taken are both bounded."""

    def dataReceived(self, data: bytes) -> None:
        if self.state != self.STATE_CONNECTING or not hasattr(self, "request"):
            super().dataReceived(data)
            return
        # The application has not accepted yet: Autobahn would read these bytes as one more opening handshake.
        self.data += data
        if len(self.data) > self.server.limits.message_bytes:
            self.cut("sent more than a message before it was accepted")

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        # A flood brings thousands of frames in one read: after the verdict each must cost next to nothing.
        if self.muted:
            return
        if self.application_queue.qsize() < self.server.limits.waiting_messages:
            super().onMessage(payload, isBinary)
            return
        self.transport.pauseProducing()
        self._tell_application(POLICY_VIOLATION)
        self.sendCloseFrame(code=POLICY_VIOLATION, reasonUtf8=b"too many messages at once")

    def onPing(self, payload: bytes) -> None:
        super().onPing(payload)
        self._check_unsent()

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:
        # Without `server` the handshake was refused before Daphne heard of it.
        if hasattr(self, "server"):
            super().onClose(wasClean, code, reason)

    def connectionLost(self, reason: Any) -> None:
        self.factory.server_class.places.give_back(self.transport.getPeer().host)
        forget_unsent(self.transport)
        super().connectionLost(reason)

    def handle_reply(self, message: dict[str, Any]) -> None:
        """As Daphne's, and: empty messages are sent, any close code is, and what comes after a close is nothing."""
        if self.state in (self.STATE_CLOSING, self.STATE_CLOSED):
            return
        kind = message.get("type")
        if kind == "websocket.send" and self.state == self.STATE_OPEN:
            self._send(message.get("text"), message.get("bytes"))
        elif kind == "websocket.close" and self.state == self.STATE_OPEN:
            reason = (message.get("reason") or "").encode()[:120].decode(errors="ignore")
            self.sendCloseFrame(code=message.get("code") or 1000, reasonUtf8=reason.encode())
        else:
            super().handle_reply(message)

    def say_goodbye(self) -> None:
        """The server is going down: let the application run its `disconnect`."""
        if not self.muted and hasattr(self, "application_queue"):
            self._tell_application(SERVICE_RESTART)

    def close_for_restart(self) -> None:
        """Tell the browser to come back (1012). `sendClose` would refuse that code."""
        if self.state == self.STATE_OPEN:
            self.sendCloseFrame(code=SERVICE_RESTART, reasonUtf8=b"the server restarts")
        elif self.state == self.STATE_CONNECTING:
            self.cut("the server restarts")

    def cut(self, reason: str) -> None:
        """Drop the connection at once, and what waits for it."""
        self.wasNotCleanReason = reason
        self.dropConnection(abort=True)
        forget_unsent(self.transport)

    def _send(self, text: str | None, data: bytes | None) -> None:
        if (text is None) == (data is None):
            raise ValueError("websocket.send wants either text or bytes, one of them None or absent")
        # `sendMessage` would hold what we send to the bound of what we read.
        if data is None:
            self.sendFrame(opcode=self.MESSAGE_TYPE_TEXT, payload=(text or "").encode())
        else:
            self.sendFrame(opcode=self.MESSAGE_TYPE_BINARY, payload=data)
        self._check_unsent()

    def _check_unsent(self) -> None:
        if unsent(self.transport) > self.server.limits.unsent_bytes:
            self.cut("does not read what it is sent")

    def _tell_application(self, code: int) -> None:
        """The last message the application gets."""
        self.muted = True
        self.application_queue.put_nowait({"type": "websocket.disconnect", "code": code})


class ArenaFactory(HTTPFactory):
    """Makes a channel for each connection that finds a place."""

    # Without Twisted's switch to HTTP/2, which nothing here speaks.
    protocol = ArenaChannel

    def buildProtocol(self, addr: Any) -> ArenaChannel | None:
        if not self.server.places.take(addr.host):
            return None
        channel: ArenaChannel = super().buildProtocol(addr)
        channel.requestFactory = ArenaRequest  # type: ignore[assignment]
        return channel

    def log(self, request: Any) -> None:
        """Nothing: Twisted's line has the query. The server writes its own."""


def _values(headers: Headers, name: bytes) -> list[str]:
    """The entries of a header that is a list, in order, over all its lines."""
    return [part.strip() for key, value in headers if key == name for part in value.decode("latin-1").split(",")]
