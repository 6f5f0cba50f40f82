"""`manage.py check_bot` as people run it."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from arena.bots.seats.checking import Checks
from arena.bots.seats.ports import Pool
from arena.bots.session.tokens import sha256_of
from arena.management.commands.check_bot import Command
from tests.kit.checking import AND_SAYS, FIAR, GOOD, PROTOCOLS
from tests.kit.commands import ROOT, environment, finished, manage, processes_of, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.processes import until_closed, until_open
from tests.kit.server import Server, migrate, share_files
from tests.kit.until import until

pytestmark = pytest.mark.service

# The exit code, and what it printed to either output.
Checked = Callable[..., tuple[int, str, str]]
FEW = ("--step", "first_answer", "--step", "second_seat", "--step", "quiet_behind_answer")


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Checked:
    """Runs the command in this process, in the folder of the test. A process of its own shows no more of its words."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            Command().run_from_argv(["manage.py", "check_bot", *arguments])
            sys.exit(0)
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


def bot(folder: Path, code: str) -> tuple[str, ...]:
    (folder / "bot.py").write_text(code)
    return "--", "python3", "bot.py"


def test_a_good_bot_passes(tmp_path: Path) -> None:
    run = manage(tmp_path, "check_bot", "--protocol", "fiar", *FEW, *bot(tmp_path, GOOD))
    assert (run.returncode, run.stderr) == (0, "")
    lines = run.stdout.splitlines()
    assert lines[0] == "ok    first_answer             answers the first question with a legal move (answers 1)"
    assert lines[-1] == "3 of 3 steps passed"


def test_a_failure_says_why_and_shows_the_wire(tmp_path: Path, checked: Checked) -> None:
    code = FIAR.format(AND_SAYS.format("done"))
    code_, out, _ = checked("--protocol", "fiar", *FEW, *bot(tmp_path, code))
    assert code_ == 1
    said = out[out.index("FAIL") :].splitlines()
    assert said[0] == "FAIL  quiet_behind_answer      says nothing after its answer"
    assert said[1] == "      More than one answer [answered_twice]"
    assert "      received: done" in said
    asked = "        < @ .........................................."
    assert said[said.index("      wire (> from the bot, < to the bot):") + 1 :][:3] == [
        asked,
        "        > 1",
        "        > done",
    ]
    assert said[-1] == "2 of 3 steps passed"


def test_who_cannot_start_is_not_tried_further(tmp_path: Path, checked: Checked) -> None:
    code_, out, _ = checked("--protocol", "gamestate", *bot(tmp_path, "import nothing_of_this_name"))
    assert code_ == 1
    assert "A library was not found [module_missing]" in out
    assert "0 of 25 steps passed; 24 were not tried, as they would fail too" in out


def test_each_step_can_be_a_line_of_json(tmp_path: Path, checked: Checked) -> None:
    code = FIAR.format(AND_SAYS.format("done"))
    code_, out, _ = checked("--protocol", "fiar", "--json", *FEW, *bot(tmp_path, code))
    assert code_ == 1
    *steps, summary = [json.loads(line) for line in out.splitlines()]
    assert [(step["step"], step["ok"]) for step in steps] == [
        ("first_answer", True),
        ("second_seat", True),
        ("quiet_behind_answer", False),
    ]
    assert steps[0]["card"] is None
    assert steps[2]["card"]["code"] == "answered_twice"
    assert steps[2]["wire"][-1] == "> done"
    assert summary == {"passed": 2, "failed": 1, "not_tried": 0}


def test_a_pipe_shows_what_a_terminal_hides(tmp_path: Path, checked: Checked) -> None:
    limits = ("--timeout", "1", "--startup", "2")
    code_, out, _ = checked("--protocol", "fiar", "--no-pty", *limits, *bot(tmp_path, GOOD))
    assert code_ == 1
    assert "The bot waits, and so do we [not_flushed]" in out


