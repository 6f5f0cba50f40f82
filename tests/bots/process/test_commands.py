"""Bots that this server runs: who may say so, and that they play in the sandbox and leave nothing behind."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.bots.process import commands, starting
from arena.bots.process.child import ChildBot
from arena.bots.process.commands import check_command
from arena.bots.process.sandbox import SandboxLevel
from arena.bots.seats.choices import Opener, SideChoice
from arena.host import Host
from arena.match.commands import Play, Refusal
from arena.models import Bot, Match
from tests.bots.placing import FIELDS, ME, RANDOM, port, side
from tests.bots.sandboxed import processes, until_nobody
from tests.kit.clients import Wire
from tests.kit.deadline import DEADLINE_S
from tests.kit.hosting import serving
from tests.kit.refereeing import moves_of
from tests.kit.registered import register
from tests.kit.until import until

BOT = """
import sys
for line in sys.stdin:
    print(next(i + 1 for i, place in enumerate(line.split()[1][:7]) if place == "."), flush=True)
"""
# Its processes are found by it, among those of tests that run beside this one.
NAME = f"gravity-{os.getpid()}"
SILENT = "import sys\nsys.stdin.read()\n"
JOINS = f"print('NAME g')\nprint('JOIN a', flush=True)\n{SILENT}"


@pytest.fixture
def folder(host: Host, settings: SimpleNamespace) -> Iterator[Path]:
    """pytest's own folders can be entered by their owner only; the lowest level runs on every machine."""
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as name:
        Path(name).chmod(0o755)
        settings.ARENA_BOTS = Path(name)
        host.commands._minimum = settings.ARENA_SANDBOX_MIN = 0
        yield Path(name)


async def run_by_us(folder: Path, source: str = BOT, name: str = NAME, protocol: str = "fiar") -> Bot:
    own = folder / name
    own.mkdir(mode=0o755)
    (own / "bot.py").write_text(source)
    bot, _ = await register(name, protocol, command=["python3", "bot.py", name])
    return bot


async def test_a_bot_of_ours_plays_a_built_in_player_in_the_sandbox(host: Host, ada: Opener, folder: Path) -> None:
    bot = await run_by_us(folder)
    room = await host.room_maker.open_room(FIELDS, (SideChoice("command", player=bot.pk), RANDOM), ada)
    await until(lambda: room.over)
    [match] = [row async for row in Match.objects.all()]
    assert match.termination == "normal" and room.live is not None
    seat = room.live.state.setup.seats[0]
    assert (seat.name, seat.player, seat.verified, seat.protocol) == (NAME, bot.pk, True, "fiar")
    await until_nobody(NAME)


async def test_one_that_stops_loses_with_what_it_said_last(host: Host, ada: Opener, folder: Path) -> None:
    bot = await run_by_us(folder, "import sys\ninput()\nsys.stderr.write('no book\\n')\nsys.exit(3)\n")
    room = await host.room_maker.open_room(FIELDS, (SideChoice("command", player=bot.pk), RANDOM), ada)
    await until(lambda: room.over)
    assert room.live is not None
    assert (room.live.state.termination, room.live.state.reason) == ("crash", f"{NAME} stopped with exit code 3")
    heard = side(host, room, 0).hearing.entries
    assert [(entry.code, entry.params["exit"]) for entry in heard] == [("stopped", "exit code 3")]


async def test_it_is_started_when_both_sides_are_there(host: Host, ada: Opener, folder: Path) -> None:
    bot = await run_by_us(folder)
    room = await host.room_maker.open_room(FIELDS, (SideChoice("command", player=bot.pk), SideChoice("anyone")), ada)
    mine = room.sides[0]
    assert isinstance(mine, ChildBot) and not mine.is_running and processes(NAME) == []
    host.lobby.sit_down(room, ada.setup)
    await until(lambda: room.live is not None and len(moves_of(room.live)) == 1)
    assert mine.is_running


async def test_a_match_goes_on_with_a_new_process_after_a_restart(host: Host, ada: Opener, folder: Path) -> None:
    bot = await run_by_us(folder)
    room = await host.room_maker.open_room({**FIELDS, "clock": "none"}, (SideChoice("command", player=bot.pk), ME), ada)
    await until(lambda: room.live is not None and len(moves_of(room.live)) == 1)
    assert room.live is not None
    await host.stop()
    assert processes(NAME) == []
    async with serving() as after:
        live = after.hub.get(room.live.id)
        assert live is not None
        await until(lambda: live.state.phase == "running")
        await after.referee.act(live, Play(1, 2, "1"))
        await until(lambda: len(moves_of(live)) == 3)
        assert live.events[-2].kind == "move" and processes(NAME) != []
    assert [row.termination async for row in Match.objects.all()] == [None]
    await until_nobody(NAME)


