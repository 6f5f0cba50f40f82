"""Every way in which a bot fails gets the card that names it; the page about the codes is the table's."""

from __future__ import annotations

from typing import Any

import pytest

import games
from arena.bots.failure.diagnosis import CAUSES, causes_of, diagnose
from arena.bots.failure.errors import every_error
from arena.protocols import own_parts, protocols
from arena.protocols.hints import Evidence, Timing
from games import Position

CODES = {error.code for errors in every_error().values() for error in errors}
# What only `check_bot` can see, since in a match it costs nothing.
SEEN_BY_CHECKS = {"spoke_after_end", "not_reset"}


TRACEBACK = (
    'Traceback (most recent call last):\n  File "bot.py", line 3, in <module>\nIndexError: list index out of range'
)


def code(protocol: str, termination: str, **known: Any) -> str:
    found = diagnose(Evidence(protocol, termination, **known))
    assert found is not None
    return found.code


def santorini(heights: str, first: str, second: str) -> Position:
    return games.variant("santorini-6x6").parse(f"6x6 {heights:0<36} 0 {first} {second}")


def nim(text: str) -> Position:
    return games.variant("expanding-nim").parse(text)


@pytest.mark.parametrize(
    ("protocol", "received", "expected"),
    [
        ("gamestate", "3\\x0d", "carriage_return"),
        ("gamestate", "3\\n", "escaped_line_end"),
        ("gamestate", " 3", "extra_characters"),
        ("gamestate", "3 ", "extra_characters"),
        ("gamestate", "+3", "extra_characters"),
        ("gamestate", "03", "extra_characters"),
        ("gamestate", '"3"', "extra_characters"),
        ("gamestate", "00", "extra_characters"),
        ("fiar", "3.0", "extra_characters"),
        ("fiar", "None", "printed_value"),
        ("fiar", "undefined", "printed_value"),
        ("fiar", "NaN", "printed_value"),
        ("fiar", "b'4'", "printed_value"),
        ("fiar", "(4, 2)", "printed_value"),
        ("fiar", '{"column": 4}', "printed_value"),
        ("fiar", "found (4)", "debug_output"),
        ("nyu-nim", "3 True", "printed_value"),
        ("droidcon", "PUT [3]", "printed_value"),
        ("santorini-json", "null", "printed_value"),
        ("santorini-json", '[["move",{"player":"a","id":1},["NORTH","EAST"]]]', "misspelt_direction"),
        ("santorini-json", '[["move",{"player":"a","id":1},["east","put"]]]', "misspelt_direction"),
        ("santorini-json", '[["move",{"player":"a","id":"1"},["EAST","PUT"]]]', "bad_output"),
        ("droidcon", "NAME x\\x0a\\x00JOIN y\\x0a\\x00", "nul_byte"),
        ("gamestate", "", "blank_line"),
        ("fiar", "", "blank_line"),
        ("gamestate", "33", "no_such_column"),
        ("gamestate", "-1", "no_such_column"),
        ("gamestate", "7 0", "bad_output"),
        ("fiar", "4.", "bad_output"),
        ("nyu-nim", '"', "bad_output"),
        ("fiar", "3.5", "bad_output"),
        ("gamestate", "Thinking about column 3", "debug_output"),
        ("fiar", "depth 4", "debug_output"),
        ("gamestate", "--------", "debug_output"),
        ("fiar", "1 2 3 4 5 6 7", "debug_output"),
        ("fiar", ". . . .", "debug_output"),
        ("fiar", "\\xd0\\xa5\\xd0\\xbe\\xd0\\xb4", "debug_output"),
        ("santorini-json", "thinking", "debug_output"),
        ("gamestate", "\\x00\\x01\\x02", "not_text"),
        ("fiar", "\\xd9\\xa3", "not_text"),
        ("fiar", "\\xff\\xfe3", "not_text"),
        ("nyu-nim", "\\x03", "not_text"),
        ("fiar", "4" * 80 + "… (512 bytes)", "line_too_long"),
        ("fiar", "a" * 80 + "… (120 bytes)", "debug_output"),
        ("santorini-json", "[" * 80 + "… (8192 bytes)", "line_too_long"),
        ("gamestate", "PUT 3", "other_protocol"),
        ("fiar", "PUT 3", "other_protocol"),
        ("fiar", "3 0", "other_protocol"),
        ("fiar", "NAME max", "other_protocol"),
        ("gamestate", '["place",2,3]', "other_protocol"),
        ("nyu-nim", "3\\x0a", "other_protocol"),
        ("santorini-json", '{"type": "move", "ply": 9, "move": "4"}', "other_protocol"),
        ("santorini-json", "4", "other_protocol"),
        ("santorini-json", '["place"]', "bad_output"),
        ("santorini-json", "OK", "not_json"),
        ("santorini-json", "'OK'", "not_json"),
        ("santorini-course", "'max'", "not_json"),
        ("santorini-course", "\\n", "escaped_line_end"),
        ("santorini-json", '["place", 0.0, 0.0]', "bad_output"),
        ("droidcon", "PUT A", "bad_output"),
        ("droidcon", "PUT", "bad_output"),
    ],
)
def test_an_unreadable_answer_is_named(protocol: str, received: str, expected: str) -> None:
    assert code(protocol, "bad_output", received=received, expected="an answer") == expected


