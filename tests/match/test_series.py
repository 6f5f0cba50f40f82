"""A series: sides swap seats after each round, and the score follows the side, not the seat."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.endings import UNCOUNTED
from arena.match.series import MOST_VOIDS, Loser, Score, SeriesProgress, goes_on, seat_of, side_of

rounds = st.integers(1, 1_000)


@given(rounds)
def test_both_sides_sit_on_different_seats(round: int) -> None:
    assert {seat_of(0, round), seat_of(1, round)} == {0, 1}


@given(rounds, st.sampled_from([0, 1]))
def test_seats_swap_every_round_and_lead_back_to_the_side(round: int, side: int) -> None:
    assert seat_of(side, round) != seat_of(side, round + 1)
    assert side_of(seat_of(side, round), round) == side


def test_side_0_moves_first_in_the_first_round() -> None:
    assert [seat_of(0, round) for round in (1, 2, 3, 4)] == [0, 1, 0, 1]


def test_the_same_player_wins_from_either_seat() -> None:
    score = Score().after(1, 0, "normal").after(2, 1, "timeout").after(3, 0, "resign")
    assert (score.won, score.drawn, score.lost) == (3, 0, 0)
    assert score.points == (3, 0)


def test_draws_give_half_a_point_to_both() -> None:
    score = Score().after(1, None, "normal").after(2, 0, "normal")
    assert (score.won, score.drawn, score.lost) == (0, 1, 1)
    assert (score.seen_by(0), score.seen_by(1)) == ("dl", "dw")
    assert score.points == (0.5, 1.5)


@given(st.sampled_from(sorted(UNCOUNTED)))
def test_a_round_without_a_result_changes_nothing(termination: str) -> None:
    assert Score("wdl").after(4, None, termination) == Score("wdl")


@given(st.lists(st.sampled_from([0, 1, None]), max_size=30))
def test_every_counted_round_gives_one_point_in_all(winners: list[int | None]) -> None:
    score = Score()
    for round, winner in enumerate(winners, start=1):
        score = score.after(round, winner, "normal")
    assert len(score.rounds) == sum(score.points) == len(winners)


# -- whether another round follows -------------------------------------------------------------------------------------

PERSON, BUILTIN, BOT = Loser("human"), Loser("builtin"), Loser("bot")
GONE, STRICT = Loser("bot", is_there=False), Loser("bot", fault_ends_series=True)


@pytest.mark.parametrize(
    ("loser", "goes_on_after", "ends_after"),
    [
        (PERSON, ("normal", "resign", "timeout", "adjudicated"), ("left",)),
        (BUILTIN, ("normal", "crash", "timeout"), ()),
        (BOT, ("normal", "resign", "timeout", "illegal_move", "stall", "disconnect"), ()),
        (GONE, ("normal", "adjudicated"), ("disconnect", "timeout", "crash")),
        (STRICT, ("normal", "resign", "disconnect"), ("timeout", "illegal_move", "bad_output")),
    ],
)
def test_who_has_lost_how_says_whether_another_round_follows(
    loser: Loser, goes_on_after: tuple[str, ...], ends_after: tuple[str, ...]
) -> None:
    assert [code for code in goes_on_after if not goes_on(1, 2, 0, code, loser)] == []
    assert [code for code in ends_after if goes_on(1, 2, 0, code, loser)] == []


def test_the_last_round_is_the_last_but_for_our_fault() -> None:
    assert not goes_on(2, 2, 0, "normal", BOT) and goes_on(2, 2, None, "server_abort", None)


def test_a_draw_goes_on_and_what_nobody_wanted_does_not() -> None:
    assert goes_on(1, 2, None, "normal", None)
    assert [code for code in ("abort", "no_start", "admin_abort") if goes_on(1, 2, None, code, None)] == []


def test_without_a_loser_on_the_side_nobody_plays_on() -> None:
    assert not goes_on(1, 2, 0, "normal", None)


def test_a_round_that_we_broke_is_played_again_but_not_forever() -> None:
    series = SeriesProgress()
    for _ in range(MOST_VOIDS - 1):
        assert not series.is_over(4, 1, None, "server_abort", None)
        series.go_on("server_abort")
    assert series.round == 1 and series.is_over(4, 1, None, "server_abort", None)


def test_a_round_that_counts_leads_to_the_next_one() -> None:
    series = SeriesProgress()
    series.go_on("server_abort")
    series.count(0, "line")
    series.go_on("line")
    assert (series.round, series.score.rounds, series.voids) == (2, "w", 0)
