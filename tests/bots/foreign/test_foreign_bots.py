"""Whole matches of bots that know nothing of this project: against a built-in player, against themselves, across
protocols, on sockets and as child processes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import pytest

from arena.core.hub import LiveMatch
from arena.play.spec import BuiltinSeat, CommandSeat, SeatSpec, SocketSeat
from arena.protocols import protocol, protocols
from arena.protocols.santorini_json.adapter import SantoriniJson
from tests.bots.foreign.programs import FOREIGN, Foreign, alone, connected, of
from tests.kit.commands import processes_of
from tests.kit.deadline import DEADLINE_S
from tests.kit.live_matches import LocalMatches, Order
from tests.kit.ports import free_port
from tests.kit.samples import listening

pytestmark = pytest.mark.service


@pytest.fixture(autouse=True)
def soon_known_to_be_nameless(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of these says its name, and what a program on a socket waits for cannot be seen: its time is over sooner."""
    monkeypatch.setattr(SantoriniJson, "ready_s", 5.0)


foreign_bots = pytest.mark.parametrize("bot", FOREIGN, ids=str)


async def played(order: Order, *connecting: tuple[int, Sequence[str]]) -> list[LiveMatch]:
    """The matches of an order, with these commands started once somebody listens on their ports; all end well."""
    lives: list[LiveMatch] = []
    playing = asyncio.create_task(
        LocalMatches(order, lambda round, live: None, lambda round, live: lives.append(live)).play()
    )
    bots = []
    async with asyncio.timeout(DEADLINE_S):
        for port, command in connecting:
            await listening(port)
            null = asyncio.subprocess.DEVNULL
            bots.append(await asyncio.create_subprocess_exec(*command, stdin=null, stdout=null, stderr=null))
        try:
            await playing
            for bot in bots:
                await bot.wait()
        finally:
            for bot in bots:
                if bot.returncode is None:
                    bot.kill()
                    await bot.wait()
    assert [(live.state.termination, live.state.reason) for live in lives if live.state.termination != "normal"] == []
    assert len(lives) == order.rounds
    return lives


def rounds_of(*bots: Foreign) -> int:
    return max(protocol(bot.protocol).rounds or 2 for bot in bots)


@pytest.mark.cases(5)
@foreign_bots
async def test_it_plays_both_seats_as_a_child_process(bot: Foreign, built: Path, tmp_path: Path) -> None:
    seats: tuple[SeatSpec, SeatSpec] = (
        CommandSeat(bot.protocol, tuple(alone(bot, built))),
        BuiltinSeat("beginner"),
    )
    await played(Order(bot.variant, seats, rounds=2, seed=3, concurrency=2, cwd=tmp_path))
    assert processes_of(tmp_path) == []


@pytest.mark.cases(5)
@foreign_bots
async def test_it_plays_both_seats_on_a_socket(bot: Foreign, built: Path) -> None:
    port = free_port()
    seats = (BuiltinSeat("beginner"), SocketSeat(bot.protocol, port))
    await played(Order(bot.variant, seats, rounds_of(bot), seed=3), (port, connected(bot, built, port)))


@pytest.mark.cases(4)
@foreign_bots
async def test_it_plays_itself_once_as_a_child_process_and_once_on_a_socket(bot: Foreign, built: Path) -> None:
    port = free_port()
    seats = (CommandSeat(bot.protocol, tuple(alone(bot, built, "one"))), SocketSeat(bot.protocol, port))
    await played(Order(bot.variant, seats, rounds_of(bot)), (port, connected(bot, built, port, "two")))


@pytest.mark.parametrize(("fiar", "droidcon"), [*zip(of("fiar"), of("droidcon"), strict=True)], ids=str)
async def test_a_bot_of_the_second_text_meets_one_of_the_fourth(fiar: Foreign, droidcon: Foreign, built: Path) -> None:
    """Both on sockets, then each as a child process of the other."""
    one, two = free_port(), free_port()
    on_socket = {
        bot: (SocketSeat(bot.protocol, port), (port, connected(bot, built, port)))
        for bot, port in ((fiar, one), (droidcon, two))
    }
    as_child = {bot: CommandSeat(bot.protocol, tuple(alone(bot, built))) for bot in (fiar, droidcon)}
    rounds = rounds_of(droidcon)
    both = (on_socket[fiar][0], on_socket[droidcon][0])
    await played(Order(fiar.variant, both, rounds), on_socket[fiar][1], on_socket[droidcon][1])
    await played(Order(fiar.variant, (as_child[fiar], on_socket[droidcon][0]), rounds), on_socket[droidcon][1])
    await played(Order(fiar.variant, (on_socket[fiar][0], as_child[droidcon]), rounds), on_socket[fiar][1])


@pytest.mark.parametrize(("course", "rival"), [*zip(cycle(of("santorini-course")), of("santorini-json"))], ids=str)
async def test_a_client_of_the_course_meets_one_of_the_fifth_text(course: Foreign, rival: Foreign, built: Path) -> None:
    """Both on sockets, then each as a child process of the other."""
    one, two = free_port(), free_port()
    sockets = (SocketSeat(course.protocol, one), SocketSeat(rival.protocol, two))
    children = [CommandSeat(bot.protocol, tuple(alone(bot, built))) for bot in (course, rival)]
    coming = (one, connected(course, built, one)), (two, connected(rival, built, two))
    await played(Order(course.variant, sockets, rounds=2), *coming)
    await played(Order(course.variant, (children[0], sockets[1]), rounds=2), coming[1])
    await played(Order(course.variant, (sockets[0], children[1]), rounds=2), coming[0])


def test_every_text_has_three() -> None:
    texts = ("gamestate", "fiar", "nyu-nim", "droidcon", "santorini-json")
    assert {slug: len(of(slug)) for slug in texts} == dict.fromkeys(texts, 3)
    assert set(protocols()) - set(texts) == {"native", "santorini-course"}
