"""Every level in every game: legal, repeatable, never blind to a win in one, and stronger than the level below."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import pytest

import games
from games import Position, players
from tests.kit.positions import after, played, random_positions, winning_replies, wins_in_one

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "tests" / "data" / "plugin"
SLUGS = [variant.slug for variant in games.variants()]
SEEING = players.LEVELS[players.LEVELS.index("casual") :]

every_variant = pytest.mark.parametrize("slug", SLUGS)

SEVEN_BY_SIX = games.variant("connect-four-7x6").start()


def choose(position: Position, level: str, seed: int = 1, calls: int = 2) -> str:
    return players.choose(position, level, Random(seed), after(calls))


def points(slug: str, level: str, against: str, matches: int, calls: int) -> float:
    """The points of `level`, which has the first seat in every other match."""
    total = 0.0
    for seed in range(matches):
        seat, rng, position = seed % 2, Random(seed), games.variant(slug).start()
        while position.to_move is not None:
            mover = level if position.to_move == seat else against
            position = position.play(players.choose(position, mover, rng, after(calls)))
        outcome = position.outcome()
        assert outcome is not None
        total += 0.5 if outcome.winner is None else float(outcome.winner == seat)
    return total


@cache
def chances(slug: str) -> list[tuple[Position, list[str]]]:
    """Positions in which somebody can win at once, and the moves that do."""
    positions = [position for seed in range(12) for position in random_positions(slug, seed)]
    return [(position, wins) for position in positions if (wins := wins_in_one(position))]


class TestLevels:
    def test_their_names_are_the_promised_ones(self) -> None:
        assert players.LEVELS == ("random", "beginner", "casual", "club", "expert", "best")

    def test_an_unknown_level_is_refused_with_the_known_ones(self) -> None:
        with pytest.raises(ValueError, match="unknown level 'perfect'; known: random, beginner, casual, club, exp"):
            choose(SEVEN_BY_SIX, "perfect")
        with pytest.raises(ValueError, match="unknown level 'perfect'"):
            players.seconds("perfect")

    def test_only_the_strong_ones_may_think_long(self) -> None:
        assert [players.seconds(level) <= 0.1 for level in players.LEVELS] == [True] * 4 + [False] * 2

    def test_there_is_nothing_to_choose_after_the_end(self) -> None:
        with pytest.raises(ValueError, match="the match is over"):
            choose(played(SEVEN_BY_SIX, "1212121"), "best")

    @every_variant
    @pytest.mark.parametrize("level", players.LEVELS)
    def test_each_makes_legal_moves_only(self, slug: str, level: str) -> None:
        for seed, position in enumerate(islice(random_positions(slug, 5), 0, None, 4)):
            assert choose(position, level, seed, calls=1) in position.legal_moves()

    @every_variant
    @pytest.mark.parametrize("level", players.LEVELS)
    def test_the_same_dice_and_clock_give_the_same_move(self, slug: str, level: str) -> None:
        position = next(islice(random_positions(slug, 3), 9, None))
        assert len({choose(position, level, seed=7, calls=3) for _ in range(3)}) == 1

    def test_other_dice_give_other_moves(self) -> None:
        assert len({choose(SEVEN_BY_SIX, "random", seed) for seed in range(60)}) == 7

    def test_casual_prefers_the_centre(self) -> None:
        columns = [choose(SEVEN_BY_SIX, "casual", seed) for seed in range(200)]
        assert columns.count("4") > columns.count("1") + columns.count("7") > 0


class TestWinsInOne:
    @pytest.mark.long
    @pytest.mark.cases(7)
    @every_variant
    @pytest.mark.parametrize("level", SEEING)
    def test_none_is_missed_from_casual_up(self, slug: str, level: str) -> None:
        assert len(chances(slug)) >= 10
        for seed, (position, wins) in enumerate(chances(slug)[:60]):
            assert choose(position, level, seed) in wins, f"{level} missed a win in {position}"

    @pytest.mark.cases(2)
    @pytest.mark.long
    @every_variant
    def test_none_is_left_to_the_other_from_casual_up_if_that_can_be(self, slug: str) -> None:
        dangers = 0
        for position in (position for seed in range(30) for position in random_positions(slug, seed)):
            if dangers == 8:
                break
            exposed = {} if wins_in_one(position) else {m: winning_replies(position, m) for m in position.legal_moves()}
            if not any(exposed.values()):
                continue
            dangers += 1
            for level in SEEING:
                move = choose(position, level)
                assert exposed[move] == min(exposed.values()), f"{level} leaves a win after {move} in {position}"
        assert dangers == 8

    def test_a_beginner_takes_about_half_of_them(self) -> None:
        taken = [choose(played(SEVEN_BY_SIX, "121212"), "beginner", seed) for seed in range(200)].count("1")
        assert 90 < taken < 140  # half of them seen, a seventh of the others hit by chance

    def test_a_beginner_stops_about_half_of_them(self) -> None:
        stopped = [choose(played(SEVEN_BY_SIX, "12121"), "beginner", seed) for seed in range(200)].count("1")
        assert 90 < stopped < 140


class TestStrength:
    @pytest.mark.cases(2)
    @pytest.mark.long
    @every_variant
    def test_best_beats_random_nearly_always(self, slug: str) -> None:
        assert points(slug, "best", "random", matches=20, calls=1) >= 19

    @pytest.mark.cases(2)
    @pytest.mark.long
    @every_variant
    def test_expert_is_not_weaker_than_casual(self, slug: str) -> None:
        assert points(slug, "expert", "casual", matches=6, calls=1) >= 3

    def test_club_slips_now_and_then_expert_hardly_ever_and_best_never(self) -> None:
        position = played(SEVEN_BY_SIX, "3141")  # c1 and d1 are ours, a1 is theirs: only e1 makes an open three
        found = {level: [choose(position, level, seed) for seed in range(100)].count("5") for level in SEEING}
        assert 75 <= found["club"] <= 95 <= found["expert"] < found["best"] == 100


class TestOtherGames:
    @pytest.mark.long
    def test_a_game_without_a_player_is_played_through_its_rules(self) -> None:
        code = """
import games
from random import Random
from games import players
for seed in range(6):
    rng, position = Random(seed), games.variant("tic-tac-toe").start()
    while position.to_move is not None:
        level = "best" if position.to_move == seed % 2 else "random"
        position = position.play(players.choose(position, level, rng, lambda: False))
    print(position.outcome().winner in (None, seed % 2))
"""
        assert run_with(PLUGIN, code) == ["True"] * 6

    def test_a_player_beside_an_added_game_is_found(self, tmp_path: Path) -> None:
        folder = tmp_path / "games"
        (folder / "players").mkdir(parents=True)
        (folder / "tic_tac_toe.py").write_bytes((PLUGIN / "games" / "tic_tac_toe.py").read_bytes())
        (folder / "players" / "tic_tac_toe.py").write_text(
            "from games.players.generic import GenericPlayer\n"
            "from games.tic_tac_toe import TicTacToePosition\n"
            "class LastSquare(GenericPlayer):\n"
            "    for_position = TicTacToePosition\n"
            "    def rank(self, position, moves, depth, out_of_time):\n"
            "        return sorted(moves)[::-1]\n"
            "PLAYER = LastSquare()\n",
            encoding="utf-8",
        )
        code = """
import games
from random import Random
from games import players
start = games.variant("tic-tac-toe").start()
print({players.choose(start, "best", Random(seed), lambda: False) for seed in range(9)})
"""
        assert run_with(tmp_path, code) == ["{'c3'}"]


def run_with(folder: Path, code: str) -> list[str]:
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()
