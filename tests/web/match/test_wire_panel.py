"""The rows that a page of a wire shows, and the way to those before them."""

from __future__ import annotations

import re

from arena.host import Host
from arena.web.match import wire_panel
from arena.web.match.wire_panel import MOST_ROWS
from arena.web.match.wire_rows import Reading
from tests.kit.browsing import HTMX, Person, text
from tests.web.match.test_wire import a_match, over

LINES = MOST_ROWS + 50


def numbers(shown: str) -> list[int]:
    return [int(n) for n in re.findall(r'data-n="(\d+)"', shown)]


async def test_the_page_shows_the_newest_rows_and_leads_to_those_before(host: Host) -> None:
    live, wire = await a_match(host)
    for n in range(LINES):
        wire.received(f"line {n}\n".encode(), 0.0)
    await over(host, live)
    shown = text(await Person().get(f"/m/{live.id}/wire/1/"))
    newest = LINES + 3
    first = newest - MOST_ROWS + 1
    assert numbers(shown) == list(range(first, newest + 1))
    assert f"?tab=wire&amp;before={first}" in shown and "Show earlier" in shown
    earlier = text(await Person().get(f"/m/{live.id}/wire/1/?before={first}", **HTMX))
    assert numbers(earlier) == list(range(1, first)) and earlier.startswith("<li")
    page = text(await Person().get(f"/m/{live.id}/?tab=wire&before={first}"))
    assert numbers(page) == list(range(1, first)) and "Show earlier" not in page


async def test_without_javascript_the_page_itself_has_the_rows(host: Host) -> None:
    live, _ = await a_match(host)
    await over(host, live)
    page = text(await Person().get(f"/m/{live.id}/?tab=wire&filter=errors"))
    assert 'data-tab="wire"' in page and "YOUR_MOVE" in page and 'data-filter="errors"' in page
    assert "YOUR_MOVE" not in text(await Person().get(f"/m/{live.id}/"))
    assert 'data-tab="moves"' in text(await Person().get(f"/m/{live.id}/?tab=nonsense"))


async def test_a_frame_appends_rows(host: Host) -> None:
    live, _ = await a_match(host)
    rows = list(Reading().rows((await host.wires.read(live, 1)).splitlines()))
    frame = wire_panel.frame(1, rows, live)
    assert frame.startswith('<div hx-swap-oob="beforeend:#wire-1"><li') and numbers(frame) == [1, 2, 3]
