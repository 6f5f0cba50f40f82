from __future__ import annotations

from arena.bots.openings import AT_ONCE, MOST_ADDRESSES, PER_S, Openings


def test_so_many_rooms_at_once_then_one_in_a_while() -> None:
    openings = Openings()
    opened = [openings.may_open("192.0.2.1", now=0.0) for _ in range(int(AT_ONCE) + 3)]
    assert opened == [True] * int(AT_ONCE) + [False] * 3
    assert not openings.may_open("192.0.2.1", now=0.5 / PER_S)
    assert openings.may_open("192.0.2.1", now=1.1 / PER_S)
    assert openings.may_open("192.0.2.2", now=0.0)


def test_it_keeps_no_memory_for_every_address() -> None:
    openings = Openings()
    for number in range(MOST_ADDRESSES + 5):
        openings.may_open(f"{number}", now=0.0)
    assert len(openings._left) <= MOST_ADDRESSES
