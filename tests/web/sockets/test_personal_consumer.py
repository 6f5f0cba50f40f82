"""The websocket of a person tells what they are asked, and is for nobody without a name here."""

from __future__ import annotations

from arena.host import Host
from arena.web.sockets import consumers
from tests.kit.browsing import Person
from tests.web.room.test_challenging import challenge, code_of, people
from tests.web.sockets.test_consumers import opened


async def test_both_hear_at_once_what_becomes_of_a_challenge(host: Host) -> None:
    ada, bob = await people(host, "Ada", "Bob")
    async with opened(bob, "/ws/me/") as bobs, opened(ada, "/ws/me/") as adas:
        room = await challenge(ada, "bob")
        assert "<bdi>Ada</bdi>" in await bobs.until("challenges you")
        assert "Waiting for" in await adas.until("Withdraw")
        await bob.post(f"/challenges/{code_of(room)}/decline/")
        assert "challenges you" not in await bobs.text()
        await adas.until("Bob has declined.")
        await adas.send(ply=1, move="4")
        assert "only listens" in await adas.until("toast")


async def test_it_is_for_nobody_without_a_name(host: Host) -> None:
    async with opened(Person(), "/ws/me/") as socket:
        assert await socket.code() == consumers.GONE
