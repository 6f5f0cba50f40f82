from __future__ import annotations

from random import Random

from arena.analysis.marks import Decided, Judged, ResultAt, Worth, mark_of, standing, story
from games.players.connect_four_exact import value
from tests.analysis.marked import false_story, value_of
from tests.analysis.test_provers import annotated

WIN, WIN_IN_3, DRAW, LOSS, LOSS_IN_2 = Worth(1, 9), Worth(1, 5), Worth(0), Worth(-1, 8), Worth(-1, 2)


def choice(played: str, *values: Worth | None, seat: int = 0, own: bool = True) -> Judged:
    """Moves are called a, b, c …; None is not proved."""
    named = {chr(ord("a") + n): value for n, value in enumerate(values)}
    return Judged(seat, played, len(values), {move: value for move, value in named.items() if value is not None}, own)


def kinds(*choices: Judged) -> list[str]:
    return [mark.kind for mark in story(choices, None).marks]


def test_a_mark_names_the_quickest_win_that_was_thrown_away() -> None:
    mark = mark_of(choice("c", WIN, WIN_IN_3, DRAW), 7)
    assert mark is not None
    assert (mark.ply, mark.kind, mark.better, mark.value.moves) == (7, "threw_away_win", ("b", "a"), 3)


def test_a_missed_draw_is_no_win_thrown_away() -> None:
    assert kinds(choice("b", DRAW, LOSS, LOSS)) == ["missed_draw"]


def test_a_slower_win_and_a_sooner_loss_are_nobodys_fault() -> None:
    assert kinds(choice("a", WIN, WIN_IN_3, DRAW), choice("b", LOSS, LOSS_IN_2)) == []


def test_the_only_move_is_one_that_had_to_be_found() -> None:
    assert kinds(choice("a", WIN, DRAW, LOSS)) == ["only_move"]
    assert kinds(choice("a", DRAW, LOSS, LOSS_IN_2)) == ["only_move"]
    assert kinds(choice("a", DRAW, LOSS_IN_2, LOSS_IN_2)) == [], "it blocks a win in one"
    assert kinds(choice("a", Worth(1, 1), DRAW, LOSS)) == [], "it ends the match"
    assert kinds(choice("a", WIN, LOSS)) == [], "there were two"
    assert kinds(choice("a", WIN, WIN_IN_3, LOSS)) == []


def test_nothing_is_said_of_what_is_not_proved() -> None:
    assert kinds(choice("b", DRAW, LOSS, None)) == [], "the third may win"
    assert kinds(choice("a", WIN, DRAW, None)) == [], "the third may win as well"
    assert kinds(choice("c", WIN, DRAW, None)) == [], "it may have won as well"
    assert kinds(choice("b", WIN, DRAW, None)) == ["threw_away_win"], "one proved win is enough"
    assert standing(choice("a", DRAW, None)) == ResultAt(None)
    assert standing(choice("a", WIN, None)) == ResultAt(1), "there may be a quicker one"
    assert standing(choice("a", LOSS, LOSS_IN_2, seat=1)) == ResultAt(1, 8)


def test_of_a_win_without_a_number_none_is_told() -> None:
    mark = mark_of(choice("b", Worth(1), DRAW), 1)
    assert mark is not None and mark.value.moves is None


def test_moves_of_an_opening_are_nobodys() -> None:
    told = story([choice("b", WIN, DRAW, own=False), choice("b", DRAW, LOSS, seat=1)], None)
    assert [mark.seat for mark in told.marks] == [1]
    assert told.mattered == ((0, 0), (0, 1))


def test_it_is_decided_since_the_last_move_that_changed_the_result() -> None:
    told = story([choice("b", WIN, DRAW), choice("b", DRAW, LOSS, seat=1), choice("a", WIN, WIN)], 1)
    assert [each.result for each in told.standings] == [1, 0, 1, 1]
    assert told.decided == Decided(2, 1, at_latest=False)
    assert told.mattered == ((0, 1), (0, 1)) and told.complete
    late = story([choice("a", None, None), choice("a", LOSS, seat=1)], 1)
    assert late.decided == Decided(1, 1, at_latest=True) and not late.complete
    assert story([choice("a", WIN, WIN)], 1).decided == Decided(0, 1, at_latest=False)
    assert story([choice("a", None)], None).decided is None


def test_no_mark_of_random_values_is_false() -> None:
    rng, said = Random(4), 0
    for _ in range(3000):
        choices = [choice(rng.choice("abc"), *(_random(rng) for _ in "abcd"), seat=n % 2) for n in range(6)]
        told = story(choices, rng.choice((None, 1, 0, -1)))
        assert list(false_story(told, choices)) == [], choices
        said += len(told.marks)
    assert said > 3000


def _random(rng: Random) -> Worth | None:
    result = rng.choice((1, 0, -1, -1, None))
    if result is None:
        return None
    return Worth(result, rng.choice((None, 2 * rng.randint(1, 9) - (result > 0))) if result else None)


def test_no_mark_of_any_move_of_real_matches_is_false() -> None:
    """Every legal move of every position, with the values of another program."""
    checked = said = 0
    for moves, scores in annotated(240):
        for ply, of_ply in enumerate(scores):
            values = {
                str(n): value_of(value(score, ply), ply) for n, score in enumerate(of_ply, 1) if score is not None
            }
            for played in values:
                choices = [Judged(ply % 2, played, len(values), values)]
                told = story(choices, None)
                assert list(false_story(told, choices)) == [], f"{played} after {moves[:ply]}"
                checked, said = checked + 1, said + len(told.marks)
    assert checked > 5_000 and said > 1_000
