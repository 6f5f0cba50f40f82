"""The registry: games are found, not listed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import games

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "tests" / "data" / "plugin"
SLUGS = ["connect-four-7x6", "connect-four-8x8", "expanding-nim", "santorini-6x6", "santorini-5x5"]


def python(*arguments: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a fresh process with `path` on the Python path, in the project's folder."""
    environment = os.environ | {"PYTHONPATH": str(path)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_it_finds_every_variant() -> None:
    assert [variant.slug for variant in games.variants()] == SLUGS


def test_it_knows_a_variant_by_its_slug() -> None:
    for slug in SLUGS:
        assert games.variant(slug).slug == slug


def test_every_variant_belongs_to_the_game_that_it_names() -> None:
    for game in games.games():
        assert {variant.game for variant in game.variants} == {game.slug}


def test_an_unknown_slug_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match=r"unknown variant 'chess'; known: connect-four-7x6, .*santorini-5x5"):
        games.variant("chess")


def test_choices_are_slugs_and_titles_as_people_write_them() -> None:
    assert ("expanding-nim", "Expanding Nim") in games.choices()
    assert ("santorini-6x6", "Santorini 6\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}6") in games.choices()
    assert len(games.choices()) == len(SLUGS)


def test_a_game_is_added_by_one_file_on_the_python_path() -> None:
    script = """
import games
print(*(game.slug for game in games.games()))
position = games.variant("tic-tac-toe").start()
for move in ("b2", "a1", "b3", "c3"):
    position = position.play(move)
print(position, position.to_move, *position.legal_moves())
position = position.play("b1")
print(position.outcome(), *position.board().marks)
"""
    run = python("-c", script, path=PLUGIN)
    assert run.returncode == 0, run.stderr
    slugs, middle, end = run.stdout.splitlines()
    assert slugs == "connect-four expanding-nim santorini tic-tac-toe"
    assert middle == ".xo.x.o.. 0 a3 a2 c2 b1 c1"
    assert end == "Outcome(winner=0, reason='three in a row') b1 b2 b3"


@pytest.mark.long
def test_the_laws_hold_for_an_added_game_as_well() -> None:
    laws = "tests/games/test_every_game.py"
    run = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "tic-tac-toe", laws, path=PLUGIN)
    assert run.returncode == 0, run.stdout
    assert "12 passed" in run.stdout


def test_a_module_without_a_game_is_named(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "empty.py").write_text("")
    run = python("-c", "import games; games.games()", path=tmp_path)
    assert run.returncode != 0
    assert "games/empty.py must define exactly one Game, it defines 0" in run.stderr
