from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, models
from django.utils import timezone

from arena.match.state import LogEvent as LogEvent
from arena.models import Event, Match, Move, Room, Ruling, Seat

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def end(match: Match, termination: str, winner: int | None = None) -> Match:
    match.ended, match.termination, match.winner = NOW, termination, winner
    match.save()
    return match


def again(match: Match) -> Match:
    """The same round of the same room once more."""
    return Match.objects.create(id="bbbbbbbbbb", room=match.room, variant=match.variant, opened=NOW)


def event(match: Match, seq: int, kind: str = "note", **values: Any) -> Event:
    return Event.objects.create(match=match, seq=seq, at=NOW, kind=kind, **values)


def test_a_round_is_played_once(match: Match) -> None:
    end(match, "normal", 0)
    with pytest.raises(IntegrityError):
        again(match)


def test_a_round_that_is_running_is_not_opened_twice(match: Match) -> None:
    with pytest.raises(IntegrityError):
        again(match)


def test_a_round_that_was_void_by_our_fault_is_played_again(match: Match) -> None:
    end(match, "server_abort")
    assert again(match).round == match.round


def test_matches_without_a_room_share_no_round() -> None:
    for name in ("cccccccccc", "dddddddddd"):
        Match.objects.create(id=name, variant="connect-four-7x6", opened=NOW)
    assert Match.objects.filter(room=None).count() == 2


@pytest.mark.parametrize(
    "values",
    [
        {"ended": NOW},
        {"termination": "normal"},
        {"winner": 0},
        {"ended": NOW, "termination": "normal", "winner": 2},
    ],
)
def test_half_an_ending_is_refused(match: Match, values: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError):
        Match.objects.filter(id=match.id).update(**values)


def test_the_result_is_written_as_everywhere(match: Match) -> None:
    assert match.result == "*"
    assert end(match, "normal", 1).result == "0-1"
    assert end(match, "normal").result == "1/2-1/2"
    assert end(match, "server_abort").result == "*"


def test_a_room_with_matches_cannot_be_removed(match: Match, room: Room) -> None:
    with pytest.raises(models.ProtectedError):
        room.delete()


def test_a_match_with_a_log_cannot_be_removed(match: Match) -> None:
    event(match, 1, "opened")
    with pytest.raises(models.ProtectedError):
        match.delete()


def test_two_acts_cannot_have_one_number(match: Match) -> None:
    event(match, 1, "opened")
    with pytest.raises(IntegrityError):
        event(match, 1, "started")


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "move", "ply": 1, "seat": 0},
        {"kind": "move", "ply": None, "seat": 0, "move": "4"},
        {"kind": "move", "ply": 0, "seat": 0, "move": "4"},
        {"kind": "move", "ply": 1, "seat": None, "move": "4"},
        {"kind": "move", "ply": 1, "seat": 2, "move": "4"},
        {"kind": "note", "move": "4"},
        {"kind": "note", "left0_ms": -1},
    ],
)
def test_half_a_move_is_refused(match: Match, values: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError):
        event(match, 1, **values)


def test_the_log_has_the_columns_of_an_event_in_their_order() -> None:
    names = [field.attname for field in Event._meta.concrete_fields]
    assert names == ["id", "match_id", *LogEvent._fields, "epoch"]


def test_a_thought_of_a_month_can_be_stored(match: Match) -> None:
    month = int(timedelta(days=31).total_seconds() * 1000)
    event(match, 1, "move", ply=1, seat=0, move="4", elapsed_ms=month)
    assert Event.objects.get().elapsed_ms == month


def test_moves_are_the_events_that_are_moves(match: Match) -> None:
    event(match, 1, "opened")
    event(match, 2, "move", ply=1, seat=0, move="4")
    assert [str(move) for move in Move.objects.all()] == ["1. 4"]


def test_a_move_is_written_into_one_index_beside_the_primary_key() -> None:
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, Event._meta.db_table).values()
    assert [entry["columns"] for entry in found if entry["index"] or entry["unique"]] == [["match_id", "seq"]]


def test_a_seat_is_taken_once(match: Match) -> None:
    Seat.objects.create(match=match, seat=0, name="Alice", kind="human")
    with pytest.raises(IntegrityError):
        Seat.objects.create(match=match, seat=0, name="Bob", kind="human")


def test_there_are_two_seats(match: Match) -> None:
    with pytest.raises(IntegrityError):
        Seat.objects.create(match=match, seat=2, name="Charlie", kind="human")


@pytest.mark.parametrize(
    "values",
    [
        {"verdict": "win", "winner": None},
        {"verdict": "draw", "winner": 0},
        {"verdict": "void", "winner": 1},
        {"verdict": "void", "reason": ""},
        {"verdict": "void", "actor": ""},
    ],
)
def test_a_ruling_without_a_sense_is_refused(match: Match, values: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError):
        Ruling.objects.create(**{"match": match, "n": 1, "reason": "why", "actor": "staff", "at": NOW, **values})
