"""The web server of the arena: Daphne's with the guards beside this file, an orderly end, and one loop for everything.

Daphne runs on Twisted's asyncio reactor, so its loop is an ordinary asyncio loop: `run` puts the whole arena on it
(doors, child processes, timers). Daphne has no lifespan, drops its sockets without a close frame when told to stop, and
ends with success when its port is taken; `run` stands in for all three.
"""
# Twisted declares its interfaces with zope, which mypy does not read, and Daphne has no types.
# mypy: disable-error-code="misc"

from __future__ import annotations

import asyncio
import errno
import faulthandler
import gc
import logging
import os
import re
import resource
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterable
from importlib.metadata import version
from typing import Any

from daphne.server import Server, twisted_loop
from daphne.ws_protocol import WebSocketFactory
from twisted.internet import reactor as twisted_reactor
from twisted.internet.error import CannotListenError
from twisted.logger import (
    FilteringLogObserver,
    LogLevel,
    LogLevelFilterPredicate,
    STDLibLogObserver,
    globalLogBeginner,
)

from arena.common import descriptors
from arena.common.limits import Buckets, Network, Rate, Shares, is_exempt, networks
from arena.server.forwarded import forwarded_address, forwarded_https
from arena.server.guards import ArenaFactory, ServerLimits
from arena.server.incoming import begin
from arena.server.refusals import ErrorPages
from arena.server.turns import Turns
from arena.server.websockets import ArenaWebSocket, with_options

reactor: Any = twisted_reactor
logger = logging.getLogger(__name__)
access = logging.getLogger("arena.access")

# Older ones have holes that no guard here closes: CVE-2026-44545, CVE-2026-44546, GHSA-hxp9-w8x3-p566, CVE-2024-41671.
OLDEST = {"daphne": "4.2.3", "autobahn": "26.7.1", "twisted": "26.4", "channels": "4.3.2", "django": "5.2.19"}
BACKLOG = 1024


