"""Words and cells of a tournament's page."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from arena.models import Match, Pairing
from arena.tournaments import actions
from arena.web.tournaments import feed, shown
from tests.kit.tournaments import a_spec, begun, sheet
from tests.tournaments.rows import result, results, rule

pytestmark = pytest.mark.django_db


def test_a_running_cell_says_so_and_a_result_says_the_sum() -> None:
    begun(a_spec(2, legs=3))
    results("1/2-1/2", "0-1")
    result(Pairing.objects.filter(matches=None).get(), "*")
    cells = [cell for row in shown.rows(sheet("spring-cup")) for cell in row.cells if cell is not None]
    assert [cell.spoken for cell in cells] == ["p1 against p2: 1½ to ½, running", "p2 against p1: ½ to 1½, running"]
    assert cells[0].address == "/t/spring-cup/1/2/" and cells[0].running and cells[0].text == "1½"


def test_a_board_says_what_both_have_made_of_each_other_so_far() -> None:
    begun(a_spec(2, legs=4))
    results("1/2-1/2", "0-1")
    running = result(Pairing.objects.filter(matches=None, leg=3).get(), "*")
    assert shown.score_between(sheet("spring-cup"), running.id) == "1½ – ½"


def test_the_first_match_of_two_stands_at_nothing() -> None:
    begun(a_spec(2))
    running = result(Pairing.objects.get(), "*")
    assert shown.score_between(sheet("spring-cup"), running.id) == "0 – 0"


def test_a_ruling_changes_nothing_about_how_a_match_ended_by_itself() -> None:
    begun(a_spec(3))
    aborted, agreed, won = Pairing.objects.order_by("pk")
    rule(result(aborted, "none", "admin_abort"), "draw")
    rule(result(agreed, "1/2-1/2", "agreement"), "void")
    rule(result(won, "1-0", "resign"), "win", 1)
    assert [(ruled.ended, ruled.counts) for ruled in shown.rulings(sheet("spring-cup"))] == [
        ("no result: admin abort", "a draw"),
        ("drawn", "nothing"),
        ("p3 won: resignation", "a win of p1"),
    ]


def test_failures_are_told_by_cause() -> None:
    begun(a_spec(2, legs=2))
    for pairing, text in zip(Pairing.objects.order_by("leg"), ("1-0", "0-1"), strict=True):
        result(pairing, text, "timeout")
    assert [row.failed for row in shown.rows(sheet("spring-cup"))] == ["", "2: clock 2"]


def test_a_viewer_sees_the_table_by_another_tie_break_and_the_winner_stays() -> None:
    """p1 won twice and lost to p2; p2 drew all others: both have 2 of 3, p1 more wins, p2 the direct encounter."""
    begun(a_spec(4, tie_breaks=("wins",)))
    scores = {(1, 2): "0-1", (1, 3): "1-0", (1, 4): "1-0", (2, 3): "1/2-1/2", (2, 4): "1/2-1/2", (3, 4): "1/2-1/2"}
    turned = {"1-0": "0-1", "0-1": "1-0", "1/2-1/2": "1/2-1/2"}
    for pairing in Pairing.objects.all():
        a, b = pairing.a.seed, pairing.b.seed if pairing.b else 0
        result(pairing, scores[a, b] if a < b else turned[scores[b, a]])
    by_wins, by_direct = (shown.shown(sheet("spring-cup"), tie_break=slug) for slug in ("", "direct"))
    assert [row.name for row in by_wins["rows"]][:2] == ["p1", "p2"]
    assert [row.name for row in by_direct["rows"]][:2] == ["p2", "p1"]
    assert by_direct["order"] == "Order: points, then direct encounter, then wins."
    assert by_direct["says"] == by_wins["says"]


@pytest.mark.long
def test_the_page_of_a_large_event_does_not_grow_with_its_matches() -> None:
    """Every watcher gets it with every result."""
    event = begun(a_spec(shown.MOST_IN_TABLE + 1))
    before = _bytes(event.slug)
    _play_all(event.slug)
    assert _bytes(event.slug) < 1.15 * before
    whole = render_to_string("arena/tournament_in_full.html", shown.shown(sheet(event.slug), in_full=True))
    said = [value.explained(sheet(event.slug).names) for value in sheet(event.slug).standings[0].values.values()]
    assert all(each in whole for each in said if each) and len(max(said, key=len)) > 300


def test_the_page_of_a_swiss_event_shows_its_newest_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown, "MOST_MET", 5)
    event = begun(a_spec(4, format="swiss"))
    for _ in range(3):
        _play_all(event.slug)
        actions.go_on(event)
    said, whole = shown.shown(sheet(event.slug)), shown.shown(sheet(event.slug), in_full=True)
    assert [title for title, _ in said["rounds"]] == ["Round 3", "Round 2"] and said["earlier"]
    assert [title for title, _ in whole["rounds"]] == ["Round 3", "Round 2", "Round 1"] and not whole["earlier"]


def _play_all(slug: str) -> None:
    now = timezone.now()
    left = Pairing.objects.filter(tournament__slug=slug, state="open", matches=None).select_related("tournament")
    fields = {"opened": now, "started": now, "ended": now, "termination": "normal"}
    Match.objects.bulk_create(
        Match(id=f"n{each.pk}", pairing=each, variant=each.tournament.variant, winner=each.pk % 2, **fields)
        for each in left
    )


def _bytes(slug: str) -> int:
    now: dict[str, Any] = {"stranded": {}, "online": [], "lives": [], "calls": []}  # as an earlier host says it
    return len(render_to_string("arena/tournament_live.html", feed.context(now, sheet(slug))).encode())


def test_a_large_event_has_its_crosstable_elsewhere() -> None:
    begun(a_spec(shown.MOST_IN_TABLE + 1))
    said = shown.shown(sheet("spring-cup"))
    assert said["elsewhere"] and not said["crossed"] and len(said["rows"]) == shown.MOST_IN_TABLE + 1
