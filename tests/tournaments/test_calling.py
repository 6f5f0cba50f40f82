"""Bots and people who come by themselves: called, seated when they come, forfeited when they do not."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth import get_user_model
from django.db.models import F

from arena.bots.seats.choices import SideChoice
from arena.bots.session import tokens
from arena.host import Host
from arena.match.state import SeatSetup
from arena.models import Entry, Lease, Match, Pairing, Player, Room
from arena.tournaments import actions, leaving
from arena.tournaments.calling import choice
from arena.tournaments.spec import EntrySpec
from tests.bots.process.test_commands import folder, run_by_us
from tests.bots.sandboxed import until_nobody
from tests.kit.browsing import Person, text
from tests.kit.clients import Droidcon, Wire
from tests.kit.deadline import DEADLINE_S
from tests.kit.hosting import serving
from tests.kit.registered import register
from tests.kit.samples import BRIDGE, FOLDER
from tests.kit.tournaments import a_begun, a_sheet, a_spec, builtins, finished, live_of, sheet_when
from tests.kit.until import until

__all__ = ["folder"]


def an_entry(bot: Player, protocol: str = "fiar") -> EntrySpec:
    return EntrySpec(bot.name, "bot", "", protocol, player=bot.pk)


@asynccontextmanager
async def connecting(port: int, *tokens: str) -> AsyncIterator[None]:
    """These bots connect, play the leftmost column that is free, and come back after each match."""
    tasks = [asyncio.create_task(_play(port, token)) for token in tokens]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _play(port: int, token: str) -> None:
    while True:
        try:
            await _play_once(port, token)
        except ConnectionError:  # the server is not there, or not yet
            await asyncio.sleep(0.05)


async def _play_once(port: int, token: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"SEAT {token}\n".encode())
        board = ""
        while line := (await reader.readline()).decode():
            head, _, rest = line.strip().partition(" ")
            board = rest or board
            free = next((n for n, place in enumerate(board) if place in ".-"), 0)
            if head in ("@", "O"):
                writer.write(b"%d\n" % (free + 1))
            elif head == "REQUEST_MOVE":
                writer.write(b"%d\n" % free)
    finally:
        writer.transport.abort()


@pytest.fixture
async def door(host: Host) -> int:
    return (await host.open_doors("127.0.0.1", {"fiar": 0}, []))["fiar"]


@pytest.mark.parametrize(
    ("entry", "kind", "player"),
    [
        (Entry(kind="builtin", level="club"), "anyone", None),
        (Entry(kind="command", command=["bot"]), "anyone", None),
        (Entry(kind="person", player_id=3), "me", 3),
    ],
)
def test_for_whom_a_side_is_kept(entry: Entry, kind: str, player: int | None) -> None:
    assert (choice(entry).kind, choice(entry).player) == (kind, player)


@pytest.mark.django_db(transaction=True)
async def test_a_bot_of_ours_is_started_by_its_room() -> None:
    bot, _ = await register("gravity-9", "fiar", command=["python3", "bot.py"])
    entry = Entry(kind="bot", player=await Player.objects.select_related("bot").aget(pk=bot.pk))
    assert (choice(entry).kind, choice(entry).player) == ("command", bot.pk)


async def test_registered_bots_play_through_their_door_and_come_back(host: Host, door: int) -> None:
    (first, one), (second, two) = [await register(name, "fiar") for name in ("gravity-9", "delta-3")]
    async with connecting(door, one, two):
        entries = (an_entry(first.player), an_entry(second.player), *builtins(1))
        await a_begun(a_spec(entries=entries, legs=2, clock="30s", rated=True))
        found = await finished("spring-cup")
    assert Counter(line.status for line in found.lines) == {"played": 6}
    assert sum(len(line.matches) for line in found.lines) == 6
    assert await Room.objects.acount() >= 6


async def test_bots_that_the_server_runs_need_not_be_called(host: Host, folder: Path) -> None:
    """Registered bots with a command: started for each match, in the sandbox, and nothing of them is left."""
    bots = [await run_by_us(folder, name=name) for name in ("gravity-9", "delta-3")]
    entries = (*(EntrySpec(bot.family, "bot", "", "fiar", player=bot.pk) for bot in bots), *builtins(1))
    await a_begun(a_spec(entries=entries, legs=2, clock="30s", rated=True))
    found = await finished("spring-cup")
    assert Counter((line.status, line.calls) for line in found.lines) == {("played", 0): 6}
    assert {line.match.termination for line in found.lines if line.match} == {"normal"}
    for bot in bots:
        await until_nobody(bot.family)


async def test_who_does_not_come_is_called_twice_and_has_lost(host: Host, door: int) -> None:
    assert host.director is not None
    host.director.call_s = 1.0
    (first, one), (second, _) = [await register(name, "fiar") for name in ("gravity-9", "delta-3")]
    async with connecting(door, one):
        await until(tokens.players)
        await a_begun(a_spec(entries=(an_entry(first.player), an_entry(second.player)), clock="30s"))
        called = await sheet_when("spring-cup", lambda found: found.lines[0].calls == 1)
        assert called.lines[0].status == "waiting"
        found = await finished("spring-cup")
    assert [(line.status, line.reason) for line in found.lines] == [("forfeited", "delta-3 did not come")]
    assert found.names[found.standings[0].entry] == "gravity-9"


async def test_a_bot_that_stays_disabled_is_given_up_like_one_that_is_not_connected(host: Host, door: int) -> None:
    assert host.director is not None
    host.director.call_s = 1.0
    (first, one), (second, two) = [await register(name, "fiar") for name in ("gravity-9", "delta-3")]
    await tokens.disable(second, "quarantine: 10 failures in a row")
    async with connecting(door, one, two):
        entries = (an_entry(first.player), an_entry(second.player), *builtins(1))
        await a_begun(a_spec(entries=entries, clock="30s"))
        found = await finished("spring-cup")
    assert Counter((line.status, line.reason) for line in found.lines) == {
        ("forfeited", "delta-3 did not come"): 2,
        ("played", ""): 1,
    }
    assert "delta-3 is disabled: it can come only when it is enabled." in text(await Person().get("/t/spring-cup/"))


async def test_it_begins_by_itself_when_all_are_here(host: Host, door: int) -> None:
    bots = [await register(name, "fiar") for name in ("gravity-9", "delta-3")]
    entries = (*(an_entry(bot.player) for bot, _ in bots), *builtins(1))
    tournament = await sync_to_async(actions.create)(a_spec(entries=entries, clock="30s"))
    await sync_to_async(actions.start_when_here)(tournament)
    (_, one), (_, two) = bots
    async with connecting(door, one):
        await until(lambda: len(tokens.players()) == 1)
        assert (await a_sheet("spring-cup")).tournament.state == "waiting"
        async with connecting(door, two):
            assert Counter(line.status for line in (await finished("spring-cup")).lines) == {"played": 3}


async def test_one_call_is_for_all_pairings_and_who_does_not_come_loses_them_together(host: Host, door: int) -> None:
    """Five pairings of one who never comes: two calls, while the others play on."""
    assert host.director is not None
    host.director.call_s = 1.0
    (here, token), (absent, _) = [await register(name, "fiar") for name in ("gravity-9", "delta-3")]
    async with connecting(door, token):
        await until(tokens.players)
        entries = (an_entry(absent.player), an_entry(here.player), *builtins(4))
        tournament = await a_begun(a_spec(entries=entries, clock="30s"))
        found = await finished("spring-cup")
    lines = {line.reason: 0 for line in found.lines}
    for line in found.lines:
        lines[line.reason] += 1
    assert lines == {"": 10, "delta-3 did not come": 5}
    missed = next(entry for entry in found.entries.values() if entry.name == "delta-3")
    assert (missed.calls, missed.absent is not None) == (2, True)
    assert not host.director.calls(tournament.pk)


async def test_who_is_no_host_any_more_gives_nobody_up(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    """One that stood still takes those who play at the next host for missing."""
    assert host.director is not None
    host.director.call_s = 0.01
    await Lease.objects.aupdate(epoch=F("epoch") + 1)
    bots = [await register(name, "fiar") for name in ("gravity-9", "delta-3")]
    await a_begun(a_spec(entries=tuple(an_entry(bot.player) for bot, _ in bots)))
    await until(lambda: caplog.text.count("the lease is another's") >= 6)  # each has been called in vain twice at least
    assert [entry.calls async for entry in Entry.objects.all()] == [0, 0]
    assert await Pairing.objects.aget(state="open")


async def test_who_comes_after_the_first_call_plays_everything(host: Host, door: int) -> None:
    assert host.director is not None
    late, token = await register("gravity-9", "fiar")
    await a_begun(a_spec(entries=(an_entry(late.player), *builtins(2)), clock="30s"))
    entry = await Entry.objects.aget(name="gravity-9")
    await sync_to_async(leaving.count_call)(entry.pk)
    async with connecting(door, token):
        found = await finished("spring-cup")
    assert Counter(line.status for line in found.lines) == {"played": 3}
    assert found.entries[entry.pk].calls == 0


async def test_native_bots_play_their_whole_event_over_one_connection(host: Host) -> None:
    """Also over a pause; the arena closes when nothing is left to play."""
    port = (await host.open_doors("127.0.0.1", {"native": 0}, []))["native"]
    bots = [await register(name, "native") for name in ("gravity-9", "delta-3")]
    moves = asyncio.Event()
    talks = [asyncio.create_task(play_native(port, token, moves)) for _, token in bots]
    entries = (*(an_entry(bot.player, "native") for bot, _ in bots), *builtins(1))
    tournament = await a_begun(a_spec(entries=entries, legs=2, clock="30s"))
    await sheet_when("spring-cup", lambda found: found.progress.running >= 1)
    await sync_to_async(actions.pause)(tournament)
    moves.set()
    await sheet_when("spring-cup", lambda found: not found.progress.running)
    await sync_to_async(actions.resume)(tournament)
    found = await finished("spring-cup")
    assert Counter((line.status, line.calls) for line in found.lines) == {("played", 0): 6}
    async with asyncio.timeout(DEADLINE_S):
        assert [await talk for talk in talks] == [4, 4], "matches of each, until the connection was closed by the arena"


async def test_a_native_bot_is_let_go_when_the_last_match_ended_in_a_pause(host: Host) -> None:
    port = (await host.open_doors("127.0.0.1", {"native": 0}, []))["native"]
    bot, token = await register("gravity-9", "native")
    paused = asyncio.Event()
    talk = asyncio.create_task(play_native(port, token, paused))
    tournament = await a_begun(a_spec(entries=(an_entry(bot.player, "native"), *builtins(1)), clock="10m"))
    await sheet_when("spring-cup", lambda found: found.progress.running == 1)
    await sync_to_async(actions.pause)(tournament)
    paused.set()
    await sheet_when("spring-cup", lambda found: found.progress.played == 1)
    await sync_to_async(actions.resume)(tournament)
    await finished("spring-cup")
    async with asyncio.timeout(DEADLINE_S):
        assert await talk == 1


async def test_a_santorini_bot_plays_its_whole_event_from_one_start(host: Host) -> None:
    """The sample, behind the bridge: it ends by itself, told of all its results at once."""
    port = (await host.open_doors("127.0.0.1", {"santorini-json": 0}, []))["santorini-json"]
    bot, token = await register("gravity-9", "santorini-json", variant="santorini-6x6")
    bridge = [str(BRIDGE), "127.0.0.1", str(port), "--seat", token]
    command = [sys.executable, *bridge, "--", sys.executable, str(FOLDER / "santorini_json" / "bot.py"), "gravity"]
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    entries = (an_entry(bot.player, "santorini-json"), *builtins(2, "random"))
    await a_begun(a_spec(entries=entries, legs=2, clock="30s", variant="santorini-6x6", format="gauntlet"))
    found = await finished("spring-cup")
    assert Counter((line.status, line.calls) for line in found.lines) == {("played", 0): 4}
    assert {line.match.termination for line in found.lines if line.match} == {"normal"}
    async with asyncio.timeout(DEADLINE_S):
        _, err = await process.communicate()
    assert process.returncode == 0, err.decode()


async def play_native(port: int, token: str, moves: asyncio.Event | None = None) -> int:
    """One connection to its end, with moves once `moves` is set. Returns how many matches ended on it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    ended = 0
    try:
        writer.write(json.dumps({"type": "hello", "name": "one", "token": token}).encode() + b"\n")
        while line := await reader.readline():
            told = json.loads(line)
            ended += told["type"] == "end"
            if told["type"] == "turn":
                if moves is not None:
                    await moves.wait()
                answer = {"type": "move", "ply": told["ply"], "move": told["legal"][0]}
                writer.write(json.dumps(answer).encode() + b"\n")
    finally:
        writer.transport.abort()
    return ended


