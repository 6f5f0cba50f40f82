from __future__ import annotations

from datetime import UTC, datetime, timedelta

from arena.admin.graphs import graphs
from arena.models import Minute

NOW = datetime(2026, 1, 31, 12, 0, 30, tzinfo=UTC)


def minute(ago: int, **values: int | None) -> Minute:
    counts = dict.fromkeys(("matches", "rooms", "bots", "viewers", "moves", "commits", "errors"), 0)
    return Minute(**{**counts, "at": NOW.replace(second=0) - timedelta(minutes=ago), **values})


def test_an_hour_without_anything_says_so() -> None:
    for graph in graphs([], NOW):
        assert (graph.says, graph.median, graph.p99) == ("none", "", "")
        assert graph.label.endswith("nothing in the last hour")
        assert graph.times == ("11:00", "11:30", "12:00") and (graph.half, graph.most) == ("0.5", "1")


def test_the_newest_values_are_said_and_the_highest_bounds_the_drawing() -> None:
    rows = [minute(1, commit_median_us=1900, commit_p99_us=6300), minute(2, commit_median_us=1000, commit_p99_us=16000)]
    commits, thinking, moves = graphs(rows, NOW)
    assert commits.says == "1.9 ms · 6.3 ms" and (commits.half, commits.most) == ("10", "20")
    assert "at most 16 ms" in commits.label
    assert (thinking.says, moves.says) == ("none", "0 · peak 0")


def test_a_line_has_a_gap_where_nothing_is_known() -> None:
    rows = [minute(ago, commit_median_us=1000, commit_p99_us=1000) for ago in (1, 2, 10)]
    assert graphs(rows, NOW)[0].median.count("M") == 2


def test_what_is_older_than_an_hour_is_not_drawn() -> None:
    assert graphs([minute(61, commit_median_us=1000, commit_p99_us=1000)], NOW)[0].says == "none"
