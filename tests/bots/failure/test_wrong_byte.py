"""The card names the first byte that is wrong."""

from __future__ import annotations

import pytest

import games
from arena.bots.failure.diagnosis import diagnose
from arena.bots.failure.evidence import with_wire
from arena.bots.failure.wrong_byte import wrong_byte
from arena.protocols.adapter import BotFault, Seated, Started, Turn
from arena.protocols.hints import Evidence
from arena.protocols.santorini_json.adapter import SantoriniJson


@pytest.mark.parametrize(
    ("slug", "received", "expected", "byte"),
    [
        ("gamestate", "3\\x0d", "", "2 of 2, 0x0d: a carriage return"),
        ("gamestate", "8", "", "1 of 1, 0x38: 8"),
        ("gamestate", "", "", "1, which is missing: the line ends there"),
        ("fiar", "4 4", "", "3 of 3, 0x34: 4"),
        ("fiar", "\\xd9\\xa4", "", "1 of 2, 0xd9: not ASCII"),
        ("fiar", "4" * 80 + "… (600 bytes)", "", ""),
        ("droidcon", "PUT 3.0", "", "6 of 7, 0x2e: ."),
        ("droidcon", "put 3.0", "", "6 of 7, 0x2e: ."),
        ("droidcon", "PUT", "", "4, which is missing: the line ends there"),
        ("droidcon", "PUT 2147483648", "", ""),
        ("nyu-nim", "3 2", "", "3 of 3, 0x32: 2"),
        ("nyu-nim", "3  1", "", "3 of 4, 0x20: a blank"),
        ("santorini-json", '["place", 1.0, 2]', '["place", x, y] with whole numbers x and y', "12 of 17, 0x2e: ."),
        ("santorini-json", '"ok"', '"OK"', "2 of 4, 0x6f: o"),
        ("santorini-json", "OK", 'a JSON array or text, beginning with [ or "', "1 of 2, 0x4f: O"),
        ("santorini-course", "[1,2,3]", "[x, y] with whole numbers x and y", "5 of 7, 0x2c: ,"),
    ],
)
def test_the_first_wrong_byte_is_named(slug: str, received: str, expected: str, byte: str) -> None:
    card = diagnose(Evidence(slug, "bad_output", received=received, expected=expected))
    assert card is not None and dict(card.facts).get("wrong byte", "") == byte


@pytest.mark.parametrize(
    ("unfinished", "byte"),
    [
        ("\\xffPUT 3\\x0a", "1 of 6, 0xff: not ASCII"),
        ("MOVE 3\\x0aPUT 3\\x0a", "1 of 6, 0x4d: M"),
        ("PUTT 3\\x0a", "4 of 6, 0x54: T"),
        ("PUT 3", ""),
        ("NAME ada\\x0a", ""),
    ],
)
def test_so_is_that_of_a_line_that_only_cost_time(unfinished: str, byte: str) -> None:
    card = diagnose(Evidence("droidcon", "timeout", unfinished=unfinished))
    assert card is not None and dict(card.facts).get("wrong byte", "") == byte


def test_so_is_that_of_a_value_too_long_to_be_shown() -> None:
    """As the adapter says it, with the whole value from the wire."""
    adapter = SantoriniJson()
    adapter.tick("ready")
    adapter.send(Seated(0, "ada", "bob", "none"))
    position = games.variant("santorini-6x6").start()
    for move in ("a1", "b2", "c3", "d4"):
        position = position.play(move)
    adapter.send(Started(position))
    adapter.receive_data(b'"OK"')
    adapter.send(Turn(position))
    adapter.events_received()
    asked = adapter.data_to_send()
    answer = b'[["move", {"player": "ada", "id": 1}, ["EAST", "NORTH"]], ["build", ["EAST", "NORTH", "EAST"]]]'
    adapter.receive_data(answer)
    (fault,) = adapter.events_received()
    assert isinstance(fault, BotFault) and len(fault.received) < len(answer)
    known = Evidence("santorini-json", fault.code, received=fault.received, expected=fault.expected)
    card = diagnose(with_wire(known, [("out", asked), ("in", answer + b"\n")]))
    assert card is not None and dict(card.facts)["wrong byte"] == f"85 of {len(answer)}, 0x2c: ,"


def test_who_was_sent_away_had_sent_nothing_wrong() -> None:
    assert wrong_byte(Evidence("fiar", "disconnect", refusal="The token of this bot was replaced.")) == ""