async def test_it_is_said_who_is_called(host: Host, door: int) -> None:
    assert host.director is not None
    (first, one), (second, _) = [await register(name, "fiar") for name in ("gravity-9", "delta-3")]
    tournament = await a_begun(a_spec(entries=(an_entry(first.player), an_entry(second.player)), clock="30s"))
    async with connecting(door, one), asyncio.timeout(DEADLINE_S):
        entry = await Entry.objects.aget(name="delta-3")
        while [call.missing for call in host.director.calls(tournament.pk)] != [(entry.pk,)]:
            await asyncio.sleep(0.01)


async def test_nobody_is_called_while_it_is_paused(host: Host) -> None:
    assert host.director is not None
    bots = [await register(name, "fiar") for name in ("gravity-9", "delta-3")]
    tournament = await a_begun(a_spec(entries=tuple(an_entry(bot.player) for bot, _ in bots), clock="30s"))
    async with asyncio.timeout(DEADLINE_S):
        while not host.director.calls(tournament.pk):
            await asyncio.sleep(0.01)
        await sync_to_async(actions.pause)(tournament)
        while host.director.calls(tournament.pk):
            await asyncio.sleep(0.01)
        assert [run.is_running for run in host.director.runs()] == [False], "others are read as often as before"
        await sync_to_async(actions.resume)(tournament)
        while not host.director.calls(tournament.pk):
            await asyncio.sleep(0.01)
    assert (await a_sheet("spring-cup")).lines[0].calls == 0


