"""The README is tested: its sessions run, and what it names is there."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from arena.protocols import protocols
from games.players import LEVELS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_sessions_say_what_it_shows() -> None:
    assert doctest.testfile(str(ROOT / "README.md"), module_relative=False).failed == 0


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_its_doors_are_the_doors() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| [^|]+ \| (\d+) \|", README, re.MULTILINE)
    assert {slug: int(port) for slug, port in rows} == {slug: adapter.port for slug, adapter in protocols().items()}


def test_it_names_all_levels() -> None:
    assert f"`{' '.join(LEVELS)}`" in README
