"""The simulation of several hosts: where it can be calculated by hand, it says the same."""

from __future__ import annotations

import pytest

from tools.shards import ServiceTimes, main, simulate


def test_one_move_takes_the_sum_of_its_services() -> None:
    found = simulate(1, 0.1, 1)
    alone_ms = sum((165, 57, 235, 6.2, 1000)) / 1000
    assert found.p50 == pytest.approx(alone_ms) and found.p99 == pytest.approx(alone_ms)
    assert found.stored == pytest.approx(10, rel=0.15) and not str(found).startswith("over")


def test_a_host_stores_no_more_than_its_interpreter_can_and_four_store_four_times_that() -> None:
    times = ServiceTimes(loop=1000, ledger=1000)
    one, four = (simulate(4000, 1.0, hosts, times, seconds=1.0) for hosts in (1, 4))
    assert one.stored == pytest.approx(500, rel=0.1) and str(one).startswith("over (")
    assert four.stored == pytest.approx(2000, rel=0.1)


def test_the_table_is_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.shards.table", lambda times, seconds: [f"{times.loop:g} {times.cores} {seconds:g}"])
    assert main(["--loop", "100", "--seconds", "1"]) == 0
    assert "100 4 1" in capsys.readouterr().out
