"""Who is taken into an event, and until when."""

from __future__ import annotations

import pytest

from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec
from tests.kit.tournaments import a_spec, begun, builtins
from tests.tournaments.rows import results
from tests.tournaments.test_actions import a_bot, a_player, refused

pytestmark = pytest.mark.django_db


def test_a_bot_that_is_told_no_positions_enters_no_event_with_openings() -> None:
    bot = EntrySpec("deaf", "bot", protocol="droidcon", player=a_bot("deaf").pk, variant="connect-four-7x6")
    tournament = actions.create(a_spec(2, opening_plies=2, clock="10s"), None, None, "waiting")
    assert refused(actions.enter, tournament, bot) == "wrong_spec"
    actions.enter(actions.create(a_spec(2, clock="10s"), None, None, "waiting"), bot)


def test_nobody_enters_who_would_make_it_too_long() -> None:
    tournament = actions.create(a_spec(10, legs=100), None, None, "waiting")
    assert refused(actions.enter, tournament, EntrySpec("late", "builtin", "club")) == "wrong_spec"
    actions.enter(actions.create(a_spec(10, legs=50), None, None, "waiting"), EntrySpec("late", "builtin", "club"))


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (EntrySpec("P1", "builtin", "club"), "name_taken"),
        (EntrySpec("P1", "builtin", "beginner"), "there_already"),
        (EntrySpec("x", "builtin", "clubb"), "wrong_spec"),
        (EntrySpec("x", "command", "", "nyu-nim", ("bot",)), "wrong_spec"),
    ],
)
def test_not_everyone_is_taken(entry: EntrySpec, code: str) -> None:
    assert refused(actions.enter, begun(a_spec(3)), entry) == code


def test_a_swiss_event_takes_nobody_after_its_last_round_is_paired() -> None:
    tournament = begun(a_spec(4, format="swiss", rounds=2))
    results("1-0", "1-0")
    actions.enter(tournament, EntrySpec("late", "builtin", "club"))
    actions.go_on(tournament)
    assert refused(actions.enter, tournament, EntrySpec("later", "builtin", "club")) == "too_late"


def test_a_knockout_takes_nobody_after_its_start() -> None:
    assert refused(actions.enter, begun(a_spec(3, format="knockout")), EntrySpec("x", "builtin", "club")) == "too_late"


def test_an_event_without_a_clock_takes_no_bots() -> None:
    entry = EntrySpec("x", "command", "", "fiar", ("bot",))
    assert refused(actions.enter, begun(a_spec(3, clock="none")), entry) == "clock"


def test_a_player_enters_once() -> None:
    bot = EntrySpec("b", "bot", "", "fiar", player=a_player("gravity", "bot").pk)
    tournament = actions.create(a_spec(entries=(*builtins(2), bot)))
    assert refused(actions.enter, tournament, EntrySpec("c", "bot", "", "fiar", player=bot.player)) == "there_already"


def test_a_person_who_comes_late_among_bots_must_have_agreed() -> None:
    mira = EntrySpec("Mira", "person", player=a_player("mira").pk)
    assert refused(actions.enter, begun(a_spec(3)), mira) == "consent"
