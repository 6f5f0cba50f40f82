"""Two matches instead of four hundred: they are played, counted and reported."""

from __future__ import annotations

from random import Random

import pytest

from games import players
from tools.strength.__main__ import main
from tools.strength.play import Score, best_of_before, level, matches, opening


def test_a_score_says_its_share_and_its_interval() -> None:
    score = Score(15, 20)
    low, high = score.interval
    assert 0.5 < low < 0.75 < high < 0.9  # Wilson: 0.53 to 0.89
    assert str(score) == "15 of 20 = 75% (53% to 89%)"
    assert Score(20, 20).interval[1] == pytest.approx(1)


def test_each_opening_is_played_with_both_seats() -> None:
    assert str(opening("santorini-5x5", Random(1))) == str(opening("santorini-5x5", Random(1)))
    assert opening("connect-four-8x8", Random(2)).ply == 2
    casual, chance = level("casual", None), level("random", None)
    scores = list(matches("connect-four-7x6", casual, chance, count=6, seconds=0.1, seed=1))
    assert [score.matches for score in scores] == [1, 2, 3, 4, 5, 6] and scores[-1].points >= 4


@pytest.mark.parametrize("slug", ["connect-four-8x8", "santorini-5x5"])
def test_the_player_of_before_still_plays(slug: str) -> None:
    position = opening(slug, Random(3))
    assert best_of_before(position, Random(1), seconds=0) in position.legal_moves()


def test_levels_are_compared_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    main(["ladder", "--variant", "expanding-nim", "--matches", "2", "--seconds", "0.01"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(players.LEVELS) - 1
    assert lines[0].startswith("expanding-nim      beginner : random") and " of 2 = " in lines[0]


def test_a_wrong_word_is_refused_with_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["ladder", "--variant", "chess"])
    assert "connect-four-7x6" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["before", "--matches", "0"])
    assert "--matches 0: expected 1 or more" in capsys.readouterr().err
