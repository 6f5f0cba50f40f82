"""The bus, on a real Redis and on a Unix socket: in order, and whatever is lost is noticed by both sides."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple

import pytest

from arena.cluster import bus as bus_module
from arena.cluster.bus import Bus, Message, heard_as
from arena.cluster.bus_transports import BusTransport, RedisTransport, SocketTransport
from tests.kit.processes import Redis
from tests.kit.until import until

pytestmark = pytest.mark.service


class Process:
    """One process on the bus, and what it hears."""

    def __init__(self, transport: BusTransport) -> None:
        self.heard: list[tuple[str, Message]] = []
        self.broken: list[str] = []
        self.bus = Bus(transport, lambda peer, message: self.heard.append((peer, message)), self.broken.append)

    @property
    def said(self) -> list[Any]:
        return [message["say"] for _, message in self.heard]


def transports(carrier: str, redis: Redis) -> tuple[BusTransport, BusTransport]:
    """Of two processes that can hear each other."""
    if carrier == "redis":
        return RedisTransport(redis.url, "test"), RedisTransport(redis.url, "test")
    one, other = socket.socketpair()
    return SocketTransport(one), SocketTransport(other)


@pytest.fixture
async def pair(
    redis: Redis, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[tuple[Process, Process]]:
    monkeypatch.setattr(bus_module, "BEAT_S", 0.1)
    one, other = (Process(transport) for transport in transports(getattr(request, "param", "redis"), redis))
    await one.bus.start()
    await other.bus.start()
    yield one, other
    await one.bus.close()
    await other.bus.close()


on_both = pytest.mark.parametrize("pair", ["redis", "socket"], indirect=True)


@on_both
async def test_messages_come_in_order_and_answers_too(pair: tuple[Process, Process]) -> None:
    one, other = pair
    for number in range(2000):
        one.bus.send(other.bus.name, {"kind": "t", "say": number})
    await until(lambda: len(other.heard) == 2000)
    assert other.said == list(range(2000)) and {peer for peer, _ in other.heard} == {one.bus.name}
    other.bus.send(one.bus.name, {"kind": "t", "say": "heard"})
    await until(lambda: one.said == ["heard"])
    assert one.broken == other.broken == []


@on_both
async def test_what_waits_can_be_added_to(pair: tuple[Process, Process]) -> None:
    one, other = pair
    one.bus.send(other.bus.name, {"kind": "t", "say": [1]})
    newest = one.bus.newest(other.bus.name)
    assert newest is not None
    newest["say"].append(2)
    await until(lambda: other.said == [[1, 2]])
    assert one.bus.newest(other.bus.name) is None


async def test_nobody_there_is_a_break(pair: tuple[Process, Process]) -> None:
    one, _ = pair
    one.bus.send("nobody", {"kind": "t", "say": 1})
    await until(lambda: one.broken == ["nobody"])


@on_both
async def test_a_peer_that_has_gone_is_missed(pair: tuple[Process, Process]) -> None:
    one, other = pair
    one.bus.send(other.bus.name, {"kind": "t", "say": 1})
    await until(lambda: other.said == [1])
    await other.bus.close()
    await until(lambda: one.broken == [other.bus.name])


@on_both
async def test_a_lost_message_is_a_break_for_both_and_they_go_on(pair: tuple[Process, Process]) -> None:
    one, other = pair
    one.bus.send(other.bus.name, {"kind": "t", "say": 1})
    await until(lambda: other.said == [1])
    one.bus._peers[other.bus.name].sent += 1  # as if Redis had forgotten one
    one.bus.send(other.bus.name, {"kind": "t", "say": 3})
    await until(lambda: other.broken == [one.bus.name] and one.broken == [other.bus.name])
    assert 3 not in other.said, "what stands behind a gap is never told"
    one.bus.send(other.bus.name, {"kind": "t", "say": 4})
    other.bus.send(one.bus.name, {"kind": "t", "say": 5})
    await until(lambda: 4 in other.said and 5 in one.said)
    assert len(other.broken) == 1 and len(one.broken) == 1


async def test_redis_restarts_and_both_begin_anew(redis: Redis, pair: tuple[Process, Process]) -> None:
    one, other = pair
    one.bus.send(other.bus.name, {"kind": "t", "say": 1})
    await until(lambda: other.said == [1])
    await asyncio.to_thread(redis.stop)
    await until(lambda: one.broken == [other.bus.name] and other.broken == [one.bus.name])
    assert not one.bus.up
    await asyncio.to_thread(redis.start)
    await until(lambda: one.bus.up and other.bus.up)
    one.bus.send(other.bus.name, {"kind": "t", "say": 2})
    await until(lambda: 2 in other.said)


async def test_it_starts_without_redis_and_says_so() -> None:
    alone = Process(RedisTransport("redis://127.0.0.1:1/0", "test"))
    await alone.bus.start()
    assert not alone.bus.up
    alone.bus.send("somebody", {"kind": "t", "say": 1})
    await until(lambda: alone.broken == ["somebody"])
    await alone.bus.close()


class Held:
    """A transport that delivers when it is told to."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    async def listen(self, name: str, begun: Callable[[], None], heard: Callable[[str], None]) -> None:
        self.heard = heard
        begun()
        await asyncio.Event().wait()

    async def publish(self, peer: str, text: str) -> bool:
        self.sent.append(text)
        return True

    async def close(self) -> None:
        """Nothing is open."""


