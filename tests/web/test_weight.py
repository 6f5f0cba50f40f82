"""What a page weighs, as it is served: its HTML, every style sheet and every script of ours that it leads to."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from arena.host import Host
from tests.web.browsing import Person, text, two_people

MOST_BYTES = 150_000
# What came from elsewhere and is counted apart: htmx, its websockets, idiomorph.
FOREIGN = re.compile(r"django_htmx|vendor/")
JS = Path(__file__).parents[2] / "static/js"
# Kilobytes as they would travel compressed.
BUDGETS = {
    "prefs": 1.5,
    "live": 2.75,
    "connection": 2.0,
    "clock": 1.5,
    "replay": 2.0,
    "keys": 1.25,
    "menu": 1.0,
    "roving": 1.5,
    "sound": 1.5,
    "wire": 2.25,
    "copy": 1.0,
    "nim": 1.5,
    "santorini": 3.0,
    "turn": 1.75,
}


async def test_the_home_page_is_light(host: Host) -> None:
    assert weight(text(await Person().get("/"))) < MOST_BYTES


async def test_the_match_page_is_light(host: Host) -> None:
    live, first, second = await two_people(host)
    for ply in range(30):
        mover = second if ply % 2 else first
        await mover.play(live, live.state.position.legal_moves()[ply * 3 % len(live.state.position.legal_moves())])
        if live.over:
            break
    assert weight(text(await first.get(f"/m/{live.id}/"))) < MOST_BYTES


@pytest.mark.parametrize("name", BUDGETS)
def test_each_script_keeps_its_budget(name: str) -> None:
    assert len(gzip.compress((JS / f"{name}.js").read_bytes())) <= BUDGETS[name] * 1000


def weight(html: str) -> int:
    """Bytes, without compression."""
    found = set(re.findall(r'(?:src|href)="/static/([^"#?]+\.(?:css|js))', html))
    files: set[Path] = set()
    for name in found:
        if not FOREIGN.search(name):
            files |= set(with_imports(place(name)))
    assert {path.name for path in files} >= {"arena.css", "match.css", "prefs.js"}
    return len(html.encode()) + sum(path.stat().st_size for path in files)


def place(name: str) -> Path:
    found = finders.find(name)
    assert isinstance(found, str), f"{name} is linked and is not there"
    return Path(found)


def with_imports(path: Path) -> Iterator[Path]:
    yield path
    source = path.read_text(encoding="utf-8")
    for name in re.findall(r'@import url\("([^"]+)"\)|from "\./([^"]+)"', source):
        yield from with_imports(path.parent / (name[0] or name[1]))