def test_a_bot_may_connect(checked: Checked) -> None:
    command = ("python3", str(PROTOCOLS / "nyu_nim" / "bot.py"), "{host}", "{port}")
    code, _, err = checked("--protocol", "nyu-nim", "--step", "first_answer", "--", *command)
    assert (code, err) == (0, "")


def test_the_steps_can_be_listed(checked: Checked) -> None:
    code, out, _ = checked("--protocol", "droidcon", "--list")
    assert code == 0
    assert "full_channel             takes the error of a full channel" in out.splitlines()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--protocol", "chess-by-mail", "--", "true"), "unknown protocol 'chess-by-mail'"),
        (("--protocol", "fiar"), "no command"),
        (("--protocol", "fiar", "--", "no-such-program"), "no program 'no-such-program'"),
        (("--protocol", "fiar", "--variant", "connect-four-8x8", "--", "true"), "fiar plays connect-four-7x6, not"),
        (("--protocol", "fiar", "--variant", "chess", "--", "true"), "unknown variant 'chess'"),
        (("--protocol", "fiar", "--timeout", "0", "--", "true"), "--timeout 0: expected seconds"),
        (("--protocol", "fiar", "--timeout", "soon", "--", "true"), "--timeout"),
        (("--protocol", "droidcon", "--port", "65536", "--", "true"), "'65536': expected a port from 1 to 65535"),
        (("--protocol", "fiar", "--step", "flies", "--", "true"), "--step flies: expected one of first_answer"),
        (("--", "true"), "--protocol"),
    ],
)
def test_wrong_usage_is_said_in_words(arguments: tuple[str, ...], words: str, checked: Checked) -> None:
    code, out, err = checked(*arguments)
    assert code == 2
    assert words in err
    assert out == ""


async def test_an_interrupted_check_leaves_nothing(tmp_path: Path) -> None:
    code = "import os, sys\nprint('up', file=sys.stderr)\nwhile True: pass"
    run = await start(tmp_path, "check_bot", "--protocol", "fiar", *bot(tmp_path, code))
    await until(lambda: any("bot.py" in line and "manage.py" not in line for line in processes_of(tmp_path)))
    run.send_signal(signal.SIGINT)
    code_, _, _ = await finished(run)
    assert code_ == 130
    # Interrupted in the very start of its bot it does not know its number: the keeper, which outlives it, ends it.
    await until(lambda: processes_of(tmp_path) == [])


# -- back from quarantine ----------------------------------------------------------------------------------------------

REGISTER = """
from django.utils import timezone
from arena.models import Bot, Player
player = Player.objects.create(kind="bot", name="fiar-lisp", slug="fiar-lisp")
why = {"enabled": False, "why_disabled": "quarantine: 10 failures in a row", "quarantined": timezone.now()}
Bot.objects.create(player=player, variant="connect-four-7x6", protocol="fiar", family="fiar-lisp", **why)
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables with a bot that may not play, to be copied."""
    folder = tmp_path_factory.mktemp("quarantined")
    migrate(folder)
    assert manage(folder, "shell", "-v0", "-c", REGISTER).returncode == 0
    return folder / "arena.sqlite3"


@pytest.fixture
def quarantined(tmp_path: Path, database: Path) -> Path:
    """A data folder with a bot that may not play."""
    shutil.copy(database, tmp_path)
    share_files(tmp_path)
    return tmp_path


def stands(folder: Path) -> tuple[bool, bool, bool]:
    """Whether the bot is enabled, quarantined, and was ever cleared."""
    with closing(sqlite3.connect(folder / "arena.sqlite3")) as database:
        [(enabled, quarantined, cleared)] = database.execute("SELECT enabled, quarantined, cleared FROM arena_bot")
    return bool(enabled), quarantined is not None, cleared is not None


def changed(folder: Path, column: str, value: int | str) -> None:
    with closing(sqlite3.connect(folder / "arena.sqlite3")) as database, database:
        database.execute(f"UPDATE arena_bot SET {column} = ?", (value,))


