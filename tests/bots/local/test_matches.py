"""Orders of `manage.py match`, in this process; the command itself is tested in tests/management/test_match.py."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from arena.bots.local.matches import LocalMatches, Order
from arena.bots.local.seat_texts import SeatText, SocketSeat
from arena.core.hub import LiveMatch
from arena.core.log_store import MemoryStore
from arena.play.spec import BuiltinSeat, CommandSeat
from tests.bots.clients import Droidcon, Wire
from tests.deadline import DEADLINE_S
from tests.ports import free_port
from tests.refereeing import moves_of

RANDOM = BuiltinSeat("random")
# Plays the first column that is free.
BOT = "for line in open(0): print(next(i + 1 for i, place in enumerate(line.split()[1][:7]) if place == '.'))"

Plays = Callable[..., Awaitable[list[LiveMatch]]]


class Table:
    """An order that is being played: what was told of it."""

    def __init__(self) -> None:
        self.listening: list[SocketSeat] = []
        self.started: list[int] = []
        self.ended: list[LiveMatch] = []

    async def play(self, first: SeatText, second: SeatText, **order: Any) -> list[LiveMatch]:
        variant = order.pop("variant", "connect-four-7x6")
        matches = LocalMatches(
            Order(variant, (first, second), **order),
            lambda round, live: self.started.append(round),
            lambda round, live: self.ended.append(live),
            self.listening.append,
        )
        async with asyncio.timeout(DEADLINE_S):
            await matches.play()
        return self.ended


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


def names(live: LiveMatch) -> list[str]:
    return [seat.name for seat in live.state.setup.seats]


# -- seats of this process ---------------------------------------------------------------------------------------------


async def test_seats_swap_and_every_round_is_told(table: Table, command: CommandSeat) -> None:
    lives = await table.play(command, RANDOM, rounds=3, clock="5s")
    assert table.started == [1, 2, 3]
    assert [names(live) for live in lives] == [
        ["bot", "Random (built in)"],
        ["Random (built in)", "bot"],
        ["bot", "Random (built in)"],
    ]
    assert [live.state.setup.round for live in lives] == [1, 2, 3]
    assert {live.state.termination for live in lives} == {"normal"}
    assert all(live.state.setup.rounds == 3 and live.state.setup.clock == "5s" for live in lives)


async def test_a_seed_repeats_whole_orders_also_when_played_at_once(table: Table) -> None:
    first = [moves_of(live) for live in await table.play(RANDOM, RANDOM, rounds=4, seed=5)]
    again = await Table().play(RANDOM, RANDOM, rounds=4, seed=5, concurrency=3)
    assert [moves_of(live) for live in sorted(again, key=lambda live: live.state.setup.round)] == first
    assert len({tuple(moves) for moves in first}) == 4


async def test_more_at_a_time_than_there_are_is_all_of_them(table: Table) -> None:
    assert len(await table.play(RANDOM, RANDOM, rounds=2, concurrency=50)) == 2


async def test_a_round_that_cannot_be_opened_ends_the_order_without_it(table: Table) -> None:
    assert await table.play(RANDOM, RANDOM, settings={"stones": 3}) == []


# -- seats on sockets --------------------------------------------------------------------------------------------------


async def test_two_socket_bots_play_a_series(table: Table) -> None:
    ports = free_port(), free_port()
    playing = asyncio.ensure_future(
        table.play(SocketSeat("droidcon", ports[0]), SocketSeat("droidcon", ports[1]), rounds=4)
    )
    heard = await asyncio.gather(series(ports[0], "ada", 0), series(ports[1], "bob", 1))
    lives = await playing
    assert [names(live) for live in lives] == [["ada", "bob"], ["bob", "ada"]] * 2
    assert [live.state.winner for live in lives] == [0, 0, 0, 0]
    assert [lines.count("NEW_GAME") for lines in heard] == [4, 4]


async def test_after_the_rounds_of_its_protocol_a_bot_connects_again(table: Table) -> None:
    port = free_port()
    playing = asyncio.ensure_future(table.play(SocketSeat("droidcon", port), RANDOM, rounds=6))
    assert (await series(port, "ada")).count("NEW_GAME") == 4
    assert (await series(port, "ada")).count("NEW_GAME") == 2
    assert [live.state.setup.round for live in await playing] == [1, 2, 3, 4, 5, 6]


async def test_a_process_plays_beside_a_socket_bot(table: Table, command: CommandSeat) -> None:
    port = free_port()
    playing = asyncio.ensure_future(table.play(command, SocketSeat("droidcon", port), rounds=2))
    await series(port, "ada")
    assert [names(live) for live in await playing] == [["bot", "ada"], ["ada", "bot"]]


@pytest.mark.parametrize("seat", [0, 1])
async def test_where_nobody_comes_the_match_has_no_start(table: Table, seat: int) -> None:
    port = free_port()
    empty = SocketSeat("droidcon", port)
    first, second = (empty, RANDOM) if seat == 0 else (RANDOM, empty)
    [live] = await table.play(first, second, rounds=4, connect_s=0.1)
    assert (live.state.termination, live.state.winner) == ("no_start", None)
    assert live.state.reason == f"nobody connected to droidcon on port {port} within 0.1 s"
    assert names(live)[seat] == "nobody" and table.started == []


SAMPLE = str(Path(__file__).parents[3] / "static" / "samples" / "droidcon_bot.py")


async def test_a_client_is_started_once_its_port_is_open_and_again_for_more_rounds(table: Table) -> None:
    port = free_port()
    client = SocketSeat("droidcon", port, (sys.executable, SAMPLE, "ada", "x", "127.0.0.1", str(port)))
    lives = await table.play(client, RANDOM, rounds=5)
    assert table.listening == [client]
    assert [live.state.setup.round for live in lives] == [1, 2, 3, 4, 5]
    assert all(live.state.termination == "normal" and "ada" in names(live) for live in lives)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise SystemExit(3)", "stopped with exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "was killed by SIGKILL"),
    ],
)
async def test_a_client_that_ends_without_having_played_is_said_at_once(table: Table, code: str, says: str) -> None:
    port = free_port()
    [live] = await table.play(SocketSeat("droidcon", port, (sys.executable, "-c", code)), RANDOM, connect_s=3600)
    assert live.state.termination == "no_start"
    assert live.state.reason == f"{sys.executable} {says} before it played on port {port}"


async def test_only_who_is_missing_is_named(table: Table) -> None:
    here, missing = free_port(), free_port()
    playing = asyncio.ensure_future(
        table.play(SocketSeat("droidcon", here), SocketSeat("droidcon", missing), connect_s=0.3)
    )
    async with connection(here) as wire:
        await wire.enter("ada", "x")
        assert await wire.rest() == []
    [live] = await playing
    assert names(live) == ["ada", "nobody"]
    assert live.state.reason == f"nobody connected to droidcon on port {missing} within 0.3 s"


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


# -- our own defects ---------------------------------------------------------------------------------------------------


async def test_when_the_log_cannot_be_kept_the_order_ends(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(store: MemoryStore, appends: object) -> None:
        raise SystemExit("the writer is gone")

    monkeypatch.setattr(MemoryStore, "write", dies)
    with pytest.raises(asyncio.CancelledError):
        await table.play(RANDOM, RANDOM)
