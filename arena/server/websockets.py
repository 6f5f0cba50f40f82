"""Daphne's websocket with a bound on everything that a stranger can make grow, beside `arena.server.guards`."""
# Twisted declares its interfaces with zope, which mypy does not read, and Daphne has no types.
# mypy: disable-error-code="misc, no-untyped-call, override"

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from autobahn.websocket.types import ConnectionDeny
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from twisted.web.http import HTTPChannel

from arena.common.limits import Bucket, Rate
from arena.server.forwarded import forwarded_address
from arena.server.guards import SocketLimits, forget_unsent, reactor, unsent
from arena.server.text_frame import MEASURE, WRITE_FRAME, TextFrame

log = logging.getLogger(__name__)

POLICY_VIOLATION, SERVICE_RESTART = 1008, 1012
# A socket may answer each message that we send it, however many there are: this many frames and bytes.
ANSWER_FRAMES, ANSWER_BYTES = 2, 1024
# For a socket with more unread output than this, the next frame can wait: it will be a newer one.
BEHIND_BYTES = 16 * 1024
GONE_AFTER_S = 0.5
# What a ping says that measures a round trip.
MEASURES = b"arena"
# Data of the opening handshake that Autobahn and Daphne keep but no longer read.
_OF_THE_HANDSHAKE = frozenset(
    (
        *("_transport_details", "_wskey", "clean_headers", "http_headers", "http_request_data", "http_request_host"),
        *("http_request_params", "http_request_path", "http_request_uri", "http_response_data", "http_status_line"),
    )
)
# Attributes that have the same value in every socket until something goes wrong, or a frame is read.
_AT_REST: dict[str, object] = {
    **dict.fromkeys(("closedByMe", "droppedByMe", "failedByMe", "inside_message", "triggered", "wasClean"), False),
    **dict.fromkeys(("wasCloseHandshakeTimeout", "wasMaxFramePayloadSizeExceeded", "wasOpenHandshakeTimeout"), False),
    **dict.fromkeys(("wasMaxMessagePayloadSizeExceeded", "wasServerConnectionDropTimeout"), False),
    "wasServingFlashSocketPolicyFile": False,
    **dict.fromkeys(("_perMessageCompress", "autoPingPending", "autoPingPendingCall", "autoPingPendingSent"), None),
    **dict.fromkeys(("autoPingTimeoutCall", "closeHandshakeTimeoutCall", "current_frame", "localCloseCode"), None),
    **dict.fromkeys(("localCloseReason", "openHandshakeTimeoutCall", "protocol_to_accept", "remoteCloseCode"), None),
    **dict.fromkeys(("remoteCloseReason", "trackedTimings", "wasNotCleanReason", "websocket_protocol_in_use"), None),
}


