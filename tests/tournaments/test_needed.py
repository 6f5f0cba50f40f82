"""Whom an event needs in which state."""

from __future__ import annotations

import pytest

from arena.models import Player, Tournament
from arena.tournaments import needed
from arena.tournaments.spec import EntrySpec
from tests.kit.tournaments import a_spec, begun, builtins, sheet

pytestmark = pytest.mark.django_db


def test_who_comes_is_needed_while_it_runs_and_stays_while_it_is_paused() -> None:
    player = Player.objects.create(kind="person", name="mira", slug="mira")
    mira = EntrySpec("mira", "person", player=player.pk, agrees=True)
    event = begun(a_spec(entries=(*builtins(1, "random"), mira), clock="5s", legs=1))
    found = sheet(event.slug)
    (line,) = needed.waiting(found)
    assert needed.players(found) == needed.staying(found) == {player.pk}
    assert [found.entries[pk].name for pk in needed.who_come(found, line)] == ["mira"]
    assert needed.machines(found) == ""
    for state, staying in (("paused", frozenset({player.pk})), ("finished", frozenset[int]())):
        Tournament.objects.update(state=state)
        found = sheet(event.slug)
        assert not needed.players(found) and needed.staying(found) == staying, state
