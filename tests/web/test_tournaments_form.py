"""What the form of a new tournament makes of what was said."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from arena.web import tournaments_form as forms
from arena.web.tournaments_entrants import Choice

CHOICES = [Choice(f"builtin:{n}", f"p{n}", "", "", level="club") for n in range(1, 9)]
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def read(query: str, ticked: int = 0) -> tuple[forms.Form, dict[str, str]]:
    entries = "".join(f"&entry=builtin:{n}" for n in range(1, ticked + 1))
    return forms.read(QueryDict(query + entries), CHOICES)


def test_eight_bots_and_two_rounds_each_are_28_pairings() -> None:
    form, wrong = read("variant=connect-four-7x6&concurrency=1", 8)
    assert wrong == {} and forms.problems(form, NOW, begins=True) == {}
    said = "28 pairings, 56 rounds, about 3 minutes at full speed."
    assert forms.summary(form).replace("\N{NO-BREAK SPACE}", " ") == f"Connect Four 7 × 6, round robin: {said}"
    assert form.name == "Connect Four 7x6 round robin"


def test_nothing_said_is_a_form_that_lacks_players_only() -> None:
    form, wrong = read("")
    assert wrong == {}
    assert list(forms.problems(form, NOW, begins=True)) == ["entry"]
    assert forms.problems(form, NOW, begins=False) == {}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("variant=chess", "variant"),
        ("format=league", "format"),
        ("legs=3", "legs"),
        ("format=swiss&rounds=99", "rounds"),
        ("clock=none", "clock"),
        ("pace=slow", "pace"),
        ("concurrency=64", "concurrency"),
        ("opening_plies=-2", "opening_plies"),
        ("tie_breaks=luck", "tie_breaks"),
        ("starts=tomorrow", "starts"),
        ("starts=9999-12-31T23-0900", "starts"),
    ],
)
def test_what_is_no_choice_is_named(query: str, field: str) -> None:
    form, wrong = read(query, 2)
    assert list(wrong) == [field]
    assert "expected" in wrong[field] and query.rpartition("=")[2] in wrong[field]
    assert forms.problems(form, NOW, begins=True) == {}


@pytest.mark.parametrize("sign", ["%00", "%1B", "%C2%85x%C2%9F"])
def test_a_name_with_signs_that_no_database_or_page_takes_is_refused(sign: str) -> None:
    form, wrong = read(f"name=Friday{sign}cup", 2)
    assert list(wrong) == ["name"] and "expected letters" in wrong["name"]
    assert form.name == "Connect Four 7x6 round robin"


@pytest.mark.parametrize("name", ["Friday cup", "Пятница ’26", "👩‍💻 cup", "Friday\tcup"])
def test_any_other_name_is_taken(name: str) -> None:
    form, wrong = forms.read(QueryDict(urlencode({"name": name})))
    assert wrong == {} and form.name == " ".join(name.split())


def test_one_that_is_ticked_is_counted_in_words() -> None:
    form, _ = read("", 1)
    assert forms.problems(form, NOW, begins=True)["entry"] == "1 is ticked: a tournament needs two to start."


def test_a_time_that_is_over_is_refused() -> None:
    form, _ = read("starts=2026-11-21T11:59", 2)
    assert list(forms.problems(form, NOW, begins=True)) == ["starts"]


def test_an_opening_that_a_protocol_cannot_tell_is_said_of_the_players() -> None:
    bot = Choice("bot:1", "gravity-9", "", "", player=1, protocol="droidcon", variant="expanding-nim")
    form, _ = forms.read(QueryDict("variant=connect-four-7x6&entry=bot:1&entry=builtin:1"), [*CHOICES, bot])
    assert "plays expanding-nim" in forms.problems(form, NOW, begins=True)["entry"]
