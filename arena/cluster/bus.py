"""Messages between the processes of one arena: in order, without waiting, and a loss is always noticed.

A transport carries them (`arena.cluster.bus_transports`): Redis between machines, a Unix socket on one. Redis forgets:
what is published while a reader's connection is down is gone. So every envelope is numbered for its reader, and each
side sends something at least every `BEAT_S`. A gap, a silence or a restarted peer is a *break*: both sides drop their
shared state and begin again. Nothing is repaired here; pages repair themselves, because a page that reconnects gets the
latest state.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from arena.cluster.bus_transports import CONNECT_S, BusTransport

log = logging.getLogger("arena.cluster.bus")

BEAT_S = 2.0
# A peer that is silent for this long is gone.
SILENT_S = 7.0
AGAIN_S = 0.5
# What waits for one peer to be published; more means that the transport or the peer does not keep up.
MOST_WAITING = 20_000
# The number of an envelope that says: your session, named in it, is not heard here any more.
RESET = 0

Message = dict[str, Any]
T = TypeVar("T", bound=tuple[Any, ...])


def heard_as(kind: type[T], said: Message) -> T:
    """The named tuple that a process of another release may have said: what is missing has its default, and what is not
    known here is left out. So servers can be replaced one after the other.
    """
    known: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    return kind(**{name: _as_tuple(said[name]) for name in known if name in said})


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@dataclass(slots=True)
class Peer:
    """What this process knows about another one. Envelopes are numbered from 1 in each session, and say `of` which
    session of the other they are aware.
    """

    session: str = field(default_factory=lambda: secrets.token_hex(6))
    sent: int = 0
    waiting: list[Message] = field(default_factory=list)
    heard_session: str = ""
    heard: int = 0
    heard_at: float = 0.0


class Bus:
    """One process on the bus, known by `name`. `on_message(peer, message)` and `on_break(peer)` are called on the loop.
    `up`: the transport is connected; `ended` is set when it never will be again.
    """

    def __init__(
        self,
        transport: BusTransport,
        on_message: Callable[[str, Message], None],
        on_break: Callable[[str], None],
        name: str = "",
    ) -> None:
        self.name = name or secrets.token_hex(6)
        self.up = False
        self.ended = asyncio.Event()
        self._transport = transport
        self._on_message, self._on_break = on_message, on_break
        self._peers: dict[str, Peer] = {}
        # The session of a peer that this process has lost the thread of: the peer is told.
        self._deaf: dict[str, str] = {}
        self._work = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Listen; returns when the transport has answered, or after `CONNECT_S` without an answer."""
        loop = asyncio.get_running_loop()
        listening = asyncio.Event()
        self._tasks = [loop.create_task(work) for work in (self._listen(listening), self._publish(), self._beat())]
        with suppress(TimeoutError):
            async with asyncio.timeout(CONNECT_S):
                await listening.wait()

    async def close(self) -> None:
        """Close. Waiting messages are lost, and the peers notice."""
        while running := [task for task in self._tasks if not task.done()]:
            for task in running:
                task.cancel()
            await asyncio.wait(running, timeout=1)  # the library of Redis loses one now and then: it is said again
        await self._transport.close()

    def send(self, peer: str, message: Message) -> None:
        """Queue a message; if too many wait for a peer, break with it."""
        known = self._peers.setdefault(peer, Peer(heard_at=_now()))
        known.waiting.append(message)
        self._work.set()
        if len(known.waiting) > MOST_WAITING:
            log.warning("more than %d messages wait for %s", MOST_WAITING, peer)
            self.forget(peer)

    def newest(self, peer: str) -> Message | None:
        """The newest message that is not yet published, so that more can be added to it; None if there is none."""
        known = self._peers.get(peer)
        return known.waiting[-1] if known and known.waiting else None

    def forget(self, peer: str) -> None:
        """Break with a peer: it starts again with the next message from it or to it."""
        if self._peers.pop(peer, None) is not None:
            self._on_break(peer)

    # -- from the others -----------------------------------------------------------------------------------------------

    async def _listen(self, listening: asyncio.Event) -> None:
        warned = False

        def begun() -> None:
            nonlocal warned
            self.up, warned = True, False
            listening.set()

        while True:
            try:
                await self._transport.listen(self.name, begun, self._heard)
            except OSError as error:
                if not warned:
                    log.warning("the bus cannot be heard (%s); trying again", error)
                warned = True
            else:
                self.ended.set()
            self.up = False
            for peer in list(self._peers):
                self.forget(peer)
            if self.ended.is_set():
                return
            await asyncio.sleep(AGAIN_S)

    def _heard(self, text: str) -> None:
        try:
            self._take(json.loads(text))
        except (LookupError, TypeError, ValueError):  # anybody who has the password of Redis may say anything
            log.warning("what is no envelope was heard, and is dropped: %.80s", text)

    def _take(self, envelope: dict[str, Any]) -> None:
        peer, session, number = envelope["from"], envelope["session"], envelope["n"]
        known = self._peers.get(peer)
        if number == RESET:
            if known is not None and known.session == session:
                self.forget(peer)
            return
        if known is not None and known.heard_session and (session, number) != (known.heard_session, known.heard + 1):
            # One that has begun again because we had has heard of nothing else from us. If we began again as well, it
            # would have to do so once more, and so on without an end.
            follows = number == 1 and session != known.heard_session and envelope.get("of") == known.session
            if not follows:
                self.forget(peer)
                known = None
        if (known is None or not known.heard_session) and number != 1:
            self._deaf[peer] = session
            self._work.set()
            return
        known = self._peers.setdefault(peer, Peer())
        known.heard_session, known.heard, known.heard_at = session, number, _now()
        for message in envelope["messages"]:
            if message.get("kind") != "beat":
                self._told(peer, message)

    def _told(self, peer: str, message: Message) -> None:
        try:
            self._on_message(peer, message)
        except Exception:
            log.exception("a message of %s could not be taken", peer)

    # -- to the others -------------------------------------------------------------------------------------------------

    async def _publish(self) -> None:
        while True:
            await self._work.wait()
            self._work.clear()
            while self._deaf:
                peer, session = self._deaf.popitem()
                await self._published(peer, {"session": session, "n": RESET})
            for name, known in list(self._peers.items()):
                if known.waiting:
                    messages, known.waiting = known.waiting, []
                    known.sent += 1
                    numbered = {"session": known.session, "n": known.sent, "of": known.heard_session}
                    envelope = {**numbered, "messages": messages}
                    if not await self._published(name, envelope) and self._peers.get(name) is known:
                        self.forget(name)

    async def _published(self, peer: str, envelope: dict[str, Any]) -> bool:
        """Whether anybody was listening."""
        try:
            text = json.dumps({"from": self.name, **envelope})
        except (TypeError, ValueError):
            log.exception("a message for %s cannot be sent", peer)
            return False
        return await self._transport.publish(peer, text)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            for name, peer in list(self._peers.items()):
                if _now() - peer.heard_at > SILENT_S:
                    self.forget(name)
                else:
                    self.send(name, {"kind": "beat"})


def _now() -> float:
    return asyncio.get_running_loop().time()
