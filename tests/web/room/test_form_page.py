"""What the form of a room shows: every choice, the reasons beside those that cannot be, and all of it in a sentence."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string

from arena.bots.seats.choices import SideChoice
from arena.web.room import form as room_form
from arena.web.room import form_page
from tests.kit.browsing import untied
from tests.web.room.test_form import EIGHT, form


def test_how_long_a_proof_has_to_hold_is_chosen_where_anything_can_be_proved() -> None:
    shown = form_page.context(form(adjudicate="8"), {})
    assert [each.value for each in shown["adjudicate"] if each.current] == ["8"]
    assert shown["why_played_out"] == ""


def test_impossible_choices_are_shown_with_the_reason() -> None:
    options = {each.value: each.why for group in form_page.groups(form(variant=EIGHT), "me") for each in group.options}
    assert options["bot:7"] == "fiar-lisp plays Connect Four 7\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}6 only."
    assert options["socket:fiar"].startswith("It plays Connect Four 7")
    assert options["me"] == options["anyone"] == options["builtin:club"] == options["socket:native"] == ""


def test_every_choice_of_the_list_is_understood() -> None:
    for group in form_page.groups(form(), "me"):
        for option in group.options:
            assert room_form.choice_of(option.value) is not None
    assert room_form.choice_of("builtin:club") == SideChoice("builtin", level="club")
    assert room_form.choice_of("command:8") == SideChoice("command", player=8)


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ("anyone", "Create the link"),
        ("socket:droidcon", "Create the link"),
        ("bot:7", "Start"),
        ("builtin:club", "Start"),
    ],
)
def test_a_link_is_created_where_somebody_has_yet_to_come(second: str, words: str) -> None:
    shown = render_to_string("arena/fragments/room_form.html", form_page.context(form(side1=second), {}))
    assert [each for each in ("Create the link", "Start") if each in shown] == [words]


def test_the_summary_is_one_sentence() -> None:
    said = form_page.summary(form(side1="socket:droidcon", clock="5s", rounds="4"))
    start = "Connect Four 7\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}6, you against a bot that speaks Droidcon"
    assert said.startswith(start) and said.endswith(", 4 rounds, 5 s a move.")
    assert "built-in Beginner against house, 1 round" in form_page.summary(
        form(side0="builtin:beginner", side1="command:8")
    )


@pytest.mark.parametrize("field", ["variant", "side0", "rounds", "clock", "pace", "offers", "adjudicate", "rated"])
def test_what_is_wrong_with_a_field_is_read_with_it(field: str) -> None:
    shown = render_to_string("arena/fragments/room_form.html", form_page.context(form(), {field: "It is not."}))
    assert shown.count("It is not.") == 2 and untied(shown) == set()