async def test_what_staff_had_paused_goes_on_afresh_only_once(host: Host, ada: Opener, folder: Path) -> None:
    bot = await run_by_us(folder)
    room = await host.room_maker.open_room({**FIELDS, "clock": "5m"}, (SideChoice("command", player=bot.pk), ME), ada)
    await until(lambda: room.live is not None and len(moves_of(room.live)) == 1)
    assert room.live is not None
    await host.referee.pause(room.live, "lunch", "Ada")
    await host.stop()
    async with serving() as after:
        live = after.hub.get(room.live.id)
        assert live is not None and live.state.paused_by == "Ada"
        await after.referee.resume(live, "Ben")
        assert live.events[-1].data == {"afresh": True}, "its process is a new one"
        await after.referee.pause(live, "dinner", "Ada")
        await after.referee.resume(live, "Ben")
        assert live.events[-1].data == {}
        await after.referee.act(live, Play(1, 2, "1"))
        await until(lambda: len(moves_of(live)) == 3)
    await until_nobody(NAME)


async def test_a_round_whose_bot_may_not_be_run_any_more_is_void(host: Host, ada: Opener, folder: Path) -> None:
    bot = await run_by_us(folder, SILENT)
    fields = {**FIELDS, "clock": "1m"}
    room = await host.room_maker.open_room(fields, (SideChoice("command", player=bot.pk), ME), ada)
    await until(lambda: room.live is not None and room.live.state.phase == "running")
    await host.stop()
    assert processes(NAME) == []
    await Bot.objects.aupdate(command=None)
    async with serving():
        ended = [row async for row in Match.objects.filter(ended__isnull=False)]
        assert [(row.termination, row.round) for row in ended] == [("server_abort", 1)]


@pytest.mark.parametrize("is_playing", [True, False])
async def test_nobody_waits_for_a_bot_that_may_not_be_run_any_more(
    host: Host, ada: Opener, folder: Path, is_playing: bool
) -> None:
    bot = await run_by_us(folder, SILENT)
    sides = SideChoice("command", player=bot.pk), SideChoice("socket", protocol="fiar")
    room = await host.room_maker.open_room({**FIELDS, "clock": "1m", "rounds": 2}, sides, ada)
    async with Wire.to(port(host, room, 1)):
        await until(lambda: room.live is not None and room.live.state.phase == "running")
        assert room.live is not None
        if not is_playing:
            host.lobby.hold()
            await host.referee.resign(room.live, 1)
        await host.stop()
    await Bot.objects.aupdate(command=None)
    async with serving() as after:
        assert after.lobby.rooms == {} and after.seat_ports.pool.used == 0


async def test_a_round_that_its_protocol_cannot_go_on_with_is_played_again(
    host: Host, ada: Opener, folder: Path
) -> None:
    bot = await run_by_us(folder, JOINS, protocol="droidcon")
    fields = {**FIELDS, "clock": "1m"}
    room = await host.room_maker.open_room(fields, (SideChoice("command", player=bot.pk), ME), ada)
    await until(lambda: room.live is not None and room.live.state.phase == "running")
    await host.stop()
    async with serving() as after:
        ended = [row async for row in Match.objects.filter(ended__isnull=False)]
        assert [(row.termination, row.round) for row in ended] == [("server_abort", 1)]
        assert after.lobby.rooms[room.plan.code.upper()].plan.places[0] is not None
    await until_nobody(NAME)


async def test_a_machine_that_gives_too_little_is_refused_in_words(host: Host, ada: Opener, folder: Path) -> None:
    bot = await run_by_us(folder)
    host.commands._minimum = 3
    host.commands._probing = asyncio.ensure_future(asyncio.sleep(0, SandboxLevel.L1))
    with pytest.raises(Refusal, match="this machine gives level 1 of the sandbox") as why:
        await host.room_maker.open_room(FIELDS, (SideChoice("command", player=bot.pk), ME), ada)
    assert why.value.code == "sandbox" and host.lobby.rooms == {}


