"""The websocket of a person tells what they are asked, and is for nobody without a name here."""

from __future__ import annotations

import re

from arena.host import Host
from arena.models import Player
from arena.tournaments.spec import EntrySpec
from arena.web.sockets import consumers
from tests.kit.browsing import HTMX, Person, text
from tests.kit.tournaments import a_begun, a_spec, builtins
from tests.web.people.test_accounts import account
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


async def an_event_for(name: str) -> None:
    """It has begun, and this person's match waits for them."""
    player = await Player.objects.aget(name=name)
    entries = (*builtins(1), EntrySpec(name, "person", player=player.pk, agrees=True))
    await a_begun(a_spec(2, entries=entries))


async def test_an_event_calls_its_player_on_any_page(host: Host) -> None:
    mira = await account("Mira K")
    async with opened(mira, "/ws/me/") as socket:
        await an_event_for("Mira K")
        page = await socket.until("<b>Spring cup</b> calls you to a match")
        room = re.search(r'href="(/r/[^"]+/)">Sit down<', page)
        assert room is not None and f'data-at="{room[1]} /t/spring-cup/"' in page
        assert "calls you to a match" in text(await mira.get("/"))
        async with opened(mira, f"/ws{room[1]}"):
            await mira.post(f"{room[1]}sit/")
            assert "calls you" not in await socket.text()


async def test_a_call_that_is_hidden_is_hidden_on_every_page_and_goes_on(host: Host) -> None:
    mira = await account("Mira K")
    async with opened(mira, "/ws/me/") as socket, opened(mira, "/ws/me/") as other:
        await an_event_for("Mira K")
        hide = re.search(r'formaction="(/challenges/([^/"]+)/note/)">Hide<', await socket.until("calls you"))
        assert hide is not None and "calls you" in await other.until("calls you")
        assert (await mira.post(hide[1], HTMX)).status_code == 204
        assert "calls you" not in await socket.text() + await other.text()
        assert "calls you" not in text(await mira.get("/"))
        assert f"/r/{hide[2]}/" in text(await mira.get("/t/spring-cup/"))


async def test_it_is_for_nobody_without_a_name(host: Host) -> None:
    async with opened(Person(), "/ws/me/") as socket:
        assert await socket.code() == consumers.GONE
