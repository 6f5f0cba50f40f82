"""What starts now on how many places, what is given away, and what is known to follow."""

from __future__ import annotations

import sys

import pytest

from arena.models import Entry, Player
from arena.tournaments import needed, next_up
from arena.tournaments.next_up import NextUp
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import EntrySpec
from tests.kit.tournaments import a_spec, begun, builtins, sheet

pytestmark = pytest.mark.django_db


def of(found: Sheet, free: int, *, gives: bool = True) -> NextUp:
    return next_up.next_up(found, needed.waiting(found), (), (), free, gives=gives)


def test_what_is_given_away_comes_first_and_what_follows_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    found = sheet(begun(a_spec(4, legs=2)).slug)
    up = of(found, 3)
    assert (up.away, up.ahead, up.is_all) == (found.lines[:3], found.lines[3:], True)
    monkeypatch.setattr(next_up, "MOST_AHEAD", 4)
    up = of(found, 3)
    assert (up.away, up.ahead, up.is_all) == (found.lines[:3], found.lines[3:7], False)
    up = of(found, 3, gives=False)
    assert (up.here, up.away, up.ahead) == (found.lines[:3], [], [])


def test_what_follows_ends_with_the_first_that_starts_here() -> None:
    """It is its turn when a place is free, and only a look at the event starts it."""
    mira = Player.objects.create(kind="person", name="mira", slug="mira")
    person = EntrySpec("mira", "person", player=mira.pk, agrees=True)
    found = sheet(begun(a_spec(entries=(*builtins(3, "random"), person), clock="5s")).slug)
    theirs = [line for line in found.lines if "mira" in (found.names[line.a], found.names[line.b or 0])]
    up = of(found, 0)
    assert up.here == up.away == [] and not up.is_all
    assert up.ahead == found.lines[: found.lines.index(theirs[0])]
    up = of(found, 6)
    assert up.here == theirs[:1] and up.is_all, "one who comes plays one match at a time"
    assert len(up.away) == 3


def test_who_missed_a_call_plays_last() -> None:
    command = (sys.executable, "-c", "pass")
    entries = (EntrySpec("late", "command", "", "fiar", command, "/"), *builtins(2, "random"))
    event = begun(a_spec(entries=entries, clock="5s"))
    Entry.objects.filter(name="late").update(calls=1)
    found = sheet(event.slug)
    (late,) = (pk for pk, entry in found.entries.items() if entry.calls)
    up = of(found, 1)
    assert late not in (up.away[0].a, up.away[0].b) and all(late in (line.a, line.b) for line in up.ahead)
