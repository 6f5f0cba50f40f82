from __future__ import annotations

from arena.match.quota import DAY_S, MOST_A_DAY, Quota
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
