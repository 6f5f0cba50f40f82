"""Who is taken into an event, and until when."""

from __future__ import annotations

import tarfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.admin import entering
from arena.bots.conformance import passes
from arena.match.commands import Refusal
from arena.models import Audit, Bot, Rating, Tournament
from arena.tournaments import actions
from arena.tournaments.sheet import sheet_of
from arena.tournaments.spec import Conditions, EntrySpec
from arena.tournaments.taking import asked, conditions_of, unmet_in
from arena.web.tournaments.entrants import EntrantChoice
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


# -- conditions --------------------------------------------------------------------------------------------------------

ASKS = Conditions(checked=True, rating_from=1200, rating_to=1800)


def a_rated(name: str, points: float, deviation: float = 60.0, *, is_passed: bool = True) -> EntrySpec:
    """A bot with this rating."""
    bot = Bot.objects.select_related("player").get(pk=a_bot(name).pk)
    played = {"matches": 40, "at": timezone.now()}
    Rating.objects.create(player=bot.player, variant=bot.variant, points=points, deviation=deviation, **played)
    assert not is_passed or passes.store(bot, passes.seen_of(bot), 27, "ops")
    return EntrySpec(name, "bot", protocol="fiar", player=bot.pk)


def an_event(conditions: Conditions = ASKS) -> Tournament:
    return actions.create(a_spec(2, clock="10s", conditions=conditions), None, None, "waiting")


def why(act: Any, *args: Any) -> str:
    with pytest.raises(Refusal) as refused:
        act(*args)
    assert refused.value.code == "not_met"
    return refused.value.sentence


def test_who_meets_the_conditions_enters() -> None:
    event = an_event()
    for n, points in enumerate((1200, 1199.6, 1500, 1800.4)):
        actions.enter(event, a_rated(f"b{n}", points))
    actions.enter(event, EntrySpec("club", "builtin", "club"))


@pytest.mark.parametrize(
    ("points", "deviation", "is_passed", "words"),
    [
        (1100, 60, True, "a rating of 1200 to 1800 is needed, and it is 1100."),
        (1900, 60, True, "a rating of 1200 to 1800 is needed, and it is 1900."),
        (1500, 200, True, "a rating of 1200 to 1800 is needed, and 1500 is provisional."),
        (1500, 60, False, "check_bot --record odd --port PORT -- COMMAND)."),
        (1100, 60, False, "COMMAND); a rating of 1200 to 1800 is needed, and it is 1100."),
    ],
)
def test_who_does_not_hears_everything_in_one_sentence(
    points: float, deviation: float, is_passed: bool, words: str
) -> None:
    event, odd = an_event(), a_rated("odd", points, deviation, is_passed=is_passed)
    sentence = why(actions.enter, event, odd)
    assert sentence.startswith("odd cannot enter Spring cup: ") and sentence.endswith(words)
    assert why(actions.create, a_spec(entries=(*builtins(2), odd), clock="10s", conditions=ASKS)).endswith(words)
    assert not Tournament.objects.filter(entries__name="odd").exists() and Tournament.objects.count() == 1


def test_a_person_needs_a_rating_and_no_check() -> None:
    mira = EntrySpec("mira", "person", player=a_player("mira").pk, agrees=True)
    actions.enter(an_event(Conditions(checked=True)), mira)
    words = why(actions.enter, an_event(Conditions(rating_from=1000)), mira)
    assert words == "mira cannot enter Spring cup: a rating of at least 1000 is needed, and there is none yet."
    assert "at most 1000" in why(actions.enter, an_event(Conditions(rating_to=1000)), mira)


def test_who_has_changed_since_its_check_hears_that() -> None:
    odd = a_rated("odd", 1500)
    Bot.objects.filter(pk=odd.player).update(version="2")
    assert "it has changed since it passed" in why(actions.enter, an_event(), odd)


def test_with_a_reason_staff_let_anybody_in_and_that_is_on_record() -> None:
    event, odd = an_event(), a_rated("odd", 1100)
    actions.enter(event, odd, "bo", "plays out of competition")
    assert Audit.objects.order_by("-pk")[0].data == {"entry": "odd", "reason": "plays out of competition"}
    assert list(unmet_in(sheet_of(event)).values()) == ["a rating of 1200 to 1800 is needed, and it is 1100"]


def test_what_changes_later_throws_nobody_out() -> None:
    event, bot = an_event(), a_rated("odd", 1500)
    actions.enter(event, bot)
    Rating.objects.update(points=900)
    actions.start(event)
    assert "odd" in sheet_of(event).names.values() and unmet_in(sheet_of(event))


def test_it_takes_two_questions_however_many_take_part() -> None:
    event = an_event(Conditions(rating_from=1000))
    for n in range(6):
        actions.enter(event, a_rated(f"b{n}", 1500))
    found = sheet_of(event)
    with CaptureQueriesContext(connection) as asked_for:
        assert unmet_in(found, ASKS) == {}
    assert len(asked_for) == 2


def test_an_event_says_what_it_asks_for() -> None:
    assert [*map(str, asked(ASKS))] == [
        "Bots have passed the check of their protocol in their present version.",
        "Players have a rating of 1200 to 1800 in this game, not a provisional one.",
    ]
    assert asked(Conditions()) == [] == asked(conditions_of(Tournament(settings={})))


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_while_the_files_of_a_bot_are_read(
    settings: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ARENA_DATA, settings.ARENA_BOTS = tmp_path, tmp_path
    (tmp_path / "left").mkdir()
    (tmp_path / "left" / "left.py").write_text("print(1)\n")
    left = Bot.objects.select_related("player").get(pk=a_bot("left").pk)
    left.command = ["python3", "left.py"]
    left.save()
    assert passes.store(left, passes.seen_of(left), 27, "ops")
    read, opened = list[bool](), tarfile.open

    def noted(*args: Any, **kwargs: Any) -> tarfile.TarFile:
        read.append(connection.in_atomic_block)
        return opened(*args, **kwargs)

    monkeypatch.setattr(tarfile, "open", noted)
    entry = EntrySpec("left", "bot", protocol="fiar", player=left.pk)
    event = an_event(Conditions(checked=True))
    actions.enter(event, entry)
    ticked = EntrantChoice(f"bot:{left.pk}", "left", "", "", player=left.pk, protocol="fiar", variant=left.variant)
    entering.enter(an_event(Conditions(checked=True)), None, "bo", "", {"who": [ticked]})
    actions.create(a_spec(entries=(*builtins(2), entry), clock="10s", conditions=Conditions(checked=True)))
    assert passes.store(left, passes.seen_of(left), 27, "ops")
    assert read and not any(read)
    (tmp_path / "left" / "left.py").write_text("print(2)\n")
    assert "it has changed since it passed" in why(actions.enter, an_event(Conditions(checked=True)), entry)
