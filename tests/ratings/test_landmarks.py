from __future__ import annotations

import re

import games
from arena.ratings.landmarks import SHARES, landmarks
from arena.web.words import title
from games.players import LEVELS
from tests.kit.server import ROOT


def test_every_level_stands_above_the_one_that_it_beats_and_club_where_everybody_begins() -> None:
    for variant in SHARES:
        marks = landmarks(variant)
        assert [mark.level for mark in marks] == [*reversed(LEVELS)]
        assert [mark.points for mark in marks] == sorted({mark.points for mark in marks}, reverse=True)
        assert dict(marks)["club"] == 1500
    assert dict(landmarks("connect-four-7x6"))["expert"] == 1500 + 382, "a score of 90 percent"
    assert landmarks("a-game-of-tomorrow") == []


def test_the_distances_are_those_that_were_measured() -> None:
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    table = text.partition("| beginner : random |")[2].partition("\n\n")[0]
    found = {
        name: re.findall(r"(\d+)% \((\d+) to", cells) for name, cells in re.findall(r"^\| (\D.+?) \|(.*)$", table, re.M)
    }
    for variant, shares in SHARES.items():
        name = title(games.variant(variant)).replace("\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}", "x").replace(" × ", "x")
        assert tuple(int(low if share == "100" else share) for share, low in found[name]) == shares, name
