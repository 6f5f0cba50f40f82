from __future__ import annotations

from arena.match.ids import ALPHABET, LANES, LETTERS, Ids, id_at

NOW = 1_770_000_000.0


def test_an_id_is_ten_letters_that_can_be_read_aloud() -> None:
    match = Ids().new(NOW)
    assert len(match) == LETTERS and set(match) <= set(ALPHABET)


def test_ids_grow_with_time_and_never_repeat() -> None:
    ids = Ids()
    made = [ids.new(NOW + second / 10) for second in range(100)] + [ids.new(NOW) for _ in range(100)]
    assert made == sorted(set(made)), "also when the clock was set back"


def test_processes_with_lanes_of_their_own_never_give_the_same() -> None:
    lanes = [Ids(lane) for lane in range(LANES)]
    made = [ids.new(NOW + tick / 1000) for tick in (0, 0, 1, 2, 2) for ids in lanes]
    assert len(set(made)) == len(made) == 5 * LANES
    assert {match[-1] for match in made} == set(ALPHABET), "the last letter is the lane"
    assert made[::LANES] == sorted(made[::LANES]) and Ids(3).new(NOW) < id_at(NOW + 0.002)


def test_the_same_moment_gives_another_process_the_same_order() -> None:
    assert Ids().new(NOW) < Ids().new(NOW + 0.001)


def test_what_began_since_a_moment_has_greater_ids() -> None:
    assert Ids().new(NOW - 0.001) < id_at(NOW) <= Ids().new(NOW)
    assert id_at(0) == ALPHABET[0] * LETTERS