class ArenaServer(Server):
    """Daphne's server on one TCP address. `start` binds it, `accept` begins to answer, `drain` says goodbye."""

    def __init__(
        self,
        application: Any,
        host: str,
        port: int,
        *,
        limits: ServerLimits | None = None,
        root_path: str = "",
        proxy_hops: int = 0,
        trusted_nets: Iterable[Network] = (),
        static_path: str = "/static/",
        error_pages: ErrorPages | None = None,
        listening: int | None = None,
    ) -> None:
        """`port` 0 takes a free one. `proxy_hops`: how many of our own proxies are in front; only they are believed.

        Behind proxies every connection has a proxy's address: then websockets are counted per address instead.
        `listening`: the descriptor of a socket that another process has bound and listens on, which is shared with it.
        """
        self._listening, self._accepts, self._begun = listening, True, False
        self.limits = limits or ServerLimits()
        trusted = self._trusted = networks(trusted_nets)
        each = 0 if proxy_hops else self.limits.connections_per_address
        self.places = Shares(0 if proxy_hops else self.limits.connections, each, trusted)
        self.sockets = Shares(self.limits.connections, self.limits.connections_per_address, trusted)
        self.openings = Buckets(Rate(0, 0) if proxy_hops else Rate(*self.limits.openings), trusted)
        self.pages = Buckets(Rate(*self.limits.pages), trusted)
        self.turns = Turns(self.limits.pages_at_once)
        self.static_path = static_path.encode()
        self.http_factory = ArenaFactory(self, error_pages)
        self.host, self.port, self.proxy_hops = host, port, proxy_hops
        self.connections: dict[Any, dict[str, Any]] = {}
        self.stop_requested, self.exit_code = asyncio.Event(), 0
        super().__init__(
            application,
            endpoints=[f"{host}:{port}"],
            signal_handlers=False,
            action_logger=log_access,
            http_timeout=self.limits.response_seconds,
            ping_interval=self.limits.ping_seconds,
            ping_timeout=self.limits.pong_seconds,
            root_path=root_path,
            server_name="arena",
        )

    def start(self) -> tuple[str, int]:
        """Bind the port and return the real address; clients wait until `accept`. OSError names host and port."""
        self.ws_factory = self._websocket_factory()
        try:
            self.listener = self._listen()
        except CannotListenError as error:
            why = f"{error.socketError.strerror or error.socketError}. Free it or choose another port"
            if error.socketError.errno == errno.EADDRNOTAVAIL:
                why = f"{self.host} is no address of this machine. Choose another with --host ADDRESS"
            raise OSError(f"Cannot listen on {self.host}:{self.port}: {why}.") from error
        self.listener.stopReading()
        self.listener._shouldShutdown = False  # page workers may share it: it is only closed, and stays open there
        # Every connection inherits this. Otherwise the kernel would keep up to 4 MB for each viewer that does not read.
        self.listener.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.limits.unsent_bytes // 2)
        self.host, self.port = self.listener.getHost().host, self.listener.getHost().port
        self.listening_addresses.append((self.host, self.port))
        return self.host, self.port

    def _listen(self) -> Any:
        if self._listening is None:
            return reactor.listenTCP(self.port, self.http_factory, backlog=BACKLOG, interface=self.host)
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        return reactor.adoptStreamPort(self._listening, family, self.http_factory)

    def is_exempt(self, address: str) -> bool:
        """Whether this address is exempt from limits per address."""
        return is_exempt(address, self._trusted)

    def accept(self) -> None:
        """Answer waiting and new connections, unless others do."""
        self._begun = True
        self.let_others_accept(not self._accepts)
        reactor.callLater(1, self.application_checker)
        reactor.callLater(self.limits.check_seconds, self.timeout_checker)

    def let_others_accept(self, others: bool) -> None:
        """Leave new connections to the processes that share the port, or take them again."""
        self._accepts = not others
        if self._begun and not self.stop_requested.is_set():
            (self.listener.startReading if self._accepts else self.listener.stopReading)()

    def stop(self, exit_code: int = 0) -> None:
        """End the run in order, from anywhere on the loop; the highest requested exit code counts."""
        self.exit_code = max(self.exit_code, exit_code)
        self.stop_requested.set()

    async def stop_listening(self) -> None:
        """Refuse new connections."""
        if stopped := self.listener.stopListening():
            await stopped.asFuture(asyncio.get_running_loop())

    async def drain(self) -> None:
        """Stop listening, let the applications disconnect and finish, close websockets with 1012. Always bounded."""
        await self.stop_listening()
        for protocol in self.connections:
            protocol.say_goodbye()
        await _wait_for(self._running_applications(), self.limits.drain_seconds)
        self.kill_all_applications()
        # Autobahn gives the other side a second to answer a close frame.
        await _wait_for([each.is_closed.asFuture(asyncio.get_running_loop()) for each in self.close_websockets()], 2)

    def close_websockets(self) -> list[ArenaWebSocket]:
        """Make every page reconnect, as after a restart. Returns those that are told so."""
        websockets = [protocol for protocol in self.connections if isinstance(protocol, ArenaWebSocket)]
        for websocket in websockets:
            websocket.close_for_restart()
        return websockets

    def create_application(self, protocol: Any, scope: dict[str, Any]) -> Any:
        """Like Daphne's, but with the configured root path, and the client and scheme that our proxies vouch for."""
        scope["root_path"] = self.root_path
        secure = forwarded_https(scope["headers"], self.proxy_hops)
        if scope["type"] == "websocket":
            scope |= {"scheme": "wss" if secure else "ws", "extensions": protocol.extensions()}
        elif secure:
            scope["scheme"] = "https"
        if address := forwarded_address(scope["headers"], self.proxy_hops):
            protocol.client_addr = scope["client"] = [address, 0]
        return begin(self, protocol, scope)

    async def handle_reply(self, protocol: Any, message: dict[str, Any]) -> None:
        """Like Daphne's, but a long answer waits for its reader, so that it is never in memory as a whole."""
        channel = getattr(protocol, "channel", None)
        await super().handle_reply(protocol, message)
        if channel and message.get("more_body"):
            await channel.writable.wait()

    def application_checker(self) -> None:
        """Like Daphne's, but restarted after an exception: Daphne's arms its own timer only at its end."""
        try:
            super().application_checker()
        except Exception:
            logger.exception("Applications that have ended could not be reaped")
            reactor.callLater(1, self.application_checker)

    def timeout_checker(self) -> None:
        """Look at all deadlines; the trouble of one connection stays its own."""
        for protocol in list(self.connections):
            try:
                protocol.check_timeouts()
            except Exception:
                logger.exception("The deadlines of %r could not be checked", protocol)
        reactor.callLater(self.limits.check_seconds, self.timeout_checker)

    def kill_all_applications(self) -> None:
        """Cancel what still runs. Daphne's version fails on a connection whose application has been reaped."""
        for application in self._running_applications():
            application.cancel()

    def _running_applications(self) -> list[asyncio.Future[Any]]:
        applications = [details.get("application_instance") for details in self.connections.values()]
        return [application for application in applications if application and not application.done()]

    def _websocket_factory(self) -> Any:
        factory = WebSocketFactory(self, server=self.server_name)
        factory.setProtocolOptions(
            autoPingTimeout=self.limits.pong_seconds,
            maxMessagePayloadSize=self.limits.socket.message_bytes,
            maxFramePayloadSize=self.limits.socket.message_bytes,
            openHandshakeTimeout=self.websocket_handshake_timeout,
            # The Origin header is judged by the application, which knows the site's own addresses.
            allowNullOrigin=True,
            # A client that breaks the protocol gets 1002, 1007 or 1009 with the reason, instead of a bare 1006.
            failByDrop=False,
        )
        factory.protocol = with_options(factory)
        return factory