def test_the_other_protocol_is_called_by_its_title() -> None:
    card = diagnose(Evidence("fiar", "bad_output", received="PUT 3", expected="a column"))
    assert card is not None
    assert "Droidcon Connect Four answers like that; this seat speaks Four In A Row (fiar)." in card.sentence


def test_who_has_made_a_move_in_this_protocol_is_not_sent_to_another() -> None:
    assert code("gamestate", "bad_output", received="PUT 3", moves=("1",)) == "debug_output"
    assert code("nyu-nim", "bad_output", received="1\\x0a", moves=("1",)) == "bad_output"


@pytest.mark.parametrize("own", protocols())
def test_no_answer_of_its_own_is_taken_for_another_protocol(own: str) -> None:
    answers = {
        "gamestate": "3",
        "fiar": "3",
        "nyu-nim": "3 0",
        "droidcon": "PUT 3",
        "santorini-json": '["place",2,3]',
        "santorini-course": "[2,3]",
        "native": '{"type": "move", "ply": 1, "move": "4"}',
    }
    assert code(own, "timeout", unfinished=answers[own]) != "other_protocol"


@pytest.mark.parametrize(
    ("protocol", "move", "moves", "expected"),
    [
        ("fiar", "0", (), "counts_from_0"),
        ("fiar", "0", ("4", "6"), "counts_from_0"),
        ("fiar", "0", ("4", "7"), "no_such_column"),
        ("fiar", "8", (), "no_such_column"),
        ("fiar", "-1", (), "no_such_column"),
        ("fiar", "1" + "0" * 30, (), "no_such_column"),
        ("gamestate", "9", (), "counts_from_1"),
        ("gamestate", "9", ("2", "8"), "counts_from_1"),
        ("gamestate", "9", ("1",), "no_such_column"),
        ("gamestate", "10", (), "no_such_column"),
        ("droidcon", "8", (), "counts_from_1"),
        ("droidcon", "0", (), "no_such_column"),
        ("droidcon", "101", (), "no_such_column"),
        ("fiar", "4", ("4",), "full_column"),
        ("gamestate", "4", (), "full_column"),
    ],
)
def test_a_column_that_cannot_be_played_is_named(
    protocol: str, move: str, moves: tuple[str, ...], expected: str
) -> None:
    assert code(protocol, "illegal_move", received=move, move=move, moves=moves) == expected


def test_a_column_is_told_as_the_bot_counts_it() -> None:
    """The match knows the rules' column 9 only; the bot has sent 8."""
    card = diagnose(Evidence("gamestate", "illegal_move", received="9", move="9"))
    assert card is not None
    assert card.sentence.startswith("`8` is not a column here: columns run from 0 to 7")


