"""What child processes write to stderr: drained, kept in part, and bounded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from arena.transports import process
from tests.kit.children import Bench, alive, child


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(tmp_path)
    yield made
    await made.clear()


async def test_a_flood_of_stderr_is_drained_and_its_end_is_kept(bench: Bench) -> None:
    """A pipe that nobody reads stops the bot after 64 KiB."""
    bot = await bench.python("import sys\nsys.stderr.write('e' * 300_000 + 'the end')\nprint('alive')\ninput()")
    await bot.until_data(b"alive\n")
    bot.transport.write(b"\n")
    await bot.until_lost()
    assert child(bot).stderr_tail.endswith(b"the end")
    assert len(child(bot).stderr_tail) == 64 * 1024


async def test_one_that_writes_to_stderr_without_end_is_killed_and_starves_nobody(bench: Bench) -> None:
    flood = await bench.python("import os\nwhile True: os.write(2, b'thinking\\n' * 7000)")
    quiet = await bench.python("import sys\nfor line in sys.stdin: print(line, end='')")
    quiet.transport.write(b"hello\n")
    await quiet.until_data(b"hello\n")
    assert await flood.until_lost() == process.FLOODS_STDERR
    assert len(child(flood).stderr_tail) == 64 * 1024
    assert not alive(child(flood).pid)


async def test_a_crash_leaves_its_traceback(bench: Bench) -> None:
    bot = await bench.python("print('4')\nraise ValueError('no idea')")
    assert await bot.until_lost() == "exit code 1"
    assert bytes(bot.data) == b"4\n"
    assert child(bot).stderr_tail.endswith(b"ValueError: no idea\n")
