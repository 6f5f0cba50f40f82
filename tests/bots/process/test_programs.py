"""The programs of bots: kept by the hash of their files, and who of them travels."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.bots.process import programs
from arena.bots.process.packing import NotPacked
from arena.models import Audit, Bot, Player, Work

pytestmark = pytest.mark.django_db


@pytest.fixture
def bot(settings: SimpleNamespace, tmp_path: Path) -> Bot:
    settings.ARENA_DATA, settings.ARENA_BOTS = tmp_path, tmp_path / "bots"
    player = Player.objects.create(kind="bot", name="Left", slug="left")
    return Bot.objects.create(
        player=player, variant="connect-four-7x6", protocol="fiar", family="Left", command=["python3", "left.py"]
    )


def test_its_program_is_kept_by_its_hash_and_the_one_before_stays(bot: Bot, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "left.py").write_text("print(1)\n")
    assert programs.folder_of(bot) == tmp_path / "bots" / "left" and not programs.travels(bot)
    first = programs.add(bot, files, "ops")
    (files / "left.py").write_text("print(2)\n")
    second = programs.add(bot, files, "ops")
    bot.refresh_from_db()
    assert bot.program == second != first and programs.travels(bot)
    assert programs.folder_of(bot) == tmp_path / "programs" / "left" / second
    for sha256, text in ((first, "print(1)\n"), (second, "print(2)\n")):
        assert (tmp_path / "programs" / "left" / sha256 / "left.py").read_text() == text
        assert programs.packed_of("left", sha256).is_file()
    with pytest.raises(NotPacked, match="left is not a folder"):
        programs.remove(bot, "ops")
    bot.refresh_from_db()
    assert bot.program == second, "from nowhere it could not be started"
    (tmp_path / "bots" / "left").mkdir(parents=True)
    programs.remove(bot, "ops")
    assert programs.folder_of(bot) == tmp_path / "bots" / "left"
    told = Audit.objects.order_by("pk").values_list("data__before", "data__after")
    assert list(told) == [("", first), (first, second), (second, "")]


def test_a_program_that_nothing_names_any_more_goes_after_a_day(bot: Bot, tmp_path: Path) -> None:
    """But for one that open work names."""
    files, kept = tmp_path / "files", tmp_path / "programs" / "left"
    files.mkdir()
    made = []
    for number in range(4):
        (files / "left.py").write_text(f"print({number})\n")
        made.append(programs.add(bot, files, "ops"))
    seats = [{"program": made[1]}, {"level": "random"}]
    Work.objects.create(kind="play", key="pairing:1:1", spec={"spec": {"seats": seats}})
    Work.objects.create(kind="analyse", key="analyse:m", spec={"match": "m"})
    for place in kept.iterdir():
        os.utime(place, (0, 0))
    (files / "left.py").write_text("print(4)\n")
    made.append(programs.add(bot, files, "ops"))
    stay = {made[1], made[3], made[4]}
    assert {place.name for place in kept.iterdir()} == stay | {f"{sha256}.tar" for sha256 in stay}


def test_what_cannot_be_packed_changes_nothing(bot: Bot, tmp_path: Path) -> None:
    with pytest.raises(NotPacked, match="is not a folder"):
        programs.add(bot, tmp_path / "nothing", "ops")
    bot.refresh_from_db()
    assert bot.program == "" and not (tmp_path / "programs").exists() and not Audit.objects.exists()


@pytest.mark.parametrize(
    ("command", "first", "mode", "why"),
    [
        ("./bot", "#!/bin/sh\n", 0o644, r"^\./bot: not executable \(chmod \+x, or name its interpreter\)$"),
        ("./bot", "#!/bin/sh\r\n", 0o755, r"^\./bot: the byte 0x0d, a carriage return, ends its first line"),
        ("./bot", "#!/usr/bin/env sh -e\n", 0o755, r"^\./bot: no 'sh -e', which its first line names"),
        ("./run", "#!/bin/sh\n", 0o755, r"^\./run: no such program in the sandbox, which shows /usr"),
        ("bot", "#!/bin/sh\n", 0o755, r"^the command bot is only looked for on PATH: the one in the folder is \./bot$"),
    ],
)
def test_a_program_that_could_start_nowhere_replaces_none(
    bot: Bot, tmp_path: Path, command: str, first: str, mode: int, why: str
) -> None:
    bot.command, files = [command], tmp_path / "files"
    files.mkdir()
    (files / "bot").write_text(first, newline="")
    (files / "bot").chmod(mode)
    with pytest.raises(NotPacked, match=why):
        programs.add(bot, files, "ops")
    bot.refresh_from_db()
    assert bot.program == "" and not Audit.objects.exists()


def test_what_only_this_machine_lacks_is_said_of_a_program_that_is_kept(bot: Bot, tmp_path: Path) -> None:
    bot.command, files = ["./bot"], tmp_path / "files"
    files.mkdir()
    (files / "bot").write_text("#!/usr/bin/env python-of-1999\n")
    (files / "bot").chmod(0o755)
    programs.add(bot, files, "ops")
    assert programs.travels(bot)
    assert programs.why_not_here(bot) == "./bot: no 'python-of-1999', which its first line names"
    bot.command = ["python-of-1999", "bot"]
    assert programs.why_not_here(bot).startswith("python-of-1999: no such program in the sandbox")
    bot.command = ["sh", "bot"]
    assert programs.why_not_here(bot) == ""
    bot.program = ""
    assert programs.lacks(bot) == f"no such folder to start a bot in: {tmp_path / 'bots' / 'left'}"
    bot.command = None
    assert programs.lacks(bot) == ""


@pytest.mark.parametrize(
    ("command", "program", "enabled", "why"),
    [
        (None, "", True, ""),
        (["python3", "left.py"], "", True, "its files are not packed: manage.py program add"),
        (["/srv/bots/left"], "ab", True, "its command names /srv/bots/left, outside of its folder"),
        (["python3", "../left.py"], "ab", True, "its command names ../left.py, outside of its folder"),
        (["python3", "a..b/left.py"], "ab", True, ""),
        (["python3", "left.py"], "ab", False, ""),
    ],
)
def test_who_stays_is_said_why(command: list[str] | None, program: str, enabled: bool, why: str) -> None:
    bot = Bot(command=command, program=program, enabled=enabled)
    assert programs.why_stays(bot) == why
    assert programs.travels(bot) == (enabled and bool(command) and not why)
