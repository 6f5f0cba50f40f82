"""What went over a bot's connection: recorded in order, made readable, bounded, and without tokens."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.bots.process.child import ChildBot
from arena.bots.session.wire import MOST_BYTES_OF_ERRORS, Wire, visible
from arena.bots.session.wire import lines_of as stored_lines
from arena.core.hub import LiveMatch
from arena.match.commands import Resign
from arena.match.state import Setup
from arena.match.wire_messages import Message
from arena.match.wire_pack import OVERHEAD
from arena.play.line import MOST_BYTES
from arena.protocols.droidcon.adapter import Droidcon
from arena.protocols.fiar.adapter import Fiar
from tests.bots.session.test_session import opening
from tests.kit.clients import Wire as Client
from tests.kit.refereeing import refereeing
from tests.kit.until import until


def lines_of(wire: Wire) -> list[dict[str, Any]]:
    return [json.loads(line) for line in wire.encode(wire.take())]


def texts_of(wire: Wire) -> list[str]:
    return [line["data"] for line in lines_of(wire)]


def test_lines_have_time_direction_text_and_move() -> None:
    wire = Wire()
    wire.zero = 100.0
    wire.ply = 17
    wire.received(b"PUT 3\n", 102.5)
    wire.complained(b"thinking\n")
    wire.sent(b"SUCCESS\n")
    first, second, third = lines_of(wire)
    assert first == {"t": 2.5, "dir": "in", "data": "PUT 3\\n", "ply": 17}
    assert (second["dir"], third["dir"], third["data"]) == ("err", "out", "SUCCESS\\n")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"PUT 3\n", "PUT 3\\n"),
        (b"3\r\n", "3\\r\\n"),
        (b"a\tb\x00\x7f", "a\\tb\\x00\\x7f"),
        (b"\\n", "\\\\n"),
        ("Grüße\n".encode(), "Grüße\\n"),
        (b"\xff\xfe\\", "\\xff\\xfe\\\\"),
        ("\u202egnp.exe\u0085".encode(), "\\xe2\\x80\\xaegnp.exe\\xc2\\x85"),
        (b"<script>", "<script>"),
        (b"", ""),
    ],
)
def test_every_byte_is_visible(data: bytes, text: str) -> None:
    assert visible(data) == text


def test_a_wire_that_grows_too_long_ends_with_a_line_that_says_so() -> None:
    wire = Wire()
    for _ in range(200):
        wire.received(b"x" * 16_000, 0.0)
    assert sum(len(data) for _, _, data, _ in wire.messages) <= MOST_BYTES
    lines = wire.encode(wire.take())
    assert sum(len(line) for line in lines[:-1]) <= MOST_BYTES
    assert json.loads(lines[-1])["data"] == "The arena keeps 1 MiB of a wire: more is not shown."
    wire.received(b"more", 0.0)
    assert wire.encode(wire.take()) == []


def test_bytes_that_grow_when_made_visible_are_bounded_too() -> None:
    wire = Wire()
    for _ in range(60):
        wire.received(b"\x00" * 16_000, 0.0)
    lines = wire.encode(wire.take())
    assert sum(len(line) for line in lines) <= MOST_BYTES + 200
    assert "1 MiB" in lines[-1]


def test_a_flood_on_stderr_leaves_room_for_the_moves() -> None:
    wire = Wire()
    for _ in range(MOST_BYTES_OF_ERRORS // 1000):
        wire.complained(b"!" * 2000)
    wire.received(b"PUT 3\n", 0.0)
    assert "PUT 3\\n" in texts_of(wire)


def test_a_flood_of_line_ends_becomes_few_rows() -> None:
    """Each is a row to be made for every reader: 250 000 of them took a second of the server's time."""
    wire = Wire()
    wire.received(b"1\n" * 200, 0.0)
    for _ in range(60):
        wire.complained(b"\n" * 1000)
        wire.received(b"\n" * 1000, 0.0)
    kept = wire.take()
    assert kept[0][2] == b"1\n" * 200
    assert sum(data.count(b"\n") for _, _, data, _ in kept) <= (MOST_BYTES + MOST_BYTES_OF_ERRORS) / OVERHEAD
    sent: list[Message] = [(0.0, "in", b"4\n", 1)]
    sent += [(0.0, "err", b"\n" * 50_000, 1) for _ in range(20)]
    from_worker = stored_lines(sent)
    assert "4" in from_worker[0] and sum(line.count(r"\n") for line in from_worker) <= MOST_BYTES / OVERHEAD