async def test_two_that_begin_again_in_the_same_moment_find_each_other() -> None:
    """As after a pause of both: each has said something new before it hears what the other has."""
    held, others = Held(), Held()
    one, other = Process(held), Process(others)
    await one.bus.start()
    await other.bus.start()
    ways = ((held, others), (others, held))

    async def says(who: Process, to: Process, way: Held, what: int) -> None:
        before = len(way.sent)
        who.bus.send(to.bus.name, {"kind": "t", "say": what})
        await until(lambda: len(way.sent) > before)

    await says(one, other, held, 1)
    await says(other, one, others, 2)
    others.heard(held.sent.pop(0))
    one.bus.forget(other.bus.name)
    await says(one, other, held, 3)
    held.heard(others.sent.pop(0))
    for number in range(10):
        breaks = len(one.broken) + len(other.broken)
        for way, back in ways:
            while way.sent:
                back.heard(way.sent.pop(0))
        await says(one, other, held, 10 + number)
        await says(other, one, others, 20 + number)
    assert len(one.broken) + len(other.broken) == breaks <= 3
    assert other.said[-1] == 18 and one.said[-1] == 28
    await one.bus.close()
    await other.bus.close()


@on_both
async def test_who_does_not_read_is_broken_with(pair: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = pair
    monkeypatch.setattr(bus_module, "MOST_WAITING", 10)
    for number in range(11):
        one.bus.send(other.bus.name, {"kind": "t", "say": number})
    assert one.broken == [other.bus.name]


@on_both
async def test_a_message_that_cannot_be_written_is_a_break_and_they_go_on(pair: tuple[Process, Process]) -> None:
    one, other = pair
    one.bus.send(other.bus.name, {"kind": "t", "say": {1, 2}})
    await until(lambda: one.broken == [other.bus.name])
    one.bus.send(other.bus.name, {"kind": "t", "say": 3})
    await until(lambda: other.said == [3])


async def test_what_is_no_envelope_is_dropped(pair: tuple[Process, Process], redis: Redis) -> None:
    one, other = pair
    stranger = RedisTransport(redis.url, "test")
    for text in ("hello", "[]", "{}", '{"from": "x", "session": "y", "n": 1, "messages": 5}', "\udcff"):
        await stranger.publish(other.bus.name, text.encode("utf-8", "surrogateescape"))  # type: ignore[arg-type]
    await stranger.close()
    one.bus.send(other.bus.name, {"kind": "t", "say": 1})
    await until(lambda: other.said == [1])
    assert other.bus.up


class Weather(NamedTuple):
    place: str
    warm: bool = False
    days: tuple[int, ...] = ()


def test_a_message_of_another_release_may_say_less_or_more() -> None:
    assert heard_as(Weather, {"place": "Bonn", "days": [1, 2]}) == Weather("Bonn", days=(1, 2))
    assert heard_as(Weather, {"place": "Bonn", "warm": True, "wind": 3}) == Weather("Bonn", warm=True)
    with pytest.raises(TypeError, match="place"):
        heard_as(Weather, {"warm": True})
