"""`play(spec) -> logs`: the same logs as through the referee of the server, and no process left however it ends."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest

from arena.match.judge import judge
from arena.match.state import LogEvent
from arena.play.bout import Bout, BoutTurn
from arena.play.driver import Log, Watcher, play
from arena.play.spec import BuiltinSeat, CommandSeat, SocketSeat, Spec
from arena.play.start import keeper
from arena.protocols import protocol
from tests.bots.faulty.faulty_bot import PROTOCOLS
from tests.kit.commands import processes_of
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.samples import Sample, alone
from tests.play.shells import NATIVE, through_the_server, told

pytestmark = pytest.mark.long

RANDOM = BuiltinSeat("random")
FAULTY = Path(__file__).parents[1] / "bots" / "faulty" / "faulty_bot.py"

# On a terminal this interface repeats everything that it reads.
FIAR_IN_JAVASCRIPT = """
const lines = require("readline").createInterface({input: process.stdin, output: process.stdout});
lines.on("line", line => console.log([1, 2, 3, 4, 5, 6, 7].find(column => line[column + 1] == ".")));
"""


def sample(slug: str, folder: Path) -> CommandSeat:
    return CommandSeat(slug, tuple(alone(Sample(slug, "py"), folder)))


def faulty(slug: str, fault: str) -> CommandSeat:
    return CommandSeat(slug, (sys.executable, str(FAULTY), slug, fault))


def native(*words: str) -> CommandSeat:
    return CommandSeat("native", (sys.executable, "-c", NATIVE, *words))


def fiar(code: str) -> CommandSeat:
    """A program that does this at its second request, after a good answer to the first."""
    return CommandSeat("fiar", (sys.executable, "-c", f"import os, sys, time\ninput(); print(1); input()\n{code}"))


async def equal_through_both(spec: Spec) -> list[Log]:
    """The logs of the driver, which the referee of the server has written as well, and which the rules allow."""
    logs = play(spec)
    assert [told(log.events) for log in logs] == await through_the_server(spec)
    assert [judge(log.events) for log in logs] == [""] * spec.rounds
    assert processes_of(Path(spec.cwd)) == []
    return logs


# -- the same logs -----------------------------------------------------------------------------------------------------


@pytest.mark.cases(2)
@pytest.mark.parametrize("slug", ["gamestate", "fiar", "nyu-nim", "droidcon", "santorini-json"])
async def test_good_bots_play_the_same_matches(slug: str, tmp_path: Path) -> None:
    seat, variant = sample(slug, tmp_path), protocol(slug).variants[0]
    logs = await equal_through_both(Spec(variant, (seat, RANDOM), rounds=2, seed=7, cwd=str(tmp_path)))
    logs += await equal_through_both(Spec(variant, (seat, seat), clock="1h", cwd=str(tmp_path)))
    assert [log.state.termination for log in logs] == ["normal"] * 3


@pytest.mark.parametrize("variant", ["connect-four-8x8", "expanding-nim", "santorini-5x5"])
async def test_native_bots_play_the_same_matches(variant: str, tmp_path: Path) -> None:
    logs = await equal_through_both(Spec(variant, (native(), RANDOM), rounds=2, seed=3, cwd=str(tmp_path)))
    logs += await equal_through_both(Spec(variant, (native("resign"), native()), rounds=2, cwd=str(tmp_path)))
    assert logs[-1].state.termination in ("resign", "normal")


# Takes what one read brings for one value, and reads long after the pause between two values; it gives up at its turn.
LATE_READER = """
import json, os, socket, sys, time
if sys.argv[1:]:
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    os.dup2(connection.fileno(), 0)
    os.dup2(connection.fileno(), 1)
print('"late"', flush=True)
time.sleep(0.5)
while data := os.read(0, 65536):
    value = json.loads(data)
    if isinstance(value, list) and len(value) < 6:
        taken = [worker[1:] for worker in value]
        free = (corner for corner in ([0, 0], [5, 5], [0, 5], [5, 0]) if corner not in taken)
        print(json.dumps(next(free)), flush=True)
    elif isinstance(value, list):
        print('"late"', flush=True)