def run(
    application: Any,
    host: str,
    port: int,
    *,
    on_start: Callable[[], Awaitable[None]],
    on_stop: Callable[[], Awaitable[None]],
    on_listening: Callable[[ArenaServer], None] | None = None,
    **options: Any,
) -> int:
    """Serve until SIGTERM, SIGINT or `ArenaServer.stop`; return the exit code. `options` are those of `ArenaServer`.

    The port is bound first; `on_listening` hears the server with its real `host` and `port`; `on_start` runs on the
    loop; then requests are answered. At the end the listener closes, `on_stop` runs (doors closed, commits finished),
    websockets are closed with 1012, and the loop stops. A second signal kills the process, and so do `exit_seconds`,
    with a dump of where each thread stood. When `on_start` fails, its message is printed in one line, `on_stop` runs as
    well and must cope with half a start, and the code is 1, as when the port is taken or `on_stop` fails or hangs.
    """
    _raise_open_files()
    try:
        refuse_old_versions()
        server = ArenaServer(application, host, port, **options)
        server.start()
    except (OSError, RuntimeError, ValueError) as error:
        _print_line(error)
        return 1
    if on_listening:
        on_listening(server)
    if options.get("listening") is None:  # else the process that shares its port says when to stop
        _watch_signals(server)
    return _run_loop(server, _serve(server, on_start, on_stop))


def refuse_old_versions() -> None:
    """Raises RuntimeError naming a package older than those for which our guards were written."""
    for name, oldest in OLDEST.items():
        if _numbers(version(name)) < _numbers(oldest):
            raise RuntimeError(f"{name} {version(name)} is too old: {oldest} or newer is needed. Run `make run` again.")


def log_access(protocol: str, action: str, details: dict[str, Any]) -> None:
    """One line, at DEBUG, for an answered request or a step of a websocket; no query, which may hold a secret."""
    path = str(details["path"]).partition("?")[0]
    access.debug("%s %s %r %s", details["client"], details.get("method", action), path, details.get("status", protocol))


