"""What the log of a match knows of a failure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from arena.bots.failure import evidence as evidence_module
from arena.bots.failure.diagnosis import diagnose
from arena.bots.failure.evidence import from_match, last_error, words
from arena.match.commands import Abort, Command, Fault, Flag, Play, Resign, Start
from arena.match.decide import decide, open_match
from arena.match.evolve import evolve
from arena.match.state import LogEvent, MatchState, SeatSetup, Setup, first_state
from arena.protocols.framing import shown
from arena.protocols.hints import Evidence, as_bytes

AT = datetime(2026, 1, 31, tzinfo=UTC)


def played(protocol: str, *commands: Command, variant: str = "connect-four-8x8") -> tuple[MatchState, list[LogEvent]]:
    """A match of a bot of this protocol, on the first seat, against a built-in player."""
    bot = SeatSetup("bot", "bot", None, protocol, on_illegal="lose", startup_ms=10_000)
    setup = Setup(variant, (bot, SeatSetup("Beginner", "builtin", level="beginner")), clock="5s")
    state, events = first_state(setup), [*open_match(setup, AT)]
    for command in commands:
        new: Sequence[LogEvent] = decide(state, command, AT, 20_000 if isinstance(command, Flag) else 100)
        for event in new:
            state = evolve(state, event)
        events += new
    return state, events


def evidence(protocol: str, *commands: Command, variant: str = "connect-four-8x8") -> Evidence:
    found = from_match(*played(protocol, *commands, variant=variant))
    assert found is not None
    return found


def test_an_illegal_move_is_known_with_the_bot_s_own_moves_and_the_board() -> None:
    found = evidence("gamestate", Start(), Play(0, 1, "4"), Play(1, 2, "4"), Play(0, 3, "9"))
    assert (found.termination, found.move, found.moves) == ("illegal_move", "9", ("4",))
    assert str(found.position).endswith("...o.......x....")
    card = diagnose(found)
    assert card is not None and card.code == "counts_from_1"
    assert (dict(card.facts)["received"], dict(card.facts)["counted from 1"]) == ("8", "column 9")
    assert dict(card.facts)["expected"] == "one of 0, 1, 2, 3, 4, 5, 6, 7"
    assert dict(card.facts)["time used"] == "0.1 s of 5 s"


def test_a_column_that_the_bot_counts_as_people_do_is_said_once() -> None:
    found = evidence("fiar", Start(), Play(0, 1, "9"), variant="connect-four-7x6")
    card = diagnose(found)
    assert card is not None and dict(card.facts)["received"] == "9" and "counted from 1" not in dict(card.facts)


def test_a_fault_is_known_with_what_was_received_and_expected() -> None:
    fault = Fault(0, "bad_output", "bot answered '3\\x0d'", "3\\x0d", "one digit")
    found = evidence("gamestate", Start(), fault)
    assert (found.received, found.expected) == ("3\\x0d", "one digit")
    card = diagnose(found)
    assert card is not None and card.code == "carriage_return"


def test_of_a_crash_what_came_last_is_its_stderr() -> None:
    found = evidence(
        "fiar", Start(), Fault(0, "crash", "bot stopped with exit code 1", "NameError: x"), variant="connect-four-7x6"
    )
    assert (found.exit, found.stderr, found.received) == ("exit code 1", "NameError: x", "")


def test_of_a_late_bot_nothing_is_known_but_the_time() -> None:
    found = evidence("gamestate", Start(), Flag(seq=2))
    assert (found.termination, *found.timing) == ("timeout", 20_000, "5s", 10_000)
    card = diagnose(found)
    assert card is not None and card.code == "no_answer"


WIRE = [
    ("in", b"5 0"),
    ("out", b"100 2 0 0"),
    ("in", b"3 0 7 0"),
    ("err", b"thinking\n"),
    ("out", b"95 3 0 0"),
    ("in", b"4"),
]


def test_the_wire_adds_what_was_asked_and_what_came() -> None:
    state, events = played("nyu-nim", Start(), Flag(seq=2), variant="expanding-nim")
    found = from_match(state, events, (WIRE, ()))
    assert found is not None
    assert (found.asked, found.unfinished, found.unasked) == ("95 3 0 0", "4", "7 0")
    assert (found.stderr, found.heard) == ("thinking\n", True)
    card = diagnose(found)
    assert card is not None and card.code == "incomplete_answer"


def test_what_came_before_the_first_request_was_not_asked_for() -> None:
    state, events = played("nyu-nim", Start(), Flag(seq=2), variant="expanding-nim")
    found = from_match(state, events, (WIRE[:2], ()))
    assert found is not None
    assert (found.unfinished, found.unasked) == ("", "5 0")
    card = diagnose(found)
    assert card is not None and card.code == "before_asked"


AHEAD = [("in", b"5\n"), ("out", b"ASSIGN_PLAYER: 0\nGAMESTATE: ---\nREQUEST_MOVE\n")]


def test_an_answer_that_was_kept_for_its_request_is_known_by_that() -> None:
    state, events = played("gamestate", Start(), Fault(0, "illegal_move", "5", "a free column", "5"))
    found = from_match(state, events, (AHEAD, ()))
    assert found is not None and found.ahead and not found.unasked
    card = diagnose(found)
    assert card is not None and card.code == "before_asked"


@pytest.mark.parametrize(
    ("answered", "ahead"), [(b"5\n5\n", True), (b"5\n", False), (b"", False), (b"5\n5\n5\n", True)]
)
def test_it_is_known_also_when_the_bot_goes_on_while_its_match_is_being_ended(answered: bytes, ahead: bool) -> None:
    state, events = played("gamestate", Start(), Fault(0, "illegal_move", "5", "a free column", "5"))
    request = AHEAD[1]
    wire = [request, *([("in", answered)] if answered else []), request, ("in", b"5\n5\n")]
    found = from_match(state, events, (wire, ()))
    assert found is not None and found.ahead == ahead


def test_a_bot_that_was_once_ahead_stays_out_of_step_on_a_busy_machine() -> None:
    """Its second pair of answers is late, so the first of them is taken for the answer to the third request."""
    state, events = played("gamestate", Start(), Fault(0, "illegal_move", "5", "a free column", "5"))
    request, twice = AHEAD[1], ("in", b"5\n5\n")
    found = from_match(state, events, ([request, twice, request, request, twice], ()))
    assert found is not None and found.ahead


def test_what_is_judged_at_its_first_byte_is_shown_with_the_rest_of_its_line() -> None:
    state, events = played(
        "nyu-nim", Start(), Fault(0, "bad_output", "why", "P", "two numbers"), variant="expanding-nim"
    )
    wire = [("out", b"100 2 0 0"), ("in", b"PUT "), ("in", b"3\nPUT 4\n")]
    found = from_match(state, events, (wire, ()))
    assert found is not None and found.received == "PUT 3"
    card = diagnose(found)
    assert card is not None and card.code == "other_protocol" and "Droidcon" in card.sentence


def test_a_fault_before_the_match_is_found_on_the_wire() -> None:
    """Its session was closed by us, and all that the match knows is that it is gone."""
    gone = Fault(0, "disconnect", "bot closed its output and did not exit")
    state, events = played("droidcon", Start(), gone, variant="connect-four-7x6")
    wire = [("in", b"NAME x\nJOIN y\nPUT 3\n"), ("out", b"SUCCESS\n"), ("out", b"SUCCESS\nError NOT_YOUR_TURN\n")]
    found = from_match(state, events, (wire, ()))
    assert found is not None
    card = diagnose(found)
    assert card is not None and card.code == "before_asked"
    assert dict(card.facts)["received"] == "PUT 3"


def test_the_time_to_start_up_belongs_to_the_first_answer() -> None:
    card = diagnose(evidence("gamestate", Start(), Flag(seq=2)))
    assert card is not None
    assert dict(card.facts)["time used"] == "20 s of 5 s and 10 s to start up"


NATIVE_TURN = ("out", b'{"type":"turn","ply":1,"position":"","legal":["1"],"left_ms":[1,1]}\n')


@pytest.mark.parametrize(
    ("said", "refused", "refusal"),
    [
        ('{"type": "move", "ply": 0, "move": "1"}', '{\\"type\\": \\"move\\"}', "Answer the newest turn."),
        ('{"type": "move", "ply": 1, "move": "4"}', "4", "column 4 is full"),
    ],
)
def test_a_move_that_was_refused_is_known_with_why(said: str, refused: str, refusal: str) -> None:
    """It was a message of the protocol, and its "4" is not the answer of another one."""
    state, events = played("native", Start(), Flag(seq=2))
    told = f'{{"type":"refused","code":"stale","received":"{refused}","expected":"ply 1","hint":"{refusal}"}}\n'
    found = from_match(state, events, ([NATIVE_TURN, ("in", f"{said}\n".encode()), ("out", told.encode())], ()))
    assert found is not None
    card = diagnose(found)
    assert card is not None
    assert (card.code, found.expected) == ("refused", "ply 1")
    assert card.sentence.endswith(f"was refused, and no better line followed: {refusal}")


def test_half_a_refusal_on_the_wire_is_passed_over() -> None:
    state, events = played("native", Start(), Flag(seq=2))
    found = from_match(state, events, ([NATIVE_TURN, ("in", b"x\n"), ("out", b'{"type":"refused","code')], ()))
    assert found is not None
    assert found.refusal == ""


def test_who_has_come_in_by_a_handshake_is_not_told_to_choose_another_protocol() -> None:
    state, events = played("native", Start(), Flag(seq=2))
    told = b'{"type":"refused","code":"bad_json","received":"4","expected":"one JSON object","hint":"no"}\n'
    found = from_match(state, events, ([NATIVE_TURN, ("in", b"4\n"), ("out", told)], ()))
    assert found is not None
    card = diagnose(found)
    assert card is not None and card.code == "refused"


@pytest.mark.parametrize(
    ("slug", "asked", "sent", "code"),
    [
        ("fiar", b"@ ...\n", b"4\n", "answered_late"),
        ("nyu-nim", b"20 2 0 0", b"1 0", "answered_late"),
        ("droidcon", b"YOUR_MOVE\n", b"PUT 3\n", "answered_late"),
        ("droidcon", b"YOUR_MOVE\n", b"PUTT 3\n", "unknown_command"),
        ("native", NATIVE_TURN[1], b'{"type":"move","ply":1,"move":"4"}\n', "answered_late"),
    ],
)
def test_an_answer_in_the_instant_of_its_end_is_late_and_not_misunderstood(
    slug: str, asked: bytes, sent: bytes, code: str
) -> None:
    state, events = played(slug, Start(), Flag(seq=2))
    found = from_match(state, events, ([("out", asked), ("in", sent)], ()), (True, None))
    assert found is not None
    card = diagnose(found)
    assert card is not None
    assert card.code == code


def test_an_error_after_the_question_is_why_a_bot_that_runs_on_is_silent() -> None:
    state, events = played("fiar", Start(), Flag(seq=2))
    asked, error = ("out", b"@ ...\n"), ("err", b"Traceback (most recent call last):\nValueError: x\n")
    for wire, code in (([asked, error], "failed_silently"), ([error, asked], "no_answer")):
        found = from_match(state, events, (wire, ()))
        assert found is not None
        card = diagnose(found)
        assert card is not None
        assert card.code == code
        assert ("ValueError: x" in card.sentence) == (code == "failed_silently")


def test_an_illegal_turn_of_santorini_is_told_as_it_was_sent() -> None:
    moves = [Play(0, 1, "c3"), Play(1, 2, "b2"), Play(0, 3, "d4"), Play(1, 4, "e5"), Play(0, 5, "c3-c4")]
    state, events = played("santorini-json", Start(), *moves, variant="santorini-6x6")
    sent = b'[["move",{"player":"max","id":1},["PUT","NORTH"]]]'
    found = from_match(state, events, ([("out", b'["turn",[]]\n'), ("in", sent + b"\n")], ()))
    assert found is not None
    card = diagnose(found)
    assert card is not None and card.code == "no_build"
    assert dict(card.facts)["received"] == sent.decode()
    assert card.sentence.startswith(f"`{sent.decode()}` does not reach height 3")


@pytest.mark.parametrize(
    ("slug", "turn", "reason"),
    [
        ("santorini-json", "c3-a6+a5", "(x 0, y 0) is not next to (x 2, y 3): a worker steps one square"),
        (
            "santorini-course",
            "c4-c5+c6",
            "no worker of yours stands on (x 2, y 2): yours are on (x 2, y 3) and (x 3, y 2)",
        ),
        ("native", "c3-a6+a5", "a6 is not next to c3: a worker steps one square"),
    ],
)
def test_the_squares_of_a_refusal_are_told_as_the_bot_counts_them(slug: str, turn: str, reason: str) -> None:
    moves = [Play(0, 1, "c3"), Play(1, 2, "b2"), Play(0, 3, "d4"), Play(1, 4, "e5"), Play(0, 5, turn)]
    state, events = played(slug, Start(), *moves, variant="santorini-6x6")
    found = from_match(state, events)
    assert found is not None and words(found)["reason"] == reason


@pytest.mark.parametrize(
    ("slug", "variant", "sent", "said", "repeats"),
    [
        ("fiar", "connect-four-7x6", b"@ ....\n", b"@ ....\r\n", True),
        ("fiar", "connect-four-7x6", b"@ ....\n", b"\x1b[1G\x1b[0J \x1b[1G@ ....\r\n", True),
        ("fiar", "connect-four-7x6", b"@ ....\n", b"thinking\n", False),
        ("droidcon", "connect-four-7x6", b"PUT 3\nYOUR_MOVE\n", b"PUT 3\n", False),
        ("droidcon", "connect-four-7x6", b"PUT 3\nYOUR_MOVE\n", b"YOUR_MOVE\n", True),
    ],
)
def test_a_bot_that_repeats_what_it_reads_is_told_so(
    slug: str, variant: str, sent: bytes, said: bytes, repeats: bool
) -> None:
    state, events = played(slug, Start(), Fault(0, "bad_output", "why", "what", "a column"), variant=variant)
    found = from_match(state, events, ([("out", sent), ("in", said)], ()))
    assert found is not None and found.repeats is repeats
    card = diagnose(found)
    assert card is not None and (card.code == "repeats_input") is repeats


@pytest.mark.parametrize(
    ("said", "code"), [(b"{'type': 'hello', 'name': 'max'}", "no_line_end"), (b"{'type': 'hello'}\n", "refused")]
)
def test_a_long_line_with_its_end_is_not_told_to_lack_it(said: bytes, code: str) -> None:
    gone = Fault(0, "stall", "bot was not ready within 10 s")
    state, events = played("native", Start(), gone, variant="connect-four-7x6")
    told = b'{"type":"refused","code":"bad_json","received":"4","expected":"one JSON object","hint":"no"}\n'
    wire = [
        ("in", b"{'comment': 'something that takes more room than a card has, whatever it may be'}\n"),
        ("out", told),
    ]
    found = from_match(state, events, ([*wire, ("in", said)], ()))
    assert found is not None and "bytes)" in found.unfinished
    card = diagnose(found)
    assert card is not None and card.code == code


def test_a_place_that_came_ahead_is_told_as_it_was_sent() -> None:
    moves = [Play(0, 1, "a6"), Play(1, 2, "f1"), Play(0, 3, "a6")]
    state, events = played("santorini-json", Start(), *moves, variant="santorini-6x6")
    wire = [("in", b'["place",0,0]["place",0,0]'), ("out", b'["place",[{}]]\n')]
    found = from_match(state, events, (wire, ()))
    assert found is not None and found.ahead and found.received == '["place",0,0]'


def test_who_only_left_is_not_blamed_for_more() -> None:
    gone = Fault(0, "disconnect", "bot closed its output and did not exit")
    state, events = played("droidcon", Start(), gone, variant="connect-four-7x6")
    found = from_match(state, events, ([("in", b"NAME x\nJOIN y\n"), ("out", b"SUCCESS\n")], ()))
    assert found is not None
    assert found.termination == "disconnect"


def test_a_flood_on_the_wire_is_looked_at_briefly() -> None:
    state, events = played("gamestate", Start(), Flag(seq=2))
    flood = from_match(state, events, ([*WIRE[:2], ("in", b"\n" * 1_000_000)], ()))
    assert flood is not None
    assert flood.unfinished == ""


def test_nobody_who_came_is_a_bot_s_failure() -> None:
    found = evidence(
        "droidcon",
        Abort("no_start", "nobody connected to droidcon on port 5300 within 60 s"),
        variant="connect-four-7x6",
    )
    card = diagnose(found)
    assert card is not None and card.code == "never_connected"


@pytest.mark.parametrize(
    ("said", "code"), [(b"['join', 'max']", "not_json"), (b'["join", "max"]', "exited_with_error")]
)
def test_who_exits_because_its_first_bytes_had_it_closed_is_told_of_these(said: bytes, code: str) -> None:
    ended = Abort("no_start", "python3 stopped with exit code 1 before it played on port 5300")
    state, events = played("santorini-json", ended, variant="santorini-6x6")
    found = from_match(state, events, ([("in", said), ("err", b"JSONDecodeError: no value")], ()))
    assert found is not None
    card = diagnose(found)
    assert card is not None and card.code == code


@pytest.mark.parametrize("command", [Resign(1), Abort("server_abort", "ours")])
def test_what_others_did_is_no_failure_of_the_bot(command: Command) -> None:
    assert from_match(*played("gamestate", Start(), command)) is None


@pytest.mark.parametrize("data", [b"3\r", b"\x00\xff", b"plain", "٤".encode(), b"a" * 80])
def test_bytes_are_read_as_they_were_shown(data: bytes) -> None:
    assert as_bytes(shown(data)) == data


def test_the_line_that_names_the_error_is_found() -> None:
    assert last_error("") == ""
    assert last_error("loading\n\ngiving up\n") == "giving up"
    missing = "/usr/bin/env: ‘python3\\r’: No such file or directory"
    assert last_error(f"{missing}\n/usr/bin/env: use -[v]S to pass options in shebang lines\n") == missing
    pyenv = "pyenv: python2: command not found\n\nThe `python2' command exists in these Python versions:\n  2.7.18\n"
    assert last_error(pyenv) == "pyenv: python2: command not found"
    assert last_error("ValueError: x\n    at f (a.js:3:1)\n\nNode.js v18") == "ValueError: x"


def test_every_word_is_known_for_a_protocol_that_is_not() -> None:
    assert words(Evidence("chess-by-mail", "timeout"))["expected"] == "an answer as chess-by-mail has it"


def test_a_line_that_shows_a_token_is_no_answer() -> None:
    def behind(*said: bytes) -> bytes:
        return b"".join(data for _, data in evidence_module._without_tokens([("in", data) for data in said]))

    assert behind(b"SEAT arn_x\n3\n") == behind(b"S", b"EAT ", "…".encode(), b"\n", b"3\n") == b"3\n"
    assert behind(b"3\nSEAT arn_x\n") == b"3\nSEAT arn_x\n"
    assert behind(b"SEAT arn_x\n", b"3", b"SEAT arn_x\n", b"4") == b"34"


@pytest.mark.parametrize(
    ("slug", "received", "code"),
    [
        ("santorini-json", '\\xef\\xbb\\xbf["join","max"]', "byte_order_mark"),
        ("fiar", "\\xff\\xfe3\\x00\\x0d\\x00", "utf_16"),
        ("gamestate", "3\\x00\\x0d\\x00", "utf_16"),
        ("droidcon", "P\\x00U\\x00T\\x00 \\x003\\x00", "utf_16"),
        ("gamestate", "3\\x00", "nul_byte"),
        ("santorini-json", "\\x00", "nul_byte"),
        ("nyu-nim", "\\x00", "not_text"),
    ],
)
def test_an_encoding_that_no_protocol_has_is_named(slug: str, received: str, code: str) -> None:
    card = diagnose(Evidence(slug, "bad_output", received=received, expected="an answer"))
    assert card is not None and card.code == code
