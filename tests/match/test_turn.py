"""What a turn lost, however many reasons there were for it."""

from __future__ import annotations

import random

from arena.match.turn import MOST_LAG_MS, MOST_STRETCHES, RunningTurn, united


def a_turn() -> RunningTurn:
    """A turn of 900 s that began at 100."""
    turn = RunningTurn()
    turn.begin(100.0)
    turn.allow(900_000)
    return turn


def test_no_moment_is_given_back_twice() -> None:
    turn = a_turn()
    for began, now in [(110, 120), (115, 130), (90, 105), (200, 210), (118, 205)]:
        turn.give_back(began, now)
    assert turn.lost == ((100.0, 105), (110, 210))
    assert turn.lost_s(300) == 105


def test_a_move_that_had_arrived_lost_nothing() -> None:
    turn = a_turn()
    turn.give_back(150, 160)
    assert turn.elapsed_ms(150.0) == (50_000, 0)
    assert turn.elapsed_ms(155.0) == (55_000, 5_000)
    assert turn.elapsed_ms(200.0) == (100_000, 10_000)
    assert turn.elapsed_ms(99.0) == (0, 0)


def test_a_move_after_the_deadline_is_late_by_a_millisecond_at_least() -> None:
    turn = a_turn()
    assert turn.deadline == 1_000.0
    assert turn.elapsed_ms(1_000.0) == (900_000, 0)
    assert turn.elapsed_ms(1_000.000_1) == (900_001, 0)
    turn.give_back(150, 160)
    turn.allow(900_000)
    assert turn.deadline == 1_010.0
    assert turn.elapsed_ms(1_010.0) == (910_000, 10_000)
    assert turn.elapsed_ms(1_010.000_1) == (910_000, 9_999)


def test_a_turn_has_no_deadline_while_its_clock_stands_or_none_runs() -> None:
    turn = a_turn()
    turn.stand(True, 200.0)
    turn.allow(900_000)
    assert turn.deadline is None and not turn.is_timed and turn.elapsed_ms(5_000.0) == (4_900_000, 4_800_000)
    turn.stand(False, 210.0)
    turn.allow(900_000)
    assert turn.deadline == 1_010.0
    turn.allow(None)
    assert turn.deadline is None and turn.elapsed_ms(5_000.0) == (4_900_000, 10_000)


def test_between_two_turns_nothing_is_lost() -> None:
    turn = a_turn()
    turn.end()
    turn.give_back(150, 160)
    assert turn.lost == () and not turn.is_timed and turn.elapsed_ms(200.0) == (0, 0)
    turn.begin(170.0)
    assert turn.lost_s(200) == 0


def test_what_stands_for_two_reasons_at_once_is_given_back_once() -> None:
    turn = a_turn()
    turn.stand(True, 200.0)
    turn.stand(True, 205.0)
    turn.give_back(210, 220)
    turn.give_back(215, 230)
    assert turn.lost_s(240) == 40
    turn.stand(False, 240.0)
    assert turn.lost == ((200.0, 240.0),) and turn.stands_since is None


def test_however_often_it_loses_time_it_keeps_a_bounded_number_of_stretches_and_their_sum() -> None:
    turn, rng, now, lost = a_turn(), random.Random(12), 100.0, 0.0
    for _ in range(5_000):
        begin = now + rng.uniform(0.1, 2.0)
        now = begin + rng.uniform(0.05, 1.0)
        lost += now - begin
        turn.give_back(begin, now)
    assert len(turn.lost) == MOST_STRETCHES
    assert turn.lost_s(now) == round(lost, 3)


def test_stretches_stay_in_order_and_apart() -> None:
    rng = random.Random(7)
    stretches: tuple[tuple[float, float], ...] = ()
    covered = set[int]()
    for _ in range(20):
        begin = rng.randrange(100)
        end = begin + rng.randrange(1, 10)
        covered |= set(range(begin, end))
        stretches = united(stretches, (begin, end))
        assert sum(last - first for first, last in stretches) == len(covered)
        assert list(stretches) == sorted(stretches)
        assert all(one[1] < other[0] for one, other in zip(stretches, stretches[1:], strict=False))


def test_on_a_slow_line_the_first_moments_are_given_back_and_the_deadline_is_later() -> None:
    turn = a_turn()
    turn.give_back_lag(300)
    turn.allow(900_000)
    assert turn.deadline == 1_000.3
    assert turn.elapsed_ms(100.2) == (200, 200), "no more than the move took"
    assert turn.elapsed_ms(102.0) == (2_000, 300)
    assert turn.elapsed_ms(1_000.3) == (900_300, 300)
    assert turn.elapsed_ms(1_000.301) == (900_301, 300), "late"


def test_a_line_that_is_slower_than_that_gets_no_more() -> None:
    turn = a_turn()
    turn.give_back_lag(60_000)
    assert turn.lost_s(1_000) == MOST_LAG_MS / 1000
    turn.begin(200.0)
    assert turn.lost_s(1_000) == 0, "each turn by itself"
    turn.give_back_lag(0)
    assert turn.lost_s(1_000) == 0, "as on a fast line"


def test_a_stall_while_a_message_is_on_its_way_is_given_back_once() -> None:
    turn = a_turn()
    turn.give_back_lag(300)
    turn.give_back(100.1, 100.6)
    assert turn.elapsed_ms(101.0) == (1_000, 600)


def test_the_clock_of_a_slow_line_begins_to_run_later() -> None:
    turn = a_turn()
    turn.give_back_lag(300)
    assert [round(turn.charged_s(100 + after), 3) for after in (0, 0.1, 0.3, 1.3)] == [-0.3, -0.2, 0, 1]
    turn.stand(True, 101.3)
    assert round(turn.charged_s(150), 3) == 1 and turn.lost_s(150) == 49
    turn.end()
    assert turn.charged_s(150) == 0