async def test_who_takes_part_meets_nobody_else_meanwhile(host: Host, door: int) -> None:
    assert host.director is not None
    (bot, token), (other, more), (absent, _) = [await register(name, "fiar") for name in ("ada", "bob", "eve")]
    await a_begun(a_spec(entries=(an_entry(bot.player), an_entry(absent.player)), clock="30s"))
    setup = SeatSetup("ada", "bot", bot.pk, "fiar", verified=True)
    await until(lambda: host.lobby.reserved(setup))
    assert not host.lobby.reserved(SeatSetup("bob", "bot", other.pk, "fiar", verified=True))
    assert not host.lobby.reserved(SeatSetup("ada", "bot", bot.pk, "fiar"))
    async with Wire.to(door) as stranger:
        await stranger.send(f"SEAT {more}")
        async with connecting(door, token), asyncio.timeout(DEADLINE_S):
            while [room.sides[0] and room.sides[0].setup.name for room in host.lobby.open_rooms()] != ["bob"]:
                await asyncio.sleep(0.01)


async def test_a_bot_that_names_the_room_it_was_written_for_plays_where_it_is_awaited(host: Host) -> None:
    """Two that name the same room, over and over: they meet in their pairings, and nowhere else."""
    port = (await host.open_doors("127.0.0.1", {"droidcon": 0}, []))["droidcon"]
    bots = [await register(name, "droidcon") for name in ("gravity-9", "delta-3")]
    entries = (*(an_entry(bot.player, "droidcon") for bot, _ in bots), *builtins(1))
    await a_begun(a_spec(entries=entries, legs=2, clock="30s"))
    director = host.director
    assert director is not None
    await until(lambda: director.is_reserved(SeatSetup("delta-3", "bot", bots[1][0].pk, "droidcon", verified=True)))
    tasks = [asyncio.create_task(_join_again_and_again(port, token)) for _, token in bots]
    found = await finished("spring-cup")
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert Counter(line.status for line in found.lines) == {"played": 6}
    assert {line.calls for line in found.lines} == {0}
    assert not await Match.objects.filter(pairing=None, opened__lt=found.tournament.finished).aexists()


