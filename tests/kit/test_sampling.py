from __future__ import annotations

from tests.kit.sampling import sampled

CASES = [f"{name}[{case}]" for name in ("plays", "reads", "writes") for case in range(7)]


def name(case: str) -> str:
    return case.partition("[")[0]


def most(case: str) -> int | None:
    return {"plays": 2, "reads": 9}.get(name(case))


def test_so_many_of_each_are_kept_in_their_order_and_the_rest_is_named() -> None:
    kept, left_out = sampled(CASES, name, most, "1")
    assert [name(case) for case in kept] == ["plays"] * 2 + ["reads"] * 7 + ["writes"] * 7
    assert kept == sorted(kept) and sorted(kept + left_out) == sorted(CASES)


def test_a_seed_keeps_the_same_ones_and_in_the_end_others_keep_each() -> None:
    found = [sampled(CASES, name, most, str(seed))[0] for seed in range(40)]
    assert found[3] == sampled(CASES, name, most, "3")[0]
    assert {case for kept in found for case in kept} == set(CASES)
