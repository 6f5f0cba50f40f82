"""Many finished matches at once: whole, only what is public, page by page."""

from __future__ import annotations

import json
import re
import zlib
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from arena import host as hosting
from arena.host import Host
from arena.models import Bot, Event, Match, PackedLog, Room, Seat, WireChunk
from arena.web.api import streams
from arena.web.match import stored
from tests.kit.browsing import Person, text
from tests.kit.history import WON, a_bot, match, person
from tests.web.api.test_api import read
from tests.web.match.test_wire import a_match as with_a_wire

ALL = "/api/v1/bulk/matches/"


LATER = stored.WIRES_WITHIN


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "WIRES_WITHIN", timedelta())


async def lines(address: str) -> tuple[list[dict[str, Any]], str]:
    """The matches, and the address of the rest."""
    answer: Any = await Person().get(address)
    assert answer.status_code == 200, text(answer)
    assert (
        answer["Content-Type"] == "application/x-ndjson; charset=utf-8" and answer["Access-Control-Allow-Origin"] == "*"
    )
    body = b"".join([part async for part in answer.streaming_content]).decode()
    answer.close()
    rest = re.fullmatch(r'<([^>]+)>; rel="next"', answer.get("Link", ""))
    return [json.loads(line) for line in body.split("\n")[:-1]], rest[1] if rest else ""


async def test_each_line_is_a_match_as_at_its_own_address(host: Host) -> None:
    mira = await person()
    live = await match(host, mira, moves=WON)
    (line,), rest = await lines(ALL)
    wires = line.pop("wires")
    assert line == await read(f"/api/v1/matches/{live.id}/") and line["moves"] and line["head"]
    assert (wires, rest) == ([None, None], "")


async def test_a_match_waits_for_the_rest_of_its_wires(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "WIRES_WITHIN", LATER)
    live = await match(host, await person())
    assert (await lines(ALL))[0] == []
    row = await Match.objects.aget(pk=live.id)
    assert row.ended is not None
    await Match.objects.filter(pk=live.id).aupdate(ended=row.ended - LATER)
    assert [each["id"] for each in (await lines(ALL))[0]] == [live.id]


async def test_a_page_worker_gives_it_out_as_soon_as_the_host_and_whatever_is_ruled_later(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "WIRES_WITHIN", LATER)
    live, _ = await with_a_wire(host)
    await host.referee.resign(live, 0)
    await host.wires.flush([live])
    ended = live.events[-1].at - LATER
    await Event.objects.filter(match=live.id, kind="ended").aupdate(at=ended)
    await Match.objects.filter(pk=live.id).aupdate(ended=ended)
    await host.referee.rule(live, "void", None, "the cable was pulled", "staff 1")
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(hosting, "_here", [])
        ((line,), _) = await lines(ALL)
    assert line["wires"][0] is None and line["wires"][1][-1]["data"].startswith("put 5")


async def test_it_is_sent_compressed_to_whoever_can_read_that(host: Host) -> None:
    mira = await person()
    ids = [(await match(host, mira, moves=WON)).id for _ in range(3)]
    answer: Any = await Person().get(ALL, **{"Accept-Encoding": "gzip"})
    body = b"".join([part async for part in answer.streaming_content])
    answer.close()
    file = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    assert [json.loads(line)["id"] for line in file.decompress(body).splitlines()] == ids[::-1]
    assert file.eof and not file.unused_data, "one file, of which readers read no second one"
    assert (answer["Content-Encoding"], streams._seats.open) == ("gzip", 0)


async def test_all_come_page_by_page_and_by_the_filters_of_the_list(host: Host) -> None:
    mira, noa = await person(), await person("Noa")
    ids = [(await match(host, mira if n % 2 else noa)).id for n in range(5)]
    address, seen = f"{ALL}?limit=2", list[str]()
    while address:
        found, address = await lines(address)
        seen += [each["id"] for each in found]
    assert seen == ids[::-1]
    assert [each["id"] for each in (await lines(f"{ALL}?player=noa"))[0]] == ids[::-2]
    for wrong, status in (("?state=ended", 400), ("?player=nobody", 404), ("?limit=0", 400), ("?since=now", 400)):
        answer = await Person().get(f"{ALL}{wrong}")
        assert answer.status_code == status and "error" in json.loads(text(answer))


@pytest.mark.parametrize("shared", [True, False])
async def test_a_wire_is_there_if_its_owner_shares_it(host: Host, shared: bool) -> None:
    bot = await a_bot(wire=Bot.Wire.AFTER if shared else Bot.Wire.OWNER)
    live = await match(host, await person(), await sync_to_async(lambda: bot.player)(), moves=WON)
    seat = (await Seat.objects.aget(match=live.id, seat=1)).pk
    said = ['{"t": 0.5, "dir": "in", "ply": 1, "data": "PUT 3\\\\n"}', '{"t": 0.6, "dir": "out", "data": "\u2028"}']
    await WireChunk.objects.acreate(seat_id=seat, n=1, jsonl="".join(f"{each}\n" for each in said))
    (line,), _ = await lines(ALL)
    assert line["wires"] == [None, [json.loads(each) for each in said] if shared else None]


async def test_what_is_private_or_damaged_is_left_out(host: Host) -> None:
    mira = await person()
    room = await Room.objects.acreate(code="SECRET", shown_code="secret", variant="connect-four-7x6", private=True)
    await match(host, mira, room=room.pk)
    damaged, shown = await match(host, mira, moves="12"), await match(host, mira)
    ended = await Event.objects.aget(match=damaged.id, kind="ended")
    await PackedLog.objects.acreate(ended=ended, events=b"no log")
    assert [each["id"] for each in (await lines(ALL))[0]] == [shown.id]


async def test_it_holds_a_place_among_the_streams_until_it_is_read(host: Host) -> None:
    await match(host, await person())
    answer: Any = await Person().get(ALL)
    assert streams._seats.open == 1
    answer.close()
    assert streams._seats.open == 0
    head: Any = await Person().client.head(ALL)
    assert (head.status_code, b"".join(head.streaming_content)) == (200, b"")
    head.close()
    assert streams._seats.open == 0


async def test_it_is_named_by_the_index_and_the_document(host: Host) -> None:
    assert (await read("/api/"))["bulk"] == "/api/bulk/matches/"
    paths = json.loads(text(await Person().get("/api/v1/openapi.json")))["paths"]
    (said,) = paths["/bulk/matches/"]["get"]["responses"]["200"]["content"]
    assert said == "application/x-ndjson"
