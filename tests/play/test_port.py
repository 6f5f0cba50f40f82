"""Matches with bots that connect to a port. The command for that is tested in tests/management/test_match.py."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from arena.bots.failure.evidence import blamed_seat
from arena.management.failing import lines_of
from arena.play.driver import Log, Watcher, play
from arena.play.spec import BuiltinSeat, CommandSeat, SeatSpec, SocketSeat, Spec
from tests.kit.bridging import bridge
from tests.kit.clients import Droidcon, Wire, filling
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.until import until

RANDOM = BuiltinSeat("random")
# Plays the first column that is free.
BOT = "for line in open(0): print(next(i + 1 for i, place in enumerate(line.split()[1][:7]) if place == '.'))"


class Table(Watcher):
    """Matches that are being played: what was told of them."""

    def __init__(self) -> None:
        self.open: list[SocketSeat] = []
        self.begun: list[int] = []

    def listening(self, seat: SocketSeat) -> None:
        self.open.append(seat)

    def started(self, log: Log) -> None:
        self.begun.append(log.state.setup.round)

    async def play(self, first: SeatSpec, second: SeatSpec, **spec: Any) -> list[Log]:
        whole = Spec("connect-four-7x6", (first, second), **spec)
        async with asyncio.timeout(DEADLINE_S):
            return await asyncio.to_thread(play, whole, self)


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def command(tmp_path: Path) -> CommandSeat:
    (tmp_path / "bot.py").write_text(BOT)
    return CommandSeat("fiar", (sys.executable, str(tmp_path / "bot.py")))


@asynccontextmanager
async def connection(port: int) -> AsyncIterator[Droidcon]:
    """A bot that comes as soon as somebody listens."""
    async with AsyncExitStack() as stack:
        async with asyncio.timeout(DEADLINE_S):
            while True:
                try:
                    wire = await stack.enter_async_context(Droidcon.to(port))
                    break
                except ConnectionRefusedError:
                    await asyncio.sleep(0.02)
        yield wire


async def series(port: int, name: str, column: int | None = None) -> list[str]:
    """Connect, and play one series, always in this column if one is named."""
    async with connection(port) as wire:
        await wire.enter(name, "x")
        return await (wire.play_anything() if column is None else wire.play(repeat(column).__next__))


def names(log: Log) -> list[str]:
    return [seat.name for seat in log.state.setup.seats]


# -- who comes --------------------------------------------------------------------------------------------------


async def test_two_socket_bots_play_a_series(table: Table) -> None:
    ports = free_port(), free_port()
    playing = asyncio.ensure_future(
        table.play(SocketSeat("droidcon", ports[0]), SocketSeat("droidcon", ports[1]), rounds=4)
    )
    heard = await asyncio.gather(series(ports[0], "ada", 0), series(ports[1], "bob", 1))
    logs = await playing
    assert [names(log) for log in logs] == [["ada", "bob"], ["bob", "ada"]] * 2
    assert [log.state.winner for log in logs] == [0, 0, 0, 0]
    assert [lines.count("NEW_GAME") for lines in heard] == [4, 4]


async def test_localhost_may_be_either_address_and_a_token_may_come_first(table: Table) -> None:
    """As at the doors of a server, so that a bot needs no other start."""
    port = free_port()
    shows_a_token = (
        "import socket, sys\n"
        "wire = socket.create_connection(('::1', int(sys.argv[1])))\n"
        "wire.sendall(b'SEAT arn_" + "a2" * 13 + "\\n')\n"
        "for line in wire.makefile(): wire.sendall(b'%d\\n' % (line.split()[1].index('.') % 7 + 1))"
    )
    client = SocketSeat("fiar", port, (sys.executable, "-c", shows_a_token, str(port)))
    [log] = await table.play(client, RANDOM)
    assert log.state.termination == "normal"


async def test_a_bridge_sees_that_the_match_is_over_and_not_cut_off(table: Table, command: CommandSeat) -> None:
    port = free_port()
    playing = asyncio.ensure_future(table.play(SocketSeat("fiar", port), RANDOM))
    await until(lambda: bool(table.open))
    async with bridge(port, bot=list(command.argv)) as bridged:
        assert await bridged.ends() == 0
    [log] = await playing
    assert log.state.termination == "normal"
    with pytest.raises(ConnectionRefusedError):
        async with Wire.to(port):
            pass


async def test_after_the_rounds_of_its_protocol_a_bot_connects_again(table: Table) -> None:
    port = free_port()
    playing = asyncio.ensure_future(table.play(SocketSeat("droidcon", port), RANDOM, rounds=6))
    assert (await series(port, "ada")).count("NEW_GAME") == 4
    assert (await series(port, "ada")).count("NEW_GAME") == 2
    assert [log.state.setup.round for log in await playing] == [1, 2, 3, 4, 5, 6]


async def test_a_process_plays_beside_a_socket_bot(table: Table, command: CommandSeat) -> None:
    port = free_port()
    playing = asyncio.ensure_future(table.play(command, SocketSeat("droidcon", port), rounds=2))
    await series(port, "ada")
    assert [names(log) for log in await playing] == [["bot", "ada"], ["ada", "bot"]]


@pytest.mark.parametrize("seat", [0, 1])
async def test_where_nobody_comes_the_match_has_no_start(table: Table, seat: int) -> None:
    port = free_port()
    empty = SocketSeat("droidcon", port)
    first, second = (empty, RANDOM) if seat == 0 else (RANDOM, empty)
    [log] = await table.play(first, second, rounds=4, connect_s=0.1)
    assert (log.state.termination, log.state.winner) == ("no_start", None)
    assert log.state.reason == f"nobody connected to droidcon on port {port} within 0.1 s"
    assert names(log)[seat] == "nobody" and table.begun == []


@pytest.mark.long
async def test_a_bot_that_comes_and_never_gets_ready_is_told_what_it_sent(table: Table) -> None:
    port = free_port()
    playing = asyncio.ensure_future(table.play(RANDOM, SocketSeat("droidcon", port), connect_s=3))
    async with connection(port) as wire:
        await wire.send("JOIN x")
        assert await wire.rest() == ["Error NO_NAME_SET"]
    [log] = await playing
    assert log.state.reason == f"a bot connected to droidcon on port {port}, and never got ready"
    card = list(lines_of(log))
    assert card[0] == "Waiting for JOIN [not_joined]" and "JOIN x" in card[1]


@pytest.mark.long
@pytest.mark.parametrize("said", ["", "NAME ada\nJOIN x\n"])
async def test_a_bot_that_comes_and_goes_is_told_that_it_left(table: Table, said: str) -> None:
    port = free_port()
    empty = SocketSeat("droidcon", free_port())
    playing = asyncio.ensure_future(table.play(SocketSeat("droidcon", port), empty, connect_s=3))
    async with connection(port) as wire:
        await wire.send_bytes(said.encode())
        for _ in said.splitlines():
            assert await wire.line() == "SUCCESS"
    [log] = await playing
    assert list(lines_of(log))[:2] == [
        "Gone before its match [left_early]",
        "It connected, and its connection was over before a match had begun: the bot has closed it.",
    ]


@pytest.mark.parametrize(("ahead", "ending"), [(b"1\n1\n1\n1\n", ("normal", 0)), (b"1\n1\n1\n", ("disconnect", 1))])
async def test_answers_ahead_of_a_reset_connection_play_and_then_it_has_lost(
    table: Table, ahead: bytes, ending: tuple[str, int]
) -> None:
    ports = free_port(), free_port()
    playing = asyncio.ensure_future(table.play(SocketSeat("fiar", ports[0]), SocketSeat("fiar", ports[1])))
    async with connection(ports[0]) as reset, connection(ports[1]) as other:
        await reset.send_bytes(ahead)
        assert await reset.line()
        reset.reset()
        await filling(other)
    [log] = await playing
    assert (log.state.termination, log.state.winner) == ending
    assert other.heard.count(b"\n") == 3


@pytest.mark.parametrize(
    ("slug", "says", "told"),
    [
        ("native", '{"type":"resign"}', b'"termination":"resign"'),
        ("santorini-json", '"OK""max"', b'["tournament_finished",[{"winner":'),
        ("santorini-course", '"max"', b',"max"]]\n'),
    ],
)
async def test_who_gives_up_and_ends_its_side_hears_of_the_end(table: Table, slug: str, says: str, told: bytes) -> None:
    port = free_port()
    variant = "connect-four-7x6" if slug == "native" else "santorini-6x6"
    spec = Spec(variant, (SocketSeat(slug, port), RANDOM))
    playing = asyncio.ensure_future(asyncio.to_thread(play, spec, table))
    async with connection(port) as bot:
        await bot.send('{"type":"hello","name":"max"}' if slug == "native" else '"max"')
        while slug == "native" and '"type":"turn"' not in await bot.line():
            pass
        await bot.send_bytes(says.encode())
        bot.finish()
        await bot.hear()
    [log] = await playing
    assert (log.state.termination, log.state.winner) == ("resign", 1)
    assert told in bot.heard


SAMPLE = str(Path(__file__).parents[2] / "arena" / "protocols" / "droidcon" / "bot.py")


async def test_a_client_is_started_once_its_port_is_open_and_again_for_more_rounds(table: Table) -> None:
    port = free_port()
    client = SocketSeat("droidcon", port, (sys.executable, SAMPLE, "ada", "x", "127.0.0.1", str(port)))
    logs = await table.play(client, RANDOM, rounds=5)
    assert table.open == [client]
    assert [log.state.setup.round for log in logs] == [1, 2, 3, 4, 5]
    assert all(log.state.termination == "normal" and "ada" in names(log) for log in logs)


@pytest.mark.parametrize(
    ("code", "says", "told"),
    [
        ("raise SystemExit(3)", "stopped with exit code 3", "exited_with_error"),
        ("import os; os.kill(os.getpid(), 9)", "was killed by SIGKILL", "killed_by_signal"),
    ],
)
async def test_a_client_that_ends_without_having_played_is_said_at_once(
    table: Table, code: str, says: str, told: str
) -> None:
    """Its card said that it had not finished the handshake within 20 s."""
    port = free_port()
    [log] = await table.play(SocketSeat("droidcon", port, (sys.executable, "-c", code)), RANDOM, connect_s=3600)
    assert log.state.termination == "no_start"
    assert log.state.reason == f"{sys.executable} {says} before it played on port {port}"
    assert next(iter(lines_of(log))).endswith(f"[{told}]")


@pytest.mark.long
async def test_only_who_is_missing_is_named(table: Table) -> None:
    here, missing = free_port(), free_port()
    playing = asyncio.ensure_future(
        table.play(SocketSeat("droidcon", here), SocketSeat("droidcon", missing), connect_s=3)
    )
    async with connection(here) as wire:
        await wire.enter("ada", "x")
        assert await wire.rest() == []
    [log] = await playing
    assert names(log) == ["ada", "nobody"]
    assert log.state.reason == f"nobody connected to droidcon on port {missing} within 3 s"
    assert blamed_seat(log.state, log.events[-1]) == 1


async def test_a_taken_port_is_said_and_the_other_is_given_back(table: Table) -> None:
    taken = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port, free = taken.sockets[0].getsockname()[1], free_port()
    with pytest.raises(OSError, match=f"Cannot listen on 127.0.0.1:{port} for droidcon: Address already in use"):
        await table.play(SocketSeat("droidcon", free), SocketSeat("droidcon", port))
    taken.close()
    await taken.wait_closed()
    with pytest.raises(ConnectionRefusedError):
        async with Wire.to(free):
            pass
