"""Programs of other machines and other times: each is told its true cause. `make soak ARGS=cards` plays all of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from arena.bots.failure.diagnosis import diagnose
from arena.bots.failure.evidence import from_match
from arena.play.driver import Log, play
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from arena.protocols import protocol
from arena.protocols.hints import Evidence

pytestmark = pytest.mark.long

BOT = Path(__file__).parent / "odd_bot.py"
# The card of each in every protocol, "" where it plays on.
CARDS = {
    "crashes_at_once": "traceback",
    "crashes_when_asked": "traceback",
    "ends_at_once": "exited",
    "ends_when_asked": "exited",
    "greets": "debug_output",
    "prompts": "debug_output",
    "prints_dots": "debug_output",
    "utf_16": "utf_16",
    "utf_16_unmarked": "utf_16",
    "marks_utf_8": "byte_order_mark",
    "crlf": "",
    "keeps_all": "not_flushed",
    "keeps_answers": "not_flushed",
    "closes_input": "closed_input",
    "never_reads": "closed_input",
    "sleeps": "start_too_slow",
    "speaks_another": "other_protocol",
    "speaks_http": "web_client",
}
# Where lines that are no commands are answered or refused, and cost nothing.
FORGIVING = ("droidcon", "native")
# Who speaks first in a protocol has been told nothing when its time is over.
SPEAKS_FIRST = ("droidcon", "native", "santorini-course")
SILENT = ("keeps_all", "sleeps")
OTHERWISE = {
    ("gamestate", "crlf"): "carriage_return",
    **{(slug, oddity): "" for slug in FORGIVING for oddity in ("greets", "prints_dots")},
    **{(slug, oddity): "connected_but_silent" for slug in SPEAKS_FIRST for oddity in SILENT},
    ("droidcon", "prompts"): "unknown_command",
    ("native", "prompts"): "refused",
    ("santorini-json", "sleeps"): "no_acknowledgement",
}
# A sample of what ends soon, each in another protocol.
SAMPLE = (
    ("gamestate", "crashes_at_once"),
    ("santorini-course", "ends_when_asked"),
    ("nyu-nim", "prompts"),
    ("fiar", "utf_16_unmarked"),
    ("santorini-json", "marks_utf_8"),
    ("fiar", "closes_input"),
    ("gamestate", "never_reads"),
    ("santorini-course", "speaks_another"),
    ("gamestate", "speaks_http"),
    ("native", "crlf"),
)


def expected(slug: str, oddity: str) -> str:
    return OTHERWISE.get((slug, oddity), CARDS[oddity])


def code(log: Log) -> str:
    """The code of its card; "" where the match ended by its rules."""
    if log.state.termination == "normal":
        return ""
    evidence = from_match(log.state, log.events, log.passed, log.reads_input)
    assert evidence is not None, "a bot is to blame"
    card = diagnose(evidence)
    assert card is not None, "and told why"
    return card.code


def played(slug: str, oddity: str) -> str:
    """The card of such a program against a built-in player."""
    seats = (CommandSeat(slug, (sys.executable, str(BOT), slug, oddity)), BuiltinSeat("random"))
    variant = next(iter(protocol(slug).variants), "connect-four-7x6")
    [log] = play(Spec(variant, seats, clock="3s", seed=1))
    return code(log)


@pytest.mark.parametrize(("slug", "oddity"), SAMPLE)
def test_the_card_names_the_true_cause(slug: str, oddity: str) -> None:
    assert played(slug, oddity) == expected(slug, oddity)


@pytest.mark.parametrize(
    ("slug", "termination", "known", "expected"),
    [
        ("fiar", "disconnect", {"reason": "bot closed its input and did not exit"}, "closed_input"),
        ("fiar", "bad_output", {"received": "GET / HTTP/1.1\\x0d"}, "web_client"),
        ("santorini-json", "bad_output", {"received": "\\x16\\x03\\x01\\x02"}, "web_client"),
        ("droidcon", "stall", {"unfinished": "GET / HTTP/1.1\\x0d\\x0a\\x0d\\x0a"}, "web_client"),
        ("nyu-nim", "timeout", {"unasked": "NAME max\\x0aJOIN room\\x0a"}, "other_protocol"),
        ("nyu-nim", "timeout", {"unasked": "1 0"}, "before_asked"),
        ("fiar", "bad_output", {"received": "4\\x00", "unfinished": "\\x00"}, "utf_16"),
        ("fiar", "bad_output", {"received": "4\\x00"}, "nul_byte"),
        ("droidcon", "stall", {"unfinished": "Your name? NAME max\\x0aJOIN room\\x0a"}, "unknown_command"),
        (
            "santorini-json",
            "stall",
            {"asked": '["new_game","max"]', "heard": False, "reads_input": True},
            "not_flushed",
        ),
    ],
)
def test_so_it_is_where_only_bytes_are_known(slug: str, termination: str, known: dict[str, Any], expected: str) -> None:
    card = diagnose(Evidence(slug, termination, **known))
    assert card is not None and card.code == expected
