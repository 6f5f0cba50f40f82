"""What bots think, beside the board: at the shown position, and for nobody who may not read their wires."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from arena.bots.session.wire import Wire, join_match
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.state import SeatSetup, Setup
from arena.models import Bot, Room, WireChunk
from tests.kit.browsing import HTMX, Person, text
from tests.web.match.test_wire import BOT, over, registered, staff

CARD = "What the bots think"


async def a_match(host: Host, bot: SeatSetup = BOT, room: int | None = None) -> tuple[LiveMatch, Wire]:
    """Two moves: Ada's, and that of the bot on seat 1, which has thought for both of its turns."""
    live = await host.referee.open(Setup("connect-four-7x6", (SeatSetup("Ada"), bot), room=room))
    wire = join_match(Wire(), live, 1)
    await host.referee.start(live)
    for ply, move in ((1, "4"), (2, "4"), (3, "3")):
        wire.ply = ply + ply % 2
        if ply != 2:
            wire.complained(f"#eval 0.{ply} #pv 4 {ply}\n".encode())
        await host.referee.play(live, (ply - 1) % 2, ply, move)
    return live, wire


async def thoughts(live: LiveMatch, person: Person | None = None, query: str = "") -> str:
    where = {**HTMX, "HX-Current-URL": f"https://arena.example/m/{live.id}/{query}"}
    return text(await (person or Person()).get(f"/m/{live.id}/thoughts/", **where))


async def page(live: LiveMatch, person: Person | None = None, query: str = "") -> str:
    return text(await (person or Person()).get(f"/m/{live.id}/{query}"))


# -- where -------------------------------------------------------------------------------------------------------------


async def test_the_page_of_a_finished_match_shows_those_of_its_position(host: Host) -> None:
    live, _ = await a_match(host)
    await over(host, live)
    for query, shown in (("", "4 3"), ("?ply=3", "4 3"), ("?ply=2", "4 1"), ("?ply=99", "4 3")):
        for where in (await page(live, query=query), await thoughts(live, query=query)):
            assert f'<span class="num">{shown}</span>' in where and "gravity-9" in where, query
    assert "No bot has said here" in await thoughts(live, query="?ply=0")
    assert "4 3" in await thoughts(live, query="?ply=x"), "no number is the newest"
    assert "intersect" not in await thoughts(live), "nothing more will come"
    german = await Person().get(f"/m/{live.id}/thoughts/", **{**HTMX, "Arena-Language": "de"})
    assert "Erwartete Züge:" in text(german) and "+0,30" in text(german)


async def test_a_running_match_is_asked_when_its_card_is_seen(host: Host) -> None:
    live, wire = await a_match(host, await registered(wire="public"))
    shown = await page(live)
    assert CARD in shown and "#thoughts" not in shown and "+0.30" not in shown
    assert 'hx-trigger="arena:ply, intersect"' in shown, "it does not hear what is said to the document"
    assert "+0.30" in (now := await thoughts(live)) and "delay:2s" in now
    wire.complained(b"#eval 0.9 #sa")
    assert "+0.30" in await thoughts(live)
    wire.complained(b"y <b>Mine</b>\n")
    assert "+0.90" in (now := await thoughts(live)) and "&lt;b&gt;Mine&lt;/b&gt;" in now
    assert "+0.10" in await thoughts(live, query="?ply=2")
    await host.wires.flush([live])
    assert "+0.90" in await thoughts(live)
    live.wires[1] = None  # as after a restart
    assert "No bot has said here" in (now := await thoughts(live)) and "delay:10s" in now
    assert "+0.10" in await thoughts(live, query="?ply=2")


async def test_a_match_without_thoughts_has_no_card_when_it_is_over(host: Host) -> None:
    live = await host.referee.open(Setup("connect-four-7x6", (SeatSetup("Ada"), BOT)))
    wire = join_match(Wire(), live, 1)
    await host.referee.start(live)
    wire.complained(b"thinking\n#eval NaN\n")
    await over(host, live)
    assert CARD not in await page(live)
    assert "No bot has said here" in await thoughts(live)


@pytest.mark.parametrize("row", [{"jsonl": '{"t": 1, "dir": "err", "data": "#eval 1", "ply": 2}\n'}, {"packed": b"x"}])
async def test_what_cannot_be_read_is_not_shown(host: Host, row: dict[str, object]) -> None:
    live, _ = await a_match(host)
    await over(host, live)
    await host.wires.flush([live])
    await WireChunk.objects.all().aupdate(**{"packed": None, **row})
    assert CARD not in await page(live)


async def test_people_have_no_thoughts(host: Host) -> None:
    live = await host.referee.open(Setup("connect-four-7x6", (SeatSetup("Ada"), SeatSetup("Ben"))))
    assert CARD not in await page(live)
    assert (await Person().get(f"/m/{live.id}/thoughts/")).status_code == 404


# -- who ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", ["owner", "after", "public"])
async def test_they_are_as_private_as_the_wire(host: Host, wire: str) -> None:
    owner = await User.objects.acreate_user("teal")
    mine, watcher = Person(), await staff()
    await mine.client.aforce_login(owner)
    live, _ = await a_match(host, await registered(owner=owner, wire=wire))
    for is_over in (False, True):
        if is_over:
            await over(host, live)
        is_open = wire == "public" or (wire == "after" and is_over)
        for query in ("", "?ply=2"):
            assert ("+0." in await thoughts(live, query=query)) == is_open
            assert (CARD in await page(live, query=query)) == is_open
            assert is_over == ("+0." in await page(live, mine, query))
            assert "+0." in await thoughts(live, mine, query) and "+0." in await thoughts(live, watcher, query)
    assert ("no-store" in (await mine.get(f"/m/{live.id}/")).get("Cache-Control", "")) == (wire == "owner")
    assert "no-store" in (await mine.get(f"/m/{live.id}/thoughts/"))["Cache-Control"]


async def test_a_wire_that_becomes_private_is_private_at_once(host: Host) -> None:
    live, _ = await a_match(host, await registered(wire="public"))
    assert "+0.30" in await thoughts(live)
    await Bot.objects.aupdate(wire="owner")
    told = await thoughts(live)
    assert "its owner has not shared it" in told and "+0.30" not in told and "intersect" not in told


async def test_of_two_bots_the_one_is_seen_whose_wire_is_open(host: Host) -> None:
    live, _ = await a_match(host, await registered(wire="owner"))
    await over(host, live)
    assert CARD not in await page(live)
    seats = (SeatSetup("orbit-2", "bot", protocol="droidcon"), live.state.setup.seats[1])
    both = await host.referee.open(Setup("connect-four-7x6", seats))
    await host.referee.start(both)
    for seat in (0, 1):
        join_match(Wire(), both, seat).complained(b"#say I am %d\n" % seat)
    await over(host, both)
    for where in (await page(both), await thoughts(both)):
        assert "I am 0" in where and "I am 1" not in where


async def test_a_match_that_one_may_not_see_has_no_thoughts(host: Host) -> None:
    room = await Room.objects.acreate(code="OTTER", shown_code="otter", private=True, variant="connect-four-7x6")
    live, _ = await a_match(host, await registered(wire="public"), room=room.pk)
    assert (await Person().get(f"/m/{live.id}/thoughts/")).status_code == 404
