"""What is looked at before a program is started."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from runpy import run_path

import pytest

from arena.transports.programs import check, environment, not_started, takes_terminal, which

BRIDGE = Path(__file__).parents[2] / "static" / "samples" / "arena-bridge.py"


@pytest.mark.parametrize("command", ["sh", "python3", "no-such-command", "/bin/sh", "/etc/passwd", "/bin"])
def test_a_command_is_found_where_the_standard_library_finds_it(command: str) -> None:
    path = os.environ["PATH"]
    assert which(command, path) == shutil.which(command, path=path)


@pytest.mark.parametrize(
    ("why", "said"),
    [
        (FileNotFoundError(2, "no such command", "./bot"), "no such command: ./bot"),
        (FileNotFoundError(2, "no such folder to start a bot in", "/srv/arena/bots/otter"),
         "no such folder to start a bot in: otter"),
        (OSError("the kernel offers no control group"), "the kernel offers no control group"),
    ],
)  # fmt: skip
def test_why_one_did_not_start_is_said_without_where_things_are_on_this_machine(why: OSError, said: str) -> None:
    assert not_started(why) == said


def test_a_folder_a_file_and_a_command_that_cannot_be_run_are_named(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("print(1)")
    env = environment()
    with pytest.raises(FileNotFoundError, match="no such folder to start a bot in: '/no/where'"):
        check("sh", "/no/where", env)
    with pytest.raises(PermissionError, match=r"not executable \(chmod \+x, or name its interpreter\): './bot.py'"):
        check("./bot.py", str(tmp_path), env)
    with pytest.raises(FileNotFoundError, match="no such command: 'no-such-command'"):
        check("no-such-command", str(tmp_path), env)
    (tmp_path / "bot.py").chmod(0o755)
    check("./bot.py", str(tmp_path), env)


def script(folder: Path, first: str) -> bool:
    """Write a script with this first line, and see whether the kernel runs it."""
    (folder / "bot").write_text(f"{first}\nexit 0\n", newline="")
    (folder / "bot").chmod(0o755)
    try:
        return subprocess.run([folder / "bot"], cwd=folder, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.parametrize(
    ("first", "missing", "words"),
    [
        ("#!/usr/bin/python-of-1999", "/usr/bin/python-of-1999", ""),
        ("#!/usr/bin-of-1999/sh", "/usr/bin-of-1999/sh", "sh ./bot"),
        ("#! /usr/bin/env python-of-1999", "python-of-1999", ""),
        ("#!/usr/bin/env sh -e", "sh -e", "env sh -e ./bot"),  # to the kernel one word
        ("#!/usr/bin/env\t-S FLAG=1 python-of-1999 -u", "python-of-1999", ""),
        ("#!env sh", "env", "env sh ./bot"),
    ],
)
def test_an_interpreter_that_is_not_here_is_named_with_what_runs_in_its_place(
    first: str, missing: str, words: str, tmp_path: Path
) -> None:
    assert not script(tmp_path, first)
    with pytest.raises(FileNotFoundError) as raised:
        check("./bot", str(tmp_path), environment())
    instead = f" (try: {words})" if words else ""
    assert raised.value.strerror == f"no {missing!r}, which its first line names{instead}"
    assert not words or subprocess.run(words.split(), cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    ("first", "named"),
    [
        ("#!/bin/sh\r", "the byte 0x0d, a carriage return, ends its first line (try: sed -i 's/\\r$//' bot)"),
        ("#! /usr/bin/env sh\r", "the byte 0x0d, a carriage return, ends its first line (try: sed -i 's/\\r$//' bot)"),
        ("\ufeff#!/bin/sh", "the bytes ef bb bf, a byte order mark, stand before #! in its first line"),
    ],
)
def test_the_bytes_that_hide_an_interpreter_are_named(first: str, named: str, tmp_path: Path) -> None:
    assert not script(tmp_path, first)
    with pytest.raises(FileNotFoundError) as raised:
        check("./bot", str(tmp_path), environment())
    assert str(raised.value.strerror).startswith(named)


@pytest.mark.parametrize(
    ("first", "runs"),
    [
        ("#!/bin/sh", True),
        ("#! /bin/sh -e", True),
        ("#!/usr/bin/env sh", True),
        ("#!/usr/bin/env -S FLAG=1 sh -e", True),
        ("#!/usr/bin/env -S sh\r", True),
        ("exit 0", False),  # a shell may run it
        ("\x7fELF", False),
    ],
)
def test_other_scripts_and_programs_are_let_pass(first: str, runs: bool, tmp_path: Path) -> None:
    assert script(tmp_path, first) is runs
    check("./bot", str(tmp_path), environment())


def test_only_what_a_program_needs_is_handed_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "not for bots")
    monkeypatch.setenv("TZ", "UTC")
    handed = environment()
    assert handed["TZ"] == "UTC" and set(handed) <= {"PATH", "HOME", "LANG", "TZ", "LC_MESSAGES"}


def test_a_program_complains_in_english_and_keeps_the_encoding_of_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """The causes of failures are recognised by the words of shells, `env` and languages."""
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    told = subprocess.run(["locale"], env=environment(), capture_output=True, text=True, check=True).stdout
    assert "LANG=de_DE.UTF-8\n" in told and "LC_MESSAGES=C\n" in told and 'LC_CTYPE="de_DE.UTF-8"\n' in told


@pytest.mark.parametrize(
    ("argv", "takes"),
    [
        (("python3", "bot.py", "node"), True),
        (("node", "bot.js"), False),
        (("/usr/bin/node", "bot.js"), False),
        (("env", "node", "bot.js"), False),
        (("env", "python3", "bot.py"), True),
        (("./bot.js",), False),
        (("./typed.ts",), False),
        (("./bot.py", "node"), True),
        (("./no-such-file",), True),
        (("tclsh", "bot.tcl"), False),
        (("./run.sh",), False),
        (("./run.sh", "an-argument"), False),
        (("sh", "run.sh"), False),
        (("bash", "-c", "cd . \n exec node bot.js"), False),
        (("bash", "-c", "cd .; ls && exec node bot.js"), False),
        (("bash", "-c", "python3 bot.py node"), True),
        (("./python.sh",), True),
        (("bash",), True),
        (("timeout", "60", "node", "bot.js"), False),
        (("timeout", "-s", "KILL", "-k", "5s", "1m", "node", "bot.js"), False),
        (("nice", "-n", "5", "./bot.js"), False),
        (("stdbuf", "-oL", "./run.sh"), False),
        (("env", "A=1", "setsid", "taskset", "-c", "0", "node", "bot.js"), False),
        (("timeout", "60", "python3", "bot.py", "node"), True),
        (("timeout", "60", "sh", "run.sh"), False),
        (("nohup", "python3", "bot.py"), False),
        (("timeout", "60", "nohup", "./bot.py"), False),
        (("./UP",), False),
        (("bash", "-lc", "node bot.js"), False),
        (("bash", "-e", "-o", "pipefail", "-c", "time node bot.js"), False),
        (("bash", "--norc", "-e", "run.sh"), False),
        (("sh", "-e", "python.sh"), True),
        (("env",), True),
    ],
)
@pytest.mark.parametrize("where", ["arena", "bridge"])
def test_what_a_terminal_would_harm_gets_a_pipe(
    argv: tuple[str, ...], takes: bool, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.js").write_text("#!/usr/bin/env node\nconsole.log(1)")
    (tmp_path / "run.sh").write_text("#!/bin/sh\nexport TURBO=1\nTURBO=2 exec /usr/bin/node bot.js")
    (tmp_path / "python.sh").write_text("#!/bin/sh\n# node is not for us\nexec python3 bot.py")
    (tmp_path / "typed.ts").write_text("#!/usr/bin/env -S deno run\nconsole.log(1)")
    (tmp_path / "bot.py").write_text("#!/usr/bin/python3\nprint(1)")
    (tmp_path / "UP").write_text("#!/usr/bin/env -S nice node\nconsole.log(1)")
    if where == "arena":
        assert takes_terminal(argv, str(tmp_path)) is takes
    else:
        monkeypatch.chdir(tmp_path)
        assert run_path(str(BRIDGE))["takes_terminal"](list(argv)) is takes
