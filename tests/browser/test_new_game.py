"""A game that is one file on the Python path, without a board of its own, is playable on the pages."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.browser.test_play import a_page, at_match, log
from tests.kit.chromium import POLL_MS
from tests.kit.server import ROOT, Server, migrate

# Our move of this number has been answered, or was the last one.
OURS_IS_ANSWERED = """number => {
  const { ply, status } = document.getElementById("live").dataset;
  return Number(ply) > number || status === "ended";
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def extended(tmp_path: Path) -> AsyncIterator[Server]:
    """A server that was given tic-tac-toe."""
    data = tmp_path / "data"
    migrate(data)
    running = Server(data, ROOT / "tests/data/plugin")
    await running.start()
    yield running
    await running.stop()
    assert running.complaints == []


async def test_tic_tac_toe_is_played_to_its_end(browser: Browser, extended: Server) -> None:
    page = await a_page(browser, extended)
    await page.click("text=Tic-tac-toe")
    await page.click("#t-b2")
    await at_match(page)
    status = page.locator("#status")
    for ply in (2, 4, 6, 8):
        # An even ply is ours to answer, unless the match ended before: by the other's move, or at an odd ply by ours.
        await expect(status).to_contain_text(re.compile("Your turn| won|Draw"))
        if "Your turn" not in await status.inner_text():
            break
        await page.locator("#controls button[name=move]").first.click()
        await page.wait_for_function(OURS_IS_ANSWERED, arg=ply + 1, polling=POLL_MS)
    ended = await log(page)
    assert ended["variant"] == "tic-tac-toe" and ended["termination"] == "normal"
    assert ended["reason"] in ("three in a row", "board full")
