"""What a form lets people choose from."""

from __future__ import annotations

from django.template.loader import render_to_string

from arena.web.options import Option, options


def shown_as(some: list[Option]) -> str:
    return " ".join(render_to_string("arena/fragments/options.html", {"options": some}).split())


def test_the_current_choice_is_the_selected_one() -> None:
    some = options({"5s": "5 s a move", "none": "No clock"}, "none")
    assert some == [Option("5s", "5 s a move", "", False), Option("none", "No clock", "", True)]
    shown = shown_as(some)
    assert '<option value="5s">5 s a move</option>' in shown
    assert '<option value="none" selected>No clock</option>' in shown


def test_what_cannot_be_chosen_says_why_and_stays_if_it_was_chosen() -> None:
    some = [Option("bot:1", "delta", "it plays", False), Option("bot:2", "gravity", "it plays", True)]
    shown = shown_as(some)
    assert '<option value="bot:1" disabled>delta: it plays</option>' in shown
    assert '<option value="bot:2" selected>gravity: it plays</option>' in shown
