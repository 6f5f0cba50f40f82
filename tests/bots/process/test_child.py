from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from arena.bots.failure.failure import card_of
from arena.bots.process.cgroups import BotGroup
from arena.bots.process.child import ChildBot
from arena.bots.process.launch import Launch, SandboxLevel
from arena.bots.process.sandbox import Sandbox
from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.protocols.adapter import Adapter
from arena.protocols.droidcon.adapter import Droidcon
from arena.protocols.fiar.adapter import Fiar
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from tests.bots.sitting import Other
from tests.kit.refereeing import moves_of, refereeing
from tests.kit.until import until

# Answers with the first column that is not full; `{}` stands for what is different about it.
BOT = """
import os, sys, time
def answer(line):
    print(next(i + 1 for i, place in enumerate(line.split()[1][:7]) if place == "."))
{}
"""
LOOP = "for line in sys.stdin: answer(line)"


class Table:
    """A room with a child bot on the first side."""

    def __init__(self, referee: Referee, folder: Path) -> None:
        self.referee = referee
        self.folder = folder
        self.bots: list[ChildBot] = []

    async def seat(self, code: str, rounds: int = 1, clock: str = "5s") -> LiveRoom:
        (self.folder / "bot.py").write_text(BOT.format(code))
        return await self.run([sys.executable, "bot.py"], rounds, clock)

    async def run(self, argv: list[str], rounds: int = 1, clock: str = "5s", adapter: type[Adapter] = Fiar) -> LiveRoom:
        self.bots.append(ChildBot(self.referee, adapter, argv, "gravity", self.folder))
        room = LiveRoom(self.referee, Plan("connect-four-7x6", clock=clock, rounds=rounds))
        room.sit(self.bots[-1])
        room.sit(Other())
        await room.begin()
        return room


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    async with refereeing() as referee:
        table = Table(referee, tmp_path)
        yield table
        for bot in table.bots:
            await bot.close()


def live_of(room: LiveRoom) -> LiveMatch:
    assert room.live is not None
    return room.live


async def loss(room: LiveRoom) -> tuple[str, str, str]:
    """How the child lost: termination, reason, and the last it said."""
    await until(lambda: live_of(room).over)
    state = live_of(room).state
    assert state.winner == 1
    return state.termination or "", state.reason, str(live_of(room).events[-1].data.get("received", ""))


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def test_it_plays_although_it_never_flushes(table: Table) -> None:
    room = await table.seat(LOOP)
    await until(lambda: moves_of(live_of(room)) == ["1"])
    await table.referee.play(live_of(room), 1, 2, "1")
    await until(lambda: moves_of(live_of(room)) == ["1", "1", "1"])
    assert live_of(room).state.setup.seats[0].name == "gravity"


async def test_every_round_has_a_process_of_its_own_and_none_is_left(table: Table) -> None:
    room = await table.seat("print(os.getpid(), file=open(f'pid{os.getpid()}', 'w'))\n" + LOOP, rounds=2)
    first = live_of(room)
    await until(lambda: moves_of(first) == ["1"])
    await table.referee.resign(first, 1)
    await until(lambda: live_of(room) is not first and live_of(room).state.phase == "running")
    second = live_of(room)
    await table.referee.play(second, 0, 1, "4")
    await until(lambda: moves_of(second) == ["4", "1"])
    await table.referee.resign(second, 0)
    await until(lambda: room.over)
    await table.bots[0].close()
    pids = [int(path.name.removeprefix("pid")) for path in table.folder.glob("pid*")]
    assert len(pids) == 2 and not any(is_alive(pid) for pid in pids)


async def test_a_crash_is_told_with_its_code_and_its_last_words(table: Table) -> None:
    room = await table.seat("sys.stdin.readline(); sys.exit('out of ideas')")
    assert await loss(room) == ("crash", "gravity stopped with exit code 1", "out of ideas\n")


async def test_one_that_exits_at_once_has_lost_before_its_first_move(table: Table) -> None:
    room = await table.seat("1 / 0")
    termination, reason, said = await loss(room)
    assert (termination, reason) == ("crash", "gravity stopped with exit code 1")
    assert "ZeroDivisionError" in said


