"""What a page weighs, as it is served: its HTML, every style sheet and every script of ours that it leads to."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from arena.host import Host
from arena.web.system.static_files import one_script, one_sheet, version
from tests.kit.browsing import Person, text, two_people

MOST_BYTES = 150_000
# What came from elsewhere and is counted apart: htmx, its websockets, idiomorph.
FOREIGN = re.compile(r"vendor")
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
    "chat": 1.0,
    "later": 0.75,
    "loud": 0.75,
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
    """Bytes of what travels, without compression: a style sheet is one file with what it imports."""
    found = set(re.findall(rf'(?:src|href)="/static/{version()}/([^"#?]+\.(?:css|js))', html))
    own = [place(name) for name in found if not FOREIGN.search(name)]
    pages = [path for path in own if path.suffix == ".js"]
    scripts = {file for path in pages for file in with_imports(path)}
    sheets = [one_sheet(path) for path in own if path.suffix == ".css"]
    assert "prefs.js" in {path.name for path in scripts} and ".match-board" in "".join(sheets)
    return len(html.encode()) + sum(len(one_script(path).encode()) for path in pages) + len("".join(sheets).encode())


def place(name: str) -> Path:
    found = finders.find(name)
    assert isinstance(found, str), f"{name} is linked and is not there"
    return Path(found)


def with_imports(script: Path) -> Iterator[Path]:
    yield script.resolve()
    for name in re.findall(r'^import .*"(\.[^"]+)"', script.read_text(encoding="utf-8"), re.MULTILINE):
        yield from with_imports(script.parent / name)
