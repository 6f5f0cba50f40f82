from __future__ import annotations

from datetime import UTC, datetime

from arena.match.quota import DAY_S, MOST_A_DAY, Quota, midnight
from arena.match.state import SeatSetup, Setup

NOON = 20_000 * DAY_S + DAY_S / 2
GRAVITY, OTTER, ADA = (
    SeatSetup(name, "bot", player=number) for number, name in enumerate(("gravity", "otter", "ada"), 1)
)


def match(first: SeatSetup, second: SeatSetup) -> Setup:
    return Setup("connect-four-7x6", (first, second))


def test_two_bots_play_a_hundred_rated_matches_a_day_whoever_moves_first() -> None:
    quota = Quota()
    pairs = [(GRAVITY, OTTER), (OTTER, GRAVITY)] * (MOST_A_DAY // 2)
    assert all(quota.take(match(*pair), NOON) for pair in pairs)
    assert not quota.take(match(GRAVITY, OTTER), NOON + 1)
    assert quota.take(match(GRAVITY, ADA), NOON + 1), "with another bot it may"
    assert quota.take(match(GRAVITY, OTTER), NOON + DAY_S), "on another day too"


def test_a_day_ends_at_midnight() -> None:
    quota = Quota()
    assert sum(quota.take(match(GRAVITY, OTTER), NOON + DAY_S / 2 - 1) for _ in range(2 * MOST_A_DAY)) == MOST_A_DAY
    assert sum(quota.take(match(GRAVITY, OTTER), NOON + DAY_S / 2) for _ in range(2 * MOST_A_DAY)) == MOST_A_DAY


def test_where_a_person_plays_nothing_is_counted() -> None:
    quota, mira = Quota(), SeatSetup("Mira", player=9)
    assert all(quota.take(match(mira, GRAVITY), NOON) for _ in range(2 * MOST_A_DAY))


def test_what_was_stored_before_counts_and_is_asked_for_once_a_day() -> None:
    quota, pair = Quota(), frozenset({1, 2})
    assert quota.unknown(match(OTTER, GRAVITY), NOON) == pair
    quota.known(pair, MOST_A_DAY - 1)
    quota.known(pair, 0)
    assert quota.unknown(match(GRAVITY, OTTER), NOON) is None
    assert [quota.take(match(GRAVITY, OTTER), NOON) for _ in range(2)] == [True, False]
    assert quota.unknown(match(GRAVITY, OTTER), NOON + DAY_S) == pair
    assert quota.unknown(match(SeatSetup("Mira", player=9), GRAVITY), NOON) is None


def test_a_day_is_one_of_utc() -> None:
    assert midnight(NOON) == datetime(2024, 10, 4, tzinfo=UTC)
