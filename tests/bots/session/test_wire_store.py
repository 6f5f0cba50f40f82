"""Wires in the database: in order, in chunks, also across a restart, and never in the way."""

from __future__ import annotations

import json
import time

import pytest
from django.db import OperationalError

from arena.bots.session.wire import Wire, join_match
from arena.bots.session.wire_store import WireStore
from arena.core.hub import Hub, LiveMatch
from arena.host import Host
from arena.match.state import SeatSetup, Setup
from arena.match.wire_pack import unpack
from arena.models import Seat, WireChunk
from tests.kit.deadline import DEADLINE_S
from tests.kit.until import asked_until, until

BOTS = (SeatSetup("gravity-9", "bot", protocol="droidcon"), SeatSetup("fiar-lisp", "bot", protocol="fiar"))


async def match_of_bots(host: Host) -> tuple[LiveMatch, Wire]:
    live = await host.referee.open(Setup("connect-four-7x6", BOTS))
    return live, join_match(Wire(), live, 0)


def texts(jsonl: str) -> list[str]:
    return [json.loads(line)["data"] for line in jsonl.splitlines()]


async def chunk_numbers() -> list[int]:
    return [n async for n in WireChunk.objects.order_by("n").values_list("n", flat=True)]


async def packed_rows() -> list[bytes]:
    rows = WireChunk.objects.order_by("n").values_list("packed", flat=True)
    return [bytes(row) async for row in rows if row is not None]


async def test_what_is_read_is_complete_and_in_order(host: Host) -> None:
    live, wire = await match_of_bots(host)
    wire.sent(b"YOUR_MOVE\n")
    assert texts(await host.wires.read(live, 0)) == ["YOUR_MOVE\\n"]
    wire.received(b"PUT 3\n", 0.0)
    assert texts(await host.wires.read(live, 0)) == ["YOUR_MOVE\\n", "PUT 3\\n"]
    assert await host.wires.read(live, 1) == ""


async def test_a_wire_that_has_waited_is_stored_without_being_read_and_a_new_one_later(host: Host) -> None:
    (_, wire), (_, new) = await match_of_bots(host), await match_of_bots(host)
    wire.received(b"NAME gravity-9\n", stamp=0.0)
    wire.sent(b"YOUR_MOVE\n")
    new.received(b"NAME fiar-lisp\n", stamp=time.monotonic() + DEADLINE_S)
    await until(lambda: not wire.messages)
    await asked_until(chunk_numbers, lambda numbers: numbers == [2])
    assert new.messages


async def test_the_wire_of_a_match_that_is_over_is_stored_at_once(host: Host) -> None:
    live, wire = await match_of_bots(host)
    await host.referee.abort(live, "admin_abort", "enough")
    wire.received(b"PUT 3\n", stamp=time.monotonic() + DEADLINE_S)
    await until(lambda: not wire.messages)
    await asked_until(chunk_numbers, lambda numbers: numbers == [1])


async def test_much_becomes_many_chunks(host: Host) -> None:
    live, wire = await match_of_bots(host)
    for _ in range(40):
        wire.received(b"x" * 4000, 0.0)
    assert texts(await host.wires.read(live, 0)) == ["x" * 4000] * 40
    rows = [unpack(packed) for packed in await packed_rows()]
    sizes = [sum(len(data) for _, _, data, _ in row) for row in rows]
    assert len(sizes) > 1 and max(sizes) <= WireChunk.MOST_BYTES


async def test_of_a_match_that_is_over_there_is_one_small_row_a_seat(host: Host) -> None:
    live, wire = await match_of_bots(host)
    for ply in range(1, 43):
        wire.ply = ply
        wire.sent(b"PUT 3\nYOUR_MOVE\n")
        wire.received(b"PUT 4\n", 0.0)
        await host.wires.flush([live])
    running = await host.wires.read(live, 0)
    assert len(await packed_rows()) == 42
    await host.referee.abort(live, "admin_abort", "enough")
    wire.sent(b"YOU_WON\n")
    whole = await host.wires.read(live, 0)
    (row,) = await packed_rows()
    assert whole.startswith(running) and texts(whole)[-1] == "YOU_WON\\n" and len(texts(whole)) == 85
    assert len(row) * 6 < len(whole)


