from __future__ import annotations

from pathlib import Path

import pytest

from arena.play.seat_texts import parse_seat
from arena.play.spec import BuiltinSeat, CommandSeat, SocketSeat

VARIANT = "connect-four-7x6"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my bot").write_text("#!/bin/sh\n")
    (tmp_path / "my bot").chmod(0o755)
    (tmp_path / "plain.py").write_text("")
    (tmp_path / "old.py").write_text("#!/usr/bin/python-of-1999\n")
    (tmp_path / "old.py").chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "seat"),
    [
        ("builtin:club", BuiltinSeat("club")),
        ("tcp:droidcon:5300", SocketSeat("droidcon", 5300)),
        ("fiar:python3 bots/gravity.py -v", CommandSeat("fiar", ("python3", "bots/gravity.py", "-v"))),
        ("fiar:'./my bot' --depth '4 or so'", CommandSeat("fiar", ("./my bot", "--depth", "4 or so"))),
    ],
)
def test_a_seat_is_read_as_a_shell_would(text: str, seat: object, folder: Path) -> None:
    assert parse_seat(text, VARIANT, str(folder)) == seat


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("builtin:grandmaster", "builtin:grandmaster: unknown level; expected one of random, beginner, casual"),
        ("builtin", "builtin:: unknown level"),
        ("chess:./bot", "unknown protocol 'chess'; expected builtin:LEVEL, PROTOCOL:COMMAND or tcp:PROTOCOL:PORT"),
        ("", "unknown protocol ''"),
        ("tcp:droidcon", "port '': expected a number from 1 to 65535, as in tcp:droidcon:5300"),
        ("tcp:droidcon:65536", "port '65536': expected"),
        ("tcp:droidcon:٤٢", "port '٤٢': expected"),
        ("tcp:chess:5300", "unknown protocol 'chess'"),
        ("fiar:", "no command; expected for example fiar:python3 bot.py"),
        ("fiar:python3 'bot.py", "the command cannot be split into words: No closing quotation"),
        ("fiar:no-such-program", "there is no program 'no-such-program' that can be run here"),
        ("fiar:./old.py", "no '/usr/bin/python-of-1999', which its first line names"),
        ("fiar:./plain.py", "'./plain.py' is not executable: chmod +x it, or put its interpreter before it"),
        ("fiar:plain.py", "'plain.py' is a file of this folder, and commands are looked for in PATH: write ./plain.py"),
        ("fiar:./my bot", "put a path with blanks in quotes, './my bot'"),
        ("fiar:'sh my-bot'", "no program has the name 'sh my-bot': leave out the quotes around the whole command"),
        ("fiar:./missing", "there is no program './missing' that can be run here"),
    ],
)
def test_what_is_no_seat_says_what_to_write(text: str, says: str, folder: Path) -> None:
    with pytest.raises(ValueError) as why:
        parse_seat(text, VARIANT, str(folder))
    assert says in str(why.value)


def test_a_protocol_must_play_the_variant(folder: Path) -> None:
    with pytest.raises(ValueError, match="^fiar plays connect-four-7x6, not expanding-nim$"):
        parse_seat("fiar:python3 bot.py", "expanding-nim", str(folder))
    with pytest.raises(ValueError, match="^droidcon plays connect-four-7x6, not connect-four-8x8$"):
        parse_seat("tcp:droidcon:5300", "connect-four-8x8", str(folder))


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (("python3", "bots/gravity.py", "-v"), "gravity"),
        (("/usr/bin/python3.11", "-u", "gravity.py"), "gravity"),
        (("./gravity",), "gravity"),
        (("guile", "-s", "four.scm"), "four"),
        (("sh",), "sh"),
        (("x" * 50,), "x" * 32),
    ],
)
def test_a_command_is_called_after_its_program(argv: tuple[str, ...], name: str) -> None:
    assert CommandSeat("fiar", argv).name == name
