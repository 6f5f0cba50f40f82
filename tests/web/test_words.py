"""Numbers, times, clocks and titles as people say them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import translation

import games
from arena.match.clock import parse_clock
from arena.match.said import said_by_rules
from arena.match.state import SeatSetup
from arena.web.words import (
    ago,
    clock_words,
    decimals,
    held_words,
    minutes,
    minutes_spoken,
    number,
    parted,
    seat_name,
    spoken,
    title,
    together,
    unbroken,
)

NOW = datetime(2026, 7, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("milliseconds", "shown", "spoken"),
    [
        (91_000, "1:31", "1 minute 31"),
        (120_000, "2:00", "2 minutes"),
        (9_999, "0:09", "9 seconds"),
        (1_000, "0:01", "1 second"),
        (0, "0:00", "0 seconds"),
        (-5, "0:00", "0 seconds"),
        (3_723_000, "1:02:03", "62 minutes 3"),
    ],
)
def test_time_left_is_rounded_down(milliseconds: int, shown: str, spoken: str) -> None:
    assert (minutes(milliseconds), minutes_spoken(milliseconds)) == (shown, spoken)


@pytest.mark.parametrize(
    ("clock", "words"),
    [("none", ""), ("5s", "5 s a move"), ("2m", "2:00 each"), ("1m+1s", "1:00 each and 1 s a move")],
)
def test_a_clock_is_said_as_people_say_it(clock: str, words: str) -> None:
    assert clock_words(parse_clock(clock)) == words


def test_an_address_may_be_broken_before_each_part_of_its_path_and_is_escaped() -> None:
    assert parted("https://arena.example.org/r/otter-283/") == "https://arena.example.org/<wbr>r/<wbr>otter-283/"
    assert parted("http://a/<b>") == "http://a/&lt;b&gt;"


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 min ago"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=3), "3 h ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=59), "59 days ago"),
    ],
)
def test_how_long_ago_is_said_in_the_largest_unit(gone: timedelta, said: str) -> None:
    assert ago(NOW - gone, NOW) == said


def test_how_long_a_proof_has_to_hold_is_said_only_where_it_decides() -> None:
    assert [held_words(moves) for moves in (0, 1, 8)] == [
        "",
        "decided once a proof has held for 1 move",
        "decided once a proof has held for 8 moves",
    ]


def test_what_is_long_ago_is_a_date() -> None:
    assert ago(NOW.replace(year=2025, month=3, day=7), NOW) == "7 Mar 2025"


def test_dates_and_numbers_are_those_of_the_reader_s_language() -> None:
    with translation.override("de"):
        assert ago(NOW.replace(year=2025, month=3, day=7), NOW) == "7. März 2025"
        assert ago(NOW - timedelta(days=1), NOW) == "vor 1 Tag"
        assert (number(1.5), decimals(2), clock_words(parse_clock("500ms"))) == ("1,5", "2,0", "0,5 s je Zug")


def test_a_number_is_not_parted_from_its_word_at_the_end_of_a_line() -> None:
    assert unbroken("Rose Lynx 8") == "Rose Lynx\N{NO-BREAK SPACE}8"
    assert unbroken("Connect Four 7 × 6") == "Connect Four 7\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}6"
    assert together("round robin, 4 players, 1 match per pairing, 10 s a move").count("\N{NO-BREAK SPACE}") == 3
    assert together("Nim, friendly, move 10") == "Nim, friendly, move\N{NO-BREAK SPACE}10"
    assert [unbroken(name) for name in ("Mira K", "8", "")] == ["Mira K", "8", ""]


def test_the_title_writes_the_size_as_people_do() -> None:
    assert title(games.variant("connect-four-7x6")) == "Connect Four 7\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}6"


@pytest.mark.parametrize(
    ("variant", "moves", "wrong", "german"),
    [
        ("connect-four-7x6", "4", "9", "Es gibt keine Spalte 9; die Spalten gehen von 1 bis 7"),
        (
            "connect-four-7x6",
            "4 1 4 1 4 1 4",
            "2",
            "Spalte 2 wurde nicht gespielt: Die Partie ist vorbei (vier in einer Reihe)",
        ),
        (
            "expanding-nim",
            "3",
            "6",
            "6 Steine darf man nicht nehmen: erlaubt sind 1 bis 4, einer mehr als bisher höchstens (3)",
        ),
        ("santorini-5x5", "c3", "c3", "c3 ist besetzt: Setze die Figur auf ein freies Feld"),
        ("santorini-5x5", "a1 e5 b1 d5", "c3-c4+c3", "Auf c3 steht keine Figur von dir: Deine stehen auf a1 und b1"),
    ],
)
def test_what_the_rules_refuse_is_said_in_the_language_of_the_reader(
    variant: str, moves: str, wrong: str, german: str
) -> None:
    position = games.variant(variant).start()
    for move in moves.split():
        position = position.play(move)
    with pytest.raises(games.RefusedMove) as refused:
        position.play(wrong)
    sentence = said_by_rules(refused.value)
    assert str(refused.value) == sentence == spoken(sentence), "logs and bots are told in English"
    with translation.override("de"):
        assert spoken(sentence) == german


def test_the_mark_of_a_bot_that_has_proven_nothing_is_translated_and_its_name_is_not() -> None:
    unproven, registered = SeatSetup("fiar (unverified)", "bot"), SeatSetup("unverified", "bot")
    assert seat_name(unproven, 0) == "fiar (unverified)"
    with translation.override("de"):
        assert [seat_name(seat, 0) for seat in (unproven, registered)] == ["fiar (unbestätigt)", "unverified"]
