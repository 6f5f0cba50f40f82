"""The sandbox that this machine gives: every attack is held back, and bots play matches in it."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest

from arena.bots.process.child import ChildBot
from arena.bots.process.launch import MIB
from arena.bots.process.probes import DAEMON, PROBES, Probe, judge, target
from arena.bots.process.sandbox import (
    ADVICE,
    BotLimits,
    NotSandboxed,
    Sandbox,
    SandboxLevel,
    attempt,
    best_level,
    demand,
    self_test,
    wrap,
)
from arena.core.hub import Hub, LiveMatch
from arena.core.ledger import Ledger
from arena.core.log_store import MemoryStore
from arena.core.referee import Referee
from arena.protocols import protocol
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from tests.bots.sandboxed import Box, box, groups_left, until_nobody
from tests.common.test_descriptors import left
from tests.kit.children import child
from tests.kit.deadline import DEADLINE_S
from tests.kit.recorder import open_files

pytestmark = pytest.mark.service


def test_this_machine_gives_a_sandbox_for_anyone_s_bots() -> None:
    assert best_level() >= SandboxLevel.L2, f"{ADVICE[SandboxLevel.L2]}. {self_test()}"


# -- attacks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
async def test_the_attack_is_held_back(probe: Probe) -> None:
    """As a bot in a match would make it: through the transport, its output on a terminal."""
    with target() as aim:
        bots = Box(aim.folder)
        try:
            bot = await bots.start(*probe.command(aim), level=best_level(), limits=probe.limits)
            await bot.until(lambda: DAEMON in bot.data or bot.lost is not None)
            bot.transport.abort()
            await bot.until_lost()
            if DAEMON in bot.data:
                await until_nobody(aim.marker)
                return
            said = bytes(bot.data) + child(bot).stderr_tail
            found = judge(child(bot).exit_status or 0, bots.launch_of(bot).events(), said)
            assert found.held, found.words
        finally:
            await bots.clear()
    assert groups_left() == []


def test_the_trial_that_holds_is_the_last_and_has_all_attacks() -> None:
    *failed, last = self_test()
    assert last.holds and last.level == best_level()
    assert [probe for probe, _ in last.found] == list(PROBES)
    assert all(found.held for _, found in last.found)
    assert all(trial.why_not and trial.level > last.level for trial in failed)


# -- machines that give less -------------------------------------------------------------------------------------------


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A PATH without bubblewrap, which every user may search."""
    with tempfile.TemporaryDirectory(prefix="arena-box-") as name:
        Path(name).chmod(0o755)
        for program in ("env", "setpriv", "sh", "sleep"):
            Path(name, program).symlink_to(shutil.which(program) or program)
        monkeypatch.setenv("PATH", name)
        yield Path(name)


def test_a_missing_program_is_why_a_level_is_not_given(programs: Path) -> None:
    trial = attempt(SandboxLevel.L2)
    assert not trial.holds
    assert "install the package bubblewrap" in trial.why_not


def test_where_no_descriptor_is_free_nothing_is_found_out() -> None:
    """It would be believed as long as the process lives that this machine gives none."""
    with left(3), pytest.raises(NotSandboxed, match="no room"):
        attempt(SandboxLevel.L1)


def test_a_sandbox_that_does_not_start_says_why_in_its_own_words(programs: Path) -> None:
    """As bubblewrap says it where user namespaces are forbidden."""
    bwrap = programs / "bwrap"
    bwrap.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
    bwrap.chmod(0o755)
    trial = attempt(SandboxLevel.L2)
    assert "No permissions to create a new namespace" in trial.why_not
    assert trial.found == ()


def test_a_level_that_holds_too_little_names_what_is_open() -> None:
    trial = attempt(SandboxLevel.L0)
    assert not trial.holds
    assert "not held back: network (connected to a port of this machine)" in trial.why_not
    assert "survivor (it survived)" in trial.why_not


def test_what_is_asked_for_is_given_or_refused_with_what_to_do() -> None:
    assert demand(2, SandboxLevel.L3) == SandboxLevel.L3
    assert demand(0, SandboxLevel.L0) == SandboxLevel.L0
    with pytest.raises(NotSandboxed) as error:
        demand(2, SandboxLevel.L1)
    for words in ("gives level 1", "ARENA_SANDBOX_MIN asks for 2", "apt-get install bubblewrap", "sandbox_check"):
        assert words in str(error.value)


# -- in a match --------------------------------------------------------------------------------------------------------

STRATEGY = """
import sys
for line in sys.stdin:
    board = line.split()[1]
    print(board[:7].index('.') + 1)
"""


@pytest.fixture
async def bots() -> AsyncIterator[Box]:
    async with box() as made:
        yield made


async def play(folder: Path, scripts: Sequence[str], limits: BotLimits) -> LiveMatch:
    """One round of `fiar` between two sandboxed bots; everything of it is gone when it returns."""
    referee = Referee(Ledger(MemoryStore(), lambda error: None), Hub())
    room = LiveRoom(referee, Plan("connect-four-7x6", clock="20s", break_s=0.0))
    ended: asyncio.Future[LiveMatch] = asyncio.get_running_loop().create_future()
    room.on_round = ended.set_result
    sandbox = Sandbox(best_level(), limits)
    seats = []
    for name, script in zip(("Ada", "Bob"), scripts, strict=True):
        (folder / f"{name}.py").write_text(script)
        seats.append(ChildBot(referee, protocol("fiar"), ["python3", f"{name}.py"], name, folder, sandbox))
    for seat in seats:
        room.sit(seat)
    room.look()
    try:
        async with asyncio.timeout(DEADLINE_S):
            return await ended
    finally:
        room.close()
        for seat in seats:
            await seat.close()
        referee.close()
        await referee.ledger.close()


async def test_two_bots_that_never_flush_play_a_match(bots: Box) -> None:
    await play(bots.folder, (STRATEGY, STRATEGY), BotLimits())
    before = open_files()
    live = await play(bots.folder, (STRATEGY, STRATEGY), BotLimits())
    assert (live.state.termination, live.state.reason) == ("normal", "four in a row")
    assert open_files() == before
    assert groups_left() == []


@pytest.mark.parametrize(
    ("script", "termination", "reason"),
    [
        ("input()\nwhile True: pass", "resource_limit", "cpu"),
        ("input()\nkept = []\nwhile True: kept.append(b'x' * (1 << 24))", "resource_limit", "memory"),
        ("input()\nraise SystemExit(3)", "crash", "Bob stopped with exit code 3"),
        ("input()\nimport os; os.kill(os.getpid(), 11)", "crash", "Bob was killed by SIGSEGV"),
    ],
)
async def test_the_end_of_a_bot_is_the_end_of_its_match(bots: Box, script: str, termination: str, reason: str) -> None:
    live = await play(bots.folder, (STRATEGY, script), BotLimits(memory=128 * MIB, cpu_s=1))
    assert (live.state.termination, live.state.reason, live.state.winner) == (termination, reason, 0)
    assert groups_left() == []


async def test_a_bot_that_cannot_be_started_leaves_nothing(bots: Box) -> None:
    before = open_files()
    with pytest.raises(OSError, match="no such program"):
        wrap(["./no-such-bot"], level=best_level(), bot_folder=bots.folder)
    assert open_files() == before
    assert groups_left() == []
