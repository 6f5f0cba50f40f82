from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from arena.models import Event, Match
from tests.admin.conftest import NOW


@pytest.fixture
def matches(fill: Callable[[int], None]) -> None:
    """Match 1 runs, match 2 waits, match 3 has ended."""
    for n in (1, 2, 3):
        fill(n)
    Match.objects.filter(id="match-2").update(started=None)
    Match.objects.filter(id="match-3").update(ended=NOW, termination="normal", winner=0)


def listed(client: Client, **query: str) -> str:
    return client.get("/admin/arena/match/", query).content.decode()


@pytest.mark.parametrize(("state", "match"), [("running", "match-1"), ("opened", "match-2"), ("ended", "match-3")])
def test_matches_are_listed_by_state(state: str, match: str, superuser: Client, matches: None) -> None:
    page = listed(superuser, state=state)
    assert [n for n in ("match-1", "match-2", "match-3") if n in page] == [match]


def test_a_running_match_shows_the_plies_of_its_log(superuser: Client, matches: None) -> None:
    Event.objects.create(match_id="match-1", seq=3, at=NOW, kind="move", ply=2, seat=1, move="4")
    assert '<td class="field-last_ply">2</td>' in listed(superuser, q="match-1")


def test_the_list_shows_who_plays_and_the_result(superuser: Client, matches: None) -> None:
    page = listed(superuser, state="ended")
    assert all(f">{text}<" in page for text in ("seat 3 0", "seat 3 1", "1-0", "normal"))


def test_matches_are_found_by_who_played(superuser: Client, matches: None) -> None:
    page = listed(superuser, q="seat 2 1")
    assert "match-2" in page
    assert "match-1" not in page


def test_the_page_of_a_match_holds_its_log_and_leads_to_its_board(superuser: Client, matches: None) -> None:
    page = superuser.get("/admin/arena/match/match-1/change/").content.decode()
    assert "153" in page
    assert "a fault of ours" in page
    assert "View on site" in page


def test_moves_are_listed_without_the_rest_of_the_log(superuser: Client, matches: None) -> None:
    page = superuser.get("/admin/arena/move/").content.decode()
    assert "3 moves" in page
