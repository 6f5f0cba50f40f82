"""What each protocol says of itself is what its adapter does."""

from __future__ import annotations

import re

import pytest

import games
from arena.protocols import facts_of, protocols
from arena.protocols.adapter import Adapter, BotFault, Joined, Moved, Seated, Started, Turn
from arena.protocols.facts import Facts

SLUGS = sorted(protocols())


def asked(slug: str) -> tuple[Adapter, list[bytes]]:
    """A bot's adapter that has asked it for its first move, and what it wrote, piece by piece."""
    adapter = protocols()[slug]()
    for line in adapter.greeting:
        adapter.receive_data(line)
    adapter.tick("ready")
    position = games.variant(adapter.variants[0] if adapter.variants else "connect-four-7x6").start()
    written = [adapter.data_to_send()]
    for event in (Joined("room"), Seated(0, "you", "other", "none"), Started(position), Turn(position)):
        adapter.send(event)
        written.append(adapter.data_to_send())
        adapter.tick("pause")
        written.append(adapter.data_to_send())
    if adapter.ack_s is not None:
        adapter.receive_data(b'"OK"\n')
        written.append(adapter.data_to_send())
    return adapter, [piece for piece in written if piece]


@pytest.mark.parametrize("slug", SLUGS)
def test_what_asks_is_found_in_what_is_written(slug: str) -> None:
    adapter, written = asked(slug)
    assert re.search(adapter.asks, written[-1])


@pytest.mark.parametrize("slug", SLUGS)
def test_its_greeting_makes_a_bot_that_can_be_asked(slug: str) -> None:
    adapter, _ = asked(slug)
    assert not [event for event in adapter.events_received() if isinstance(event, BotFault)] and not adapter.wants_close


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if not protocols()[slug].hears_moves])
def test_who_is_not_told_moves_would_not_hear_them(slug: str) -> None:
    adapter, _ = asked(slug)
    position = games.variant(adapter.variants[0]).start()
    adapter.send(Moved(0, "4", position.play("4")))
    assert adapter.data_to_send() == b"" and adapter.deadline is None and not adapter.wants_close


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if protocols()[slug].commands])
def test_a_line_without_its_commands_confuses_it_and_is_answered_as_said(slug: str) -> None:
    adapter = protocols()[slug]()
    adapter.receive_data(adapter.greeting[0])
    done = adapter.data_to_send()
    adapter.receive_data(b"HELLO\n")
    wrong = adapter.data_to_send()
    assert adapter.replies is not None and done.startswith(adapter.replies[0]) and wrong.startswith(adapter.replies[1])
    assert any(words in wrong for words in adapter.confused)


@pytest.mark.parametrize(
    ("slug", "move", "said"),
    [
        ("gamestate", "1", "0"),
        ("fiar", "7", "7"),
        ("droidcon", "7", "6"),
        ("nyu-nim", "3r", "3 1"),
        ("native", "4", "4"),
    ],
)
def test_a_move_is_said_as_on_the_wire(slug: str, move: str, said: str) -> None:
    assert facts_of(slug).on_the_wire(move) == said


def test_a_turn_that_names_workers_is_not_told_from_its_move() -> None:
    assert facts_of("santorini-json").on_the_wire("a1-a2+a3") == ""


def test_a_refusal_is_read_as_it_was_written() -> None:
    adapter, _ = asked("native")
    adapter.receive_data(b'{"type": "move", "ply": 1, "move": 4}\n')
    refused = adapter.first_refusal(adapter.data_to_send())
    assert "4" in refused["received"] and refused["expected"] and refused["hint"]
    adapter.send(Moved(0, "4", games.variant("connect-four-7x6").start().play("4")))
    assert adapter.first_refusal(adapter.data_to_send()) == {}


def test_a_seat_that_was_asked_for_once_more_hides_no_move_that_was_refused() -> None:
    adapter, _ = asked("native")
    adapter.receive_data(b'{"type": "join", "room": "r"}\n')
    in_match = adapter.data_to_send()
    assert adapter.first_refusal(in_match)["received"] == '{"type": "join", "room": "r"}', "it may wait for `joined`"
    adapter.receive_data(b'{"type": "move", "ply": 1, "move": 4}\n')
    assert '"move": 4' in adapter.first_refusal(in_match + adapter.data_to_send())["received"]


def test_of_a_protocol_that_is_gone_the_defaults_are_known() -> None:
    assert facts_of("long-gone") is Facts
    assert Facts.behind_answer(b"4\n5") == b"5" and Facts.on_the_wire("4") == "4"
