"""How a program ended, and its last words, name the cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.failure.diagnosis import diagnose
from arena.bots.failure.evidence import TOO_MUCH
from arena.protocols.hints import Evidence
from arena.transports import process
from arena.transports.programs import check, environment
from tests.bots.failure.test_diagnosis import TRACEBACK, code

NODE = "/home/bot.js:3\nTypeError: board is undefined\n    at Object.<anonymous> (/home/bot.js:3:7)\n\nNode.js v18.20.4"


@pytest.mark.parametrize(
    ("exit", "stderr", "expected"),
    [
        ("exit code 1", TRACEBACK, "traceback"),
        ("exit code 1", NODE, "traceback"),
        ("exit code 101", "thread 'main' panicked at src/main.rs:3:5:\nindex out of bounds", "traceback"),
        ("exit code 1", TRACEBACK.replace("IndexError: list index out of range", "MemoryError"), "out_of_memory"),
        ("killed by SIGABRT", "FATAL ERROR: Reached heap limit - JavaScript heap out of memory", "out_of_memory"),
        ("killed by SIGABRT", "terminate called after throwing 'std::bad_alloc'", "out_of_memory"),
        ("exit code 1", "ModuleNotFoundError: No module named 'numpy'", "module_missing"),
        ("exit code 1", "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?", "python_2"),
        ("exit code 1", f"{TRACEBACK[:60]}\nNameError: name 'raw_input' is not defined", "python_2"),
        ("exit code 1", "TypeError: a bytes-like object is required, not 'str'", "python_2"),
        ("exit code 1", "ModuleNotFoundError: No module named 'Queue'", "python_2"),
        ("exit code 2", "Can't locate Not/There.pm in @INC (you may need to install it)", "module_missing"),
        ("exit code 1", f"{TRACEBACK[:60]}\nsocket.error: [Errno 111] Connection refused", "connects_itself"),
        ("exit code 1", "Error: connect ECONNREFUSED 127.0.0.1:4202\n    at TCPConnectWrap", "connects_itself"),
        ("exit code 1", "Error: Cannot find module '/x/bot.js'\n    at node:internal:1", "file_missing"),
        ("exit code 1", "Error: Could not find or load main class Bot", "file_missing"),
        ("exit code 127", "/usr/bin/env: \u2018python3\\r\u2019: No such file or directory", "script_line_ends"),
        ("exit code 2", "./bot.sh: 2: read: line\r: bad variable name", "script_line_ends"),
        ("exit code 127", "./bot.sh: line 2: $'\\r': command not found", "script_line_ends"),
        ("exit code 2", "python3: can't open file '/x/bot.py': [Errno 2] No such file or directory", "file_missing"),
        ("exit code 127", "setpriv: failed to execute ./bot: No such file or directory", "interpreter_missing"),
        ("exit code 127", "/usr/bin/env: 'python': No such file or directory", "interpreter_missing"),
        ("exit code 127", "", "interpreter_missing"),
        ("exit code 126", "setpriv: failed to execute ./bot: Permission denied", "not_executable"),
        ("exit code 126", "setpriv: failed to execute ./bot: Exec format error", "not_executable"),
        ("exit code 127", "./bot.py: 1: import: not found", "not_executable"),
        ("exit code 2", './bot.py: 3: Syntax error: "(" unexpected', "not_executable"),
        ("exit code 2", "./bot.py: line 1: import: command not found\n./bot.py: line 4: `x()'", "not_executable"),
        ("exit code 2", "./bot.py: line 3: syntax error near unexpected token `('", "not_executable"),
        ("exit code 2", "mawk: line 1: syntax error at or near }", "exited_with_error"),
        ("exit code 127", "./bot.sh: 3: guile: not found", "interpreter_missing"),
        ("killed by SIGSEGV", "", "killed_by_signal"),
        ("killed by SIGXCPU", "", "out_of_cpu_time"),
        ("exit code 0", "", "exited"),
        ("exit code 0", "Traceback (most recent call last):\nValueError: no JSON", "traceback"),
        ("exit code 3", "giving up", "exited_with_error"),
    ],
)
def test_the_end_of_a_process_is_named(exit: str, stderr: str, expected: str) -> None:
    assert (
        code(
            "fiar",
            "crash",
            reason=f"bot {'was' if exit.startswith('killed') else 'stopped with'} {exit}",
            exit=exit,
            stderr=stderr,
        )
        == expected
    )


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("memory", "out_of_memory"), ("cpu", "out_of_cpu_time"), ("file size", "resource_limit")],
)
def test_a_limit_is_named(reason: str, expected: str) -> None:
    assert code("fiar", "resource_limit", reason=reason) == expected


@pytest.mark.parametrize(
    ("first", "expected", "byte"),
    [
        ("#!/usr/bin/python3\r", "script_line_ends", "0x0d"),
        ("\ufeff#!/usr/bin/python3", "script_byte_order_mark", "ef bb bf"),
    ],
)
def test_the_card_of_a_script_that_cannot_be_started_names_the_byte(
    first: str, expected: str, byte: str, tmp_path: Path
) -> None:
    (tmp_path / "bot").write_text(f"{first}\nprint(1)\n", newline="")
    (tmp_path / "bot").chmod(0o755)
    with pytest.raises(OSError) as raised:
        check("./bot", str(tmp_path), environment())
    card = diagnose(Evidence("fiar", "crash", reason=str(raised.value)))
    assert card is not None
    assert card.code == expected and byte in card.sentence and "sed -i" in card.advice


def test_a_command_that_cannot_be_started_is_named() -> None:
    assert code("fiar", "crash", reason="no such command: bto") == "interpreter_missing"
    where = "no such program in the sandbox, which shows /usr and, as its start folder, the bot's own: bto"
    assert code("fiar", "crash", reason=where) == "interpreter_missing"
    why = "no 'guile -s', which its first line names (try: env guile -s ./bot): ./bot"
    assert code("fiar", "crash", reason=why) == "interpreter_missing"
    why = "not executable (chmod +x, or name its interpreter): ./bot"
    assert code("fiar", "crash", reason=why) == "not_executable"


def test_the_last_line_of_a_traceback_is_quoted() -> None:
    card = diagnose(Evidence("fiar", "crash", exit="exit code 1", stderr=TRACEBACK))
    assert card is not None
    assert card.sentence == "It stopped (exit code 1): IndexError: list index out of range"
    node = diagnose(Evidence("fiar", "crash", exit="exit code 1", stderr=NODE))
    assert node is not None
    assert node.sentence.endswith("TypeError: board is undefined")


def test_how_much_a_bot_may_write_to_standard_error_is_said() -> None:
    most, a_second = process.STDERR_AT_ONCE >> 20, process.STDERR_PER_S >> 20
    assert f"more than {most} MiB at once and {a_second} MiB a second after that" == TOO_MUCH
