"""Whether a bot of this server starts, known before its match; nothing of it is left."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots.process import programs, starting, trying
from arena.models import Bot, Player
from tests.bots.sandboxed import processes

# Its processes are found by it, among those of tests that run beside this one.
NAME = f"starter-{os.getpid()}"
# No other bot of these tests has this number.
PK = 19_990_401
READS = "import sys\nsys.stdin.readline()\n"


@pytest.fixture
def bot(settings: Any) -> Iterator[Bot]:
    """pytest's own folders can be entered by their owner only."""
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as name:
        Path(name).chmod(0o755)
        Path(name, NAME).mkdir(mode=0o755)
        settings.ARENA_BOTS, settings.ARENA_DATA, settings.ARENA_SANDBOX_MIN = Path(name), Path(name, "data"), 0
        yield Bot(player=Player(pk=PK, name=NAME, slug=NAME), command=["python3", "bot.py", NAME])
    starting._tried.pop(PK, None)
    starting._lacking.discard(PK)


def write(bot: Bot, source: str) -> None:
    (programs.folder_of(bot) / "bot.py").write_text(source)


@pytest.mark.long
@pytest.mark.parametrize(
    ("source", "why"),
    [
        (READS, ""),
        (f"import sys\nsys.stderr.write('x' * 3_000_000)\nprint('hello', flush=True)\n{READS}", ""),
        ("while True: pass\n", ""),
        (None, "it stopped with exit code 2 before it waited for input (python3: can't open file"),
        (
            "import library_of_1999\n",
            "before it waited for input (ModuleNotFoundError: No module named 'library_of_1999')",
        ),
        ("pass\n", "it stopped with exit code 0 before it waited for input"),
        ("import os\nos.abort()\n", "it was killed by SIGABRT before it waited for input"),
        ("x = 'x' * (1 << 30)\n", "it went over a limit: memory before it waited for input (MemoryError)"),
    ],
)
def test_one_that_ends_before_it_waits_for_input_cannot_be_started(
    bot: Bot, source: str | None, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if source is not None:
        write(bot, source)
    if source is not None and source.startswith("while"):
        monkeypatch.setattr(trying, "TRIAL_S", 0.2)
    assert starting.lacks(bot) == "", "nothing is known yet"
    assert why in (found := starting.look(bot)) and bool(found) == bool(why)
    assert starting.lacks(bot) == found and (PK in starting.lacking()) == bool(why)
    assert processes(NAME) == []


def test_it_is_started_again_when_its_files_or_its_command_change_or_after_a_while(
    bot: Bot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failures() -> int:
        starting.look(bot)
        return sum("cannot be started" in line for line in caplog.messages)

    write(bot, "raise SystemExit(3)\n")
    assert [failures(), failures()] == [1, 1]
    monkeypatch.setattr(starting, "AGAIN_S", 0.0)
    assert failures() == 2, "what it lacks may have been outside of its folder"
    write(bot, READS)
    assert failures() == 2 and PK not in starting.lacking()
    assert bot.command is not None
    bot.command = [*bot.command[:1], "-c", "1"]
    assert failures() == 3 and PK in starting.lacking()


def test_what_is_missing_is_said_without_a_start_and_for_a_worker_nothing_is_started(bot: Bot, settings: Any) -> None:
    bot.command = ["./bot.py"]
    assert starting.look(bot).startswith("./bot.py: no such program in the sandbox")
    write(bot, "#!/usr/bin/env library-of-1999\n")
    (programs.folder_of(bot) / "bot.py").chmod(0o755)
    assert starting.look(bot) == starting.lacks(bot) == "./bot.py: no 'library-of-1999', which its first line names"
    bot.enabled, bot.program, settings.ARENA_WORKER_URL = True, "ab", "https://arena.example.org"
    programs.folder_of(bot).parent.mkdir(parents=True)
    (programs.folder_of(bot).parent / "ab.tar").touch()
    (settings.ARENA_BOTS / NAME).rename(programs.folder_of(bot))
    assert starting.look(bot) == "", "a worker may have what this machine lacks"
    settings.ARENA_WORKER_URL = ""
    assert "library-of-1999" in starting.look(bot)
    bot.command = None
    assert starting.look(bot) == "", "it connects by itself"


@pytest.mark.django_db(transaction=True)
async def test_what_its_files_say_is_known_of_every_bot_without_a_start(bot: Bot) -> None:
    player = await Player.objects.acreate(kind="bot", name=NAME, slug=NAME)
    fields = {"protocol": "fiar", "variant": "connect-four-7x6", "family": NAME}
    await Bot.objects.acreate(player=player, command=["./bot.py"], **fields)
    assert await starting.all_lacking() == {player.pk} and player.pk in starting.lacking()
    write(bot, "raise SystemExit(3)\n")
    (programs.folder_of(bot) / "bot.py").chmod(0o755)
    assert await starting.all_lacking() == frozenset() and player.pk not in starting.lacking()
    await Bot.objects.aupdate(command=None)
    assert await starting.all_lacking() == frozenset()
