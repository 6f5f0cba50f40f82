"""What the form of a new tournament makes of what was said."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from arena.web.tournaments import form as forms
from arena.web.tournaments.entrants import EntrantChoice

CHOICES = [EntrantChoice(f"builtin:{n}", f"p{n}", "", "", level="club") for n in range(1, 9)]
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def read(query: str, ticked: int = 0) -> tuple[forms.TournamentForm, dict[str, str]]:
    entries = "".join(f"&entry=builtin:{n}" for n in range(1, ticked + 1))
    return forms.read(QueryDict(query + entries), CHOICES)


def test_eight_bots_and_two_rounds_each_are_28_pairings() -> None:
    form, wrong = read("variant=connect-four-7x6&concurrency=1", 8)
    assert wrong == {} and forms.problems(form, NOW, begins=True) == {}
    said = "28 pairings, 56 rounds, about 3 minutes at full speed."
    assert forms.summary(form).replace("\N{NO-BREAK SPACE}", " ") == f"Connect Four 7 × 6, round robin: {said}"
    assert form.name == "Connect Four 7 × 6 round robin"


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
        ("seed-builtin:1=first", "entry"),
        ("starts=tomorrow", "starts"),
        ("starts=9999-12-31T23-0900", "starts"),
    ],
)
def test_what_is_no_choice_is_named(query: str, field: str) -> None:
    form, wrong = read(query, 2)
    assert list(wrong) == [field]
    assert "expected" in wrong[field] and query.rpartition("=")[2] in wrong[field]
    assert forms.problems(form, NOW, begins=True) == {}


@pytest.mark.parametrize("sign", ["%00", "%1B", "%C2%85x%C2%9F", "%E2%80%AE", "%E2%80%8B", "%E2%81%A6"])
def test_a_name_with_signs_that_no_database_or_page_takes_is_refused(sign: str) -> None:
    form, wrong = read(f"name=Friday{sign}cup", 2)
    assert list(wrong) == ["name"] and "expected letters" in wrong["name"]
    assert form.name == "Connect Four 7 × 6 round robin"


@pytest.mark.parametrize("name", ["Friday cup", "Пятница ’26", "👩‍💻 cup", "Friday\tcup"])
def test_any_other_name_is_taken(name: str) -> None:
    form, wrong = forms.read(QueryDict(urlencode({"name": name})))
    assert wrong == {} and form.name == " ".join(name.split())


def test_one_that_is_ticked_is_counted_in_words() -> None:
    form, _ = read("", 1)
    assert forms.problems(form, NOW, begins=True)["entry"] == "1 is ticked: a tournament needs two to start."


def test_a_class_of_machines_is_one_that_is_known() -> None:
    form, wrong = forms.read(QueryDict("machines=c5"), CHOICES, classes=["c5", "linux-x86_64"])
    assert (form.spec().machines, wrong) == ("c5", {})
    assert ("c5", "c5", "", True) in forms.context(form, {})["fields"]["machines"]["options"]
    form, wrong = forms.read(QueryDict("machines=c9"), CHOICES, classes=["c5", "linux-x86_64"])
    assert wrong == {"machines": "No machine of the class 'c9' is known, expected one of c5, linux-x86_64."}
    assert form.spec().machines == ""


def test_a_class_of_machines_goes_with_no_pace() -> None:
    form, _ = forms.read(QueryDict("machines=c5&pace=watchable"), CHOICES, classes=["c5"])
    assert "leave out one of the two" in forms.problems(form, NOW, begins=False)["machines"]


def test_a_time_that_is_over_is_refused() -> None:
    form, _ = read("starts=2026-11-21T11:59", 2)
    assert list(forms.problems(form, NOW, begins=True)) == ["starts"]


def test_an_opening_that_a_protocol_cannot_tell_is_said_of_the_players() -> None:
    bot = EntrantChoice("bot:1", "gravity-9", "", "", player=1, protocol="droidcon", variant="expanding-nim")
    form, _ = forms.read(QueryDict("variant=connect-four-7x6&entry=bot:1&entry=builtin:1"), [*CHOICES, bot])
    assert "plays expanding-nim" in forms.problems(form, NOW, begins=True)["entry"]


def test_seeds_are_typed_and_shown_and_the_others_follow_in_the_order_of_the_list() -> None:
    form, wrong = read("seed-builtin:3=1&seed-builtin:1=2&seed-builtin:8=9", 4)
    assert wrong == {}
    assert [entry.name for entry in form.entries] == ["p3", "p1", "p2", "p4"]
    assert forms.seeded(form) == "Seeds: 1 p3, 2 p1, 3 p2, 4 p4."
    assert read("seed-builtin:3=1&seed-builtin:1=1", 4)[1] == {
        "entry": "Two players have the seed 1: give each a number of its own."
    }


def test_tie_breaks_are_chosen_in_their_order_and_said() -> None:
    form, wrong = read("tie_breaks=wins&tie_breaks=&tie_breaks=direct&breaks_of=round-robin", 2)
    assert (wrong, form.tie_breaks) == ({}, ("wins", "direct"))
    assert forms.ordered(form) == "Order: points, then wins, then direct encounter."
    assert "Wins is chosen twice" in read("tie_breaks=wins&tie_breaks=wins", 2)[1]["tie_breaks"]


def test_another_kind_of_event_has_its_own_tie_breaks_and_a_knockout_none() -> None:
    form, wrong = read("format=swiss&tie_breaks=wins&breaks_of=round-robin", 2)
    assert (wrong, form.tie_breaks) == ({}, ())
    form, wrong = read("format=knockout&tie_breaks=wins&third_place=on", 4)
    assert (wrong, form.tie_breaks, form.spec().third_place) == ({}, (), True)
    assert forms.ordered(form) == "Ranked by the round reached."
    assert "4 pairings" in forms.summary(form) and forms.problems(form, NOW, begins=True) == {}
    assert read("format=swiss&third_place=on", 4)[0].spec().third_place is False