async def test_what_could_not_be_found_out_is_said_and_looked_for_again(
    host: Host, ada: Opener, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where no thread and no process can be started for a while."""

    def fails() -> SandboxLevel:
        raise RuntimeError("can't start new thread")

    bot = await run_by_us(folder)
    with monkeypatch.context() as here:
        here.setattr(commands, "best_level", fails)
        with pytest.raises(Refusal, match="could not be found out which sandbox") as why:
            async with asyncio.timeout(DEADLINE_S):
                await host.room_maker.open_room(FIELDS, (SideChoice("command", player=bot.pk), ME), ada)
    assert why.value.code == "sandbox" and host.lobby.rooms == {} and not host.lobby.opening.locked()
    monkeypatch.setattr(commands, "best_level", lambda: SandboxLevel.L1)
    assert await host.commands.level() == SandboxLevel.L1


@pytest.mark.parametrize("fault", ["no folder", "closed folder", "not executable"])
async def test_while_it_cannot_be_started_nothing_begins_and_nobody_loses(
    host: Host, ada: Opener, folder: Path, fault: str
) -> None:
    """Neither in a new room, nor in one in which it sits already."""
    bot = await run_by_us(folder, f"#!/usr/bin/python3\n{BOT}")
    (folder / NAME / "bot.py").chmod(0o755)
    await Bot.objects.aupdate(command=["./bot.py"])
    sides = SideChoice("command", player=bot.pk), SideChoice("anyone")
    room = await host.room_maker.open_room(FIELDS, sides, ada)
    if fault == "no folder":
        (folder / NAME).rename(folder / "elsewhere")
    else:
        (folder / NAME).chmod(0o700) if fault == "closed folder" else (folder / NAME / "bot.py").chmod(0o644)
    host.lobby.sit_down(room, ada.setup)
    await until(lambda: room.over)
    with pytest.raises(Refusal, match=f"^This server cannot start {NAME}. Its page tells its owner why.$") as why:
        await host.room_maker.open_room(FIELDS, sides, ada)
    assert why.value.code == "cannot_start"
    assert not await Match.objects.aexists()


async def test_one_that_ends_before_it_reads_is_in_no_room_until_its_files_are_mended(
    host: Host, ada: Opener, folder: Path
) -> None:
    bot = await run_by_us(folder, "import a_library_of_1999\n")
    sides = SideChoice("command", player=bot.pk), RANDOM
    with pytest.raises(Refusal, match=f"^This server cannot start {NAME}"):
        await host.room_maker.open_room(FIELDS, sides, ada)
    assert "No module named 'a_library_of_1999'" in starting.lacks(bot) and not await Match.objects.aexists()
    (folder / NAME / "bot.py").write_text(BOT)
    room = await host.room_maker.open_room(FIELDS, sides, ada)
    await until(lambda: room.over)
    assert room.live is not None and room.live.state.termination == "normal"


async def test_so_many_run_at_once(host: Host, ada: Opener, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MOST_AT_ONCE", 0)
    bot = await run_by_us(folder)
    with pytest.raises(Refusal, match="already runs 0 bots"):
        await host.commands.make(bot.pk)
    with pytest.raises(Refusal, match="runs no such bot"):
        await host.commands.make(bot.pk + 1)


# -- who may say what is run -------------------------------------------------------------------------------------------

ROOT, ANYBODY = SimpleNamespace(is_superuser=True), SimpleNamespace(is_superuser=False)
COMMAND = ["python3", "bot.py"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("user", "words", "before", "allowed"),
    [
        (ANYBODY, None, None, True),
        (ANYBODY, COMMAND, COMMAND, True),
        (ANYBODY, COMMAND, None, False),
        (ANYBODY, None, COMMAND, False),
        (ANYBODY, ["sh"], COMMAND, False),
        (object(), COMMAND, None, False),
        (ROOT, COMMAND, None, True),
        (ROOT, None, COMMAND, True),
    ],
)
def test_only_superusers_set_a_command(
    user: object, words: list[str] | None, before: list[str] | None, allowed: bool, settings: SimpleNamespace
) -> None:
    settings.ARENA_SANDBOX_MIN = 0
    if allowed:
        check_command(user, words, before)
        return
    with pytest.raises(Refusal) as why:
        check_command(user, words, before)
    assert why.value.code == "not_yours"


def test_where_the_sandbox_is_too_weak_nobody_does(settings: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ARENA_SANDBOX_MIN = 3
    monkeypatch.setattr("arena.bots.process.sandbox.best_level", lambda: SandboxLevel.L1)
    with pytest.raises(Refusal, match="ARENA_SANDBOX_MIN asks for 3"):
        check_command(ROOT, COMMAND, None)