async def test_a_bot_that_passes_everything_may_play_again_and_a_running_host_listens_on_its_port(
    quarantined: Path,
) -> None:
    port = free_port()
    changed(quarantined, "port", port)
    server = Server(quarantined)
    await server.start()
    try:
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)
        command = ("check_bot", "--reenable", "fiar-lisp", *bot(quarantined, GOOD))
        run = await asyncio.to_thread(manage, quarantined, *command)
        assert run.returncode == 0, run.stdout
        assert run.stderr.splitlines()[-1] == "fiar-lisp may play again"
        assert stands(quarantined) == (True, False, True)
        await asyncio.to_thread(until_open, port)
        again = await asyncio.to_thread(manage, quarantined, *command)
        assert again.returncode == 2 and "fiar-lisp is not disabled" in again.stderr
        changed(quarantined, "enabled", False)
        await asyncio.to_thread(until_closed, port)
    finally:
        await server.stop()
    assert "Traceback" not in server.said


def test_a_bot_that_fails_a_step_stays_where_it_is(quarantined: Path) -> None:
    code = FIAR.format("print(0)")
    run = manage(quarantined, "check_bot", "--reenable", "fiar-lisp", *bot(quarantined, code))
    assert run.returncode == 1
    assert stands(quarantined) == (False, True, False)


def test_not_all_steps_are_not_enough(quarantined: Path) -> None:
    for words in (("--step", "first_answer"), ("--list",), ("--protocol", "gamestate")):
        run = manage(quarantined, "check_bot", "--reenable", "fiar-lisp", *words, *bot(quarantined, GOOD))
        assert run.returncode == 2 and "all steps are checked" in run.stderr
    run = manage(quarantined, "check_bot", "--reenable", "nobody", *bot(quarantined, GOOD))
    assert run.returncode == 2 and "there is no bot at /bots/nobody/" in run.stderr


# -- stored passes -----------------------------------------------------------------------------------------------------

TOKEN = "arn_" + "a" * 26
CLIENT = """
import socket, sys
wire = socket.create_connection((sys.argv[1], int(sys.argv[2])))
{}
for line in wire.makefile():
    wire.sendall(b"%d\\n" % (line.split()[1].index(".") + 1))
"""


def passed(folder: Path) -> dict[str, object] | None:
    """The stored pass of the bot."""
    with closing(sqlite3.connect(folder / "arena.sqlite3")) as database:
        [(text,)] = database.execute("SELECT passed FROM arena_bot")
    return None if text is None else json.loads(text)


def client(folder: Path, does: str) -> tuple[str, ...]:
    (folder / "bot.py").write_text(CLIENT.format(does))
    return "--port", str(free_port()), "--", "python3", "bot.py", "{host}", "{port}"


