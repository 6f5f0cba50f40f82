"""Both wires of a match beside each other: a bot's bytes, a person's acts, by the move that was being played."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client

from arena.admin import log, wires
from arena.models import Event, Match, WireChunk
from tests.admin.conftest import NOW

PAGE = "/admin/arena/match/match-1/change/"


@pytest.fixture
def played(fill: Callable[[int], None]) -> Match:
    """A bot that has played once and sent something odd, against a person who answered."""
    fill(1)
    match = Match.objects.get(id="match-1")
    Event.objects.create(
        match=match, seq=4, at=NOW + timedelta(seconds=2), kind="move", ply=2, seat=1, move="5", elapsed_ms=1500
    )
    said = '{"t": 0.7, "dir": "err", "ply": 1, "data": "late <b>\\\\n"}\n'
    WireChunk.objects.create(seat=match.seats.get(seat=0), n=2, jsonl=said)
    return match


def test_lines_stand_in_groups_of_moves_in_the_order_of_time(played: Match) -> None:
    live = log.live_of(played)
    assert live is not None
    first, second = wires.both(live, "move")
    assert (first.ply, first.move, first.took) == (1, "4", "153 ms")
    assert [(line.side, line.text) for line in first.lines] == [(0, "PUT 3"), (0, "late <b>")]
    assert (second.ply, [(line.side, line.time, line.text) for line in second.lines]) == (
        2,
        [(1, "00:02.000", "move 5")],
    )
    (errors,) = wires.both(live, "errors")
    assert [line.text for line in errors.lines] == ["late <b>"]
    (every,) = wires.both(live, "time")
    assert [line.side for line in every.lines] == [0, 0, 1]


def test_what_was_said_of_a_rematch_stands_after_the_last_move(played: Match) -> None:
    later = NOW + timedelta(seconds=9)
    Event.objects.create(match=played, seq=5, at=later, kind="note", seat=1, data={"rematch": "asked"})
    live = log.live_of(played)
    assert live is not None
    last = wires.both(live, "move")[-1]
    assert (last.before, [(line.side, line.text) for line in last.lines]) == (2, [(1, "rematch asked")])


def test_the_page_shows_them_and_any_position(superuser: Client, played: Match) -> None:
    Event.objects.create(match=played, seq=5, at=NOW, kind="note", seat=1, data={"rematch": "asked"})
    page = superuser.get(PAGE).content.decode()
    headings = [" ".join(each.split()) for each in re.findall(r"(?s)<th scope=.rowgroup.[^>]*>(.*?)</th>", page)]
    assert headings[-1] == "After move 2" and headings[0].startswith("1. ")
    assert "▲ PUT 3" in page and "late &lt;b&gt;" in page and "After move 2 of 2" in page
    assert "After move 1 of 2" in superuser.get(f"{PAGE}?ply=1").content.decode()
    assert "After move 2 of 2" in superuser.get(f"{PAGE}?ply=\u0663").content.decode()
    live = superuser.get(f"{PAGE}?part=live").content.decode()
    assert live.lstrip().startswith('<div id="live"') and "PUT 3" in live and "<html" not in live


def test_only_what_can_be_done_is_offered(superuser: Client, played: Match) -> None:
    assert 'value="pause"' in superuser.get(PAGE).content.decode()
    Match.objects.update(ended=NOW, termination="normal", winner=0)
    page = superuser.get(PAGE).content.decode()
    assert 'value="pause"' not in page and 'value="decide"' in page