@pytest.mark.parametrize(
    ("position", "move", "expected"),
    [
        (santorini("231", "A6.A1", "F6.F5"), "a6-b6+c6", "build_after_win"),
        (santorini("", "C3.A1", "F6.F5"), "c3-c4", "no_build"),
        (santorini("", "C3.A1", "F6.F5"), "c3-c5+c4", "illegal_move"),
    ],
)
def test_a_santorini_turn_that_breaks_the_rules_is_named(position: Position, move: str, expected: str) -> None:
    assert code("santorini-json", "illegal_move", received="[…]", move=move, position=position) == expected


@pytest.mark.parametrize(
    ("position", "move", "expected", "sentence"),
    [
        ("100 4/4 90 b3 c0 s0 0/4 p8", "2r", "no_reset_left", "`2 1` resets"),
        ("100 4/4 90 b3 c0 s0 0/4 p8", "7", "too_many_stones", "`7 0` takes"),
        ("100 4/4 90 b9 c1 s0 4/3 p8", "4", "too_many_stones", "`4 0` takes"),
    ],
)
def test_a_nim_move_that_breaks_the_rules_is_named(position: str, move: str, expected: str, sentence: str) -> None:
    card = diagnose(Evidence("nyu-nim", "illegal_move", received=move, move=move, position=nim(position)))
    assert card is not None
    assert card.code == expected
    assert card.sentence.startswith(sentence)


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({}, "no_answer"),
        ({"unfinished": "4"}, "no_line_end"),
        ({"unfinished": "4", "reads_input": True}, "no_line_end"),
        ({"unfinished": "PUT 3"}, "other_protocol"),
        ({"reads_input": True}, "not_flushed"),
        ({"reads_input": True, "timing": Timing(startup_ms=10_000)}, "not_flushed"),
        ({"reads_input": False}, "too_slow"),
        ({"reads_input": False, "timing": Timing(startup_ms=10_000)}, "start_too_slow"),
        ({"reads_input": False, "timing": Timing(startup_ms=10_000), "moves": ("4",)}, "too_slow"),
        ({"received": "4", "reads_input": True}, "answered_late"),
        ({"detail": "ValueError: x", "reads_input": True}, "failed_silently"),
        ({"stderr": TRACEBACK, "reads_input": True}, "not_flushed"),
        ({"unasked": "4"}, "before_asked"),
        ({"unasked": "4", "reads_input": True}, "before_asked"),
        ({"unasked": "4", "reads_input": False}, "too_slow"),
    ],
)
def test_silence_is_named_by_what_the_process_does(known: dict[str, Any], expected: str) -> None:
    assert code("fiar", "timeout", **known) == expected


@pytest.mark.parametrize(
    ("protocol", "unfinished", "expected"),
    [
        ("nyu-nim", "3 ", "incomplete_answer"),
        ("nyu-nim", "3", "incomplete_answer"),
        ("santorini-json", '["place",2', "incomplete_answer"),
        ("santorini-json", "OK", "not_json"),
        ("santorini-json", "'OK'", "not_json"),
        ("gamestate", "\\x00", "not_text"),
        ("gamestate", "\\x03", "not_text"),
        ("droidcon", "PUT 3", "no_line_end"),
        ("droidcon", "PUT 3\\n", "escaped_line_end"),
        ("droidcon", "3\\x0a", "unknown_command"),
        ("droidcon", "PTU 3\\x0a", "unknown_command"),
        ("droidcon", "thinking\\x0a", "unknown_command"),
    ],
)
def test_half_an_answer_is_named(protocol: str, unfinished: str, expected: str) -> None:
    assert code(protocol, "timeout", unfinished=unfinished, reads_input=True) == expected


def test_what_is_wrong_with_a_place_is_said_once() -> None:
    received, expected = '["place",6,6]', "a square of the board: x and y from 0 to 5"
    reason = f"max answered '{received}'; expected {expected}"
    card = diagnose(Evidence("santorini-json", "illegal_move", reason=reason, received=received, expected=expected))
    assert card is not None
    assert card.sentence == f"`{received}` is not allowed here: expected was {expected}."