"""


async def test_a_program_that_reads_late_still_reads_one_value_at_a_time(tmp_path: Path) -> None:
    """In `santorini-course` two values come without an answer between them, and known clients tell no values apart."""
    program = (sys.executable, "-c", LATE_READER)
    seat = CommandSeat("santorini-course", program)
    logs = await equal_through_both(Spec("santorini-6x6", (seat, RANDOM), seed=1, cwd=str(tmp_path)))
    port = free_port()
    client = SocketSeat("santorini-course", port, (*program, str(port)))
    logs += play(Spec("santorini-6x6", (client, RANDOM), seed=1, cwd=str(tmp_path)))
    assert [log.state.termination for log in logs] == ["resign", "resign"]


@pytest.mark.cases(5)
@pytest.mark.parametrize("slug", PROTOCOLS)
@pytest.mark.parametrize("fault", ["two_moves", "out_of_range", "huge_line"])
async def test_who_breaks_the_rules_loses_the_same_way(slug: str, fault: str, tmp_path: Path) -> None:
    spec = Spec(protocol(slug).variants[0], (faulty(slug, fault), RANDOM), seed=1, cwd=str(tmp_path))
    await equal_through_both(spec)


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    ("code", "termination"),
    [
        ("sys.exit(3)", "crash"),
        ("os.kill(os.getpid(), 11)", "crash"),
        ("sys.stderr.write('no\\0idea'); sys.exit(1)", "crash"),
        ("os.close(1); time.sleep(3600)", "disconnect"),
        ("print(1); os.close(0); time.sleep(3600)", "disconnect"),
        ("os.write(1, b'\\n' * 1000); time.sleep(3600)", "bad_output"),
        ("time.sleep(3600)", "timeout"),
        ("print('3.5'); time.sleep(3600)", "bad_output"),
        ("print(9)\nfor line in sys.stdin: print(9)", "illegal_move"),
        ("os.fork() or time.sleep(3600); sys.exit()", "crash"),
    ],
)
async def test_who_fails_loses_the_same_way(code: str, termination: str, tmp_path: Path) -> None:
    spec = Spec(
        "connect-four-7x6",
        (fiar(code), RANDOM),
        clock="300ms" if termination == "timeout" else "1h",
        seed=1,
        cwd=str(tmp_path),
    )
    [log] = await equal_through_both(spec)
    assert log.state.termination == termination


async def test_answers_ahead_of_an_exit_win_the_same_way(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gone")
    ahead = fiar("print('3\\n3\\n3\\n3'); open('gone', 'w')")
    code = "for n, column in enumerate('2255'): input(); n == 1 and open('gone').read(); print(column)\ninput()"
    waiting = CommandSeat("fiar", (sys.executable, "-c", code))
    [log] = await equal_through_both(Spec("connect-four-7x6", (ahead, waiting), cwd=str(tmp_path)))
    assert (log.state.termination, log.state.winner) == ("normal", 0)


async def test_answers_ahead_of_an_exit_play_where_a_pause_follows_each_value(tmp_path: Path) -> None:
    """Who is gone reads nothing any more, and yet its answers come behind the pause in which it could have read."""
    ahead = CommandSeat("santorini-course", ("printf", '"ada"[2,2][2,3]'))
    [log] = await equal_through_both(Spec("santorini-6x6", (ahead, RANDOM), seed=1, cwd=str(tmp_path)))
    assert (log.state.termination, log.state.winner, log.state.position.ply) == ("crash", 1, 3)


async def test_who_cannot_be_started_or_says_no_hello_loses_the_same_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = CommandSeat("fiar", ("./nothing",))
    [log] = await equal_through_both(Spec("connect-four-7x6", (RANDOM, absent), cwd=str(tmp_path)))
    assert (log.state.termination, log.state.winner) == ("crash", 0)
    early = CommandSeat("native", (sys.executable, "-c", "print('x' * 10_000)\nfor line in open(0): pass"))
    [log] = await equal_through_both(Spec("connect-four-7x6", (early, RANDOM), cwd=str(tmp_path)))
    assert log.state.termination == "bad_output"
    monkeypatch.setattr(protocol("native"), "ready_s", 0.1)
    mute = CommandSeat("native", (sys.executable, "-c", "import time; time.sleep(3600)"))
    [log] = play(Spec("connect-four-7x6", (RANDOM, mute), cwd=str(tmp_path)))
    assert log.state.termination == "stall" and log.state.reason.endswith(" was not ready within 0.1 s")


@pytest.mark.parametrize(("answer", "starts"), [("line.split()[1].index('.') + 1", 1), ("'oops'", 3)])
async def test_processes_are_kept_the_same_way(answer: str, starts: int, tmp_path: Path) -> None:
    """After a fault the next match has new processes, of the other side too: it has been told to go."""
    code = f"import sys\nopen('starts', 'a').write('x')\nfor line in sys.stdin: print({answer})"
    seats = (CommandSeat("fiar", (sys.executable, "-c", code)), native())
    await equal_through_both(Spec("connect-four-7x6", seats, rounds=3, keep=True, cwd=str(tmp_path)))
    assert (tmp_path / "starts").read_text() == "x" * starts * 2


async def test_javascript_that_reads_lines_as_its_handbook_does_plays_in_both(tmp_path: Path) -> None:
    (tmp_path / "bot.js").write_text(f"#!/usr/bin/env node\n{FIAR_IN_JAVASCRIPT}")
    (tmp_path / "bot.js").chmod(0o755)
    (tmp_path / "run.sh").write_text("#!/bin/sh\nnode bot.js")
    (tmp_path / "run.sh").chmod(0o755)
    seats = (CommandSeat("fiar", ("./run.sh",)), CommandSeat("fiar", ("./bot.js",)))
    [log] = await equal_through_both(Spec("connect-four-7x6", seats, cwd=str(tmp_path)))
    assert log.state.termination == "normal"


async def test_who_is_told_of_the_end_may_exit_by_itself_in_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("arena.play.meaning", "arena.bots.process.child"):
        monkeypatch.setattr(f"{module}.LEAVING_S", DEADLINE_S)
    bot = CommandSeat("native", (sys.executable, "-c", f"{NATIVE}\nopen('left', 'a').write(told['type'] + ' ')"))
    await equal_through_both(Spec("expanding-nim", (bot, bot), rounds=2, settings={"stones": 3}, cwd=str(tmp_path)))
    assert (tmp_path / "left").read_text() == "end " * 8


# -- what is told meanwhile --------------------------------------------------------------------------------------------


class Notes(Watcher):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def started(self, log: Log) -> None:
        self.notes.append(f"started {log.state.setup.round}")

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        self.notes += [event.kind for event in events]

    def ended(self, log: Log) -> None:
        self.notes.append(f"ended {log.state.setup.round}")


def test_a_watcher_is_told_of_each_match_in_order() -> None:
    watcher = Notes()
    logs = play(Spec("expanding-nim", (RANDOM, RANDOM), rounds=2, settings={"stones": 3}, seed=1), watcher)
    expected = []
    for log in logs:
        moves = ["move"] * (len(log.events) - 3)
        expected += [f"started {log.state.setup.round}", "started", *moves, "ended", f"ended {log.state.setup.round}"]
    assert watcher.notes == expected


def test_what_went_over_the_connections_stands_beside_the_log(tmp_path: Path) -> None:
    seats = (fiar("sys.stderr.write('lost'); sys.exit(1)"), RANDOM)
    [log] = play(Spec("connect-four-7x6", seats, cwd=str(tmp_path)))
    first, second = log.passed
    assert [way for way, _ in first][:2] == ["out", "in"] and ("err", b"lost") in first
    assert second == ()


def test_matches_are_played_at_once_where_that_is_asked_for(tmp_path: Path) -> None:
    """Each of these answers only while the other one is there."""
    code = "import glob, os, sys\nopen(f'{os.getpid()}.here', 'w')\nwhile len(glob.glob('*.here')) < 2: pass"
    seat = CommandSeat("fiar", (sys.executable, "-c", f"{code}\nfor n, line in enumerate(sys.stdin): print(1 + n % 3)"))
    logs = play(Spec("connect-four-7x6", (seat, RANDOM), rounds=2, seed=1, concurrency=2, cwd=str(tmp_path)))
    assert [log.state.setup.round for log in logs] == [1, 2]
    assert processes_of(tmp_path) == []


# -- its end -----------------------------------------------------------------------------------------------------------


def test_the_garbage_collector_is_left_as_it_was() -> None:
    usual = gc.get_threshold()
    play(Spec("connect-four-7x6", (RANDOM, RANDOM)))
    assert gc.get_threshold() == usual


class Interrupts(Watcher):
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("the printer broke")])
def test_who_interrupts_it_leaves_no_process(error: BaseException, tmp_path: Path) -> None:
    seat = CommandSeat("fiar", (sys.executable, "-c", "import time; time.sleep(3600)"))
    with pytest.raises(type(error)):
        play(Spec("connect-four-7x6", (seat, seat), cwd=str(tmp_path)), Interrupts(error))
    assert processes_of(tmp_path) == []
    assert not keeper.pid


def test_a_spec_that_cannot_be_played_says_so(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="unknown variant 'chess'"):
        play(Spec("chess", (RANDOM, RANDOM)))
    with pytest.raises(ValueError, match="stones"):
        play(Spec("expanding-nim", (RANDOM, native()), settings={"stones": -1}, cwd=str(tmp_path)))
    assert processes_of(tmp_path) == []
