from __future__ import annotations

from tests.kit.dealing import dealt


def order(*names: str, hands: int = 2) -> list[str]:
    """Capitals are long; the first letter is the group."""
    return dealt(names, hands, lambda name: name[0], str.isupper)


def test_each_row_begins_with_whole_groups_of_long_ones() -> None:
    assert order("a1", "A1", "A2", "b1", "B1", "C1", "c1", "c2") == ["A1", "A2", "a1", "b1", "B1", "C1", "c1", "c2"]


def test_nothing_is_lost_and_nothing_is_twice() -> None:
    for hands in (1, 2, 3, 7):
        for long in (0, 1, 5, 20):
            names = [f"{'ABCDE'[n % 5]}{n}" for n in range(long)] + [f"x{n}" for n in range(11)]
            assert sorted(order(*names, hands=hands)) == sorted(names)


def test_without_long_ones_the_order_stays() -> None:
    assert order("a1", "b1", "c1", hands=3) == ["a1", "b1", "c1"]