@pytest.mark.parametrize(
    ("protocol", "expected"),
    [
        ("native", '{"type": "hello", "name": "you"} and \\n.'),
        ("droidcon", "NAME you, then JOIN room, each with its \\n."),
    ],
)
def test_who_says_nothing_is_told_what_comes_first(protocol: str, expected: str) -> None:
    card = diagnose(Evidence(protocol, "stall", heard=False))
    assert card is not None
    assert card.code == "connected_but_silent"
    assert card.sentence.endswith(f"in this protocol it speaks first: {expected}")


def test_who_waits_for_a_second_line_is_not_told_that_its_buffer_is_to_blame() -> None:
    card = diagnose(Evidence("fiar", "timeout", asked="@ ...", reads_input=True))
    assert card is not None
    assert "either its answer is unflushed in a buffer, or it waits for a second line" in card.sentence


@pytest.mark.parametrize(
    ("protocol", "known", "expected"),
    [
        ("gamestate", {"received": "3"}, "before_asked"),
        ("gamestate", {"received": "3", "moves": ("4",)}, "answered_twice"),
        ("gamestate", {"received": "JOIN room"}, "other_protocol"),
        ("gamestate", {"received": "ready to play"}, "debug_output"),
        ("droidcon", {"received": "PUT 3"}, "before_asked"),
        ("droidcon", {"received": "PUT 3", "moves": ("4",)}, "answered_twice"),
    ],
)
def test_words_out_of_turn_are_named(protocol: str, known: dict[str, Any], expected: str) -> None:
    assert code(protocol, "out_of_turn", **known) == expected


@pytest.mark.parametrize(
    ("moves", "ahead", "expected"),
    [((), True, "before_asked"), (("c4",), True, "answered_twice"), (("c4",), False, "bad_output")],
)
def test_an_answer_kept_for_a_request_of_another_kind_is_named(moves: tuple[str], ahead: bool, expected: str) -> None:
    known = {"received": '["place",2,3]', "expected": '[["move", …]]', "moves": moves, "ahead": ahead}
    assert code("santorini-json", "bad_output", **known) == expected


@pytest.mark.parametrize(
    ("why", "said"), [("closed by the bot", "the bot has closed it"), ("Connection reset by peer",) * 2]
)
def test_a_lost_connection_is_told_once(why: str, said: str) -> None:
    found = diagnose(Evidence("droidcon", "disconnect", f"the connection is gone: {why}"))
    assert found is not None
    assert found.sentence == f"The bot ended its connection in the middle of a match: {said}."


@pytest.mark.parametrize(
    ("protocol", "termination", "known", "expected"),
    [
        ("fiar", "disconnect", {"reason": "bot closed its output and did not exit"}, "closed_output"),
        ("fiar", "disconnect", {"reason": "bot is gone: the bot does not read: 70000 bytes wait"}, "does_not_read"),
        ("droidcon", "disconnect", {"reason": "the connection is gone: reset"}, "connection_lost"),
        ("droidcon", "disconnect", {"refusal": "This bot was disabled: it cheats."}, "sent_away"),
        ("fiar", "left_early", {"heard": False, "reason": "the bot has closed it"}, "left_early"),
        ("fiar", "left_early", {"received": "GET / HTTP/1.1\\x0d"}, "web_client"),
        ("droidcon", "no_start", {"heard": False, "reason": "nobody connected to port 5300"}, "never_connected"),
        ("droidcon", "stall", {"heard": False}, "connected_but_silent"),
        ("droidcon", "stall", {"unfinished": "NAME max\\x0a"}, "not_joined"),
        ("droidcon", "stall", {"unfinished": "NAME max"}, "no_line_end"),
        ("droidcon", "stall", {}, "not_ready"),
        ("native", "stall", {"heard": False}, "connected_but_silent"),
        ("santorini-json", "stall", {"asked": '["new_game","max"]'}, "no_acknowledgement"),
        ("santorini-json", "stall", {}, "name_not_acknowledged"),
        ("santorini-json", "stall", {"unfinished": '["join"'}, "incomplete_answer"),
        ("santorini-json", "timeout", {"asked": '["new_game","max"]'}, "no_acknowledgement"),
        ("santorini-json", "disconnect", {"asked": '["new_game","max"]'}, "no_acknowledgement"),
        ("santorini-json", "disconnect", {"asked": '["place",[]]'}, "connection_lost"),
        ("santorini-json", "bad_output", {"received": '["place",2,3]', "expected": '"OK"'}, "wrong_acknowledgement"),
        ("santorini-json", "bad_output", {"received": '["join","max"]', "expected": '"OK"'}, "registered_late"),
        ("santorini-json", "bad_output", {"received": '"OK"', "asked": '["turn",[[0]]]'}, "acknowledged_request"),
        ("santorini-json", "bad_output", {"received": "[['a']]", "expected": "a JSON value; because"}, "not_json"),
        ("santorini-course", "bad_output", {"received": "(0, 0)", "asked": "[]"}, "not_json"),
        ("nyu-nim", "timeout", {}, "reads_lines"),
        ("droidcon", "timeout", {}, "reads_once"),
        ("droidcon", "timeout", {"moves": ("4",)}, "no_answer"),
        ("fiar", "bad_output", {"reason": "bot sent more than 200 lines at once"}, "flood"),
        ("fiar", "bad_output", {"received": "4", "expected": "at most 64 answers ahead of the next"}, "flood"),
        ("fiar", "resource_limit", {"reason": "standard error"}, "stderr_flood"),
        ("fiar", "resource_limit", {"reason": "file size"}, "resource_limit"),
        ("native", "resign", {}, "resigned"),
        ("fiar", "normal", {"exit": "exit code 1"}, "ended_with_input"),
    ],
)
def test_the_rest_is_named(protocol: str, termination: str, known: dict[str, Any], expected: str) -> None:
    assert code(protocol, termination, **known) == expected


