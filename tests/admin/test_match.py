from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.apps import apps
from django.test import Client

from arena.admin.match import stuck
from arena.models import Event, Match, Pairing, Ruling, Seat
from arena.protocols import protocols
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


def test_matches_are_listed_by_how_they_ended(superuser: Client, matches: None) -> None:
    page = listed(superuser, termination="normal")
    assert "match-3" in page and "match-1" not in page
    assert "match-3" not in listed(superuser, termination="resign")


def test_matches_are_listed_by_what_was_spoken(superuser: Client, matches: None) -> None:
    Seat.objects.filter(match="match-2", seat=1).update(protocol="fiar")
    page = listed(superuser, protocol="fiar")
    assert [n for n in ("match-1", "match-2", "match-3") if n in page] == ["match-2"]


@pytest.mark.parametrize(("state", "match"), [("running", "match-1"), ("opened", "match-2"), ("ended", "match-3")])
def test_matches_are_listed_by_state(state: str, match: str, superuser: Client, matches: None) -> None:
    page = listed(superuser, state=state)
    assert [n for n in ("match-1", "match-2", "match-3") if n in page] == [match]


def test_a_running_match_shows_the_plies_of_its_log(superuser: Client, matches: None) -> None:
    Event.objects.create(match_id="match-1", seq=4, at=NOW, kind="move", ply=2, seat=1, move="4")
    assert '<td class="field-last_ply">2</td>' in listed(superuser, q="match-1")


def test_the_list_shows_who_plays_and_the_result(superuser: Client, matches: None) -> None:
    Ruling.objects.all().delete()
    page = listed(superuser, state="ended")
    assert all(f">{text}<" in page for text in ("seat 3 0", "seat 3 1", "1-0", "normal"))


def test_the_list_shows_the_result_that_was_ruled(superuser: Client, matches: None) -> None:
    Ruling.objects.all().delete()
    Ruling.objects.create(match_id="match-3", n=1, at=NOW, verdict="win", winner=1, reason="it cheated", actor="ada")
    page = listed(superuser, state="ended", termination="normal")
    assert ">0-1<" in page and ">1-0<" not in page and ">normal → adjudicated<" in page
    Ruling.objects.create(match_id="match-3", n=2, at=NOW, verdict="void", reason="both did", actor="ada")
    page = listed(superuser, state="ended")
    assert ">*<" in page and ">normal → admin_abort<" in page


def test_rows_are_chosen_by_what_they_are_and_choices_are_said_in_words(superuser: Client, matches: None) -> None:
    page = superuser.get("/admin/arena/match/").content.decode()
    box = re.search(r'<input type="checkbox" name="_selected_action" value="([\w-]+)" [^>]*aria-label="([^"]+)"', page)
    assert box is not None and box[2] == f"Select {Match.objects.get(pk=box[1])}"
    assert re.search(r"field-variant[^>]*>Connect Four", page)
    Seat.objects.filter(match="match-2", seat=1).update(protocol="fiar")
    seats = superuser.get("/admin/arena/seat/").content.decode()
    assert set(re.findall(r'class="field-protocol">([^<]*)<', seats)) == {"-", protocols()["fiar"].title}


def test_matches_are_found_by_who_played(superuser: Client, matches: None) -> None:
    page = listed(superuser, q="seat 2 1")
    assert "match-2" in page
    assert "match-1" not in page


@pytest.mark.parametrize("term", ["match-2", "ROOM-2", "cup-2", "Player 2", "seat 2"])
def test_matches_are_found_by_number_room_tournament_player_and_name(
    term: str, superuser: Client, matches: None
) -> None:
    Match.objects.filter(id="match-2").update(pairing=Pairing.objects.get(tournament__slug="cup-2"))
    found = re.findall(r"/admin/arena/match/(match-\d)/change/", listed(superuser, q=term))
    assert found == ["match-2"]


def test_the_page_of_a_match_holds_its_log_and_leads_to_its_board(superuser: Client, matches: None) -> None:
    Event.objects.filter(match="match-1", kind="move").update(left1_ms=1000)
    page = superuser.get("/admin/arena/match/match-1/change/").content.decode()
    assert "153" in page
    assert "a fault of ours" in page
    assert re.search(r"<td>\s*–, 1000 ms\s*</td>", page) and "None" not in page.partition('id="h-log"')[2]
    assert "View on site" in page
    row = Match.objects.select_related("room").get(pk="match-1")
    assert row.room is not None and f'<a href="/admin/arena/room/{row.room.pk}/change/">{row.room}</a>' in page
    assert re.search(r"<details>\s*<summary>\s*<h2[^>]*>All fields</h2>", page)