@pytest.fixture
def home() -> Iterator[Path]:
    """The folder with the files of the bot, which other users may enter."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        found = Path(name, "fiar-lisp")
        found.mkdir()
        yield found


def test_the_program_that_the_server_runs_passes_by_itself_and_nothing_else_for_it(
    quarantined: Path, home: Path
) -> None:
    changed(quarantined, "command", json.dumps(["python3", "bot.py"]))
    record = (sys.executable, str(ROOT / "manage.py"), "check_bot", "--record", "fiar-lisp")
    env = environment(quarantined) | {"ARENA_BOTS": str(home.parent)}
    told = partial(subprocess.run, cwd=quarantined, env=env, capture_output=True, text=True, timeout=DEADLINE_S)
    (home / "bot.py").write_text(FIAR.format("print(0)"))
    run = told(record)
    assert run.returncode == 1 and "FAIL  first_answer" in run.stdout and passed(quarantined) is None
    (home / "bot.py").write_text(GOOD)
    run = told((*record, *bot(quarantined, GOOD)))
    assert run.returncode == 2 and "leave out COMMAND" in run.stderr
    run = manage(quarantined, "check_bot", "--reenable", "fiar-lisp", *bot(quarantined, GOOD))
    assert run.returncode == 0 and passed(quarantined) is None  # another program than its own
    run = told(record)
    assert (run.returncode, run.stderr) == (0, "stored: fiar-lisp has passed\n"), run.stdout
    stored = passed(quarantined)
    assert stored is not None and stored["steps"] == int(run.stdout.splitlines()[-1].split()[0])
    assert set(stored) == {"seen", "at", "rules", "steps"}
    (home / "python").symlink_to(sys.executable)
    run = told(record)
    assert run.returncode == 1 and not run.stdout and "files that were checked, and python is a link to" in run.stderr


def test_a_bot_that_connects_passes_when_it_shows_its_token(quarantined: Path) -> None:
    changed(quarantined, "token_sha256", sha256_of(TOKEN))
    record = ("check_bot", "--record", "fiar-lisp")
    run = manage(quarantined, *record, *client(quarantined, ""))
    assert run.returncode == 1 and "has not shown its token" in run.stderr and passed(quarantined) is None
    run = manage(quarantined, *record, *client(quarantined, f'wire.sendall(b"SEAT {TOKEN}\\n")'))
    assert (run.returncode, passed(quarantined) is not None) == (0, True), run.stdout + run.stderr


def test_a_port_that_is_in_use_is_said_with_the_way_out(quarantined: Path) -> None:
    changed(quarantined, "token_sha256", sha256_of(TOKEN))
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        run = manage(quarantined, "check_bot", "--record", "fiar-lisp", "--port", port)
    assert run.returncode == 1 and f"port {port} is in use" in run.stderr and "any port will do" in run.stderr


@contextmanager
def coming(folder: Path, port: int) -> Iterator[None]:
    """A bot somewhere else that comes to this port again and again, and shows its token."""
    again = (
        "import time\nfrom contextlib import suppress\n"
        "while True:\n    with suppress(OSError):\n        exec(open(sys.argv[3]).read())\n    time.sleep(0.01)"
    )
    (folder / "once.py").write_text(CLIENT.format(f'wire.sendall(b"SEAT {TOKEN}\\n")'))
    words = [sys.executable, "-c", f"import sys\n{again}", "127.0.0.1", str(port), str(folder / "once.py")]
    with subprocess.Popen(words) as elsewhere:
        try:
            yield
        finally:
            elsewhere.kill()


def test_a_bot_of_another_machine_comes_by_itself(quarantined: Path) -> None:
    changed(quarantined, "token_sha256", sha256_of(TOKEN))
    port = free_port()
    with coming(quarantined, port):
        run = manage(quarantined, "check_bot", "--record", "fiar-lisp", "--port", str(port))
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"waiting for fiar-lisp on 127.0.0.1:{port}" in run.stderr and passed(quarantined) is not None


def test_what_the_page_of_a_bot_starts_stores_that_it_has_passed(quarantined: Path) -> None:
    changed(quarantined, "token_sha256", sha256_of(TOKEN))
    port = free_port()
    words = (*Checks(Pool([port]))._command, "fiar-lisp", "--port", str(port), "--bots-host", "127.0.0.1")
    env = environment(quarantined)
    with coming(quarantined, port):
        run = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=DEADLINE_S)
    assert (run.returncode, passed(quarantined) is not None) == (0, True), run.stdout + run.stderr
    steps = [json.loads(line) for line in run.stdout.splitlines()]
    assert steps.pop() == {"passed": len(steps), "failed": 0, "not_tried": 0}
    assert all(step["ok"] and step["step"] for step in steps)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--record", "nobody"), "there is no bot at /bots/nobody/"),
        (("--record", "fiar-lisp"), "name a port"),
        (("--record", "fiar-lisp", "--port", "4999"), "has no token"),
        (("--record", "fiar-lisp", "--reenable", "fiar-lisp"), "leave out --record or --reenable"),
        (("--record", "fiar-lisp", "--step", "first_answer"), "all steps are checked"),
    ],
)
def test_what_cannot_be_recorded_is_said(quarantined: Path, words: tuple[str, ...], why: str) -> None:
    run = manage(quarantined, "check_bot", *words)
    assert run.returncode == 2 and why in run.stderr