@pytest.mark.parametrize("termination", ["server_abort", "abort", "admin_abort", "left", "adjudicated", "max_plies"])
def test_a_bot_is_not_blamed_for_what_others_did(termination: str) -> None:
    assert diagnose(Evidence("fiar", termination)) is None


def test_a_wrong_word_is_compared_with_the_protocol_s() -> None:
    card = diagnose(Evidence("droidcon", "stall", unfinished="NAME max\\x0aJION room\\x0a"))
    assert card is not None
    assert card.code == "not_joined" and card.sentence.startswith(r"`NAME max\nJION room\n` came")
    assert card.facts[0] == ("received", r"NAME max\nJION room\n"), "as the wire shows it"
    for line in ("PTU 3", "PUT:3", "PUT3"):
        late = diagnose(Evidence("droidcon", "timeout", unfinished=f"{line}\\x0a"))
        assert late is not None
        assert late.advice.startswith("Did you mean PUT?") and "PUT, one blank and a column" in late.advice


def test_the_card_says_all_that_is_known() -> None:
    position = games.variant("connect-four-7x6").start()
    seen: dict[str, Any] = {"asked": "@ ....", "position": position, "exit": "exit code 1", "stderr": TRACEBACK}
    card = diagnose(Evidence("fiar", "crash", **seen, timing=Timing(1234, "5s")))
    assert card is not None
    assert dict(card.facts) == {
        "asked": "@ ....",
        "board": str(position),
        "time used": "1.234 s of 5 s",
        "process": "exit code 1",
        "stderr": TRACEBACK,
    }


def test_without_a_clock_the_time_is_of_nothing() -> None:
    card = diagnose(Evidence("fiar", "crash", exit="exit code 1", timing=Timing(100, "none")))
    assert card is not None and dict(card.facts)["time used"] == "0.1 s"


def test_every_code_can_be_reached() -> None:
    causes = [*CAUSES, *(cause for slug in protocols() for cause in causes_of(slug))]
    assert {cause.code for cause in causes} | SEEN_BY_CHECKS == CODES


def test_every_cause_of_a_protocol_has_one_place_among_the_general_ones() -> None:
    general = [cause.code for cause in CAUSES]
    for slug, hints in own_parts("hints").items():
        assert all(general.count(hint.before) == 1 for hint in hints.HINTS), slug
        assert len(causes_of(slug)) == len(CAUSES) + len(hints.HINTS)


def test_a_protocol_that_is_gone_has_the_general_causes() -> None:
    assert causes_of("long-gone") == causes_of("../x") == CAUSES
