"""What a registered bot has passed counts while the bot is what was checked."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.bots.conformance import passes
from arena.bots.process import programs
from arena.models import Audit, Bot, Player
from arena.work.rules_version import rules_version

pytestmark = pytest.mark.django_db


def a_bot(**fields: Any) -> Bot:
    player = Player.objects.create(kind="bot", name="Left", slug="left")
    return Bot.objects.create(player=player, variant="connect-four-7x6", protocol="fiar", family="Left", **fields)


def passed(bot: Bot) -> Bot:
    assert passes.store(bot, passes.seen_of(bot), 25, "ops")
    bot.refresh_from_db()
    return bot


@pytest.fixture
def home(settings: SimpleNamespace, tmp_path: Path) -> Path:
    settings.ARENA_DATA, settings.ARENA_BOTS = tmp_path, tmp_path / "bots"
    found = tmp_path / "bots" / "left"
    found.mkdir(parents=True)
    (found / "left.py").write_text("print(1)\n")
    return found


def test_it_says_what_was_checked_when_and_by_which_rules() -> None:
    bot = a_bot(token_sha256="a" * 64)
    assert bot.passed is None and not passes.has_passed(bot)
    stored = passed(bot).passed
    assert stored is not None and passes.has_passed(bot)
    assert (stored["rules"], stored["steps"], stored["seen"]["protocol"]) == (rules_version(), 25, "fiar")
    done = Audit.objects.get()
    assert (done.actor, done.act, done.subject) == ("ops", "bot passed its check", "Left")


@pytest.mark.parametrize(
    "change", [{"token_sha256": "b" * 64}, {"port": 4999}, {"version": "2"}, {"command": ["python3", "left.py"]}]
)
def test_a_bot_that_changed_has_to_pass_again(change: dict[str, Any]) -> None:
    bot = passed(a_bot(token_sha256="a" * 64))
    for name, value in change.items():
        setattr(bot, name, value)
    assert not passes.has_passed(bot)


def test_other_files_have_to_pass_again_wherever_they_lie(home: Path, tmp_path: Path) -> None:
    bot = passed(a_bot(command=["python3", "left.py"]))
    programs.add(bot, home, "ops")  # packed, they are the same files
    assert passes.has_passed(bot)
    (home / "left.py").write_text("print(2)\n")
    assert passes.has_passed(bot), "those that it plays with are packed"
    programs.add(bot, home, "ops")
    assert not passes.has_passed(bot)
    programs.remove(bot, "ops")
    assert not passes.has_passed(bot)
    (home / "left.py").write_text("print(1)\n")
    assert passes.has_passed(bot)


def test_what_changed_during_the_check_is_not_stored(home: Path) -> None:
    bot = a_bot(command=["python3", "left.py"])
    seen = passes.seen_of(bot)
    (home / "left.py").write_text("print(2)\n")
    assert not passes.store(bot, seen, 25, "ops")
    bot.refresh_from_db()
    assert bot.passed is None and not Audit.objects.exists()


def test_files_that_nobody_can_read_have_passed_nothing(home: Path) -> None:
    bot = passed(a_bot(command=["python3", "left.py"]))
    (home / "left.py").unlink()
    home.rmdir()
    assert not passes.has_passed(bot)


def test_files_that_nobody_can_tell_from_others_have_passed_nothing(home: Path) -> None:
    """They can be changed: what was stored once would count for every program that comes after it."""
    (home / "python").symlink_to(sys.executable)
    bot = a_bot(command=["python3", "left.py"])
    seen = {"protocol": "fiar", "variant": bot.variant, "version": "1", "command": bot.command, "files": ""}
    assert not passes.store(bot, seen, 25, "ops")
    bot.passed = {"seen": seen}
    assert not passes.has_passed(bot)


def test_the_command_names_a_port_for_those_that_connect() -> None:
    bot = a_bot(token_sha256="a" * 64)
    assert passes.command_of(bot).endswith("check_bot --record left --port PORT -- COMMAND")
    bot.command = ["python3", "left.py"]
    assert passes.command_of(bot).endswith("check_bot --record left")


@pytest.mark.service
@pytest.mark.usefixtures("on_postgres")
def test_it_is_stored_in_postgresql_as_well() -> None:
    assert passes.has_passed(passed(a_bot(token_sha256="a" * 64, port=4999)))