class ArenaWebSocket(WebSocketProtocol):
    """One websocket: unsent output, untaken input and the rate of input are all bounded."""

    flooded = False
    _drop: Any = None  # the timer of a refused one
    _counted = ""  # the address that this socket counts for, behind a proxy
    _measuring: tuple[float, Callable[[int], None]] | None = None  # since when, and who hears how long it took

    def connectionMade(self) -> None:
        limits: SocketLimits = self.factory.server_class.limits.socket
        self._frames, self._pings = Bucket(*limits.frames), Bucket(*limits.pings)
        self._bytes = Bucket(*limits.bytes)
        super().connectionMade()

    def onConnect(self, request: Any) -> Any:
        """Behind our own proxies, which own every connection, sockets are counted instead."""
        address = forwarded_address(
            [(b"x-forwarded-for", request.headers.get("x-forwarded-for", "").encode())],
            self.factory.server_class.proxy_hops,
        )
        if address is not None:
            if not self.factory.server_class.sockets.take(address):
                log.info("%s: 429, too many websockets", address, extra={"address": address})
                raise ConnectionDeny(429, "Too many websockets are open from your address. Close one first.")
            self._counted = address
        return super().onConnect(request)

    def onOpen(self) -> None:
        """Drop what HTTP knew of the connection: channel, request and headers, several KiB of each socket."""
        super().onOpen()
        self.request.headers = {}
        self._slim_down()
        channel = self.transport.producer
        if isinstance(channel, HTTPChannel):
            self.transport.unregisterProducer()
            for request in channel.requests:
                request.channel = None
            channel.requests = []

    def _slim_down(self) -> None:
        """Keep only this socket's own values; those that its class has too would take half the memory."""
        usual = vars(type(self))
        self.__dict__ = {
            name: value
            for name, value in vars(self).items()
            if name not in _OF_THE_HANDSHAKE and (name not in usual or usual[name] is not value)
        }

    def dataReceived(self, data: bytes) -> None:
        if self.state != self.STATE_CONNECTING or not hasattr(self, "request"):
            if self.state == self.STATE_OPEN and not self._bytes.take(len(data)):
                self._flooded_with("bytes", self.server.limits.socket.bytes)
            if not self.flooded:
                super().dataReceived(data)
            return
        # The application has not accepted yet: Autobahn would read these bytes as another opening handshake.
        self.data += data
        if len(self.data) > self.server.limits.socket.message_bytes:
            self.cut("sent more than a message before it was accepted")

    def onFrameBegin(self) -> None:
        """Counted here, because an empty frame and a fragment of a message are reported nowhere else."""
        if self.state == self.STATE_OPEN and not self._frames.take():
            self._flooded_with("frames", self.server.limits.socket.frames)
        super().onFrameBegin()

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        # A flood brings thousands of frames in one read: once it is refused, each must cost next to nothing.
        if self.muted:
            return
        if self.application_queue.qsize() < self.server.limits.socket.waiting_messages:
            super().onMessage(payload, isBinary)
            return
        self._refuse("too many messages at once")

    def onPing(self, payload: bytes) -> None:
        if not self._pings.take():
            self._flooded_with("pings", self.server.limits.socket.pings)
        if not self.flooded:
            super().onPing(payload)
            self._check_unsent()

    def extensions(self) -> dict[str, Any]:
        """What the application can do with this socket beyond ASGI."""
        return {WRITE_FRAME: self.write_frame, MEASURE: self.measure}

    def measure(self, measured: Callable[[int], None]) -> None:
        """Ping, unless such a ping is on its way; `measured` hears how many milliseconds it and its answer took.

        Browsers answer by themselves: no page has a part in it. Who answers early only has a faster line.
        """
        if self._measuring is None and self.state == self.STATE_OPEN:
            self._measuring = (time.monotonic(), measured)
            self.sendPing(MEASURES)

    def onPong(self, payload: bytes) -> None:
        if self._measuring is not None and payload == MEASURES:
            (began, measured), self._measuring = self._measuring, None
            measured(round((time.monotonic() - began) * 1000))

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:
        # Without `server` the handshake was refused before Daphne heard of it.
        if hasattr(self, "server"):
            super().onClose(wasClean, code, reason)

    def connectionLost(self, reason: Any) -> None:
        self.factory.server_class.places.give_back(self.transport.getPeer().host)
        if self._counted:
            self.factory.server_class.sockets.give_back(self._counted)
        if self._drop is not None and self._drop.active():
            self._drop.cancel()
        forget_unsent(self.transport)
        self._measuring = None
        super().connectionLost(reason)

    def handle_reply(self, message: dict[str, Any]) -> None:
        """Like Daphne's, but sends empty messages and any close code, and ignores all after a close."""
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

    def write_frame(self, make: Callable[[], TextFrame]) -> bool:
        """Send a frame for many at once; False if this socket cannot take it, and then no frame is made. Call from the
        loop.

        It is written to the socket directly if nothing waits before it: the reactor would wait until the socket is
        writable, and then write, which takes three system calls instead of one.
        """
        if self.state != self.STATE_OPEN:
            return True
        transport = self.transport
        waiting = unsent(transport)
        if waiting > BEHIND_BYTES:
            return False
        data = make().encoded
        if waiting or self.send_queue or transport.disconnecting:
            transport.write(data)
        else:
            written = transport.writeSomeData(data)
            if not isinstance(written, int):
                transport.write(data)  # it is gone, which the reactor will notice
            elif written < len(data):
                transport.write(data[written:])
        self._frames.give(ANSWER_FRAMES)
        self._bytes.give(ANSWER_BYTES)
        return True

    def _send(self, text: str | None, data: bytes | None) -> None:
        if (text is None) == (data is None):
            raise ValueError("websocket.send wants either text or bytes, one of them None or absent")
        self._frames.give(ANSWER_FRAMES)
        self._bytes.give(ANSWER_BYTES)
        # `sendMessage` would apply the limit on input to our output.
        if data is None:
            self.sendFrame(opcode=self.MESSAGE_TYPE_TEXT, payload=(text or "").encode())
        else:
            self.sendFrame(opcode=self.MESSAGE_TYPE_BINARY, payload=data)
        self._check_unsent()

    def _check_unsent(self) -> None:
        if unsent(self.transport) > self.server.limits.unsent_bytes:
            self.cut("does not read what it is sent")

    def _flooded_with(self, what: str, rate: Rate) -> None:
        """Close, and drop the input: thousands of frames may wait in it."""
        if not self.flooded:
            self.flooded, self.data = True, b""
            address = str(self.client_addr[0]) if self.client_addr else ""
            log.info("%s: a websocket is closed, too many %s", address, what, extra={"address": address})
            self._refuse(f"too many {what}: {rate.at_once:g} at once and then {rate.per_second:g} a second are taken")

    def _refuse(self, why: str) -> None:
        """Close with 1008, and read no more: the refused client has half a second to read why."""
        self.transport.pauseProducing()
        if not self.muted:
            self._tell_application(POLICY_VIOLATION)
        # Autobahn's own timers are rounded down to a whole second, which may be none at all.
        self.closeHandshakeTimeout = 0
        self._drop = self._drop or reactor.callLater(GONE_AFTER_S, self.cut, why)
        self.sendCloseFrame(code=POLICY_VIOLATION, reasonUtf8=why.encode())

    def _tell_application(self, code: int) -> None:
        """The last message the application gets."""
        self.muted = True
        self.application_queue.put_nowait({"type": "websocket.disconnect", "code": code})


def with_options(factory: WebSocketFactory) -> type[ArenaWebSocket]:
    """The class of the sockets of a factory, which holds everything that is the same in all of them: the options, which
    Autobahn would copy into every socket, and the state of an open socket.
    """
    options = {name: getattr(factory, name) for name in ArenaWebSocket.CONFIG_ATTRS}
    held = {name: staticmethod(option) if callable(option) else option for name, option in options.items()}
    return type(ArenaWebSocket.__name__, (ArenaWebSocket,), held | _AT_REST)
