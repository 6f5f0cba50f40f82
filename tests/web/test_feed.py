"""The lobby's feed: rendered while somebody looks, once for all, and sent when it is another one."""

from __future__ import annotations

from arena.host import Host
from arena.web import feed
from tests.web.browsing import Person, two_people, until


class Reader:
    def __init__(self) -> None:
        self.woken = 0

    def wake(self) -> None:
        self.woken += 1


async def test_all_readers_share_one_rendering(host: Host) -> None:
    readers = [Reader() for _ in range(20)]
    for reader in readers:
        feed.of(host).view(reader)
    assert feed.of(host).renders == 1
    await Person().post("/r/new/", variant="expanding-nim", clock="5s", rounds="2")
    await until(lambda: all(reader.woken for reader in readers))
    assert feed.of(host).renders < len(readers)
    for reader in readers:
        feed.of(host).unview(reader)


async def test_nothing_is_rendered_when_nobody_looks_and_the_newest_when_somebody_does(host: Host) -> None:
    lobby, reader = feed.of(host), Reader()
    lobby.view(reader)
    lobby.unview(reader)
    before = lobby.renders
    live, first, _ = await two_people(host)
    await first.play(live, "4")
    assert lobby.renders == before and live.id not in lobby.text
    lobby.view(reader)
    assert live.id in lobby.text
    lobby.unview(reader)


async def test_the_shown_match_stays_for_a_while_when_a_newer_one_begins(host: Host) -> None:
    live, first, _ = await two_people(host)
    await first.play(live, "4")
    lobby = feed.of(host)
    shown = lobby.lobby()["featured"]
    assert shown is not None and shown["id"] == live.id
    other, third, _ = await two_people(host)
    await third.play(other, "4")
    after = lobby.lobby()
    assert after["featured"]["id"] == live.id
    assert [each["id"] for each in after["lives"]] == [other.id]
