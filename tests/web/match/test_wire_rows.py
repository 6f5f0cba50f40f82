"""The rows of a wire, whole or in pieces."""

from __future__ import annotations

import json

from arena.web.match.wire_rows import Reading, WireRow, rows_of


def message(t: float, direction: str, data: str, ply: int) -> str:
    return json.dumps({"t": t, "dir": direction, "data": data, "ply": ply})


def rows(*messages: str) -> list[WireRow]:
    return list(rows_of(messages))


def test_each_line_is_a_row_and_a_missing_end_is_shown() -> None:
    found = rows(message(1.0, "in", "3\\r\\n4", 1))
    assert [(row.text, row.end) for row in found] == [("3", "\\r\\n"), ("4", "")]


def test_a_backslash_of_the_bot_is_no_line_end() -> None:
    assert [row.text for row in rows(message(0.0, "in", "a\\\\nb\\n", 1))] == ["a\\\\nb"]


def test_latency_is_the_time_from_our_last_word_to_the_first_answer() -> None:
    found = rows(
        message(1.0, "out", "YOUR_MOVE\\n", 1),
        message(1.002, "err", "thinking\\n", 1),
        message(1.0034, "in", "PU", 1),
        message(13.0, "in", "T 3\\n", 1),
        message(14.0, "out", "YOUR_MOVE\\n", 3),
        message(26.5, "in", "PUT 3\\n", 3),
    )
    assert [row.latency for row in found] == ["", "", "3.4 ms", "", "", "12.5 s"]
    assert [row.ply for row in found] == [None, None, 1, None, None, 3]


def test_times_before_the_match_have_a_minus() -> None:
    found = rows(message(-1.5, "in", "NAME x\\n", 0), message(130.502, "in", "x", 0))
    assert [row.time for row in found] == ["-00:01.500", "02:10.502"]


def test_errors_of_ours_and_stderr_are_marked() -> None:
    found = rows(message(0, "out", "Error COLUMN_IS_FULL\\n", 1), message(0, "err", "Traceback\\n", 1))
    assert [(row.kind, row.shape) for row in found] == [("err", "▼"), ("err", "!")]


def test_long_lines_are_cut_and_kept() -> None:
    (row,) = rows(message(0, "in", "x" * 1000, 1))
    assert (len(row.text), len(row.rest)) == (400, 600)


def test_a_wire_that_comes_in_pieces_has_the_same_rows() -> None:
    messages = [
        message(1.0, "out", "PUT 5\\nYOUR_MOVE\\n", 2),
        message(1.2, "in", "put 5\\n", 2),
        message(1.3, "out", "PUT 1\\nYOUR_MOVE\\n", 4),
        message(1.4, "in", "put 1\\n", 4),
    ]
    reading = Reading()
    pieces = [row for each in messages for row in reading.rows([each])]
    assert pieces == rows(*messages)
    assert [(row.n, row.of) for row in pieces] == [(1, 2), (2, 2), (3, 2), (4, 4), (5, 4), (6, 4)]
    assert reading.count == 6


def test_an_answer_after_a_refusal_belongs_to_the_move_too() -> None:
    found = rows(
        message(1.0, "out", "YOUR_MOVE\\n", 1),
        message(1.1, "in", "PUT 9\\n", 1),
        message(1.2, "out", "Error WRONG_COLUMN\\n", 1),
        message(1.3, "in", "PUT 3\\n", 1),
    )
    assert [row.ply for row in found] == [None, 1, None, 1]
