"""Every sample bot in every language: whole matches as a child process and on a socket, and its sense."""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from arena.bots.session.thoughts import BotThought, thought_of
from arena.core.hub import LiveMatch
from arena.play.spec import BuiltinSeat, CommandSeat, SeatSpec, SocketSeat
from arena.protocols import protocol, protocols
from tests.kit.deadline import DEADLINE_S
from tests.kit.live_matches import LocalMatches, Order
from tests.kit.ports import free_port
from tests.kit.samples import BRIDGE, CONNECTED, LANGUAGES, SAMPLES, Sample, alone, connected, listening
from tests.kit.server import Server

sample_bots = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample.protocol}.{sample.language}")
connecting = [sample for sample in SAMPLES if sample.protocol in CONNECTED]


# -- whole matches -----------------------------------------------------------------------------------------------------


async def played(order: Order) -> list[LiveMatch]:
    """The matches of an order, once all are over."""
    lives: list[LiveMatch] = []
    async with asyncio.timeout(DEADLINE_S):
        await LocalMatches(order, lambda round, live: None, lambda round, live: lives.append(live)).play()
    return lives


@pytest.mark.cases(7)
@pytest.mark.long
@sample_bots
async def test_it_plays_both_seats_as_a_child_process(sample: Sample, built: Path) -> None:
    seats: tuple[SeatSpec, SeatSpec] = (
        CommandSeat(sample.protocol, tuple(alone(sample, built))),
        BuiltinSeat("beginner"),
    )
    lives = await played(Order(sample.variant, seats, rounds=2, clock="none", seed=3, concurrency=2))
    assert [live.state.termination for live in lives] == ["normal", "normal"]


@pytest.mark.cases(5)
@pytest.mark.long
@pytest.mark.parametrize("sample", connecting, ids=lambda sample: f"{sample.protocol}.{sample.language}")
async def test_it_connects_plays_to_the_end_and_exits(sample: Sample, built: Path) -> None:
    port = free_port()
    rounds = protocol(sample.protocol).rounds or 2
    order = Order(sample.variant, (BuiltinSeat("beginner"), SocketSeat(sample.protocol, port)), rounds, "none", seed=3)
    playing = asyncio.create_task(played(order))
    await listening(port)
    bot = await asyncio.create_subprocess_exec(*connected(sample, built, port), stderr=asyncio.subprocess.DEVNULL)
    lives = await playing
    async with asyncio.timeout(DEADLINE_S):
        assert await bot.wait() == 0
    assert [live.state.termination for live in lives] == ["normal"] * rounds


@pytest.mark.service
async def test_two_that_queue_for_the_same_game_meet_on_a_server(server: Server, built: Path) -> None:
    bots = [
        await asyncio.create_subprocess_exec(
            *connected(Sample("native", language), built, server.doors["native"]), stderr=asyncio.subprocess.PIPE
        )
        for language in ("py", "js")
    ]
    async with asyncio.timeout(DEADLINE_S):
        said = [(await bot.communicate())[1].decode() for bot in bots]
    assert [bot.returncode for bot in bots] == [0, 0]
    assert said[0] == said[1] and re.match("(1-0|0-1) ", said[0])


# -- the sense they play with ------------------------------------------------------------------------------------------


