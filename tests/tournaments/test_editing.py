"""Settings of an event that is there: before its first pairing all may change, later little."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from arena.match.commands import Refusal
from arena.models import Audit, Bot, Player, Tournament
from arena.tournaments import actions
from arena.tournaments.editing import edit, spec_of
from arena.tournaments.sheet import sheet_of
from arena.tournaments.spec import Conditions, EntrySpec, TournamentSpec

pytestmark = pytest.mark.django_db


def made() -> Tournament:
    entries = tuple(EntrySpec(name, "builtin", level="random") for name in ("ash", "birch", "cedar"))
    wish = TournamentSpec("Cup", "connect-four-7x6", "round-robin", entries, seed=7)
    return actions.create(wish)


def test_before_it_begins_all_may_change_but_its_seed() -> None:
    event = made()
    wish = replace(spec_of(sheet_of(event)), name="Oak", variant="expanding-nim", format="swiss", rounds=2, seed=None)
    edit(event, wish, None, "ada", "rain", "Kind: Swiss")
    event.refresh_from_db()
    assert (event.name, event.variant, event.format, event.settings["rounds"]) == ("Oak", "expanding-nim", "swiss", 2)
    assert event.settings["seed"] == 7 and spec_of(sheet_of(event)).entries == wish.entries
    assert Audit.objects.get().data == {"changed": "Kind: Swiss", "reason": "rain"}


def test_the_game_changes_only_to_one_that_every_bot_plays_that_has_entered() -> None:
    event, player = made(), Player.objects.create(kind="bot", name="oak", slug="oak")
    Bot.objects.create(player=player, variant="connect-four-7x6", protocol="native", family="oak")
    wish = replace(spec_of(sheet_of(event)), variant="expanding-nim")
    actions.enter(event, EntrySpec("oak", "bot", protocol="native", player=player.pk, variant="connect-four-7x6"))
    with pytest.raises(Refusal, match="oak plays connect-four-7x6, not expanding-nim"):
        edit(event, wish, None)
    edit(event, replace(wish, variant="connect-four-7x6", name="Oak"), None)
    assert Tournament.objects.get().name == "Oak"


@pytest.mark.parametrize(
    "field",
    ["variant", "format", "legs", "clock", "rated", "offers", "opening_plies", "adjudicate", "pondering", "machines"],
)
def test_what_the_first_pairing_settled_is_refused(field: str) -> None:
    event = made()
    actions.start(event)
    event.refresh_from_db()
    other: dict[str, Any] = {
        "variant": "expanding-nim",
        "format": "gauntlet",
        "clock": "1m+1s",
        "rated": True,
        "offers": True,
        "machines": "c5",
    }
    wish = replace(spec_of(sheet_of(event)), **{field: other.get(field, 4)})
    before = Tournament.objects.values().get()
    with pytest.raises(Refusal, match="can no longer change"):
        edit(event, wish, None)
    assert Tournament.objects.values().get() == before


def test_name_speed_and_matches_at_a_time_change_while_it_is_played() -> None:
    event = made()
    actions.start(event)
    wish = replace(spec_of(sheet_of(event)), name="Oak", pace_ms=700, concurrency=8)
    edit(event, wish, None)
    event.refresh_from_db()
    assert (event.name, event.settings["pace_ms"], event.settings["concurrency"]) == ("Oak", 700, 8)


def test_what_is_wrong_is_refused_whole() -> None:
    event = made()
    before = Tournament.objects.values().get()
    with pytest.raises(Refusal, match="concurrency"):
        edit(event, replace(spec_of(sheet_of(event)), concurrency=0, name="Oak"), None)
    assert Tournament.objects.values().get() == before


def test_conditions_may_change_at_any_time_and_throw_nobody_out() -> None:
    event, player = made(), Player.objects.create(kind="bot", name="oak", slug="oak")
    Bot.objects.create(player=player, variant="connect-four-7x6", protocol="native", family="oak")
    actions.enter(event, EntrySpec("oak", "bot", protocol="native", player=player.pk, variant="connect-four-7x6"))
    actions.start(event)
    edit(event, replace(spec_of(sheet_of(event)), conditions=Conditions(checked=True, rating_from=1900)), None)
    event = Tournament.objects.get()
    assert spec_of(sheet_of(event)).conditions == (True, 1900, 0)
    assert "oak" in sheet_of(event).names.values()
    edit(event, replace(spec_of(sheet_of(event)), conditions=Conditions()), None)
    assert not any(spec_of(sheet_of(Tournament.objects.get())).conditions)
