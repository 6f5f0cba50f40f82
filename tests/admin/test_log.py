from __future__ import annotations

from collections.abc import Callable

from arena.admin import log
from arena.models import Event, Match
from tests.admin.conftest import NOW


def test_a_match_is_what_its_log_adds_up_to(fill: Callable[[int], None]) -> None:
    fill(1)
    live = log.live_of(Match.objects.get())
    assert live is not None
    assert (live.state.position.ply, live.state.setup.seats[1].name) == (1, "seat 1 1")


def test_of_a_long_log_the_newest_lines_are_shown(fill: Callable[[int], None]) -> None:
    fill(1)
    more = range(4, log.MOST_EVENTS + 10)
    paused = [Event(match_id="match-1", seq=n, at=NOW, kind=("paused", "resumed")[n % 2]) for n in more]
    Event.objects.bulk_create(paused)
    shown = log.shown(Match.objects.get(), wires=True)
    assert len(shown["events"]) == log.MOST_EVENTS and shown["more_events"] == 9
    assert shown["events"][-1].seq == more[-1]
