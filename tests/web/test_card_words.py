"""Cards of failures in the reader's language."""

from __future__ import annotations

import json

import pytest
from django.utils import translation

from arena.bots.failure.cards import Card, make_card
from arena.bots.failure.diagnosis import card
from arena.protocols.hints import Evidence, Timing
from arena.web.card_words import exit_words, shown, told

DIED = card("exited_with_error", Evidence("fiar", "crash", exit="exit code 1", stderr="boom"))
LATE = card("too_slow", Evidence("fiar", "timeout", timing=Timing(5100, "total:5s")))


def test_a_card_that_comes_from_a_log_is_said_in_german_with_the_words_of_its_case() -> None:
    stored = Card.from_data(json.loads(json.dumps(DIED.to_data())))
    with translation.override("de"):
        said = shown(stored)
    assert said.title == "Dein Bot wurde beendet" and said.code == "exited_with_error"
    assert said.sentence == "Er hat sich selbst beendet, Exit-Code 1: boom."
    assert dict(said.facts) == {"Prozess": "Exit-Code 1", "stderr": "boom"}
    assert shown(stored) == stored, "in English it stays as it was written"
    typo = card("unknown_command", Evidence("droidcon", "timeout", unasked="PTU <3>\\x0a"))
    assert shown(typo).sentence.startswith(r"<code>PTU &lt;3&gt;\n</code> is not a command")


def test_what_a_bot_says_first_is_said_in_german_but_for_its_own_words() -> None:
    silent = (card("connected_but_silent", Evidence(slug, "stall")) for slug in ("droidcon", "native"))
    with translation.override("de"):
        said = [shown(each).sentence for each in silent]
    assert said[0].endswith("spricht er zuerst: NAME you, dann JOIN room, jeweils mit \\n.")
    assert said[1].endswith(
        "spricht er zuerst: {&quot;type&quot;: &quot;hello&quot;, &quot;name&quot;: &quot;you&quot;} und \\n."
    )


def test_what_stays_english_is_marked_on_a_german_page_and_nothing_is_markup() -> None:
    lost = card("connection_lost", Evidence("fiar", "disconnect", reason="it was <gone>"))
    with translation.override("de"):
        assert '<span lang="en">it was &lt;gone&gt;</span>' in shown(lost).sentence
        assert told("an <old> card") == '<span lang="en">an &lt;old&gt; card</span>'
    assert told("an <old> card") == "an &lt;old&gt; card"


def test_times_are_said_in_german() -> None:
    with translation.override("de"):
        said = shown(LATE)
    assert said.sentence.startswith("Als seine Zeit ablief (insgesamt 5 s)")
    assert dict(said.facts)["Zeit verbraucht"] == "5,1 s von insgesamt 5 s"


@pytest.mark.parametrize("lost", ["words", "sentence"])
def test_a_card_that_the_table_does_not_say_any_more_stays_as_it_was_written_and_is_marked(lost: str) -> None:
    data = json.loads(json.dumps(DIED.to_data()))
    data[lost] = {} if lost == "words" else "It fell over."
    with translation.override("de"):
        said = shown(Card.from_data(data)).sentence
    assert said == f'<span lang="en">{data["sentence"]}</span>'


def test_a_column_is_said_in_german_as_people_count_it() -> None:
    full = card("full_column", Evidence("gamestate", "illegal_move", received="4", move="4"))
    assert full.facts[:2] == (("received", "3"), ("counted from 1", "column 4"))
    with translation.override("de"):
        assert shown(full).facts[:2] == (("empfangen", "3"), ("ab 1 gezählt", "Spalte 4"))


def test_what_a_bot_sent_is_not_translated() -> None:
    with translation.override("de"):
        said = shown(make_card("spoke_after_end", {"received": "the request"}))
    assert said.sentence == "<code>the request</code> kam, als die Partie schon vorbei war."


def test_how_a_process_ended() -> None:
    with translation.override("de"):
        assert exit_words("killed by SIGSEGV") == "durch SIGSEGV beendet"
        assert exit_words("something else") == "something else"
