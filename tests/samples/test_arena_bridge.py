"""The bridge between an arena and a bot that was not made for it (static/samples/arena-bridge.py)."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.bridging import Arena, Rival, bridge
from tests.kit.ports import free_port
from tests.kit.samples import Sample, alone, connected
from tests.kit.server import Server
from tests.kit.until import until

# A bot that repeats what it hears, and one that reads nothing and says one word; `python -u` is never given.
# As JavaScript's own handbook reads lines.
READS_LINES = """
const lines = require("readline").createInterface({input: process.stdin, output: process.stdout});
lines.on("line", line => console.log(`got ${line}`));
"""
ECHO = "import sys\nwhile data := sys.stdin.buffer.read1(): sys.stdout.buffer.write(data); sys.stdout.buffer.flush()"
NEVER_FLUSHES = "import sys\nfor line in sys.stdin: print('got', line.strip())"
NEVER_FLUSHES_IN_C = """
#include <stdio.h>
int main(void) { char line[99]; while (fgets(line, sizeof line, stdin)) printf("got %s", line); }
"""


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def runs(pid: int) -> bool:
    """Whether the process is there and alive; nobody may have reaped it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def gone(pid: int) -> None:
    await until(lambda: not runs(pid))


@pytest.fixture
async def arena() -> AsyncIterator[Arena]:
    opened = Arena()
    await opened.open()
    yield opened
    await opened.end()


# -- bytes -------------------------------------------------------------------------------------------------------------


async def test_bytes_go_both_ways_as_they_are(arena: Arena) -> None:
    data = bytes(range(256)) * 40
    async with bridge(arena.port, bot=python(ECHO)) as bridged:
        guest = await arena.guest()
        guest.say(data)
        await guest.hears(data)
        guest.close()
        assert await bridged.ends() == 0
    assert "closed by the arena: it is over" in bridged.said


async def test_the_seat_token_comes_first(arena: Arena) -> None:
    for words, environment in ((("--seat", "arn_1"), {}), ((), {"ARENA_SEAT": "arn_1"})):
        async with bridge(arena.port, *words, bot=python("print('3')\ninput()"), **environment):
            await (await arena.guest()).hears(b"SEAT arn_1\n3\n")


@pytest.mark.parametrize("language", ["Python", "C"])
async def test_a_bot_that_never_flushes_answers(arena: Arena, language: str, built: Path) -> None:
    bot = python(NEVER_FLUSHES)
    if language == "C":
        (built / "hoards.c").write_text(NEVER_FLUSHES_IN_C)
        compiling = await asyncio.create_subprocess_exec("gcc", "-o", built / "hoards", built / "hoards.c")
        assert await compiling.wait() == 0
        bot = [str(built / "hoards")]
    async with bridge(arena.port, bot=bot):
        guest = await arena.guest()
        guest.say(b"3\n")
        await guest.hears(b"got 3\n")


async def test_a_bot_in_javascript_does_not_repeat_what_it_reads(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "bot.js").write_text(f"#!/usr/bin/env node\n{READS_LINES}")
    (tmp_path / "bot.js").chmod(0o755)
    for bot in (
        ["node", str(tmp_path / "bot.js")],
        [str(tmp_path / "bot.js")],
        ["sh", "-c", f"node {tmp_path}/bot.js"],
    ):
        async with bridge(arena.port, bot=bot):
            guest = await arena.guest()
            guest.say(b"3\n")
            await guest.hears(b"got 3\n")


async def test_what_the_bot_says_to_stderr_appears_here(arena: Arena) -> None:
    async with bridge(arena.port, bot=python("import sys; sys.exit('no numpy here')")) as bridged:
        assert await bridged.ends() == 1
    assert "no numpy here" in bridged.said  # its line end comes by itself, and the bridge may speak in between


# -- what goes wrong ---------------------------------------------------------------------------------------------------


async def test_a_port_where_nothing_listens_is_named() -> None:
    port = free_port()
    async with bridge(port, bot=python(ECHO)) as bridged:
        assert await bridged.ends() == 3
    assert f"nothing listens on 127.0.0.1 port {port} (connection refused)" in bridged.said


