"""Wires of old matches go, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from arena.core.log_store import Append
from arena.match.wire_pack import pack
from arena.models import Event, Match, Seat, WireChunk
from tests.kit.appending import the_appends
from tests.kit.storage import Database

pytestmark = pytest.mark.django_db(transaction=True)

WHOLE = tuple(event for events in the_appends() for event in events)


def a_match(name: str, ended: datetime | None) -> None:
    """One that runs where it has no end."""
    Database().write([Append(name, WHOLE if ended else WHOLE[:-1], lambda error: None)])
    if ended:
        Match.objects.filter(pk=name).update(ended=ended)
    for seat in Seat.objects.filter(match=name):
        for n in (1, 2):
            WireChunk.objects.create(seat=seat, n=n, jsonl="", packed=pack([(0.5, "in", b"PUT 3\n", 1)]))


def prune(*words: str) -> str:
    said = StringIO()
    call_command("prune", *words, stdout=said)
    return said.getvalue()


def left() -> set[str]:
    return set(WireChunk.objects.values_list("seat__match", flat=True))


def test_wires_of_matches_that_ended_before_go_and_logs_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.management.commands.prune.AT_ONCE", 3)
    now = datetime.now(UTC)
    for name, days in (("old", 91), ("older", 400), ("new", 89)):
        a_match(name, now - timedelta(days=days))
    a_match("running", None)
    events = Event.objects.count()
    assert prune("--wires-older-than", "90d", "--dry-run").startswith("4 wires of matches that ended before ")
    assert left() == {"old", "older", "new", "running"}
    assert prune("--wires-older-than", "90d").startswith("Deleted 4 wires ")
    assert left() == {"new", "running"} and WireChunk.objects.count() == 8
    assert Event.objects.count() == events and Match.objects.count() == 4
    assert prune("--wires-older-than", "90d").startswith("Deleted 0 wires ")


@pytest.mark.parametrize("wrong", ["90", "0d", "-1d", "d", "90 d", "\u0669\u0660d", "999999d"])
def test_anything_but_days_is_refused_in_words(wrong: str) -> None:
    with pytest.raises(CommandError, match="expected a number of days such as 90d"):
        prune(f"--wires-older-than={wrong}")


def test_without_saying_what_nothing_goes() -> None:
    with pytest.raises(CommandError, match="--wires-older-than"):
        prune()