async def test_a_bot_that_waits_in_the_room_it_was_written_for_is_called_from_there(host: Host) -> None:
    port = (await host.open_doors("127.0.0.1", {"droidcon": 0}, []))["droidcon"]
    bot, token = await register("gravity-9", "droidcon")
    async with Droidcon.to(port) as wire:
        await wire.send(f"SEAT {token}")
        await wire.enter("somebody", "lab")
        await a_begun(a_spec(entries=(an_entry(bot.player, "droidcon"), *builtins(1)), clock="30s", legs=1))
        await wire.play_anything()
        assert [(line.status, line.calls) for line in (await finished("spring-cup")).lines] == [("played", 0)]


async def test_who_takes_part_is_kept_a_side_by_its_event_alone(host: Host, door: int) -> None:
    """Any visitor opens a room of old again, in which a side is kept for a bot."""
    (first, one), (second, two) = [await register(name, "fiar") for name in ("gravity-9", "delta-3")]
    fields = {"variant": "connect-four-7x6", "clock": "30s"}
    kept = await host.room_maker.open_room(fields, (SideChoice("bot", player=first.pk), SideChoice("anyone")), None)
    await a_begun(a_spec(entries=(an_entry(first.player), an_entry(second.player)), clock="30s"))
    setup = SeatSetup("gravity-9", "bot", first.pk, "fiar", verified=True)
    await until(lambda: host.lobby.reserved(setup))
    async with connecting(door, one, two):
        found = await finished("spring-cup")
        assert [(line.status, line.calls) for line in found.lines] == [("played", 0)]
        await until(lambda: kept.sides[0] is not None)  # now it may come