async def test_the_port_of_the_pages_is_recognised(arena: Arena) -> None:
    async with bridge(arena.port, bot=python("print('NAME ada')\ninput()")) as bridged:
        (await arena.guest()).say(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        assert await bridged.ends() == 3
    assert f"port {arena.port} is that of the pages" in bridged.said


async def test_a_command_and_an_interpreter_that_do_not_exist_are_named(arena: Arena, tmp_path: Path) -> None:
    async with bridge(arena.port, bot=["./no-such-bot"]) as bridged:
        assert await bridged.ends() == 5
    assert "./no-such-bot cannot be started: No such file or directory" in bridged.said
    (tmp_path / "bot").write_text("#!/usr/bin/python-of-1999 -u\n")
    (tmp_path / "bot").chmod(0o755)
    async with bridge(arena.port, bot=[str(tmp_path / "bot")]) as bridged:
        assert await bridged.ends() == 5
    assert "/bot cannot be started: no '/usr/bin/python-of-1999', which its first line names" in bridged.said


async def test_without_a_command_it_says_what_was_expected(arena: Arena) -> None:
    async with bridge(arena.port) as bridged:
        assert await bridged.ends() == 2
    assert "no command: expected the bot's command after --" in bridged.said


@pytest.mark.long
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("input(); raise SystemExit(3)", "the bot ended with exit code 3 before the arena had closed"),
        ("import os; input(); os.kill(os.getpid(), 11)", "the bot was killed by SIGSEGV before the arena had closed"),
        ("input()", "the bot ended with exit code 0 before the arena had closed"),
        ("input(); exit('refused')", "its seat is given up. If it connects by itself, add --listen PORT"),
    ],
)
async def test_a_bot_that_ends_too_early_is_told_by_its_ending(arena: Arena, code: str, words: str) -> None:
    async with bridge(arena.port, bot=python(code)) as bridged:
        guest = await arena.guest()
        guest.say(b"3\n")
        assert await bridged.ends() == 1
        assert await guest.hears_the_end() == b""
    assert words in bridged.said


async def test_a_bot_that_knows_of_the_end_before_the_arena_closes_is_no_failure(arena: Arena) -> None:
    async with bridge(arena.port, bot=python("input()")) as bridged:
        guest = await arena.guest()
        guest.say(b"0 0 0 1\n")
        await bridged.says("connected")
        guest.close()
        assert await bridged.ends() == 0


async def test_a_token_that_is_not_taken_is_no_end_of_a_match(arena: Arena) -> None:
    async with bridge(arena.port, "--seat", "arn_used", bot=python(ECHO)) as bridged:
        guest = await arena.guest()
        assert await guest.hears_line() == "SEAT arn_used"
        guest.close()
        assert await bridged.ends() == 4
    assert "the token is wrong, used up or expired" in bridged.said


# -- the end of a bot --------------------------------------------------------------------------------------------------

