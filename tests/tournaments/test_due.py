"""Tournaments that begin by themselves."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.utils import timezone

from arena.match.commands import Refusal
from arena.models import Bot, Player, Tournament
from arena.tournaments import actions, due
from arena.tournaments.spec import EntrySpec
from tests.kit.tournaments import a_spec, builtins

pytestmark = pytest.mark.django_db


def a_player(name: str, kind: str = "person") -> Player:
    return Player.objects.create(kind=kind, name=name, slug=name)


def a_bot(name: str) -> Player:
    player = a_player(name, "bot")
    Bot.objects.create(player=player, variant="connect-four-7x6", protocol="fiar", family=name)
    return player


def test_what_is_due_begins_by_the_clock() -> None:
    past, future = timezone.now() - timedelta(seconds=1), timezone.now() + timedelta(hours=1)
    for name, starts, state in (("Due", past, "waiting"), ("Later", future, "waiting"), ("Draft", past, "draft")):
        actions.create(a_spec(3, name=name), starts=starts, state=state)
    due.begin()
    assert dict(Tournament.objects.values_list("name", "state")) == {
        "Due": "running",
        "Later": "waiting",
        "Draft": "draft",
    }


def test_what_cannot_begin_at_its_time_says_why() -> None:
    mira = EntrySpec("Mira", "person", player=a_player("mira").pk)
    past = timezone.now() - timedelta(seconds=1)
    tournament = actions.create(a_spec(entries=(*builtins(2), mira)), starts=past, state="waiting")
    due.begin()
    tournament.refresh_from_db()
    assert (tournament.state, tournament.starts) == ("waiting", None)
    assert "not everyone has agreed" in tournament.why


def test_one_alone_is_counted_in_good_english() -> None:
    alone = actions.create(a_spec(1), starts=timezone.now() - timedelta(seconds=1), state="waiting")
    due.begin()
    alone.refresh_from_db()
    assert alone.why == "It could not begin by itself. 1 takes part: a tournament needs two."


def test_it_begins_when_all_are_here() -> None:
    bot = a_bot("gravity-9")
    entry = EntrySpec("gravity-9", "bot", protocol="fiar", player=bot.pk)
    tournament = actions.create(a_spec(entries=(*builtins(2), entry), clock="5s"))
    actions.start_when_here(tournament)
    due.begin()
    tournament.refresh_from_db()
    assert tournament.state == "waiting"
    due.begin({bot.pk})
    tournament.refresh_from_db()
    assert tournament.state == "running"
    with pytest.raises(Refusal, match="has begun|started|under way"):
        actions.start_when_here(tournament)


@pytest.mark.parametrize("change", [{"enabled": False}, {"command": ["./bot"]}, {}])
def test_a_bot_of_this_server_is_here_while_it_is_enabled_and_can_be_started(
    settings: SimpleNamespace, change: dict[str, Any]
) -> None:
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as name:
        Path(name).chmod(0o755)
        Path(name, "gravity-9").mkdir(mode=0o755)
        settings.ARENA_BOTS, tournament = Path(name), one_that_waits()
        Bot.objects.update(**({"command": ["sh"]} | change))
        async_to_sync(due.look)()
        due.begin()
    tournament.refresh_from_db()
    assert tournament.state == ("waiting" if change else "running")


def test_the_bots_of_one_event_are_tried_a_few_at_a_time_and_it_waits_for_the_last(
    settings: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile other events are looked at, and a server may stop."""
    look = async_to_sync(due.look)
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as name:
        Path(name).chmod(0o755)
        settings.ARENA_BOTS, settings.ARENA_SANDBOX_MIN = Path(name), 0
        tournament = one_that_waits("gravity-9", "gravity-10")
        for each in ("gravity-9", "gravity-10"):
            Path(name, each).mkdir(mode=0o755)
            Path(name, each, "bot.py").write_text("input()\n")
        Bot.objects.update(command=["python3", "bot.py"])
        monkeypatch.setattr(due, "MOST_S", 0.0)
        assert look() == 0.0
        due.begin()
        tournament.refresh_from_db()
        assert tournament.state == "waiting", "one of them has not been tried"
        monkeypatch.setattr(due, "MOST_S", 600.0)
        assert look() == due.NEVER_S
        due.begin()
    tournament.refresh_from_db()
    assert tournament.state == "running"


def one_that_waits(*names: str) -> Tournament:
    """It begins as soon as its bots are here."""
    bots = [EntrySpec(name, "bot", protocol="fiar", player=a_bot(name).pk) for name in names or ("gravity-9",)]
    tournament = actions.create(a_spec(entries=(*builtins(2), *bots), clock="5s"))
    actions.start_when_here(tournament)
    return tournament


class Meanwhile(frozenset[int]):
    """Everybody is here; but before anybody looks, an organiser does `act`."""

    act: Callable[[], None]

    def __contains__(self, player: object) -> bool:
        self.act()
        return True


def test_who_starts_it_in_the_moment_in_which_it_would_begin_by_itself_hears_of_no_failure() -> None:
    tournament = one_that_waits()
    meanwhile = Meanwhile()
    meanwhile.act = lambda: actions.start(tournament, "mira")
    due.begin(meanwhile)
    tournament.refresh_from_db()
    assert (tournament.state, tournament.why, tournament.settings["when_here"]) == ("running", "", True)


def test_what_is_deleted_in_the_moment_in_which_it_would_begin_keeps_no_other_from_it() -> None:
    gone, other = one_that_waits(), actions.create(a_spec(2, name="Other"))
    actions.start_when_here(other)
    meanwhile = Meanwhile()
    meanwhile.act = lambda: actions.delete(gone, "mira")
    due.begin(meanwhile)
    assert dict(Tournament.objects.values_list("name", "state")) == {"Other": "running"}


def test_the_next_look_comes_in_time_for_what_begins_by_the_clock() -> None:
    assert due.next_s() == math.inf
    for name, hours in (("Later", 2), ("Sooner", 1)):
        actions.create(a_spec(3, name=name), starts=timezone.now() + timedelta(hours=hours), state="waiting")
    assert due.next_s() == due.LONGEST_S, "the clock may be set"
    actions.create(a_spec(3, name="Now"), starts=timezone.now() + timedelta(seconds=30), state="waiting")
    assert due.next_s() <= 30
