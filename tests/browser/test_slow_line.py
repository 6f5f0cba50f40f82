"""A browser behind a slow line, which answers the server's pings by itself: what its player sees and gets back."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Browser, expect

from arena.match import record
from tests.browser.boards import Other, a_match_of
from tests.browser.couples import connected, drop
from tests.browser.sharing import server as server
from tests.browser.test_play import a_page, my_turn, shows
from tests.kit.proxying import SlowLine
from tests.kit.server import Server
from tests.kit.visiting import Visitor

HELD_S = 0.15
# What is read aloud when it changes, with all around it.
ALOUD = "[aria-live], [role=status], [role=alert], [role=log]"


async def test_a_timed_match_behind_a_slow_line_costs_only_thinking(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    async with SlowLine.to(server, tmp_path, HELD_S) as line:
        people = [Visitor(line.port), Visitor(server.port)]
        match = await a_match_of(people, variant="connect-four-7x6", clock="5m")
        page = await a_page(browser, line, match, people[0])
        other = await Other.at(match, people[1], page)
        await connected(page)
        for ply in (1, 3, 5):
            await my_turn(page)
            await drop(page, 4)
            await shows(page, ply)
            await other.play(ply + 1, "3")
        await expect(page.locator("#p-near .who")).to_contain_text("Slow line: 3")
        assert await page.locator(f":is({ALOUD}):has(.who), .who :is({ALOUD})").count() == 0, "it is only seen"
        await expect(page.locator("#p-far .who")).not_to_contain_text("Slow line: 3")
        await other.resign()
        await expect(page.locator(".headline")).to_contain_text("You won")
        await expect(page.locator("#p-near .who")).not_to_contain_text("Slow line")
        events = record.verify((await people[1].get(f"{match}record.jsonl")).text.encode()).events
        assert line.complaints == []
    last = [event for event in events if event.kind == "move" and event.seat == 0][-1]
    assert (last.elapsed_ms or 0) >= last.data["given_back_ms"] >= 2000 * HELD_S
