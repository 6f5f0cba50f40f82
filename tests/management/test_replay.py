"""`manage.py replay`: silence where all is well, a line for each difference, and ratings put right."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from arena.core.log_store import Append
from arena.core.packing import pack_next
from arena.models import Event as EventRow
from arena.models import Match, PackedLog, Rating, RatingChange, Ruling
from tests.kit.appending import A_WHOLE_MATCH, NOW, the_appends
from tests.kit.rated import FOUR, a_match, a_ruling, cast, store
from tests.kit.storage import Database

pytestmark = pytest.mark.django_db(transaction=True)


def replayed(*arguments: str) -> tuple[int, list[str]]:
    """Its exit code and its lines."""
    said = StringIO()
    with pytest.raises(SystemExit) as exit:
        call_command("replay", *arguments, stdout=said)
    return int(str(exit.value)), said.getvalue().splitlines()


def a_played_match(match: str = "m1") -> None:
    for events in the_appends(A_WHOLE_MATCH):
        Database().write([Append(match, events, lambda error: None)])


def test_an_empty_database_has_nothing_wrong() -> None:
    assert replayed() == (0, ["no matches, no moves: no differences"])


def test_what_was_played_and_rated_is_found_right() -> None:
    a_played_match()
    alice, bob = cast("alice", "bob")
    append, _ = store(a_match(alice, bob), a_match(bob, alice))
    store(a_ruling(append.match, "void"))
    assert replayed() == (0, ["3 matches, 7 moves: no differences"])
    assert replayed("--match", "m1") == (0, ["1 match, 7 moves: no differences"])


def test_a_log_that_was_changed_is_named_with_its_event() -> None:
    a_played_match()
    EventRow.objects.filter(match="m1", ply=3).update(move="5")
    code, lines = replayed()
    assert code == 1 and lines[0].startswith("match m1: event ") and lines[-1].endswith("1 difference")
    assert replayed("--match", "m1")[0] == 1
    assert replayed("--check") == (1, lines[-1:])
    assert replayed("--apply")[0] == 1, "logs are never put right"


def test_a_packed_log_is_checked_like_any_other_and_a_damaged_one_is_named() -> None:
    a_played_match("m1")
    a_played_match("m2")
    assert pack_next(0, NOW + timedelta(days=1)) is not None
    assert replayed() == (0, ["2 matches, 14 moves: no differences"])
    Match.objects.filter(pk="m2").update(head="0" * 64)
    assert replayed("--match", "m2")[1][0].startswith("match m2: head is ")
    PackedLog.objects.filter(ended__match="m2").update(events=b"damaged")
    code, lines = replayed()
    assert code == 1 and lines[0].startswith("match m2: the packed log of match m2 cannot be read: it does not begin")
    assert lines[1:] == ["2 matches, 7 moves: 1 difference"]


@pytest.mark.parametrize(
    ("column", "value"), [("winner", 1), ("plies", 8), ("reason", "magic"), ("rated", True), ("termination", "crash")]
)
def test_a_row_that_does_not_repeat_its_log_is_found(column: str, value: object) -> None:
    a_played_match()
    Match.objects.update(**{column: value})
    code, lines = replayed("--match", "m1")
    assert code == 1 and f"match m1: {column} is {value!r}, the log says" in lines[0]


def test_a_ruling_without_its_event_is_found() -> None:
    a_played_match()
    Ruling.objects.create(match_id="m1", n=1, verdict="void", reason="?", actor="?", at="2026-01-31T12:00Z")
    assert "rulings are" in replayed()[1][0]


def test_ratings_are_compared_and_put_right_when_asked() -> None:
    alice, bob = cast("alice", "bob")
    store(a_match(alice, bob))
    right = Rating.objects.get(player=alice).points
    Rating.objects.filter(player=alice).update(points=2400)
    RatingChange.objects.filter(player=bob).delete()
    code, lines = replayed()
    assert code == 1 and len(lines) == 3
    assert f"rating of alice in {FOUR}: stored 2400.00 ±" in lines[1]
    assert "bob: stored nothing, recalculated 1337.7" in lines[0]
    code, lines = replayed("--apply")
    assert code == 0 and lines[-1] == "The ratings now match the logs."
    assert Rating.objects.get(player=alice).points == right
    assert replayed()[0] == 0


def test_a_match_that_is_not_there_is_named() -> None:
    with pytest.raises(CommandError, match="no match m9"):
        call_command("replay", "--match", "m9")


def test_to_check_and_to_apply_are_not_asked_at_once() -> None:
    with pytest.raises(CommandError, match="not allowed with"):
        call_command("replay", "--check", "--apply")
