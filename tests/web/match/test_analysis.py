"""What is said of the match of the mock-up, whose values a solver has computed."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from django.templatetags.static import static

from arena import paths
from arena.analysis.marks import Judged, ResultAt, Worth
from arena.analysis.matches import analyse
from arena.core.hub import LiveMatch
from arena.match.commands import Resign
from arena.web.drawing import artist
from arena.web.match import analysis, fragments
from arena.web.match.scene import Beside, make_scene
from arena.web.system.static_files import one_sheet
from arena.work import analyses
from tests.analysis.test_matches import MATCH
from tests.web import markup
from tests.web.played import Played


@cache
def values(moves: str) -> Any:
    return analyse({"variant": "connect-four-7x6", "settings": {}, "moves": list(moves)})


def analysed(moves: str = MATCH, resigned: int | None = None, **setup: Any) -> LiveMatch:
    match = Played(moves=moves, **setup)
    if resigned is not None:
        match.do(Resign(resigned))
    live = LiveMatch("abc", match.state, match.events)
    found = values(moves)
    live.facts.analysis = analyses.analysed(live.events, found["kernel"], found["values"])
    return live


@pytest.mark.long
def test_marks_are_worded_as_what_was_better() -> None:
    said = analysis.remarks(analysed())
    assert {ply: remark.words for ply, remark in said.items()} == {
        1: "Only move",
        3: "Threw away the win: column 2 wins in 19",
        8: "Threw away the win: column 4 wins in 15",
        9: "Threw away the win: column 3 wins in 16",
        10: "Threw away the win: column 4 wins in 14",
        21: "Only move",
    }
    assert [ply for ply, remark in said.items() if remark.grave] == [3, 8, 9, 10]


def test_a_missed_draw_names_the_move_that_kept_it() -> None:
    choice = Judged(0, "1", 2, {"1": Worth(-1, 8), "3": Worth(0)})
    said = analysis.said(choice, artist("connect-four"))
    assert said == "Column 3 draws. Column 1 was played: it loses in 4, but a draw was possible."


def test_the_bars_of_the_board_lead_there_and_are_left_out_where_nothing_is_proved() -> None:
    live = analysed()
    picture, above, below = analysis.bars(live, "/m/abc/analysis/", 3)
    assert (above, below) == ("Won for Orange", "Won for Blue")
    assert '<a class="here" href="/m/abc/analysis/?ply=3"' in picture and picture.count("<a ") == len(MATCH)
    assert analysis.bars(analysed("44", resigned=0), "/m/abc/analysis/", 0) != []
    live.facts.analysis = live.facts.analysis._replace(
        story=live.facts.analysis.story._replace(standings=(ResultAt(None),) * 5)
    )
    assert analysis.bars(live, "/m/abc/analysis/", 3) == []
    live.facts.analysis = None
    assert analysis.bars(live, "/m/abc/analysis/", 3) == []


def test_the_card_tells_it_from_the_side_of_the_reader() -> None:
    live = analysed()
    orange, blue = (markup.words(analysis.card(live, audience)) for audience in ("", "1"))
    for words in (orange, blue):
        assert "Decided since move 10" in words and "Proved" in words
        assert "11 of 13 moves that mattered" in words and "2 of 4 moves that mattered" in words
    assert "Result for Orange after each move: 1 to 2 won, 3 to 7 lost, 8 won, 9 lost, 10 to 31 won." in orange
    assert "Result after each move: 1 to 2 lost, 3 to 7 won, 8 lost, 9 won, 10 to 31 lost." in blue
    assert "From the side of Orange" in orange and "From the side" not in blue


def test_who_did_not_win_may_try_the_last_move_that_spoilt_the_result() -> None:
    live = analysed()
    said = "Move 10 threw away the win. Column 4 wins in 14. Try that position again"
    assert said in markup.words(analysis.card(live, "1"))
    assert '/m/abc/analysis/?ply=9&amp;again="' in analysis.card(live, "1")
    others = [analysis.card(live, "0"), analysis.card(live, ""), analysis.card(live, "1", lanes=False)]
    assert not any("Try that position" in markup.words(card) for card in others)
    assert "Try that position" not in analysis.card(analysed("44", resigned=0), "0"), "no move changed the result"
    story = live.facts.analysis.story
    only = [mark._replace(better=("3",), value=Worth(0)) if mark.ply == 10 else mark for mark in story.marks]
    live.facts.analysis = live.facts.analysis._replace(story=story._replace(marks=tuple(only)))
    said = "Column 3 was the only move: it draws. Try that position again"
    assert said in markup.words(analysis.card(live, "1"))


def test_an_open_page_gets_the_styles_with_the_analysis_which_it_cannot_show_without() -> None:
    styles = f'<link rel="stylesheet" href="{static("css/analysed.css")}">'
    live = analysed()
    assert styles in analysis.card(live, "", fragments.REPLACE) and styles not in analysis.card(live, "")
    live.facts.analysis = None
    assert styles not in analysis.card(live, "", fragments.REPLACE)
    for game in ("", "-nim", "-santorini"):
        before, after = (one_sheet(paths.FILES / f"static/css/match{over}{game}.css") for over in ("", "-over"))
        assert ".strip" not in before and ".strip" in after


def test_the_values_of_a_position_are_told_with_what_was_played() -> None:
    words = markup.words(analysis.values(analysed(), 12))
    for said in ("1 ▼ loses in 12", "4 ▲ wins in 12", "6 ▬ draws", "2 ▲ wins in 15 , played"):
        assert f"column {said}" in words
    assert "Column 4 wins in 12. Column 2 was played: it wins in 15, so nothing changed." in words
    assert "Column 2 wins in 19. Column 5 was played: it loses in 19, but a win was possible." in markup.words(
        analysis.values(analysed(), 2)
    )
    assert analysis.values(analysed(), len(MATCH)) == '<div id="values"></div>'


def test_of_many_moves_the_best_are_listed_and_the_one_that_was_played() -> None:
    known = {f"{n}": Worth(-1, 2 * n) for n in range(1, 21)} | {"21": Worth(1, 3)}
    listed = analysis.worths(Judged(0, "1", 40, known), artist("expanding-nim"))
    assert len(listed) == analysis.MOST_LISTED
    assert listed[0].best and listed[0].words == "wins in\N{NO-BREAK SPACE}2" and listed[-1].played


def test_a_match_that_was_given_up_when_it_was_won_is_not_decided_by_that() -> None:
    words = markup.words(analysis.card(analysed("44", resigned=0), ""))
    assert "Won for Orange from the start" in words and "Decided" not in words


def test_moves_have_their_remarks_in_the_list() -> None:
    live = analysed()
    scene = make_scene("abc", live.state, live.events, "0", beside=Beside(remarks=analysis.remarks(live)))
    rows = fragments.move_rows(scene)
    assert rows.count("remark grave") == 4 and rows.count('class="remark"') == 2
    third = rows.partition('id="m-3"')[2].partition("</li>")[0]
    assert "Threw away the win: column 2 wins in 19" in third


def test_programs_read_the_same_as_json() -> None:
    said = json.loads(json.dumps(analysis.to_json(analysed())))["analysis"]
    assert said["complete"] and said["decided"] == {"since": 10, "result": 1, "at_latest": False}
    assert said["mattered"] == [{"kept": 11, "of": 13}, {"kept": 2, "of": 4}]
    assert said["marks"][1] == {
        "ply": 3,
        "seat": 0,
        "kind": "threw_away_win",
        "better": ["2", "6"],
        "words": "Threw away the win: column 2 wins in 19",
    }
    assert len(said["values"]) == 31 and said["values"][2]["2"] == {"result": "win", "plies": 37}
    assert analysis.to_json(LiveMatch("abc", Played().state, Played().events)) == {}


def test_while_it_runs_nothing_is_said(settings: Any) -> None:
    settings.ARENA_WORK_SLOTS = 1
    match = Played(moves="44")
    assert analysis.card(LiveMatch("abc", match.state, match.events), "") == '<div id="analysis"></div>'


@pytest.mark.parametrize(("slots", "words"), [(1, analysis.NOT_YET), (0, "")])
def test_what_is_not_there_yet_is_said_where_it_will_come(slots: int, words: str, settings: Any) -> None:
    settings.ARENA_WORK_SLOTS = slots
    match = Played(moves="44").do(Resign(0))
    assert markup.words(analysis.card(LiveMatch("abc", match.state, match.events), "")) == words


def test_a_game_without_a_solver_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "is_solvable", lambda variant: False)
    match = Played(moves="44").do(Resign(0))
    live = LiveMatch("abc", match.state, match.events)
    assert markup.words(analysis.card(live, "")) == "There is no analysis: this game has no solver."
