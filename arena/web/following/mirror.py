"""A front's end: the host's matches as they stand, and its answers to questions.

A match is followed while a page shows it, and a little longer. Its log is read from the rows; the host says how far it
has got and what is in no log (`arena.web.following.publisher`). Frames are made here, once for each audience.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable
from typing import Any

from django.utils import translation

from arena import figures
from arena.cluster.bus import Bus, Message, heard_as
from arena.cluster.front import ANSWER_S, RESTART
from arena.core import storage_watch
from arena.core.hub import Hub, LiveMatch
from arena.core.storage_trouble import StorageTrouble
from arena.core.viewers import Viewer
from arena.host import Host, NoHost
from arena.match.commands import Refusal
from arena.match.said import unpacked
from arena.web import elsewhere, open_sockets
from arena.web.following.match_follower import BROKE, CHANGES_OVER, MatchFollower
from arena.web.joined import with_persons
from arena.web.languages import USUAL
from arena.web.match.followed import FollowedMatch, HostSays
from arena.web.match.stored import in_rows, is_settled

# How long the host may take to welcome us, and the pause before greeting it again.
WELCOME_S, AGAIN_S = 3.0, 0.5
# How long a match is followed after its last reader has gone, and how often that is checked.
IDLE_S, LOOK_S = 10.0, 5.0
# Many readers come at once.
READERS_S = 0.05
# An answer is shared by all readers for this long.
KEPT_S = 0.5
# Questions and acts that wait for the host.
MOST_WAITING = 1024


class FrontMirror:
    """Implements `arena.web.elsewhere.Mirror` for the host that `follow` names, which speaks through `message`."""

    def __init__(self, bus: Bus) -> None:
        self.host: Host | None = None
        self.hub: Hub = FollowedHub(self._readers_changed)
        self._bus, self._name = bus, ""
        self._welcome = asyncio.Event()
        # When the host that had welcomed us fell silent or started over, until it welcomes us again.
        self._lost_at: float | None = None
        self._greeting: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None
        self._followed: dict[str, MatchFollower] = {}
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._answers: dict[str, tuple[float, asyncio.Task[Any]]] = {}

    # -- the host ------------------------------------------------------------------------------------------------------

    def follow(self, host: str) -> None:
        """This is the host from now on, "" if there is none."""
        self.broken()
        self._name, self._lost_at = host, None
        if self._greeting is not None:
            self._greeting.cancel()
            self._greeting = None
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        if host:
            self._greet()
            self._forget_idle()

    def broken(self) -> None:
        """The host has gone, or starts over: pending answers will never come, and readers reconnect."""
        if self._welcome.is_set():
            self._lost_at = asyncio.get_running_loop().time()
        self._welcome.clear()
        self._answers.clear()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(NoHost("the host has gone"))
        for name in list(self._followed):
            self._forget(name)
        if self._name and self._greeting is None:
            self._greeting = asyncio.get_running_loop().call_later(AGAIN_S, self._greet)

    def message(self, message: Message) -> None:
        """Take a message of the host."""
        kind = message["kind"]
        if kind == "match":
            if follower := self._followed.get(message["match"]):
                follower.hear(HostSays.from_json(message["said"]))
        elif kind == "no match":
            if follower := self._followed.pop(message["match"], None):
                self.hub.lives.pop(message["match"], None)
                follower.is_none()
        elif kind == "cannot follow":
            if message["match"] in self._followed:
                self._forget(message["match"])
        elif kind == "answer":
            self._answered(message)
        elif kind == "welcome":
            self._welcome.set()
            self._lost_at = None
            self._hear_trouble(message)
        elif kind == "trouble":
            self._hear_trouble(message)
        elif kind == "figures":
            figures.hear(figures.Present.from_json(message["numbers"]))
        elif kind == "end sockets":
            open_sockets.end(heard_as(open_sockets.SocketsEnd, message["ending"]))
        elif kind == "over":
            self.broken()

    def _greet(self) -> None:
        """Greet the host until it welcomes us."""
        self._greeting = None
        if self._name and not self._welcome.is_set():
            self._say({"kind": "hello"})
            self._greeting = asyncio.get_running_loop().call_later(AGAIN_S, self._greet)

    def _say(self, message: Message) -> None:
        if self._name:
            self._bus.send(self._name, message)

    def _hear_trouble(self, message: Message) -> None:
        said = message.get("trouble")
        found = said and heard_as(StorageTrouble, dict(zip(StorageTrouble._fields, said, strict=False)))
        if found != storage_watch.told:
            storage_watch.told = found
            self.hub.wake_all()

    async def is_reached(self) -> bool:
        """Whether the host answers: it has not fallen silent, or is back in a moment."""
        if self._lost_at is None:
            return True
        try:
            await self._welcomed()
        except NoHost:
            return False
        return True

    async def _welcomed(self) -> None:
        """Wait for the host's welcome, if it has not been away for long. Raises NoHost if there is no host, or it does
        not answer.
        """
        if not self._name:
            raise NoHost("there is no host just now")
        since = asyncio.get_running_loop().time() if self._lost_at is None else self._lost_at
        try:
            async with asyncio.timeout_at(since + WELCOME_S):
                await self._welcome.wait()
        except TimeoutError:
            raise NoHost("the host does not answer") from None

    # -- matches -------------------------------------------------------------------------------------------------------

    async def load(self, match: str) -> LiveMatch | None:
        """The match as it stands, None if there is none. Raises NoHost."""
        follower = self._followed.get(match)
        if follower is None:
            live = await in_rows(match)
            if live is None or await is_settled(live):
                return live
            await self._welcomed()
            follower = self._followed.get(match) or self._begin(live)
        found = await self._begun(follower)
        if found is not None:
            await follower.catch_up()
        return found

    async def watch(self, live: LiveMatch) -> LiveMatch:
        """A finished match is followed as well; while there is no host, it is shown from its log."""
        try:
            return await self._begun(self._followed.get(live.id) or self._begin(live)) or live
        except NoHost:
            return live

    async def attend(self, live: LiveMatch) -> LiveMatch:
        """Raises NoHost."""
        await self._asked({"kind": "attend", "match": live.id})
        return await self._begun(self._followed.get(live.id) or self._begin(live)) or live

    async def go_on(self, live: LiveMatch) -> None:
        """The host does this when a player's page has connected."""

    async def _begun(self, follower: MatchFollower) -> LiveMatch | None:
        follower.live.used_at = time.monotonic()
        try:
            async with asyncio.timeout(ANSWER_S):
                found = await asyncio.shield(follower.begun)
        except TimeoutError:
            raise NoHost("the host does not say where the match stands") from None
        if found is None:
            raise NoHost("the host has gone")
        return await with_persons(follower.live) if found else None

    def enter(self, live: LiveMatch, player: int) -> Callable[[], None] | None:
        """A page of this player has connected; returns what to call when it goes."""
        number = next(self._numbers)
        self._say({"kind": "enter", "id": number, "match": live.id, "player": player})
        return lambda: self._say({"kind": "leave", "id": number})

    async def play(self, live: LiveMatch, player: int | None, ply: Any, move: Any) -> None:
        """Play `move` as number `ply`. Raises Refusal, or NoHost: then it may have been played."""
        await self._asked({"kind": "play", "match": live.id, "player": player, "ply": ply, "move": move})

    def _begin(self, live: LiveMatch) -> MatchFollower:
        followed = FollowedMatch(live)
        self.hub.add(followed)
        follower = self._followed[live.id] = MatchFollower(followed, self.hub, self._say, self._give_up)
        self._say({"kind": "follow", "match": live.id, "readers": {}})
        return follower

    def _give_up(self, match: str) -> None:
        if match in self._followed:
            self._say({"kind": "unfollow", "match": match})
            self._forget(match, open_sockets.AGAIN, BROKE)

    def _forget(self, match: str, code: int = RESTART, reason: str = CHANGES_OVER) -> None:
        self.hub.lives.pop(match, None)
        self._followed.pop(match).end(code, reason)

    def _forget_idle(self) -> None:
        before = time.monotonic() - IDLE_S
        for match, follower in list(self._followed.items()):
            if follower.is_idle and follower.live.used_at < before:
                self._say({"kind": "unfollow", "match": match})
                self._forget(match)
        self._looking = asyncio.get_running_loop().call_later(LOOK_S, self._forget_idle)

    def _readers_changed(self, live: LiveMatch) -> None:
        if follower := self._followed.get(live.id):
            follower.readers_changed(READERS_S)

    # -- questions -----------------------------------------------------------------------------------------------------

    async def ask(self, question: str, arguments: list[Any]) -> Any:
        """The host's answer in the current language, shared with others who asked just now. Raises NoHost."""
        language = translation.get_language() or USUAL
        key, now = json.dumps([question, arguments, language]), time.monotonic()
        at, asking = self._answers.get(key, (0.0, None))
        if asking is None or now - at > KEPT_S:
            self._answers = {name: each for name, each in self._answers.items() if now - each[0] <= KEPT_S}
            asked = {"kind": "ask", "question": question, "arguments": arguments}
            work = self._asked({**asked, "language": language})
            asking = asyncio.get_running_loop().create_task(work)
            asking.add_done_callback(_noticed)
            self._answers[key] = now, asking
        return elsewhere.unpacked(await asyncio.shield(asking))

    async def _asked(self, message: Message) -> Any:
        await self._welcomed()
        if len(self._waiting) >= MOST_WAITING:
            raise NoHost("too much waits for the host")
        number = next(self._numbers)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._say({**message, "id": number})
        try:
            async with asyncio.timeout(ANSWER_S):
                return await future
        except TimeoutError:
            raise NoHost("the host does not answer") from None
        finally:
            del self._waiting[number]

    def _answered(self, message: Message) -> None:
        future = self._waiting.get(message["id"])
        if future is None or future.done():
            return
        if "refusal" in message:
            code, sentence, *_ = message["refusal"]
            future.set_exception(Refusal(code, unpacked(sentence)))
        elif "no host" in message:
            future.set_exception(NoHost(message["no host"]))
        else:
            future.set_result(message.get("value"))


def _noticed(asking: asyncio.Task[Any]) -> None:
    """Retrieve the exception: the caller may have gone before it was raised."""
    if not asking.cancelled():
        asking.exception()


class FollowedHub(Hub):
    """The hub of a front: the host paces the frames, and hears how many readers there are."""

    def __init__(self, readers_changed: Callable[[LiveMatch], None]) -> None:
        super().__init__(frame_s=0.0)
        self._readers_changed = readers_changed

    def view(self, live: LiveMatch, viewer: Viewer) -> None:
        super().view(live, viewer)
        self._readers_changed(live)

    def unview(self, live: LiveMatch, viewer: Viewer) -> None:
        super().unview(live, viewer)
        self._readers_changed(live)

    def measured(self, live: LiveMatch) -> None:
        self._readers_changed(live)

    def _let_go(self, match: str) -> None:
        """Nothing to do: unfollowed matches are dropped elsewhere."""