@pytest.mark.long
@pytest.mark.parametrize("gone", [False, True])
async def test_one_that_is_not_ready_in_time_has_lost_by_that(
    table: Table, monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    """Also if the start of the other side takes so long that its process has been ended meanwhile."""
    monkeypatch.setattr(Droidcon, "ready_s", 0.1)
    mute = ChildBot(table.referee, Droidcon, ["sleep", "600"], "mute", table.folder)
    table.bots.append(mute)

    class Slow(Other):
        async def prepare(self) -> None:
            await until(lambda: not (gone and mute.is_running))

    room = LiveRoom(table.referee, Plan("connect-four-7x6"))
    room.sit(mute)
    room.sit(Slow())
    await room.begin()
    assert await loss(room) == ("stall", "mute was not ready within 0.1 s", "")


async def test_one_that_was_started_in_vain_is_ended(table: Table) -> None:
    """The other side has left before it was ready."""
    bot, other = ChildBot(table.referee, Fiar, ["cat"], "idle", table.folder), Other()
    table.bots.append(bot)
    room = LiveRoom(table.referee, Plan("connect-four-7x6"))
    room.sit(bot)
    room.sit(other)
    room.look()
    room.stand(other)
    await until(lambda: not room.playing)
    assert bot._child is not None and not (room.begun or room.over)
    await until(lambda: not bot.is_running)


class HeldSandbox(Sandbox):
    """One whose group is not empty yet, and so cannot be removed."""

    def wrap(self, argv: Sequence[str], bot_folder: Path) -> Launch:
        open_file = os.open(os.devnull, os.O_RDONLY)
        return Launch(tuple(argv), {}, (open_file,), group=BotGroup(1, {"memory": bot_folder / "group"}))


async def test_what_belongs_to_one_that_did_not_start_is_released_to_the_end(table: Table) -> None:
    """Also if nobody waits for that any more."""
    group = table.folder / "group"
    (group / "process").mkdir(parents=True)
    (group / "cgroup.procs").touch()
    sandbox = HeldSandbox(SandboxLevel.L3)
    bot = ChildBot(table.referee, Fiar, ["/no/such/program"], "gravity", table.folder, sandbox)
    starting = asyncio.ensure_future(bot.prepare())
    await until(lambda: bot._launch is not None and not bot._launch.pass_fds)  # its release has begun
    starting.cancel()
    await asyncio.gather(starting, return_exceptions=True)
    shutil.rmtree(group / "process")
    (group / "cgroup.procs").unlink()
    await until(lambda: not group.exists())


async def test_a_signal_of_its_own_is_named(table: Table) -> None:
    room = await table.seat("sys.stdin.readline(); os.abort()")
    termination, reason, _ = await loss(room)
    assert termination == "crash" and "killed by SIGABRT" in reason


@pytest.mark.long
async def test_one_that_closes_its_output_and_lives_is_ended(table: Table) -> None:
    room = await table.seat("sys.stdin.readline(); os.closerange(1, 2); time.sleep(3600)")
    assert (await loss(room))[:2] == ("disconnect", "gravity closed its output and did not exit")


async def test_who_sends_its_moves_with_its_login_has_one_too_many(table: Table) -> None:
    """What stands behind a JOIN is judged in the round: the first PUT answers YOUR_MOVE, the second is too early."""
    too_early = r"os.write(1, b'NAME me\nJOIN x\nPUT 3\nPUT 3\n'); sys.stdin.read()"  # all of it at once
    room = await table.run([sys.executable, "-uc", f"import os, sys; {too_early}"], adapter=Droidcon)
    expected = "a PUT only after YOUR_MOVE"
    assert await loss(room) == ("out_of_turn", f"gravity answered 'PUT 3'; expected {expected}", "PUT 3")
    card = card_of(live_of(room))
    assert card is not None
    assert (card.code, dict(card.facts)["expected"]) == ("answered_twice", expected)


async def test_rubbish_is_told_with_what_was_expected(table: Table) -> None:
    room = await table.seat("sys.stdin.readline(); print('let me think'); time.sleep(3600)")
    assert await loss(room) == (
        *("bad_output", "gravity answered 'let me think'; expected a column from 1 to 7 and a newline"),
        "let me think",
    )


async def test_a_flood_is_bad_output_and_the_process_is_gone(table: Table) -> None:
    room = await table.seat("print(os.getpid(), file=open('pid', 'w', 1))\nwhile True: os.write(1, b'1\\n' * 30000)")
    assert (await loss(room))[0] in ("bad_output", "out_of_turn")
    await table.bots[0].close()
    assert not is_alive(int((table.folder / "pid").read_text()))


async def test_much_on_stderr_hinders_nobody(table: Table) -> None:
    room = await table.seat("for line in sys.stdin: os.write(2, b'thinking\\n' * 30_000); answer(line)")
    await until(lambda: moves_of(live_of(room)) == ["1"])
    await table.referee.play(live_of(room), 1, 2, "1")
    await until(lambda: moves_of(live_of(room)) == ["1", "1", "1"])


async def test_stderr_without_end_is_named_and_the_process_is_gone(table: Table) -> None:
    code = "print(os.getpid(), file=open('pid', 'w', 1))\nwhile True: os.write(2, b'thinking\\n' * 7000)"
    room = await table.seat(code, clock="none")
    termination, reason, said = await loss(room)
    assert (termination, reason) == ("resource_limit", "standard error")
    assert "thinking\nthinking\n" in said and len(said) == 2000
    assert (card := card_of(live_of(room))) and card.code == "stderr_flood"
    await table.bots[0].close()
    assert not is_alive(int((table.folder / "pid").read_text()))


async def test_one_that_cannot_be_started_has_lost(table: Table) -> None:
    room = await table.run(["no-such-program"])
    assert (await loss(room))[:2] == ("crash", "no such command: no-such-program")
    assert [event.kind for event in live_of(room).events] == ["opened", "ended"]


async def test_the_log_that_everybody_reads_does_not_say_where_the_folder_of_a_bot_would_be(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.folder /= "otter"
    room = await table.run(["./bot"])
    assert (await loss(room))[:2] == ("crash", "no such folder to start a bot in: otter")
    assert str(table.folder) in caplog.text, "the server's log says it"


async def test_what_it_leaves_behind_is_ended_with_it(table: Table) -> None:
    code = "pid = os.fork()\nif pid == 0: time.sleep(3600)\nprint(pid, file=open('pid', 'w', 1))\n" + LOOP
    room = await table.seat(code)
    await until(lambda: moves_of(live_of(room)) == ["1"])
    await table.referee.resign(live_of(room), 1)
    await table.bots[0].close()
    assert not is_alive(int((table.folder / "pid").read_text()))


async def test_it_sees_nothing_of_our_environment(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "DATABASE_URL", "secret")
    room = await table.seat("print(sorted(os.environ), file=open('seen', 'w', 1))\n" + LOOP)
    await until(lambda: moves_of(live_of(room)) == ["1"])
    assert set(eval((table.folder / "seen").read_text())) <= {"PATH", "HOME", "LANG", "TZ", "LC_CTYPE", "LC_MESSAGES"}
