"""Pages to be read in a browser, games, protocols and errors: on every width and theme, sentences and cards too."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page

import games
from arena.protocols import protocols
from tests.browser.layout import are_fit
from tests.browser.sharing import server as server
from tests.browser.test_play import a_page
from tests.kit.server import Server

PAGES = [
    *("/games/", *(f"/games/{game.slug}/" for game in games.games())),
    *("/protocols/", "/protocols/errors/", "/about/"),
]
NOWHERE = ("/m/nothere/", "/r/nothere/", "/@/nobody/")
# What the Chromium of the tests says of service workers, which it is not to start.
NO_WORKER = "Service Worker registration blocked"


@pytest.mark.cases(2)
@pytest.mark.parametrize("slug", protocols())
async def test_every_protocol_is_fit_for_everybody(browser: Browser, server: Server, slug: str) -> None:
    await _is_fit(await a_page(browser, server, ""), server, f"/protocols/{slug}/")


@pytest.mark.cases(5)
@pytest.mark.parametrize("path", [*PAGES, *NOWHERE])
async def test_every_page_to_be_read_is_fit_for_everybody(browser: Browser, server: Server, path: str) -> None:
    await _is_fit(await a_page(browser, server, ""), server, path)


async def _is_fit(page: Page, server: Server, path: str) -> None:
    said = list[str]()
    page.on("console", lambda message: None if NO_WORKER in message.text else said.append(message.text))
    await are_fit(page, server.address, [path], in_sentences=True, in_cards=path.startswith("/protocols/"))
    assert path in NOWHERE or said == []
