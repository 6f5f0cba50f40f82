from __future__ import annotations

import pytest

from arena.bots.failure.answers import (
    asked_again,
    at_least,
    behind_first_answer,
    is_request,
    last_answer,
    sent_away,
    unasked,
    unfinished,
)
from arena.protocols import protocols
from arena.protocols.seat_line import turned_away


@pytest.mark.parametrize(
    ("slug", "data", "rest"),
    [
        ("fiar", b"4\n", b""),
        ("fiar", b"4\n4\n", b"4\n"),
        ("fiar", b"4", b"4"),
        ("fiar", b"", b""),
        ("gamestate", b"3\nthinking\n", b"thinking\n"),
        ("nyu-nim", b"3 0", b""),
        ("nyu-nim", b"3 0 3 0", b"3 0"),
        ("nyu-nim", b" 3 1\n", b""),
        ("nyu-nim", b"3 ", b"3 "),
        ("santorini-json", b'["place",1,2]', b""),
        ("santorini-json", b'["place",1,2]\n["place",1,3]', b'["place",1,3]'),
        ("santorini-json", b'["place",1', b'["place",1'),
    ],
)
def test_what_stands_behind_the_first_answer(slug: str, data: bytes, rest: bytes) -> None:
    assert behind_first_answer(slug, data) == rest


@pytest.mark.parametrize(
    ("slug", "data", "first", "rest"),
    [
        ("nyu-nim", b"5 0", True, b"5 0"),
        ("nyu-nim", b"3 0\n7 0", False, b"7 0"),
        ("nyu-nim", b"\r\n", True, b""),
        ("fiar", b"4\n4\n", False, b""),
    ],
)
def test_what_was_not_asked_for_is_no_white_space(slug: str, data: bytes, first: bool, rest: bytes) -> None:
    assert unasked(slug, data, first) == rest


@pytest.mark.parametrize(
    ("slug", "data", "rest"),
    [
        ("fiar", b"4\n4", b"4"),
        ("fiar", b"4\n4\n", b""),
        ("santorini-json", b'"OK"\n["place"', b'["place"'),
        ("santorini-json", b'"OK"\n', b""),
        ("droidcon", b"PTU 3\n", b"PTU 3\n"),
    ],
)
def test_what_may_still_become_an_answer(slug: str, data: bytes, rest: bytes) -> None:
    assert unfinished(slug, data) == rest


@pytest.mark.parametrize(
    ("slug", "requests", "others"),
    [
        ("gamestate", [b"GAMESTATE: ---\nREQUEST_MOVE\n"], [b"ASSIGN_PLAYER: 0\nGAMESTATE: ---\n"]),
        ("fiar", [b"@ ...\n"], []),
        ("nyu-nim", [b"31 7 0 0"], [b"0 0 0 1"]),
        ("droidcon", [b"PUT 3\nYOUR_MOVE\n"], [b"SUCCESS\n", b"Error INVALID_COMMAND\n", b"YOU_LOST\n"]),
        (
            "santorini-json",
            [b'["place",[]]\n', b'["turn",[]]\n', b'["new_game","max"]\n'],
            [b'["over",{}]\n', b'"OK"\n'],
        ),
        ("native", [b'{"type":"turn","ply":1}\n'], [b'{"type":"end"}\n', b'{"type":"refused"}\n']),
    ],
)
def test_a_request_is_told_from_what_wants_no_answer(slug: str, requests: list[bytes], others: list[bytes]) -> None:
    assert [data for data in requests + others if is_request(slug, data)] == requests


@pytest.mark.parametrize("slug", protocols())
def test_who_is_sent_away_is_not_asked_for_anything(slug: str) -> None:
    assert not is_request(slug, turned_away("token_replaced", "Come back with the new one."))


@pytest.mark.parametrize(
    ("slug", "data", "sentence"),
    [
        ("fiar", turned_away("token_replaced", "It was replaced: come back."), "It was replaced: come back."),
        ("fiar", b"@ .........................................\n", ""),
        (
            "native",
            b'{"type":"refused","code":"kicked","received":"","expected":"","hint":"It floods."}\n',
            "It floods.",
        ),
        (
            "native",
            b'{"type":"refused","code":"stale","received":"4","expected":"ply 1","hint":"That ply is over."}\n',
            "",
        ),
    ],
)
def test_who_is_sent_away_is_told_why_and_who_is_refused_a_move_stays(slug: str, data: bytes, sentence: str) -> None:
    assert sent_away(slug, data) == sentence


@pytest.mark.parametrize(("data", "enough"), [(b"1\n2\n3", True), (b"1\n2", False), (b"1\n2\n", True), (b"", False)])
def test_answers_are_counted_whole(data: bytes, enough: bool) -> None:
    assert at_least("fiar", data, 2) == enough


@pytest.mark.parametrize(
    ("slug", "data", "last"),
    [
        ("fiar", b"4\n5\n6", b"5"),
        ("fiar", b"4", b""),
        ("santorini-json", b'"OK"["place",1,2]\n["place",1', b'["place",1,2]'),
    ],
)
def test_the_last_whole_answer(slug: str, data: bytes, last: bytes) -> None:
    assert last_answer(slug, data) == last


def test_an_answer_after_which_the_same_line_is_sent_was_refused() -> None:
    board = b"@ " + b"." * 42 + b"\n"
    assert asked_again("fiar", [board, board], b"0\n") == b"0"
    assert asked_again("fiar", [board, board], b"") == b""  # after a restart of ours
    assert asked_again("fiar", [board, board.replace(b".", b"O", 1)], b"1\n") == b""
    assert asked_again("fiar", [board], b"") == b""
    assert asked_again("gamestate", [b"REQUEST_MOVE\n"] * 2, b"3\n") == b""