def test_moves_are_listed_without_the_rest_of_the_log(superuser: Client, matches: None) -> None:
    page = superuser.get("/admin/arena/move/").content.decode()
    assert "3 moves" in page


@pytest.mark.parametrize("table", ["seat", "move"])
def test_staff_read_the_colour_of_a_seat_and_not_its_number(table: str, superuser: Client, matches: None) -> None:
    page = superuser.get(f"/admin/arena/{table}/").content.decode()
    seats = set(re.findall(r'<td class="field-seat[^"]*"[^>]*>([^<]*)</td>', page))
    assert seats and seats <= {"Orange", "Blue"}
    row = apps.get_model("arena", table)._default_manager.first()
    assert row is not None
    page = superuser.get(f"/admin/arena/{table}/{row.pk}/change/").content.decode()
    assert re.search(r'<div class="readonly">(Orange|Blue)</div>', page)


def test_the_page_of_a_match_is_headed_by_who_plays(superuser: Client, matches: None) -> None:
    page = superuser.get("/admin/arena/match/match-1/change/").content.decode()
    assert re.search(r"<h1>seat 1 0 – seat 1 1</h1>\s*<p class=\"facts which\">match-1, Connect Four", page)  # noqa: RUF001


def test_the_page_of_a_match_tells_seats_by_their_colours(superuser: Client, matches: None) -> None:
    Ruling.objects.create(match_id="match-1", n=9, verdict="win", winner=1, reason="seen", actor="Ada", at=NOW)
    page = superuser.get("/admin/arena/match/match-1/change/").content.decode()
    assert re.search(r"Win\s+of Blue,", page)
    seats = page.partition('id="h-seats"')[2].partition("</section>")[0]
    assert re.findall(r'class="facts">\s*(Orange|Blue),', seats) == ["Orange", "Blue"]


def test_the_log_says_what_its_notes_are(superuser: Client, matches: None) -> None:
    said = ({"rematch": "asked"}, {"rematch": "declined"}, {"rematch": "match-2"}, {"failure": {"code": "silent"}})
    for n, data in enumerate(said, start=4):
        Event.objects.create(match_id="match-1", seq=n, at=NOW, kind="note", seat=1, data=data)
    page = superuser.get("/admin/arena/match/match-1/change/").content.decode()
    rows = page.partition('id="h-log"')[2]
    assert re.findall(r"<td>\s*(note|rematch|failure)\s*</td>", rows) == ["rematch", "rematch", "rematch", "failure"]
    assert re.search(r"asked for\s*</td>", rows) and re.search(r"declined\s*</td>", rows)
    assert '<a href="/admin/arena/match/match-2/change/">match-2</a>' in rows


def test_a_page_draws_the_board_and_holds_the_wire(superuser: Client, matches: None) -> None:
    page = html.unescape(superuser.get("/admin/arena/match/match-1/change/").content.decode())
    assert '<div class="board"><svg' in page and "▲ PUT 3" in page and "PUT 3" in page


def test_a_log_that_cannot_be_read_is_shown_all_the_same(superuser: Client, matches: None) -> None:
    Event.objects.filter(match="match-1", seq=1).update(data={"variant": "a game that is gone"})
    page = superuser.get("/admin/arena/match/match-1/change/").content.decode()
    assert "Its log cannot be read" in page and "153" in page


def test_stuck_is_what_has_not_moved_for_twice_its_clock(superuser: Client, matches: None) -> None:
    now = datetime.now(UTC)
    Match.objects.update(clock="10s", started=now, ended=None, termination=None, winner=None)
    Event.objects.filter(match="match-1").update(at=now - timedelta(seconds=21))
    Event.objects.filter(match="match-2").update(at=now - timedelta(seconds=5))
    Match.objects.filter(id="match-3").update(clock="none")
    Event.objects.filter(match="match-3").update(at=now - timedelta(minutes=59))
    assert stuck(now) == ["match-1"]
    page = listed(superuser, stuck="yes")
    assert "match-1" in page and "match-2" not in page and "match-3" not in page


def test_chosen_matches_are_exported_as_one_file(staff: Client, matches: None) -> None:
    chosen = {"action": "export", "_selected_action": ["match-1", "match-3"]}
    answer = staff.post("/admin/arena/match/", chosen)
    assert "attachment" in answer["Content-Disposition"]
    assert [match["id"] for match in json.loads(answer.content)["matches"]] == ["match-3", "match-1"]
