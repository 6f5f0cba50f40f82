"""Clocks: how they are written, read back, and counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.clock import NO_CLOCK, Clock, parse_clock

WEEK_MS = 7 * 24 * 3_600_000

clocks = st.one_of(
    st.just(NO_CLOCK),
    st.builds(Clock, st.just("move"), st.integers(1, WEEK_MS), st.just(0)),
    st.builds(Clock, st.just("total"), st.integers(1, WEEK_MS), st.integers(0, WEEK_MS)),
)


@given(clocks)
def test_every_clock_reads_back_as_it_was_written(clock: Clock) -> None:
    assert parse_clock(str(clock)) == clock


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("none", Clock("none")),
        ("5s", Clock("move", 5_000)),
        ("250ms", Clock("move", 250)),
        ("1.5s", Clock("move", 1_500)),
        ("2m", Clock("total", 120_000)),
        ("1h", Clock("total", 3_600_000)),
        ("1m+1s", Clock("total", 60_000, 1_000)),
        ("30s+250ms", Clock("total", 30_000, 250)),
        ("move:90s", Clock("move", 90_000)),
        ("move:2m", Clock("move", 120_000)),
        ("total:30s", Clock("total", 30_000)),
        ("total:90s+1s", Clock("total", 90_000, 1_000)),
        ("168h", Clock("total", WEEK_MS)),
    ],
)
def test_it_reads_what_people_write(text: str, clock: Clock) -> None:
    assert parse_clock(text) == clock


@pytest.mark.parametrize(
    ("clock", "text"),
    [
        (Clock("move", 5_000), "5s"),
        (Clock("move", 90_000), "90s"),
        (Clock("total", 120_000), "2m"),
        (Clock("total", 30_000), "total:30s"),
        (Clock("total", 60_000, 1_000), "1m+1s"),
        (NO_CLOCK, "none"),
    ],
)
def test_it_writes_the_short_form_where_there_is_one(clock: Clock, text: str) -> None:
    assert str(clock) == text


WRONG = [
    "",
    " 5s",
    "5s\n",
    "5",
    "s",
    "5 s",
    "-5s",
    "+1s",
    "5s+",
    "1m+1s+1s",
    "move:",
    "move:5s+1s",
    "total:none",
    "5S",
    "5d",
    "1e3s",
    "٤s",
    "４s",
    "5.0000s",
    "nan",
    "9999999999s",
]


@pytest.mark.parametrize("text", WRONG)
def test_it_refuses_what_it_cannot_read_and_says_what_it_can(text: str) -> None:
    with pytest.raises(ValueError) as why:
        parse_clock(text)
    assert repr(text) in str(why.value)
    assert "1m+1s" in str(why.value)


@pytest.mark.parametrize("text", ["0s", "0m", "0.4ms", "total:0s+1s", "168.001h", "999999h", "1m+169h"])
def test_it_refuses_nothing_and_more_than_a_week(text: str) -> None:
    with pytest.raises(ValueError, match="more than nothing and at most 7 days"):
        parse_clock(text)


@pytest.mark.parametrize("text", ["x" * 4096, "9" * 4096 + "s", "1m+" + "9" * 4096 + "s"])
def test_a_refusal_repeats_no_more_than_one_can_read(text: str) -> None:
    with pytest.raises(ValueError, match="[x9]{37}…'") as why:
        parse_clock(text)
    assert len(str(why.value)) < 150


@given(st.text(max_size=20))
def test_any_text_is_a_clock_or_a_value_error(text: str) -> None:
    try:
        clock = parse_clock(text)
    except ValueError:
        return
    assert parse_clock(str(clock)) == clock


@given(st.integers(1, WEEK_MS), st.data())
def test_a_limit_for_each_move_is_whole_again_after_each_move(base: int, data: st.DataObject) -> None:
    clock = Clock("move", base)
    assert clock.start() == base
    left = data.draw(st.integers(0, base))
    assert clock.after_move(left, data.draw(st.integers(0, left))) == base


@given(st.integers(1, WEEK_MS), st.integers(0, WEEK_MS), st.lists(st.integers(0, WEEK_MS), max_size=30))
def test_what_is_left_is_the_total_less_what_was_used_plus_increments(base: int, plus: int, used: list[int]) -> None:
    clock = Clock("total", base, plus)
    left = base
    assert clock.start() == left
    for elapsed in used:
        left = clock.after_move(left, elapsed)
    assert left == base + plus * len(used) - sum(used)


def test_without_a_clock_nothing_is_counted() -> None:
    assert NO_CLOCK.start() is None
