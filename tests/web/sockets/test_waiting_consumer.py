"""The websocket of a room: it tells readers with the code that something has changed, and takes nothing."""

from __future__ import annotations

from arena.host import Host
from arena.web.sockets import consumers
from tests.kit.browsing import Person
from tests.web.sockets.test_consumers import opened


async def test_it_says_that_something_has_changed_and_nothing_else(host: Host) -> None:
    person = Person()
    created = await person.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    code = created["Location"].split("/")[2]
    async with opened(Person(), f"/ws/r/{code}/") as socket:
        # Both that the page may be older than its socket and that somebody has arrived.
        assert await socket.text() == '<div id="nudge" data-changes="1" hidden></div>'
        await person.post(f"/r/{code}/leave/")
        assert await socket.text() == '<div id="nudge" data-changes="2" hidden></div>'
        await socket.send(ply=1, move="4")
        assert "only listens" in await socket.until("toast")


async def test_a_room_that_is_not_there_has_no_socket(host: Host) -> None:
    async with opened(Person(), "/ws/r/nosuch/") as socket:
        assert await socket.code() == consumers.GONE
