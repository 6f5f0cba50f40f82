"""A foreign reading of exported events agrees with every table, and names what does not."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from arena.tournaments.export import summary
from tests.kit.tournaments import sheet
from tests.tournaments.made import KINDS, an_event
from tools import recompute


# In the last one a match is ruled otherwise after the next round was paired.
@pytest.mark.django_db
@pytest.mark.parametrize("dice", [*(f"recompute {kind}" for kind in KINDS), "p3 knockout 22"])
def test_every_number_of_an_event_with_everything_in_it_is_found_again(
    dice: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = summary(sheet(an_event(random.Random(dice), dice.split()[1])))
    file = tmp_path / "cup.json"
    file.write_text(json.dumps(said))
    assert recompute.main([str(file)]) == 0, capsys.readouterr().out
    assert "every number agrees" in capsys.readouterr().out
    said["standings"][0]["rank"] += 1
    file.write_text(json.dumps(said))
    assert recompute.main([str(file)]) == 1
    out = capsys.readouterr().out
    assert "NOT THE SAME" in out and f"{said['standings'][0]['name']}, rank: the file says" in out


def test_what_is_no_export_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.json").write_text("{}")
    assert recompute.main([str(tmp_path / "x.json")]) == 2
    assert "cannot be read as an exported tournament" in capsys.readouterr().err
    assert recompute.main([]) == 2