async def _serve(
    server: ArenaServer, on_start: Callable[[], Awaitable[None]], on_stop: Callable[[], Awaitable[None]]
) -> None:
    try:
        if await _started(server, on_start):
            _leave_alone_what_stands()
            server.accept()
        await server.stop_requested.wait()
        # From here even a blocked loop, or a thread that the interpreter waits for, cannot keep the process.
        faulthandler.dump_traceback_later(server.limits.exit_seconds, exit=True)
        await server.stop_listening()
        await _stopped(server, on_stop)
        await server.drain()
    finally:
        reactor.stop()


def _leave_alone_what_stands() -> None:
    """Exempt modules and other objects of the start from garbage collection, because they stay to the end: with them, a
    full collection takes 11 ms, in which the whole server stands still.

    Also collect less often: the moves of 50 rooms hold 700 objects, the default threshold, at any moment. Measured:
    each of the two saves 8 % of a move.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


async def _started(server: ArenaServer, on_start: Callable[[], Awaitable[None]]) -> bool:
    """Run `on_start` until it ends or somebody asks to stop. Returns whether it succeeded."""
    starting, stop = asyncio.ensure_future(on_start()), asyncio.ensure_future(server.stop_requested.wait())
    await asyncio.wait([starting, stop], return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    if not starting.done():
        starting.cancel()
        await asyncio.wait([starting])
    if starting.cancelled():
        return False
    if error := starting.exception():
        logger.debug("The start failed", exc_info=error)
        _print_line(error)
        server.stop(exit_code=1)
    return error is None


async def _stopped(server: ArenaServer, on_stop: Callable[[], Awaitable[None]]) -> None:
    try:
        async with asyncio.timeout(server.limits.stop_seconds):
            await on_stop()
    except TimeoutError:
        logger.error("The arena did not come to rest within %g s and is stopped as it is", server.limits.stop_seconds)
        server.stop(exit_code=1)
    except Exception:
        logger.exception("The arena could not be stopped in order")
        server.stop(exit_code=1)


def _run_loop(server: ArenaServer, serving: Any) -> int:
    """Run the reactor, and with it the asyncio loop, until it is stopped."""
    asyncio.set_event_loop(twisted_loop)
    twisted_loop.set_exception_handler(_unhandled)
    _watch_children()
    only_errors = LogLevelFilterPredicate(defaultLogLevel=LogLevel.error)
    observer: Any = FilteringLogObserver(STDLibLogObserver("twisted"), [only_errors])  # type: ignore[arg-type, list-item]
    globalLogBeginner.beginLoggingTo([observer], redirectStandardIO=False, discardBuffer=True)
    task = twisted_loop.create_task(serving)
    reactor.run(installSignalHandlers=False)
    for _ in range(2):  # the second time what waits in its end, as for a process, which it kills then
        for rest in asyncio.all_tasks(twisted_loop):
            rest.cancel()
        twisted_loop.run_until_complete(_wait_for(asyncio.all_tasks(twisted_loop), 1))
    task.result()
    return server.exit_code


def _unhandled(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Like the loop's own, but brief for a listener without a file descriptor, which fails a hundred times in a row."""
    if descriptors.exhausted(context.get("exception")):
        descriptors.refused()
    else:
        loop.default_exception_handler(context)


def _watch_signals(server: ArenaServer) -> None:
    def heard(number: int) -> None:
        if server.stop_requested.is_set():
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        server.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        twisted_loop.add_signal_handler(number, heard, number)


def _watch_children() -> None:
    """Learn of the end of child processes through pidfds; before Python 3.12 the default is a thread for each child."""
    if sys.version_info < (3, 12) and hasattr(os, "pidfd_open"):
        watcher = asyncio.PidfdChildWatcher()
        watcher.attach_loop(twisted_loop)
        asyncio.set_child_watcher(watcher)


def _raise_open_files() -> None:
    """Each viewer is a file; the usual soft limit is 1 024."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _wait_for(futures: Iterable[asyncio.Future[Any]], seconds: float) -> None:
    """Wait until all are done, `seconds` at most."""
    if waiting := list(futures):
        await asyncio.wait(waiting, timeout=seconds)


def _print_line(error: BaseException) -> None:
    print(" ".join(str(error).split()) or repr(error), file=sys.stderr)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])
