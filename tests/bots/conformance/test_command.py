"""Bots that connect to a port of ours, as they would to the arena."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.bots.conformance.check import Check
from arena.bots.conformance.observed import Failed
from tests.kit.checking import check_of
from tests.kit.commands import processes_of

pytestmark = pytest.mark.service

# Connects, answers with the column of least number, and prints things that mean nothing here.
CLIENT = """
import socket, sys, time
print("4")
wire = socket.create_connection((sys.argv[1], int(sys.argv[2])))
{}
for line in wire.makefile():
    wire.sendall(b"%d\\n" % (line.split()[1].index(".") + 1))
"""


def client(folder: Path, does: str = "", port: int = 0, **limits: Any) -> Check:
    (folder / "bot.py").write_text(CLIENT.format(does))
    where = "{port}" if port == 0 else str(port)
    return check_of("fiar", folder, sys.executable, "bot.py", "{host}", where, port=port, **limits)


def answer(check: Check) -> str:
    position = check.variant.start()
    with check.start() as bot:
        return bot.ask(position, *bot.seated(0, position))


def test_a_bot_that_connects_answers(tmp_path: Path) -> None:
    assert answer(client(tmp_path)) == "1"
    assert processes_of(tmp_path) == []


def test_a_bot_may_show_a_token_first(tmp_path: Path) -> None:
    assert answer(client(tmp_path, 'wire.sendall(b"SEAT arn_x\\n")')) == "1"


def test_a_bot_may_have_its_port_built_in(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert answer(client(tmp_path, port=port)) == "1"


def test_a_second_connection_is_not_the_bot_s(tmp_path: Path) -> None:
    again = "other = socket.create_connection((sys.argv[1], int(sys.argv[2])))"
    assert answer(client(tmp_path, again)) == "1"


@pytest.mark.parametrize(
    ("does", "code"),
    [
        ("sys.exit(2)", "exited_with_error"),
        ("wire.close(); time.sleep(600)", "connection_lost"),
        ("wire.recv(100); time.sleep(600)", "too_slow"),
        ("wire.recv(100); wire.recv(100)", "not_flushed"),
    ],
)
def test_a_bot_that_fails_is_named(does: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(Failed) as failed:
        answer(client(tmp_path, does, answer_s=0.5, startup_s=3.0))
    assert failed.value.card.code.removeprefix("start_") == code
    assert processes_of(tmp_path) == []


def test_a_bot_that_never_connects_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bot.py").write_text("import time; time.sleep(600)")
    check = check_of("fiar", tmp_path, sys.executable, "bot.py", port=0)
    monkeypatch.setattr(check.command.adapter, "ready_s", 0.5)
    with pytest.raises(Failed) as failed:
        answer(check)
    assert failed.value.card.code == "never_connected"
    assert failed.value.card.sentence == "nobody connected within 0.5 s."


def test_a_bot_that_asks_before_it_connects_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bot.py").write_text("input('How many stones? ')")
    check = check_of("fiar", tmp_path, sys.executable, "bot.py", port=0)
    monkeypatch.setattr(check.command.adapter, "ready_s", 3.0)
    with pytest.raises(Failed) as failed:
        answer(check)
    assert failed.value.card.code == "asks_first"
    assert failed.value.card.sentence.endswith(", and it waits for something on its standard input.")


def test_a_bot_that_ends_before_it_connects_is_named(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("raise SystemExit('no configuration')")
    with pytest.raises(Failed) as failed:
        answer(check_of("fiar", tmp_path, sys.executable, "bot.py", port=0))
    assert failed.value.card.code == "exited_with_error"
    assert "no configuration" in failed.value.card.sentence