def test_a_long_message_becomes_short_lines() -> None:
    wire = Wire()
    wire.received(b"\x00" * 65_536, 0.0)
    lines = wire.encode(wire.take())
    assert len(lines) > 1 and all(len(line) <= 65_536 for line in lines)
    assert "".join(json.loads(line)["data"] for line in lines) == "\\x00" * 65_536


def test_a_token_that_comes_in_two_readings_is_masked_too() -> None:
    wire, shown = Wire(), []
    for part in (b"PUT 3\nSEA", b"T sec", b"ret\nPUT 4\n"):
        wire.received(part, 0.0)
        shown += texts_of(wire)
    assert shown == ["PUT 3\\nSEA", "T …", "…\\nPUT 4\\n"]


async def test_a_socket_bot_has_the_wire_of_its_match() -> None:
    async with opening() as open_seat:
        seat, port = await open_seat(Droidcon)
        async with Client.to(port) as bot:
            await bot.send("NAME gravity-9", "JOIN otter")
            live = await seat.round(1)
            await bot.until("YOUR_MOVE")
            await bot.send("PUT 3")
            await until(lambda: live.state.position.ply == 1)
            lines = lines_of(live.wires[0])
    assert live.wires[1] is None
    said = [(line["dir"], line["ply"]) for line in lines]
    assert said[0] == ("in", 0) and ("out", 1) in said and ("in", 1) in said
    text = "".join(line["data"] for line in lines)
    assert "NAME gravity-9\\nJOIN otter\\n" in text and "YOUR_MOVE\\n" in text and "PUT 3\\n" in text
    assert [line["t"] for line in lines] == sorted(line["t"] for line in lines)


async def test_each_round_has_a_wire_of_its_own_and_the_end_belongs_to_the_round() -> None:
    async with opening() as open_seat:
        seat, port = await open_seat(Droidcon, rounds=2, break_s=0.0)
        async with Client.to(port) as bot:
            await bot.send("NAME gravity-9", "JOIN otter")
            first = await seat.round(1)
            await seat.referee.act(first, Resign(1))
            second = await seat.round(2)
            await until(lambda: second.wires[1] is not None)
    assert first.wires[0] is not second.wires[1]
    assert "WON" in "".join(texts_of(first.wires[0]))
    assert "NAME" not in "".join(texts_of(second.wires[1]))


async def test_a_bot_that_comes_back_goes_on_with_its_wire() -> None:
    async with opening() as open_seat:
        seat, port = await open_seat(Fiar)
        seat.grace_s = 20.0
        async with Client.to(port) as bot:
            live = await seat.round(1)
            await bot.line()
            wire = live.wires[0]
        await until(lambda: bool(seat.lost_sessions))
        async with Client.to(port) as bot:
            await bot.line()
            assert live.wires[0] is wire
            assert sum(text.startswith("@ ") for text in texts_of(wire)) == 2


async def test_what_a_child_writes_to_stderr_is_in_its_wire(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text("import sys\nprint('hello', file=sys.stderr, flush=True)\ninput()\nsys.stderr.write('asked')\n")
    async with refereeing() as referee:
        bot = ChildBot(referee, Fiar, [sys.executable, str(script)], "child", tmp_path)
        await bot.prepare()
        live = await opened(referee, bot)
        bot.take_seat(live, 0)
        await referee.start(live)
        await until(lambda: live.over)
        lines = lines_of(live.wires[0])
        await bot.close()
    assert "".join(line["data"] for line in lines if line["dir"] == "err") == "hello\\nasked"
    assert [line["data"][:2] for line in lines if line["dir"] == "out"] == ["@ "]


async def opened(referee: Any, bot: ChildBot) -> LiveMatch:
    live: LiveMatch = await referee.open(Setup("connect-four-7x6", (bot.setup, bot.setup), clock="none"))
    return live
