from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import games
from arena.bots.session.wire import lines_of
from arena.match.endings import result
from arena.match.wire_pack import unpack
from tests.kit.clients import Droidcon, Wire
from tests.kit.commands import ROOT, finished, manage, processes_of, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.server import migrate
from tests.kit.until import until

pytestmark = pytest.mark.service

CONNECT_FOUR = "connect-four-7x6"
SANE = "for line in sys.stdin: print(next(i + 1 for i, place in enumerate(line.split()[1][:7]) if place == '.'))"


def bot(folder: Path, name: str, code: str) -> str:
    """A seat: a fiar bot of this name."""
    (folder / f"{name}.py").write_text(f"import os, sys, time\n{code}\n")
    return f"fiar:python3 {name}.py"


def column(folder: Path, name: str, number: int) -> str:
    """A bot that always plays this column."""
    return bot(folder, name, f"for line in sys.stdin: print({number}, flush=True)")


def replayed(log: dict[str, Any]) -> None:
    """The moves of a log lead to its position and its result."""
    position = games.variant(log["variant"]).start(**log["settings"])
    for ply, move in enumerate(log["moves"], start=1):
        assert (move["ply"], move["seat"]) == (ply, position.to_move)
        position = position.play(move["move"])
    assert str(position) == log["position"]
    outcome = position.outcome()
    assert outcome is not None
    assert (log["winner"], log["reason"]) == (outcome.winner, outcome.reason)
    assert log["result"] == result(outcome.winner, log["termination"])


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Droidcon]:
    """A droidcon bot, as soon as somebody listens."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            try:
                async with Droidcon.to(port) as wire:
                    yield wire
                    return
            except ConnectionRefusedError:
                await asyncio.sleep(0.05)


# -- playing -----------------------------------------------------------------------------------------------------------


async def test_two_bots_with_one_port_play_and_it_is_said_once(tmp_path: Path) -> None:
    port, sample = free_port(), ROOT / "arena" / "protocols" / "nyu_nim" / "bot.py"
    migrate(tmp_path)
    seat = f"tcp:nyu-nim:{port}:{sys.executable} {sample} 127.0.0.1 {port}"
    run = await start(tmp_path, "match", "expanding-nim", seat, seat, "--rounds", "2", "--save", "--json")
    code, out, err = await finished(run)
    assert (code, err) == (0, f"waiting for nyu-nim on 127.0.0.1:{port}\n")
    assert [json.loads(line)["termination"] for line in out.splitlines()] == ["normal", "normal"]


async def test_a_process_and_a_socket_bot_play_four_rounds_whose_logs_replay(tmp_path: Path) -> None:
    port = free_port()
    seats = (column(tmp_path, "first", 4), f"tcp:droidcon:{port}")
    run = await start(tmp_path, "match", CONNECT_FOUR, *seats, "--rounds", "4", "--json")
    async with connected(port) as wire:
        await wire.enter("gravity-9", "whatever")
        await wire.play(iter([0, 1, 2, 1, 2, 1, 2] * 30).__next__)
    code, out, err = await finished(run)
    assert (code, err) == (0, f"waiting for droidcon on 127.0.0.1:{port}\n")
    logs = [json.loads(line) for line in out.splitlines()]
    assert [log["round"] for log in logs] == [1, 2, 3, 4]
    for log in logs:
        replayed(log)
        assert log["termination"] == "normal"
        names = [seat["name"] for seat in log["seats"]]
        assert names == (["first", "gravity-9"] if log["round"] % 2 else ["gravity-9", "first"])
        assert {seat["protocol"] for seat in log["seats"]} == {"fiar", "droidcon"}
    assert processes_of(tmp_path) == []


def test_what_is_printed_is_what_was_promised(tmp_path: Path) -> None:
    seats = (column(tmp_path, "one", 1), column(tmp_path, "two", 2))
    run = manage(tmp_path, "match", CONNECT_FOUR, *seats, "--rounds", "2", "-v")
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        "Started match 1 of 2 (one vs two)",
        "Finished match 1 (one vs two): 1-0 {four in a row}",
        "  moves: 1 2 1 2 1 2 1",
        "  position: 7x6 " + "." * 14 + "x......" + "xo....." * 3,
        "Started match 2 of 2 (two vs one)",
        "Finished match 2 (two vs one): 1-0 {four in a row}",
        "  moves: 2 1 2 1 2 1 2",
        "  position: 7x6 " + "." * 14 + ".x....." + "ox....." * 3,
        "",
        "Player  Points   Won Drawn  Lost  Elo",
        "one          1     1     0     1  0 (-301 to +301)",
        "two          1     1     0     1  0 (-301 to +301)",
    ]
    assert run.stderr == ""


def test_one_program_on_both_sides_has_two_names(tmp_path: Path) -> None:
    seat = bot(tmp_path, "same", SANE)
    run = manage(tmp_path, "match", CONNECT_FOUR, seat, seat)
    assert run.stdout.startswith("Started match 1 of 1 (same-1 vs same-2)\n")


def test_players_of_one_name_are_told_apart_in_every_line(tmp_path: Path) -> None:
    player = "builtin:random"
    run = manage(tmp_path, "match", "expanding-nim", player, player, "--rounds", "2", "--seed", "1")
    lines = run.stdout.splitlines()
    one, two = "Random (built in)-1", "Random (built in)-2"
    for number, names in ((1, f"({one} vs {two})"), (2, f"({two} vs {one})")):
        began, ended = lines[2 * number - 2 : 2 * number]
        assert began == f"Started match {number} of 2 {names}"
        assert ended.startswith(f"Finished match {number} {names}: ")
    assert [line.partition("  ")[0] for line in lines[-2:]] == [one, two]


@pytest.mark.parametrize(
    ("variant", "levels"), [(CONNECT_FOUR, ("club", "casual")), ("santorini-5x5", ("random", "beginner"))]
)
def test_a_seed_repeats_a_match(variant: str, levels: tuple[str, str], tmp_path: Path) -> None:
    def moves(seed: str) -> list[list[str]]:
        seats = [f"builtin:{level}" for level in levels]
        run = manage(tmp_path, "match", variant, *seats, "--rounds", "2", "--seed", seed, "--json")
        logs = [json.loads(line) for line in run.stdout.splitlines()]
        return [[move["move"] for move in log["moves"]] for log in logs]

    first = moves("3")
    assert len(first) == 2 and first[0] != first[1]
    assert moves("3") == first
    assert moves("4") != first


def test_matches_can_be_played_at_the_same_time(tmp_path: Path) -> None:
    meeting = (
        "open(f'here-{os.getpid()}', 'w')\nwhile len([n for n in os.listdir() if n.startswith('here')]) < 6: pass\n"
    )
    seats = (bot(tmp_path, "one", meeting + SANE), bot(tmp_path, "two", meeting + SANE))
    run = manage(tmp_path, "match", CONNECT_FOUR, *seats, "--rounds", "6", "--concurrency", "3", "--json")
    assert run.returncode == 0, run.stderr
    logs = [json.loads(line) for line in run.stdout.splitlines()]
    assert sorted(log["round"] for log in logs) == [1, 2, 3, 4, 5, 6]
    for log in logs:
        replayed(log)


def test_settings_are_played(tmp_path: Path) -> None:
    run = manage(tmp_path, "match", "expanding-nim", "builtin:best", "builtin:club", "--set", "stones=20", "--json")
    assert run.returncode == 0, run.stderr
    log = json.loads(run.stdout)
    assert log["settings"] == {"stones": 20, "resets": 4}
    replayed(log)


def test_matches_are_stored_where_that_is_asked_for(tmp_path: Path) -> None:
    migrate(tmp_path)
    run = manage(
        tmp_path, "match", CONNECT_FOUR, "builtin:random", "builtin:random", "--rounds", "3", "--save", "--json"
    )
    assert run.returncode == 0, run.stderr
    logs = [json.loads(line) for line in run.stdout.splitlines()]
    with sqlite3.connect(tmp_path / "arena.sqlite3") as database:
        rows = database.execute("SELECT id, round, winner, termination, plies FROM arena_match ORDER BY round")
        assert rows.fetchall() == [
            (log["id"], log["round"], log["winner"], log["termination"], len(log["moves"])) for log in logs
        ]
        moves = database.execute(
            "SELECT move FROM arena_event WHERE match_id = ? AND kind = 'move' ORDER BY seq", [logs[0]["id"]]
        )
        assert [move for (move,) in moves] == [move["move"] for move in logs[0]["moves"]]
        assert database.execute("SELECT count(*) FROM arena_seat").fetchone() == (6,)
    database.close()


def test_what_bots_said_is_stored_with_their_match(tmp_path: Path) -> None:
    migrate(tmp_path)
    sane = bot(tmp_path, "sane", f"print('hello', file=sys.stderr)\n{SANE}")
    run = manage(tmp_path, "match", CONNECT_FOUR, sane, "builtin:random", "--save", "--json")
    log = json.loads(run.stdout)
    with sqlite3.connect(tmp_path / "arena.sqlite3") as database:
        rows = database.execute("SELECT packed FROM arena_wirechunk ORDER BY n").fetchall()
    database.close()
    lines = [json.loads(line) for (packed,) in rows for line in lines_of(unpack(packed))]
    answers = [line["data"] for line in lines if line["dir"] == "in"]
    assert answers == [f"{move['move']}\\n" for move in log["moves"] if move["seat"] == 0]
    assert "".join(line["data"] for line in lines if line["dir"] == "err") == "hello\\n"


# -- what cannot be done -----------------------------------------------------------------------------------------------


def test_a_taken_port_is_named_and_exit_1(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = manage(tmp_path, "match", CONNECT_FOUR, f"tcp:droidcon:{port}", bot(tmp_path, "one", SANE))
    assert run.returncode == 1
    assert run.stderr == f"match: Cannot listen on 127.0.0.1:{port} for droidcon: Address already in use.\n"
    assert processes_of(tmp_path) == []


def test_storing_needs_tables_and_says_so_before_anything_is_played(tmp_path: Path) -> None:
    run = manage(tmp_path, "match", CONNECT_FOUR, "builtin:random", "builtin:random", "--save")
    assert run.returncode == 1 and run.stdout == ""
    assert "run manage.py migrate" in run.stderr and run.stderr.count("\n") == 1


def test_a_test_ends_with_its_decision_and_each_pair_begins_alike(tmp_path: Path) -> None:
    seats, options = ("builtin:casual", "builtin:random"), ("--openings", "2", "--seed", "7", "--concurrency", "2")
    run = manage(tmp_path, "match", CONNECT_FOUR, *seats, "--sprt", "0", "200", *options, "--json", "--save")
    assert run.returncode == 1 and "run manage.py migrate" in run.stderr
    run = manage(tmp_path, "match", CONNECT_FOUR, *seats, "--sprt", "0", "200", *options, "--json")
    assert run.returncode == 0, run.stderr
    logs = [json.loads(line) for line in run.stdout.splitlines()]
    begins: dict[int, set[str]] = {}
    for log in logs:
        begins.setdefault((log["round"] + 1) // 2, set()).add(" ".join(move["move"] for move in log["moves"][:2]))
    # Of 10 000. Both processes play on until they hear of the decision.
    assert len(logs) < 1000 and {len(each) for each in begins.values()} == {1} and len(set.union(*begins.values())) > 3
    assert run.stderr.splitlines()[-1].startswith(
        "H1 accepted: 200 Elo points explain these results more than 19 times"
    )
    assert processes_of(tmp_path) == []


# -- bots that fail ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "ending", "told"),
    [
        ("sys.exit('out of ideas')", "bad stopped with exit code 1", ["out of ideas"]),
        (
            "sys.stdin.readline(); print('thinking ...'); time.sleep(99)",
            "bad answered 'thinking ...'; expected a column from 1 to 7 and a newline",
            ["thinking ...", "a column from 1 to 7 and a newline"],
        ),
        (
            "sys.stdin.readline(); os.write(1, bytes([255, 0, 27, 10])); time.sleep(99)",
            r"bad answered '\xff\x00\x1b'; expected a column from 1 to 7 and a newline",
            [r"\xff\x00\x1b"],
        ),
        (
            "sys.stdin.readline(); os.write(1, b'1' * 1_000_000); time.sleep(99)",
            f"bad answered '{'1' * 80}… (512 bytes)'; expected a column from 1 to 7 and a newline; 512 bytes at most",
            [],
        ),
        (
            "sys.stdin.readline(); print(1, flush=True); sys.stdin.readline(); os.write(1, b'1'); time.sleep(99)",
            "no move within 0.3 s",
            [],
        ),
    ],
)
def test_a_bot_that_fails_loses_and_its_author_reads_why(
    code: str, ending: str, told: list[str], tmp_path: Path
) -> None:
    seats = (bot(tmp_path, "bad", code), bot(tmp_path, "good", SANE))
    run = manage(tmp_path, "match", CONNECT_FOUR, *seats, "--clock", "300ms")
    assert run.returncode == 1, run.stderr
    started, finished, *explained = run.stdout.splitlines()
    assert started == "Started match 1 of 1 (bad vs good)"
    assert finished == f"Finished match 1 (bad vs good): 0-1 {{{ending}}}"
    assert all(any(words in line for line in explained) for words in told)
    assert processes_of(tmp_path) == []


def test_on_a_pipe_a_bot_is_heard_only_when_it_flushes(tmp_path: Path) -> None:
    """On a terminal this one plays: it is the `good` of the test before. It has started up with its first answer."""
    once = "import sys\nline = sys.stdin.readline()\nprint(1 + line.split()[1].index('.'), flush=True)\n"
    seats = (column(tmp_path, "flushes", 1), bot(tmp_path, "buffers", once + SANE))
    run = manage(tmp_path, "match", CONNECT_FOUR, *seats, "--no-pty", "--clock", "3s")
    ending = "Finished match 1 (flushes vs buffers): 1-0 {no move within 3 s}"
    assert (run.returncode, run.stdout.splitlines()[1]) == (1, ending)
    assert "not_flushed" in run.stdout


def test_the_next_match_is_played_after_a_crash(tmp_path: Path) -> None:
    seats = (bot(tmp_path, "bad", "sys.exit(3)"), bot(tmp_path, "good", SANE))
    run = manage(tmp_path, "match", CONNECT_FOUR, *seats, "--rounds", "2")
    assert run.returncode == 1
    assert "Finished match 1 (bad vs good): 0-1 {bad stopped with exit code 3}" in run.stdout
    assert "Finished match 2 (good vs bad): 1-0 {bad stopped with exit code 3}" in run.stdout


async def test_a_socket_bot_that_never_comes_is_a_match_without_a_start(tmp_path: Path) -> None:
    port = free_port()
    run = await start(tmp_path, "match", CONNECT_FOUR, "builtin:club", f"tcp:droidcon:{port}", "--wait", "0.2")
    code, out, err = await finished(run)
    assert code == 1, err
    reason = f"nobody connected to droidcon on port {port} within 0.2 s"
    assert out.splitlines()[0] == f"Finished match 1 (Club (built in) vs nobody): * {{{reason}}}"


@pytest.mark.parametrize(
    ("sent", "ending"),
    [
        (b"", "disconnect"),
        (b"PUT 3.0\n", "bad_output"),
        (b"PUT 7\n", "illegal_move"),
        (b"x" * 1_000_000, "bad_output"),
        (b"\n" * 1_000_000, "bad_output"),
    ],
)
async def test_a_socket_bot_that_fails_loses_its_series(sent: bytes, ending: str, tmp_path: Path) -> None:
    port = free_port()
    run = await start(
        tmp_path, "match", CONNECT_FOUR, f"tcp:droidcon:{port}", "builtin:random", "--rounds", "4", "--json"
    )
    async with connected(port) as wire:
        await wire.enter("bad", "x")
        await wire.until("YOUR_MOVE")
        if sent:
            await asyncio.gather(wire.send_bytes(sent), return_exceptions=True)
            await wire.rest()
    code, out, err = await finished(run)
    assert code == 1, err
    [log] = [json.loads(line) for line in out.splitlines()]
    assert (log["result"], log["termination"]) == ("0-1", ending)
    with pytest.raises(ConnectionRefusedError):
        async with Wire.to(port):
            pass


async def test_a_second_bot_finds_the_seat_taken(tmp_path: Path) -> None:
    port = free_port()
    run = await start(tmp_path, "match", CONNECT_FOUR, f"tcp:droidcon:{port}", "builtin:random", "--rounds", "4")
    async with connected(port) as wire, Droidcon.to(port) as second:
        await wire.enter("first", "x")
        await second.send("NAME second", "JOIN x")
        assert await second.until("Error CHANNEL_IS_FULL") == ["SUCCESS", "Error CHANNEL_IS_FULL"]
    code, out, _ = await finished(run)
    assert code == 1 and "(first vs Random (built in)): 0-1 {the connection" in out


async def test_interrupted_it_ends_its_bots_and_says_how_it_stands(tmp_path: Path) -> None:
    """The bot sleeps in the second round."""
    sleeps = "open('went', 'x')\nexcept FileExistsError: open('sleeps', 'x'); time.sleep(3600)"
    seats = (bot(tmp_path, "slow", f"try: {sleeps}\n{SANE}"), "builtin:random")
    run = await start(tmp_path, "match", CONNECT_FOUR, *seats, "--clock", "1h", "--rounds", "2", "--sprt", "0", "10")
    await until((tmp_path / "sleeps").exists)
    os.kill(run.pid, signal.SIGINT)
    code, out, err = await finished(run)
    assert code == 130 and "Traceback" not in err
    assert "\nslow " in out.partition("\nPlayer")[2] and out.endswith("No decision: more rounds may bring one.\n")
    # Interrupted in the very start of its bot it does not know its number: the keeper, which outlives it, ends it.
    await until(lambda: processes_of(tmp_path) == [])
