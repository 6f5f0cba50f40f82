"""What is written about games: every file is whole, and its boards can be reached."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import games
from arena.protocols import protocols
from arena.web.library.game_texts import FOLDER, text_of
from tests.web import markup


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_each_text_has_six_rules_and_three_boards_that_a_match_can_reach(path: Path) -> None:
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    game = next(game for game in games.games() if game.slug == path.stem)
    found = text_of(game)
    assert len(found.rules) == 6 and len(found.boards) == 3 and found.lead
    assert len(found.in_brief()) == 3 and set(found.in_brief()) <= set(found.rules)
    assert set(said.get("columns", {})) <= set(protocols())
    for picture, words in found.boards:
        assert markup.read(picture)[0].tag == "svg" and words.endswith(".")