# Says its own number and that of a child, and spins at the end of its input, as bots of `gamestate` do.
SPINS = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, __import__("os").getpid(), flush=True)
while True: sys.stdin.readline()
"""


@pytest.mark.long
async def test_a_bot_that_spins_is_killed_with_what_it_started_when_the_arena_closes(arena: Arena) -> None:
    async with bridge(arena.port, bot=python(SPINS)) as bridged:
        guest = await arena.guest()
        pids = [int(word) for word in (await guest.hears_line()).split()]
        guest.close()
        assert await bridged.ends() == 0
    for pid in pids:
        await gone(pid)


@pytest.mark.long
async def test_a_signal_ends_the_bot_too(arena: Arena) -> None:
    async with bridge(arena.port, bot=python(SPINS)) as bridged:
        guest = await arena.guest()
        pids = [int(word) for word in (await guest.hears_line()).split()]
        bridged.process.send_signal(signal.SIGTERM)
        assert await bridged.ends() == 128 + signal.SIGTERM
        assert await guest.hears_the_end() == b""
    for pid in pids:
        await gone(pid)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_second_signal_does_not_save_the_bot(arena: Arena, number: signal.Signals) -> None:
    """`timeout` and an impatient person send two; the bot that it hit in between ran on for ever."""
    async with bridge(arena.port, bot=python(SPINS)) as bridged:
        guest = await arena.guest()
        pids = [int(word) for word in (await guest.hears_line()).split()]
        bridged.process.send_signal(number)
        assert await guest.hears_the_end() == b""
        bridged.process.send_signal(number)
        assert await bridged.ends() == 128 + number
    for pid in pids:
        await gone(pid)


# -- coming back -------------------------------------------------------------------------------------------------------

# Says its number first, then repeats lines: which process answers can be told.
COUNTED = "import os, sys\nprint(os.getpid())\nfor line in sys.stdin: print(line.strip())"


async def test_after_a_lost_connection_the_same_bot_goes_on(arena: Arena) -> None:
    async with bridge(arena.port, "--seat", "arn_1", bot=python(COUNTED)):
        first = await arena.guest()
        assert [await first.hears_line() for _ in range(2)][0] == "SEAT arn_1"
        first.reset()
        second = await arena.guest()
        second.say(b"7\n")
        assert [await second.hears_line() for _ in range(2)] == ["SEAT arn_1", "7"]


async def test_for_a_protocol_with_a_greeting_each_connection_gets_a_fresh_bot(arena: Arena) -> None:
    async with bridge(arena.port, "--fresh", bot=python(COUNTED)):
        first = await arena.guest()
        before = int(await first.hears_line())
        first.reset()
        second = await arena.guest()
        assert int(await second.hears_line()) != before
        await gone(before)


# Says one word too late: not before it may.
SAYS_LATE = """
import os, sys, time
sys.stdin.readline(); print("asked", file=sys.stderr)
while not os.path.exists(MAY): time.sleep(0.01)
print("old"); print("said", file=sys.stderr)
for line in sys.stdin: print(line.strip())
"""


@pytest.mark.long
async def test_an_answer_to_an_old_request_is_not_sent_to_a_new_connection(arena: Arena, tmp_path: Path) -> None:
    may = tmp_path / "may"
    async with bridge(arena.port, bot=python(SAYS_LATE.replace("MAY", repr(str(may))))) as bridged:
        guest = await arena.guest()
        guest.say(b"3\n")
        await bridged.says("asked")
        arena.close()
        guest.reset()
        await bridged.says("the connection is lost")
        may.touch()
        await bridged.says("said")
        await arena.open()
        back = await arena.guest()
        back.say(b"new\n")
        assert await back.hears_line() == "new"


async def test_an_arena_that_closes_and_is_gone_was_killed_and_is_waited_for(arena: Arena) -> None:
    async with bridge(arena.port, bot=python(ECHO)) as bridged:
        guest = await arena.guest()
        arena.close()
        guest.close()
        await bridged.says("the arena is gone: waiting for it")
        await arena.open()
        back = await arena.guest()
        back.say(b"3\n")
        await back.hears(b"3\n")
        back.close()
        assert await bridged.ends() == 0


async def test_an_arena_that_breaks_the_connection_again_at_once_is_left_alone(arena: Arena) -> None:
    async with bridge(arena.port, bot=python(ECHO)) as bridged:
        for times in (1, 2):
            guest = await arena.guest()
            await bridged.says("connected", times)
            guest.reset()
        assert await bridged.ends() == 3
    assert "the connection is lost again at once" in bridged.said


async def test_an_arena_that_does_not_come_back_is_given_up_after_the_grace(arena: Arena) -> None:
    async with bridge(arena.port, "--grace", "0.5", bot=python(ECHO)) as bridged:
        guest = await arena.guest()
        await bridged.says("connected")
        arena.close()
        guest.reset()
        assert await bridged.ends() == 3
    assert "not back within 0.5 s: nothing listens on" in bridged.said


# -- with the server itself --------------------------------------------------------------------------------------------


@pytest.mark.service
async def test_a_series_goes_on_after_the_server_was_killed(server: Server, built: Path) -> None:
    bot = alone(Sample("droidcon", "c"), built)
    async with bridge(server.doors["droidcon"], "--fresh", bot=bot) as bridged:
        await bridged.says("connected")
        rival = await Rival.join(server)
        await rival.play(2)
        await server.kill()
        await rival.leave()
        await bridged.says("the arena is gone")
        await server.start()
        rival = await Rival.join(server)
        await rival.play(1000)
        await rival.leave()
        assert rival.results == 4
        assert await bridged.ends() == 0
    assert len(re.findall("YOU_WON|YOU_LOST|DRAW", bridged.said)) == 4


@pytest.mark.service
async def test_two_bridged_bots_meet_at_a_door(server: Server, built: Path) -> None:
    port, door = free_port(), server.doors["nyu-nim"]
    program, program_that_connects = (
        alone(Sample("nyu-nim", "py"), built),
        connected(Sample("nyu-nim", "js"), built, port),
    )
    async with (
        bridge(door, bot=program) as first,
        bridge(door, "--listen", str(port), bot=program_that_connects) as second,
    ):
        assert [await first.ends(), await second.ends()] == [0, 0]


@pytest.mark.service
async def test_a_bot_that_dies_gives_the_room_to_the_other(server: Server) -> None:
    async with bridge(server.doors["droidcon"], bot=python("print('NAME ada\\nJOIN lab'); input()")) as bridged:
        await bridged.says("connected")
        assert await bridged.ends() == 1
        rival = await Rival.join(server)
        async with bridge(server.doors["droidcon"], bot=alone(Sample("droidcon", "py"), Path())) as heir:
            await rival.play(1000)
            await rival.leave()
            assert await heir.ends() == 0
    assert rival.results == 4
