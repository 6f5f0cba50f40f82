from __future__ import annotations

import re

from arena.analysis.marks import ResultAt
from arena.web.drawing import strip

STANDINGS = [ResultAt(1, 41), ResultAt(1, 30), ResultAt(None), ResultAt(0), ResultAt(-1), ResultAt(-1, 1)]


def test_every_move_is_a_bar_in_the_lane_of_its_result() -> None:
    drawn = str(strip.draw(STANDINGS, "/m/abc/"))
    assert re.findall(r'class="(won|drawn|lost)"', drawn) == ["won", "drawn", "lost", "lost"]
    assert drawn.count("<a ") == 5 and 'href="/m/abc/?ply=5" data-step="5"' in drawn
    assert 'aria-hidden="true"' in drawn and drawn.count('tabindex="-1"') == 5


def test_the_nearer_the_end_the_taller() -> None:
    heights = re.findall(r'class="(?:won|lost)" .*?height="([\d.]+)"', str(strip.draw(STANDINGS, "/")))
    far, unknown, near = map(float, heights)
    assert unknown < far < near < 20


def test_bars_rise_where_seat_0_wins_and_fall_where_seat_1_does() -> None:
    drawn = str(strip.bars(STANDINGS, "/m/abc/analysis/", shown=4))
    found = re.findall(r'class="(won|drawn|lost)" x="\d+" y="([\d.]+)" width="8" height="([\d.]+)"', drawn)
    tops = [(name, float(y), float(y) + float(height)) for name, y, height in found]
    (won, drawn_one, *lost) = tops
    assert won[0] == "won" and won[1] < won[2] == 20
    assert drawn_one == ("drawn", 18, 22)
    assert [(name, top) for name, top, _ in lost] == [("lost", 20), ("lost", 20)] and lost[0][2] < lost[1][2]
    assert drawn.count("<a ") == 5 and '<a class="here" href="/m/abc/analysis/?ply=4" data-step="4"' in drawn


def test_the_same_is_told_in_words() -> None:
    said = strip.told(STANDINGS, "Orange")
    assert said == "Result for Orange after each move: 1 won, 2 not proved, 3 drawn, 4 to 5 lost."
    assert strip.told(STANDINGS[:1], "") == ""