async def _join_again_and_again(port: int, token: str) -> None:
    while True:
        async with Droidcon.to(port) as wire:
            await wire.send(f"SEAT {token}")
            await wire.enter("somebody", "lab")
            await wire.play_anything()


async def test_who_takes_part_is_known_before_anybody_comes_in(transactional_db: None) -> None:
    bot, _ = await register("gravity-9", "fiar")
    await a_begun(a_spec(entries=(an_entry(bot.player), *builtins(1)), clock="30s"))
    async with serving() as host:
        assert host.lobby.reserved(SeatSetup("gravity-9", "bot", bot.pk, "fiar", verified=True))


async def test_people_sit_down_in_the_room_of_their_pairing(host: Host) -> None:
    user = await get_user_model().objects.acreate(username="mira")
    mira = await Player.objects.acreate(kind="person", name="Mira", slug="mira", user=user)
    entries = (EntrySpec("Mira", "person", player=mira.pk, agrees=True), *builtins(1))
    await a_begun(a_spec(entries=entries, clock="30s"))
    async with asyncio.timeout(DEADLINE_S):
        while not (rooms := [room for room in host.lobby.rooms.values() if room.plan.pairing]):
            await asyncio.sleep(0.01)
    setup = SeatSetup("Mira", player=mira.pk, verified=True)
    host.lobby.sit_down(rooms[0], setup)
    found = await sheet_when("spring-cup", lambda found: found.progress.running == 1)
    live = await live_of(host, found.lines[0].matches[0].id)
    await host.referee.resign(live, live.state.setup.seats.index(setup))
    assert (await finished("spring-cup")).names[(await a_sheet("spring-cup")).standings[0].entry] == "p1"
