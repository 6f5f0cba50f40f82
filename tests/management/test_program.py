"""`manage.py program` as the operator uses it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from arena.models import Bot, Player

pytestmark = pytest.mark.django_db(transaction=True)


def a_bot(slug: str, command: list[str] | None) -> Bot:
    player = Player.objects.create(kind="bot", name=slug, slug=slug)
    return Bot.objects.create(
        player=player, variant="connect-four-7x6", protocol="fiar", family=slug, command=command, version="1"
    )


def test_a_program_is_added_listed_and_taken_back(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, settings: Any
) -> None:
    settings.ARENA_DATA, settings.ARENA_BOTS = tmp_path, tmp_path / "bots"
    left, _ = a_bot("left", ["python3", "left.py"]), a_bot("far", ["/srv/far/run"])
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "left.py").write_text("print(1)\n")
    for slug in ("left", "far"):
        call_command("program", "add", slug, str(tmp_path / "files"))
    said = capsys.readouterr().out
    left.refresh_from_db()
    assert f"SHA-256 {left.program}\nIt travels.\nfar is run" in said
    assert "It stays on this machine: its command names /srv/far/run, outside of its folder\n" in said
    assert "It does not start here: /srv/far/run: no such program in the sandbox, which shows /usr and, as" in said
    with pytest.raises(CommandError, match="left is not a folder: .* Nothing was changed."):
        call_command("program", "remove", "left")
    (tmp_path / "bots" / "left").mkdir(parents=True)
    call_command("program", "remove", "left")
    call_command("program", "list")
    said = capsys.readouterr().out
    assert f"left is run from {tmp_path / 'bots' / 'left'}, on this machine only.\n" in said
    assert "its files are not packed: manage.py program add" in said and "outside of its folder" in said


def test_what_cannot_be_is_refused_in_words(tmp_path: Path, settings: Any) -> None:
    settings.ARENA_DATA = tmp_path
    a_bot("left", ["python3", "left.py"])
    a_bot("comes", None)
    a_bot("plain", ["./plain.py"])
    (tmp_path / "plain.py").write_text("#!/usr/bin/env python3\n")
    for words, expected in (
        (("add", "nobody", str(tmp_path)), "There is no bot 'nobody'"),
        (("add", "comes", str(tmp_path)), "comes connects by itself"),
        (("add", "plain", str(tmp_path)), r"\./plain.py: not executable \(chmod \+x, .*\). Nothing was changed."),
        (("add", "left", str(tmp_path / "none")), "none is not a folder: .* Nothing was changed."),
    ):
        with pytest.raises(CommandError, match=expected):
            call_command("program", *words)
