from __future__ import annotations

import pytest

from arena.common.metrics import EndedMatches, Histogram, Sample, Spread, each, family, one


def test_a_histogram_is_cumulated_and_its_bounds_belong_to_it() -> None:
    times = Histogram((0.5, 1.0))
    for seconds in (0.25, 0.5, 0.75, 8):
        times.add(seconds)
    assert list(times.samples({"a": "b"})) == [
        Sample("_bucket", {"a": "b", "le": "0.5"}, 2),
        Sample("_bucket", {"a": "b", "le": "1.0"}, 3),
        Sample("_bucket", {"a": "b", "le": "+Inf"}, 4),
        Sample("_sum", {"a": "b"}, 9.5),
        Sample("_count", {"a": "b"}, 4),
    ]


def test_the_lines_of_a_metric_as_prometheus_reads_them() -> None:
    assert family("a", "gauge", "Words.", one(3)) == "# HELP a Words.\n# TYPE a gauge\na 3\n"
    assert family("a", "counter", "Words.", each("l", {'b"\n\\': 2, "a": 1})).splitlines()[2:] == [
        'a{l="a"} 1',
        'a{l="b\\"\\n\\\\"} 2',
    ]


def test_a_match_that_has_ended_is_counted_with_its_moves() -> None:
    ended = EndedMatches()
    ended.add("timeout", [("bot", 20), ("human", 4000), ("bot", 2)])
    ended.add("timeout", [])
    assert ended.by_termination == {"timeout": 2} and ended.moves == {"bot": 2, "human": 1}
    assert list(ended.thinking["bot"].samples({}))[-2:] == [Sample("_sum", {}, 0.022), Sample("_count", {}, 2)]


def test_a_spread_tells_the_middle_of_what_came_since_the_last_time() -> None:
    spread = Spread()
    assert spread.take() is None
    for milliseconds in range(1, 1001):
        spread.add(milliseconds / 1000)
    first = spread.take()
    assert first is not None and first.number == 1000
    assert first.median == pytest.approx(0.5, rel=0.1) and first.p99 == pytest.approx(0.99, rel=0.1)
    for seconds in (0.0, 1e-9, 1e9):
        spread.add(seconds)
    second = spread.take()
    assert second is not None and second.number == 3 and second.median <= 1e-6 < 600 < second.p99
    assert spread.take() is None
