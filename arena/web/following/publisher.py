"""The host's end: one stream of updates for each match and front, and answers to questions.

A stream is a viewer of its match like any browser, a cursor and a wake-up, on behalf of all browsers of its front. At
most one message of each is on its way: a front with a slow bus misses frames and delays nobody. Moves are not part of a
stream, and none is lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any

from django.conf import settings
from django.utils import translation

from arena import figures
from arena.cluster.bus import Message
from arena.cluster.relay import RelayBus
from arena.common.logs import about
from arena.core import storage_watch
from arena.core.hub import LiveMatch, on_every_page
from arena.host import Host, NoHost, here_or_none
from arena.match.commands import Refusal
from arena.match.said import packed
from arena.web import elsewhere, open_sockets
from arena.web.elsewhere import Matches
from arena.web.languages import USUAL
from arena.web.match import frames
from arena.web.match.followed import FollowedMatch, HostSays
from arena.web.match.host_matches import matches
from arena.web.match.rounds import rounds_in_memory

log = logging.getLogger("arena.web.following")

# The reply to a front if a question or an act failed through a fault of ours.
BROKEN = "server_abort"


class Publisher:
    """Everything that the fronts on this bus follow. It serves the host, and a front that has its own page workers."""

    def __init__(self, bus: RelayBus) -> None:
        self._bus = bus
        self._fronts: set[str] = set()
        self._streams: dict[tuple[str, str], MatchStream] = {}
        self._coming: dict[tuple[str, str], asyncio.Task[None]] = {}  # streams whose matches are being read
        self._present: dict[tuple[str, int], Callable[[], None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        on_every_page.append(self._say_trouble)
        open_sockets.on_end.append(self._end_sockets)
        figures.on_publish.append(self._say_figures)

    def message(self, front: str, message: Message) -> None:
        """Take a message of a front that belongs to no forwarded connection."""
        kind = message["kind"]
        if kind == "hello":
            self.broken(front)  # it starts over
            self._fronts.add(front)
            self._bus.send(front, {"kind": "welcome", "trouble": _trouble()})
        elif kind == "follow":
            self._end_coming(key := (front, message["match"]))
            self._coming[key] = self._begin(self._follow(*key, message.get("readers", {})))
        elif kind == "readers":
            if stream := self._streams.get((front, message["match"])):
                stream.read_by(message.get("readers", {}), message.get("lags", {}))
        elif kind == "unfollow":
            self._end_stream((front, message["match"]))
        elif kind == "seen":
            if stream := self._streams.get((front, message["match"])):
                stream.seen()
        elif kind == "enter":
            self._present[front, message["id"]] = _nothing
            self._begin(self._enter((front, message["id"]), message))
        elif kind == "leave":
            self._present.pop((front, message["id"]), _nothing)()
        elif kind == "attend":
            self._begin(self._answered(front, message, self._attended(front, message["match"])))
        elif kind == "play":
            self._begin(self._answered(front, message, _play(message)))
        elif kind == "ask":
            self._begin(self._answered(front, message, _answer(message)))

    def broken(self, front: str) -> None:
        """The front has gone, or starts over."""
        self._fronts.discard(front)
        for key in [key for key in (*self._streams, *self._coming) if key[0] == front]:
            self._end_stream(key)
        for place in [place for place in self._present if place[0] == front]:
            self._present.pop(place)()

    def change_over(self) -> None:
        """Another process is the host from now on: the fronts start over."""
        for front in tuple(self._fronts):
            self._change_over(front)

    def _change_over(self, front: str) -> None:
        self._bus.send(front, {"kind": "over"})
        self.broken(front)

    def close(self) -> None:
        self.change_over()
        on_every_page.remove(self._say_trouble)
        open_sockets.on_end.remove(self._end_sockets)
        figures.on_publish.remove(self._say_figures)
        for task in self._tasks:
            task.cancel()

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # -- matches -------------------------------------------------------------------------------------------------------

    async def _follow(self, front: str, match: str, readers: dict[str, int]) -> None:
        try:
            source = matches()
            live = await source.load(match)
            if live is not None:
                live = await source.watch(live)
        except Exception as error:
            del self._coming[front, match]
            self._cannot_follow(front, match, error)
            return
        del self._coming[front, match]
        if front not in self._fronts:  # greeted before a break that only we have noticed
            self._change_over(front)
            return
        if live is None:
            self._bus.send(front, {"kind": "no match", "match": match})
            return
        self._end_stream((front, match))
        say, over = partial(self._bus.send, front), partial(self._change_over, front)
        stream = self._streams[front, match] = MatchStream(source, live, say, over)
        stream.read_by(readers, {})
        stream.wake()

    def _cannot_follow(self, front: str, match: str, error: Exception) -> None:
        """Its pages connect again."""
        # A front, which its page workers follow, may have no host.
        if not isinstance(error, NoHost) and storage_watch.saw(error) is None:
            log.error("match %s: a front cannot follow it", match, exc_info=error, extra=about(match))
        self._bus.send(front, {"kind": "cannot follow", "match": match})

    def _end_coming(self, key: tuple[str, str]) -> None:
        if coming := self._coming.pop(key, None):
            coming.cancel()

    def _end_stream(self, key: tuple[str, str]) -> None:
        self._end_coming(key)
        if stream := self._streams.pop(key, None):
            stream.end()

    async def _enter(self, place: tuple[str, int], message: Message) -> None:
        try:
            source = matches()
            await self._attended(place[0], message["match"])
            live = await source.load(message["match"])
            if live is not None and place in self._present:  # else its page has gone meanwhile
                self._present[place] = source.enter(live, message["player"]) or _nothing
                await source.go_on(live)
        except Exception as error:
            self._cannot_follow(place[0], message["match"], error)

    async def _attended(self, front: str, match: str) -> None:
        """Its players share one object, which this front follows from now on."""
        source = matches()
        live = await source.load(match)
        if live is not None:
            live = await source.attend(live)
            if stream := self._streams.get((front, match)):
                stream.move_to(live)

    # -- what is asked -------------------------------------------------------------------------------------------------

    async def _answered(self, front: str, message: Message, work: Coroutine[Any, Any, Any]) -> None:
        answer: Message = {"kind": "answer", "id": message["id"]}
        try:
            answer["value"] = await work
        except Refusal as refusal:
            answer["refusal"] = [refusal.code, packed(refusal.sentence)]
        except Exception as why:
            if isinstance(why, NoHost) or storage_watch.saw(why) is not None:  # its page asks again
                answer["no host"] = str(why)
            else:
                log.exception("what a front asked for failed: %s", message["kind"])
                answer["refusal"] = [BROKEN, "Something broke on our side. Reload the page to see what was done."]
        self._bus.send(front, answer)

    # -- to all fronts -------------------------------------------------------------------------------------------------

    def _say_trouble(self) -> None:
        for front in tuple(self._fronts):  # one that does not keep up is broken with
            self._bus.send(front, {"kind": "trouble", "trouble": _trouble()})

    def _say_figures(self) -> None:
        if self._fronts and (numbers := figures.present()):
            said = numbers.to_json()
            for front in tuple(self._fronts):
                self._bus.send(front, {"kind": "figures", "numbers": said})

    def _end_sockets(self, ending: open_sockets.SocketsEnd) -> None:
        # Only the given values: a front of an older release may not know all of them.
        said = {name: value for name, value in ending._asdict().items() if value}
        for front in tuple(self._fronts):
            self._bus.send(front, {"kind": "end sockets", "ending": said})


class MatchStream:
    """One match for one front: `say` is called with its state whenever the last such message has been taken."""

    def __init__(
        self, source: Matches, live: LiveMatch, say: Callable[[Message], None], over: Callable[[], None]
    ) -> None:
        """`over` is called when this process, a front itself, does not follow the match any more."""
        self._hub, self._host, self._live = source.hub, source.host, live
        self._say, self._over = say, over
        self._audiences: dict[str, Audience] = {}
        self._waits = self._news = False
        self._said: tuple[int, int] | None = None

    def read_by(self, readers: dict[str, int], lags: dict[str, int]) -> None:
        """The numbers of browsers there, by audience, and how slow the players' lines are. The front itself always
        counts as a watcher.
        """
        before = self._lags()
        for audience in self._live.viewers:
            people = readers.get(audience, 0)
            if people or not audience:
                if (there := self._audiences.get(audience)) is None:
                    there = self._audiences[audience] = Audience(audience, self.wake, self._over)
                    self._hub.view(self._live, there)
                there.people, there.lag_ms = people, lags.get(audience, 0)
            elif there := self._audiences.pop(audience, None):
                self._hub.unview(self._live, there)
        if self._lags() != before:
            self._hub.measured(self._live)

    def _lags(self) -> dict[str, int]:
        """How slow the lines are of the players who are there, of those that are slow."""
        return {audience: there.lag_ms for audience, there in self._audiences.items() if there.lag_ms}

    def move_to(self, live: LiveMatch) -> None:
        """This object of the match continues from now on."""
        if live is not self._live:
            readers = {audience: there.people for audience, there in self._audiences.items()}
            lags = self._lags()
            self.end()
            self._audiences.clear()
            self._live, self._said = live, None
            self.read_by(readers, lags)
            self.wake()

    def wake(self) -> None:
        """There may be something newer. It is sent once it is complete: a turn begins after its update."""
        if self._waits:
            self._news = True
        else:
            self._waits = True
            asyncio.get_running_loop().call_soon(self._tell)

    def _tell(self) -> None:
        """Players are woken at once and watchers a little later: what was sent for the former is not sent again."""
        self._news = False
        now = self._live.state.seq, self._live.version
        if now == self._said:
            self._waits = False
            return
        self._said = now
        self._say({"kind": "match", "match": self._live.id, "said": said_of(self._host, self._live).to_json()})

    def seen(self) -> None:
        """The front has taken the last message."""
        self._waits = self._news
        if self._news:
            self._tell()

    def end(self) -> None:
        for there in self._audiences.values():
            self._hub.unview(self._live, there)


class Audience:
    """All browsers of a front with the same view, as one viewer of the match."""

    def __init__(self, audience: str, wake: Callable[[], None], end: Callable[[], None]) -> None:
        self.audience, self.people, self.lag_ms = audience, 0, 0
        self.wake, self._end = wake, end

    def end(self, code: int, reason: str) -> None:
        self._end()


def said_of(host: Host | None, live: LiveMatch) -> HostSays:
    """What a front is told of a match besides its log."""
    if isinstance(live, FollowedMatch):
        return live.said.now()
    signals = frames.signals(live)
    return HostSays(
        seq=live.state.seq,
        left_ms=signals.left_ms or (None, None),
        runs=live.runs(),
        here=signals.here,
        back_ms=signals.back_ms,
        watching=signals.watching,
        lag_ms=signals.lag_ms,
        beside={audience: frames.of_room(host, live, audience) for audience in live.viewers},
        follows=frames.next_of(host, live),
        rounds=rounds_in_memory(host, live),
        featured=host is not None and host.hub.featured is live,
        at=0.0,
    )


async def _play(message: Message) -> None:
    source = matches()
    live = await source.load(message["match"])
    if live is None:
        raise Refusal("not_found", "There is no such match.")
    await source.play(live, message["player"], message["ply"], message["move"])


async def _answer(message: Message) -> Any:
    """Answer as the host; a front with its own page workers passes the question on."""
    question, host = message["question"], here_or_none()
    if host is None:
        return elsewhere.packed(await elsewhere.mirror().ask(question, message["arguments"]))
    try:
        asked = question_of(question)
        signature(asked).bind(host, *message["arguments"])
    except (LookupError, TypeError) as error:
        log.warning("a front of another release asks what this one cannot answer: %s, %s", question, error)
        raise NoHost("the host is of another release") from None
    with translation.override(message.get("language", USUAL)):
        return elsewhere.packed(await asked(host, *message["arguments"]))


def question_of(name: str) -> elsewhere.Question:
    """The function that answers this question. Raises KeyError."""
    if name not in elsewhere.questions:
        import_module(settings.ROOT_URLCONF)  # views ask, and this process may have made no page yet
    return elsewhere.questions[name]


def _trouble() -> list[Any] | None:
    found = storage_watch.trouble()
    return None if found is None else list(found)


def _nothing() -> None:
    """For a page whose player has no seat."""