class Talk:
    """A sample at work; its answers to what the test sends."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None, "both are pipes"
        self._process, self._in, self._out = process, process.stdin, process.stdout

    async def say(self, text: str) -> None:
        self._in.write(text.encode())
        await self._in.drain()

    async def hears(self, pattern: str) -> str:
        """Wait for what matches at the end of what it has said since the last call."""
        heard = ""
        async with asyncio.timeout(DEADLINE_S):
            while not re.search(f"(?:{pattern})$", heard):
                data = await self._out.read(1000)
                assert data, f"it ended after {heard!r}"
                heard += data.decode()
        return heard

    async def ends(self) -> int:
        """Close its input; its exit code."""
        self._in.close()
        async with asyncio.timeout(DEADLINE_S):
            return await self._process.wait()


@asynccontextmanager
async def talking(sample: Sample, built: Path) -> AsyncIterator[Talk]:
    pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*alone(sample, built), stdin=pipe, stdout=pipe, stderr=null)
    try:
        yield Talk(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


languages = pytest.mark.parametrize("language", LANGUAGES)


@languages
async def test_fiar_wins_before_it_blocks_and_blocks_before_it_builds(language: str, built: Path) -> None:
    async with talking(Sample("fiar", language), built) as bot:
        await bot.say(f"@ {'.' * 28}O......O@@@...\n")
        await bot.hears("5\n")
        await bot.say(f"O {'.' * 28}O......O@@@...\n")
        await bot.hears("5\n")
        await bot.say(f"O {'.' * 21}O......O......O.@@@..\n")
        await bot.hears("1\n")
        await bot.say(f"@ {'.' * 42}\n")
        await bot.hears("4\n")
        assert await bot.ends() == 0


async def test_fiar_in_python_says_what_it_thinks_where_nobody_has_to(built: Path) -> None:
    pipe = asyncio.subprocess.PIPE
    program = alone(Sample("fiar", "py"), built)
    bot = await asyncio.create_subprocess_exec(*program, stdin=pipe, stdout=pipe, stderr=pipe)
    out, errors = await bot.communicate(f"@ {'.' * 28}O......O@@@...\n@ {'.' * 42}\n".encode())
    assert out == b"5\n4\n"
    assert [thought_of(line) for line in errors.splitlines()] == [
        BotThought("+1.00", "5", "I win."),
        BotThought("+0.00", "4", "As near to the centre as I can."),
    ]


@languages
async def test_gamestate_says_nothing_but_the_column_it_is_asked_for(language: str, built: Path) -> None:
    async with talking(Sample("gamestate", language), built) as bot:
        await bot.say(f"ASSIGN_PLAYER: 1\nGAMESTATE: {'-' * 64}\n")
        await bot.say(f"GAMESTATE: {'-' * 56}XXX-O---\nREQUEST_MOVE\n")
        assert await bot.hears("\n") == "3\n"
        await bot.say(f"ASSIGN_PLAYER: 0\nGAMESTATE: {'-' * 56}XXX-OOO-\nREQUEST_MOVE\n")
        assert await bot.hears("\n") == "3\n"
        assert await bot.ends() == 0


@languages
async def test_nyu_nim_takes_what_is_left_leaves_what_loses_and_reads_states_in_pieces(
    language: str, built: Path
) -> None:
    async with talking(Sample("nyu-nim", language), built) as bot:
        await bot.say("3 2 0 0")
        await bot.hears("3 0")
        await bot.say("5 2 0 0")
        await bot.hears("1 0")
        await bot.say("8 9 1 0")
        await bot.hears("[1-3] [01]")
        await bot.say("1")
        await bot.say("0 4 0 ")
        await bot.say("0")
        await bot.hears("[1-5] [01]")
        await bot.say("0 0 0 1")
        assert await bot.ends() == 0


@languages
async def test_nyu_nim_resets_once_when_four_stones_would_stay(language: str, built: Path) -> None:
    async with talking(Sample("nyu-nim", language), built) as bot:
        await bot.say("9 7 0 0")
        await bot.hears("5 1")
        await bot.say("9 7 0 0")
        assert (await bot.hears("[0-9] [01]")).endswith("0")


@languages
async def test_droidcon_stands_a_wrong_move_of_the_other_and_an_error(language: str, built: Path) -> None:
    async with talking(Sample("droidcon", language), built) as bot:
        await bot.hears("NAME ada\nJOIN lab\n")
        await bot.say("SUCCESS\nSUCCESS\nNEW_GAME\nYOUR_MOVE\n")
        await bot.hears("PUT 3\n")
        for column in (0, 0, 0):
            await bot.say(f"PUT {column}\nYOUR_MOVE\n")
            await bot.hears(r"PUT \d\n")
        await bot.say("PUT 7\nYOU_WON\nNEW_GAME\nPUT 3\nYOUR_MOVE\n")
        await bot.hears("PUT 3\n")
        await bot.say("Error COLUMN_IS_FULL\nYOU_LOST\n")
        assert await bot.ends() == 0


@languages
async def test_droidcon_leaves_a_room_that_is_full(language: str, built: Path) -> None:
    async with talking(Sample("droidcon", language), built) as bot:
        await bot.hears("JOIN lab\n")
        await bot.say("SUCCESS\nError CHANNEL_IS_FULL\n")
        assert await bot.ends() == 1


@languages
async def test_santorini_answers_values_in_pieces_and_without_separators(language: str, built: Path) -> None:
    async with talking(Sample("santorini-json", language), built) as bot:
        await bot.hears(r'\["join", ?"ada"\]\n')
        await bot.say('"OK"["new_')
        await bot.say('game","bob"]')
        await bot.hears('"OK"\n')
        await bot.say('["place",[{"player":"ada","x":2,"y":2}]]')
        placed = await bot.hears(r'\["place", ?\d, ?\d\]\n')
        assert re.findall(r"\d", placed) != ["2", "2"]
        await bot.say('["name","adab"]')
        await bot.hears('"OK"\n')


@languages
async def test_santorini_steps_up_to_win_without_a_build(language: str, built: Path) -> None:
    async with talking(Sample("santorini-json", language), built) as bot:
        await bot.say('"OK"\n["new_game","bob"]\n')
        await bot.hears('"OK"\n')
        await bot.say('["turn",[["2ada1",3],[0,"0ada2"],[],[0,0,"1bob1"],["0bob2"]]]\n')
        turn = await bot.hears(r"\]\]\]\n")
        assert re.sub(r"\s", "", turn) == '[["move",{"player":"ada","id":1},["EAST","PUT"]]]'
        await bot.say('["over",{"winner":"ada","loser":"bob","reason":"WON"}]\n')
        await bot.hears('"OK"\n')
        await bot.say('["tournament_finished",[]]\n')
        await bot.hears('"OK"\n')
        assert await bot.ends() == 0


@pytest.mark.parametrize("language", ["py", "js"])
async def test_native_tries_again_when_the_arena_is_busy_and_answers_pings(language: str, built: Path) -> None:
    async with talking(Sample("native", language), built) as bot:
        await bot.hears(r'"ada"}\n')
        await bot.say('{"type":"ping"}\n{"type":"start","variant":"connect-four-7x6","settings":{},"position":""}\n')
        await bot.hears('"pong"}\n')
        board = "." * 28 + "o......oxxx..."
        await bot.say(
            f'{{"type":"turn","ply":6,"position":"7x6 {board}","legal":["1","2","4","7"],"left_ms":[null,null]}}\n'
        )
        move = await bot.hears(r'"4"}\n')
        await bot.say('{"type":"refused","code":"busy","received":"4","expected":"","hint":"again"}\n')
        assert await bot.hears(r'"4"}\n') == move
        assert await bot.ends() == 0


# -- what their authors read -------------------------------------------------------------------------------------------


def test_every_protocol_has_its_samples() -> None:
    there = {slug: {sample.language for sample in SAMPLES if sample.protocol == slug} for slug in protocols()}
    assert there == {slug: {"py", "js"} if slug == "native" else set(LANGUAGES) for slug in protocols()}


@sample_bots
def test_it_opens_with_how_to_start_it(sample: Sample) -> None:
    opening = sample.path.read_text(encoding="utf-8")[:1200]
    assert f"`{sample.protocol}`" in opening
    assert f"HOST {protocol(sample.protocol).port}" in opening
    assert f"manage.py match {sample.variant}" in opening and f'"{sample.protocol}:' in opening


@pytest.mark.parametrize(
    "path",
    [BRIDGE, *(each.path for each in SAMPLES if each.language == "py")],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_old_pythons_can_read_it(path: Path) -> None:
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