async def test_who_reads_along_is_given_each_message_once_also_when_its_row_becomes_a_part_of_another(
    host: Host,
) -> None:
    live, wire = await match_of_bots(host)
    given, seen = [], 0
    for message in (b"one\n", b"two\n", b"three\n"):
        wire.sent(message)
        jsonl, seen = await host.wires.read_on(live, 0, seen)
        given += texts(jsonl)
    await host.referee.abort(live, "admin_abort", "enough")
    for message in (b"four\n", b"five\n"):
        wire.sent(message)
        jsonl, seen = await host.wires.read_on(live, 0, seen)
        given += texts(jsonl)
    assert given == ["one\\n", "two\\n", "three\\n", "four\\n", "five\\n"]
    assert await host.wires.read_on(live, 0, seen) == ("", seen)


async def test_rows_of_a_release_before_are_read_with_those_of_now(host: Host) -> None:
    live, wire = await match_of_bots(host)
    seat = await Seat.objects.aget(match=live.id, seat=0)
    for n in (1, 2):
        line = json.dumps({"t": 0.5, "dir": "in", "data": f"{n}\\n", "ply": 1}) + "\n"
        await WireChunk.objects.acreate(seat=seat, n=n, jsonl=line)
    await host.referee.abort(live, "admin_abort", "enough")
    for message in (b"3\n", b"4\n"):
        wire.sent(message)
        await host.wires.flush([live])
    assert texts(await host.wires.read(live, 0)) == ["1\\n", "2\\n", "3\\n", "4\\n"]
    assert await chunk_numbers() == [1, 2, 4]


async def test_after_a_restart_a_wire_goes_on_where_it_was(host: Host) -> None:
    live, wire = await match_of_bots(host)
    wire.sent(b"one\n")
    await host.wires.flush([live])
    live.wires[0] = None
    join_match(Wire(), live, 0).sent(b"two\n")
    assert texts(await host.wires.read(live, 0)) == ["one\\n", "two\\n"]
    assert await chunk_numbers() == [1, 2]


async def test_the_end_of_the_host_stores_what_is_left(host: Host) -> None:
    _, wire = await match_of_bots(host)
    wire.sent(b"0 0 0 1")
    await host.stop()
    (row,) = await packed_rows()
    assert [data for _, _, data, _ in unpack(row)] == [b"0 0 0 1"]


async def test_a_match_that_is_not_stored_has_no_wire_and_harms_no_other(host: Host) -> None:
    live, wire = await match_of_bots(host)
    stray = LiveMatch("nowhere", live.state, live.events)
    join_match(Wire(), stray, 0).sent(b"lost\n")
    wire.sent(b"kept\n")
    await host.wires.flush([stray, live])
    assert texts(await host.wires.read(live, 0)) == ["kept\\n"]
    assert await chunk_numbers() == [1]


async def test_a_database_that_fails_leaves_a_gap_and_a_line_in_the_log(
    host: Host, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, wire = await match_of_bots(host)

    def full(*_: object) -> None:
        raise OperationalError("database or disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(WireChunk.objects, "bulk_create", full)
        wire.sent(b"lost\n")
        await host.wires.flush([live])
    assert "database or disk is full" in caplog.text
    wire.sent(b"kept\n")
    assert texts(await host.wires.read(live, 0)) == ["kept\\n"]


async def test_matches_of_another_hub_can_be_stored(host: Host) -> None:
    live, wire = await match_of_bots(host)
    wire.sent(b"YOUR_MOVE\n")
    store = WireStore(Hub())
    await store.flush([live])
    await store.close()
    assert texts(await host.wires.read(live, 0)) == ["YOUR_MOVE\\n"]
