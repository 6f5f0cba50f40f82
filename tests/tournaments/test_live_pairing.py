"""One pairing: those we start ourselves, those who are called, and a server that stops in the middle."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from arena.bots.session import tokens
from arena.host import Host
from arena.match.commands import Refusal
from arena.match.state import SeatSetup, Setup
from arena.models import Entry, Match, Player, Room
from arena.rooms import closing
from arena.rooms.draining import CLOSED
from arena.rooms.room import LiveRoom
from arena.tournaments.calling import open_room
from arena.tournaments.director import Director
from arena.tournaments.live_pairing import LivePairing
from arena.tournaments.spec import EntrySpec
from tests.kit.browsing import Person, text
from tests.kit.commands import processes_of
from tests.kit.registered import register
from tests.kit.tournaments import a_begun, a_sheet, a_spec, builtins
from tests.kit.until import until

BOT = """import sys
for line in sys.stdin:
    board = line.split()[1]
    print(next(n for n in range(1, 8) if board[n - 1] == "."), flush=True)
"""
SLEEPER = "import time\ntime.sleep(600)\n"


@pytest.fixture
async def quiet(host: Host) -> AsyncIterator[Host]:
    """A host whose director plays nothing: the test does."""
    assert host.director is not None
    await host.director.stop()
    yield host


@sync_to_async
def two_bots() -> tuple[EntrySpec, ...]:
    players = [Player.objects.create(kind="bot", name=name, slug=name) for name in ("gravity", "delta")]
    return tuple(EntrySpec(player.name, "bot", "", "fiar", player=player.pk) for player in players)


async def a_pairing(
    host: Host, entries: tuple[EntrySpec, ...], call_s: float = 20, open_room: Any = None
) -> LivePairing:
    await a_begun(a_spec(entries=entries, clock="30s"))
    sheet = await a_sheet("spring-cup")
    return LivePairing(sheet, sheet.lines[0], host.lobby, host.thinkers, open_room, call_s)


class Rooms:
    """Opens rooms as the server does, and keeps the last one; `then` is called with it before anybody is called."""

    def __init__(self, host: Host, then: Callable[[LiveRoom], None] = lambda room: None) -> None:
        self.host, self._then = host, then
        self.room: LiveRoom | None = None

    async def open(self, columns: Mapping[str, Any], both: tuple[Entry, Entry], plan: Mapping[str, Any]) -> LiveRoom:
        from dataclasses import replace

        room = await self.host.lobby.open_new(dict(columns))
        room.plan = replace(room.plan, **plan)
        self.room = room
        self._then(room)
        return room


def command(name: str, folder: Path, program: str) -> EntrySpec:
    (folder / f"{name}.py").write_text(program, encoding="utf-8")
    return EntrySpec(name, "command", "", "fiar", (sys.executable, f"{name}.py"), str(folder))


async def test_built_in_players_need_no_call(quiet: Host) -> None:
    running = await a_pairing(quiet, builtins(2))
    assert await running.play() == ()
    match = await Match.objects.aget()
    assert (match.termination, match.pairing_id, match.room_id) == ("normal", match.pairing_id, None)


async def test_a_command_plays_and_leaves_no_process(quiet: Host, tmp_path: Path) -> None:
    running = await a_pairing(quiet, (*builtins(1), command("left", tmp_path, BOT)))
    assert await running.play() == ()
    assert (await Match.objects.aget()).termination == "normal"
    assert processes_of(tmp_path) == []


async def test_who_does_not_come_within_the_call_is_named(quiet: Host) -> None:
    rooms = Rooms(quiet)
    running = await a_pairing(quiet, await two_bots(), 0.05, rooms.open)
    changes: list[tuple[int, ...]] = []
    running.on_change = lambda: changes.append(running.missing)
    missing = await running.play()
    assert missing == running.entries == changes[0]
    assert rooms.room is not None and rooms.room.over
    assert await Match.objects.acount() == 0
    row = await Room.objects.aget()
    assert row.closed is not None and row.code not in quiet.lobby.rooms, "nobody sits down where nobody is awaited"
    page = text(await Person().get(row.get_absolute_url()))
    assert "This room is closed." in page and 'For a match of <a href="/t/spring-cup/">Spring cup</a>.' in page


async def test_who_comes_to_the_call_plays(quiet: Host) -> None:
    rooms = Rooms(quiet)
    running = await a_pairing(quiet, await two_bots(), 20, rooms.open)
    playing = asyncio.create_task(running.play())
    while not running.missing:
        await asyncio.sleep(0)
    assert rooms.room is not None
    for level in ("beginner", "club"):
        rooms.room.sit(quiet.lobby.make_builtin(level))
    rooms.room.look()
    assert await playing == ()
    assert (await Match.objects.aget()).termination == "normal"


async def test_who_sat_down_and_closed_the_page_has_missed_the_call(quiet: Host) -> None:
    """The room does not begin without a page; the pairing was handed to the organiser as one that fails."""
    mira = await Player.objects.acreate(kind="person", name="Mira", slug="mira")
    entries = (EntrySpec("Mira", "person", player=mira.pk, agrees=True), *builtins(1))

    def sits_down(room: LiveRoom) -> None:
        room.is_here = lambda room, who: False
        quiet.lobby.sit_down(room, SeatSetup("Mira", player=mira.pk, verified=True))

    running = await a_pairing(quiet, entries, 0.2, Rooms(quiet, sits_down).open)
    assert await running.play() == running.entries
    assert await Match.objects.acount() == 0


async def test_who_is_called_into_a_room_that_staff_close_has_missed_nothing(quiet: Host) -> None:
    rooms = Rooms(quiet)
    running = await a_pairing(quiet, await two_bots(), 20, rooms.open)
    playing = asyncio.create_task(running.play())
    await until(lambda: running.missing)
    assert rooms.room is not None
    await closing.close(quiet.lobby, rooms.room)
    assert await playing == ()


async def test_a_bot_that_plays_for_another_event_meanwhile_has_missed_nothing(quiet: Host) -> None:
    bot, _ = await register("gravity", "fiar")
    other = await a_begun(a_spec(2, name="Other cup"))
    line = (await a_sheet(other.slug)).lines[0]
    seats = (SeatSetup("gravity", "bot", bot.pk, "fiar"), SeatSetup("Bob"))
    live = await quiet.lobby.referee.open(Setup("connect-four-7x6", seats, pairing=line.pk))
    await quiet.lobby.referee.start(live)
    entries = (EntrySpec("gravity", "bot", "", "fiar", player=bot.pk), *builtins(1))
    running = await a_pairing(quiet, entries, 0.05, Rooms(quiet).open)
    assert await running.play() == ()
    await quiet.lobby.referee.abort(live, "server_abort", "it is over")
    sheet = await a_sheet("spring-cup")
    again = LivePairing(sheet, sheet.lines[0], quiet.lobby, quiet.thinkers, Rooms(quiet).open, 0.05)
    assert await again.play() == again.entries, "now it is missing"


async def test_nobody_misses_a_call_on_a_host_that_is_about_to_stop(quiet: Host) -> None:
    def stops(room: LiveRoom) -> None:
        for _ in "ab":
            room.sit(quiet.lobby.make_builtin("beginner"))
        quiet.lobby.quota.closed = CLOSED

    quiet.hub.begins = False  # both are there, and nothing may begin
    running = await a_pairing(quiet, await two_bots(), 0.2, Rooms(quiet, stops).open)
    assert await running.play() == ()
    assert await running.play() == (), "no room is opened any more either"
    quiet.lobby.quota.closed, quiet.hub.begins = "", True


async def test_a_bot_that_is_disabled_while_its_room_is_opened_is_no_fault(quiet: Host) -> None:
    (first, _), (second, _) = [await register(name, "fiar") for name in ("gravity-9", "delta-3")]
    entries = tuple(EntrySpec(bot.player.name, "bot", "", "fiar", player=bot.pk) for bot in (first, second))
    running = await a_pairing(quiet, entries, 20, partial(open_room, quiet.room_maker))
    await tokens.disable(second, "quarantine: 10 failures in a row")
    assert await running.play() == ()


async def test_bots_that_connect_need_a_server(quiet: Host) -> None:
    running = await a_pairing(quiet, await two_bots())
    with pytest.raises(Refusal, match="need a running server"):
        await running.play()


async def test_a_server_that_stops_ends_the_matches_of_its_processes_without_a_result(
    quiet: Host, tmp_path: Path
) -> None:
    running = await a_pairing(quiet, (command("sleeper", tmp_path, SLEEPER), *builtins(1)))
    running.task = asyncio.create_task(_played(running))
    while not quiet.hub.running():
        await asyncio.sleep(0.01)
    await running.stop()
    match = await Match.objects.aget()
    assert (match.termination, match.reason) == ("server_abort", "the server was stopped; the match is played again")
    assert processes_of(tmp_path) == []


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 8, 13])
async def test_a_server_that_stops_while_a_process_starts_leaves_none(quiet: Host, tmp_path: Path, steps: int) -> None:
    running = await a_pairing(quiet, (command("sleeper", tmp_path, SLEEPER), *builtins(1)))
    running.task = asyncio.create_task(_played(running))
    for _ in range(steps):
        await asyncio.sleep(0)
    await running.stop()
    assert [match.termination async for match in Match.objects.all()] in ([], ["server_abort"])
    assert processes_of(tmp_path) == []
    assert quiet.hub.running() == []


async def test_a_director_is_stopped_twice_like_once(quiet: Host) -> None:
    director = Director(quiet.lobby, quiet.thinkers)
    await director.stop()
    await director.stop()
    assert director.calls(1) == []


async def _played(running: LivePairing) -> None:
    await running.play()
