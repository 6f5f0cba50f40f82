"""Whom an event needs in which state."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.models import Bot, Player, Tournament
from arena.tournaments import needed
from arena.tournaments.spec import EntrySpec
from tests.kit.tournaments import a_spec, begun, builtins, sheet
from tests.tournaments.test_due import a_bot

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


def test_the_bots_of_one_event_are_tried_a_few_at_a_time_and_none_plays_before_that(
    settings: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile the others play, and a server may stop."""
    monkeypatch.setattr(needed, "MOST_S", 0.0)
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as name:
        Path(name).chmod(0o755)
        settings.ARENA_BOTS, settings.ARENA_SANDBOX_MIN = Path(name), 0
        bots = ("gravity-7", "gravity-8")
        for each in bots:
            Path(name, each).mkdir(mode=0o755)
            Path(name, each, "bot.py").write_text("input()\n")
        entries = [EntrySpec(each, "bot", protocol="fiar", player=a_bot(each).pk) for each in bots]
        Bot.objects.update(command=["python3", "bot.py"])
        event = begun(a_spec(entries=(*builtins(2, "random"), *entries), clock="5s", legs=1))
        found = sheet(event.slug)
        assert needed.look(found), "one of them has not been tried"
        ready, lacking = needed.ready(found)
        assert (len(ready), lacking) == (3, []), "those without it"
        assert not needed.look(found)
        assert (len(needed.ready(found)[0]), needed.ready(found)[1]) == (6, [])
