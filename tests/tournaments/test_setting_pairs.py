"""Who is kept apart and who is paired is set and taken back, each act with a reason and in the audit."""

from __future__ import annotations

from typing import Any

import pytest

from arena.match.commands import Refusal
from arena.models import Audit, Entry, Tournament
from arena.tournaments import actions, by_hand, leaving, setting_pairs
from arena.tournaments.editing import edit, spec_of
from arena.tournaments.spec import EntrySpec
from tests.kit.tournaments import a_spec, begun, sheet

pytestmark = pytest.mark.django_db


def swiss(count: int = 6, **values: Any) -> Tournament:
    return begun(a_spec(count, format="swiss", rounds=3, **values))


def entries(event: Tournament, *names: str) -> list[Entry]:
    return [Entry.objects.get(tournament=event, name=name) for name in names]


def change(event: Tournament, act: str, a: str, b: str, reason: str = "same author") -> None:
    first, second = entries(event, a, b)
    setting_pairs.change(event, act, first, second, reason, "mira")


def why(*args: Any) -> str:
    with pytest.raises(Refusal) as refused:
        change(*args)
    return refused.value.sentence


def kept(event: Tournament) -> tuple[Any, Any]:
    said = sheet(event.slug).tournament.settings
    return said.get("apart"), said.get("next_pairs")


def test_each_act_is_done_taken_back_and_recorded() -> None:
    event = swiss()
    change(event, "apart", "p1", "p2")
    change(event, "pair", "p4", "p3")
    assert kept(event) == ([["p1", "p2"]], [["p4", "p3"]])
    change(event, "together", "p2", "p1")
    change(event, "unpair", "p3", "p4", "they have asked for it")
    assert kept(event) == ([], [])
    done = [(each.actor, each.act, each.data["pair"], each.data["reason"]) for each in Audit.objects.order_by("pk")]
    assert done == [
        ("mira", "tournament keep apart", "p1 – p2", "same author"),
        ("mira", "tournament set pairing", "p4 – p3", "same author"),
        ("mira", "tournament let meet", "p2 – p1", "same author"),
        ("mira", "tournament take back pairing", "p3 – p4", "they have asked for it"),
    ]


def test_what_contradicts_itself_is_refused() -> None:
    event = swiss()
    change(event, "apart", "p1", "p2")
    change(event, "pair", "p5", "p6")
    assert why(event, "apart", "p2", "p1") == "That is set already for p2 and p1."
    assert why(event, "pair", "p1", "p2") == "p1 and p2 are kept apart: take that back first."
    assert why(event, "apart", "p6", "p5") == "p6 and p5 are to meet in the next round: take that back first."
    assert why(event, "pair", "p4", "p5") == "p5 has a pairing in the next round already: take that back first."
    assert why(event, "pair", "p1", "p1") == "Choose two different players."
    assert why(event, "together", "p1", "p3") == "Nothing is set for p1 and p3."
    assert why(event, "apart", "p1", "p3", " ") == "A decision needs a reason: everyone will read it."
    met = [(line.a, line.b) for line in sheet(event.slug).lines][0]
    names = [sheet(event.slug).names[pk] for pk in met if pk]
    change(event, "unpair", "p5", "p6")
    assert why(event, "pair", *names).endswith("have met already.")


def test_who_has_left_is_paired_with_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    event = swiss()
    leaving.withdraw(event, entries(event, "p1")[0])
    assert why(event, "pair", "p1", "p2") == "p1 no longer takes part."
    monkeypatch.setattr(setting_pairs, "MOST_APART", 1)
    change(event, "apart", "p3", "p2")
    assert why(event, "apart", "p3", "p4") == "1 pairs are kept apart, the maximum."


def test_what_was_set_for_somebody_who_has_left_can_be_taken_back() -> None:
    """Otherwise the opponent could be given nobody else in that round."""
    event = swiss()
    change(event, "pair", "p1", "p2")
    change(event, "apart", "p1", "p3")
    leaving.withdraw(event, entries(event, "p1")[0])
    assert "take that back first" in why(event, "pair", "p2", "p3")
    change(event, "unpair", "p1", "p2")
    change(event, "together", "p3", "p1")
    change(event, "pair", "p2", "p3")
    assert kept(event) == ([], [["p2", "p3"]])


def test_nobody_is_paired_twice_because_somebody_has_come_back_under_the_same_name() -> None:
    event = actions.create(a_spec(4, format="swiss", rounds=3), state="waiting")
    change(event, "pair", "p1", "p2")
    leaving.withdraw(event, entries(event, "p2")[0])
    change(event, "pair", "p1", "p3")
    actions.enter(event, EntrySpec("p2", "builtin", "random"))
    assert kept(event) == (None, [["p1", "p3"]])
    actions.start(event)
    first = [(line.a, line.b) for line in sheet(event.slug).lines]
    assert len({pk for pair in first for pk in pair}) == 4 and len(first) == 2


def test_what_is_meant_for_a_round_that_was_paired_meanwhile_is_for_no_other() -> None:
    event = swiss()
    first, second = entries(event, "p4", "p3")
    with pytest.raises(Refusal, match="The next round is 2, not 1"):
        setting_pairs.change(event, "pair", first, second, "they ask for it", "mira", 1)
    assert kept(event) == (None, None)
    setting_pairs.change(event, "pair", first, second, "they ask for it", "mira", 2)
    assert kept(event) == (None, [["p4", "p3"]])


@pytest.mark.parametrize("format", ["round-robin", "gauntlet", "knockout"])
def test_other_formats_have_no_pairings_to_set(format: str) -> None:
    event = begun(a_spec(4, format=format))
    assert why(event, "apart", "p1", "p2").endswith("there are no pairings to set.")
    assert setting_pairs.why_none(sheet(event.slug))


def test_after_the_last_round_is_paired_nothing_can_be_set() -> None:
    event = begun(a_spec(4, format="swiss", rounds=1))
    assert why(event, "apart", "p1", "p2") == "The last round of Spring cup is paired: there are no pairings to set."
    alone = actions.create(a_spec(1, name="Alone", format="swiss"), state="waiting")
    assert setting_pairs.why_none(sheet(alone.slug)) == "", "others may come"


def test_a_change_of_the_settings_keeps_them() -> None:
    event = swiss()
    change(event, "apart", "p1", "p2")
    edit(event, spec_of(sheet(event.slug)), None)
    assert kept(event)[0] == [["p1", "p2"]] and by_hand.apart(sheet(event.slug))
