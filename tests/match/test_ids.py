from __future__ import annotations

from arena.match.ids import ALPHABET, LETTERS, Ids, id_at

NOW = 1_770_000_000.0


def test_an_id_is_ten_letters_that_can_be_read_aloud() -> None:
    match = Ids().new(NOW)
    assert len(match) == LETTERS and set(match) <= set(ALPHABET)


def test_ids_grow_with_time_and_never_repeat() -> None:
    ids = Ids()
    made = [ids.new(NOW + second / 10) for second in range(100)] + [ids.new(NOW) for _ in range(100)]
    assert made == sorted(set(made)), "also when the clock was set back"


def test_the_same_moment_gives_another_process_the_same_order() -> None:
    assert Ids().new(NOW) < Ids().new(NOW + 0.001)


def test_what_began_since_a_moment_has_greater_ids() -> None:
    assert Ids().new(NOW - 0.001) < id_at(NOW) <= Ids().new(NOW)
    assert id_at(0) == ALPHABET[0] * LETTERS
