"""A person in a browser plays whole matches against bots that the server runs itself, one of each protocol."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from arena.models import Bot, Player
from tests.browser.boards import post
from tests.browser.layout import LOOKS, picture, resized
from tests.browser.rows import Rows
from tests.browser.test_foreign_bots import play
from tests.browser.test_play import a_page, at_match
from tests.kit.samples import ALONE, SAMPLES, Sample, command
from tests.kit.server import Server, migrate

THINKER = Sample("fiar", "py")
BOTS = {sample.protocol: sample for sample in SAMPLES if sample.language == "c"}


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """pytest's own folders can be entered by their owner only."""
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def running(
    tmp_path_factory: pytest.TempPathFactory, built: Path, folder: Path, rows: Rows
) -> AsyncIterator[Server]:
    """The lowest level of the sandbox runs on every machine. A process of its own makes the pages."""
    data = tmp_path_factory.mktemp("children")
    migrate(data)
    server = Server(data, ARENA_BOTS=str(folder), ARENA_SANDBOX_MIN="0", ARENA_PAGES="1")
    for sample in BOTS.values():
        await rows(server, partial(_register, sample, _installed(sample, built, folder)))
    await rows(server, partial(_register, THINKER, _copied(THINKER.path, folder / "thinker"), "thinker", wire="public"))
    await server.start()
    yield server
    await server.stop()
    assert server.complaints == []


def _register(sample: Sample, words: list[str], name: str = "", **fields: str) -> None:
    slug, name = sample.protocol, name or sample.protocol
    player = Player.objects.create(kind=Player.Kind.BOT, name=name, slug=name)
    Bot.objects.create(player=player, variant=sample.variant, protocol=slug, family=name, command=words, **fields)


def _installed(sample: Sample, built: Path, folder: Path) -> list[str]:
    """Its command: the program lies in the folder of its bot, where the sandbox shows it."""
    [program] = command(sample, built)
    return [*_copied(Path(program), folder / sample.protocol), *ALONE.get(sample.protocol, ())]


def _copied(program: Path, own: Path) -> list[str]:
    own.mkdir(mode=0o755)
    shutil.copy(program, own / "bot")
    os.chmod(own / "bot", 0o755)
    return ["./bot"]


def test_there_is_one_of_each_protocol_in_c() -> None:
    assert sorted(BOTS) == ["droidcon", "fiar", "gamestate", "nyu-nim", "santorini-course", "santorini-json"]


@pytest.mark.cases(1)
@pytest.mark.parametrize("slug", BOTS)
async def test_it_plays_a_person_to_the_end(slug: str, browser: Browser, running: Server) -> None:
    page = await begun(browser, running, slug, BOTS[slug].variant)
    ended = await play(page)
    assert (ended["termination"], ended["variant"]) == ("normal", BOTS[slug].variant)


async def test_what_it_thinks_stands_beside_the_board(browser: Browser, running: Server) -> None:
    page = await begun(browser, running, "thinker", THINKER.variant)
    match = (await at_match(page)).url
    await post(page, f"{match}move/", ply=1, move="4")
    card, thoughts = page.locator("details:has(#thoughts)"), page.locator("#thoughts")
    await expect(page.locator("#m-2")).to_be_visible()
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url) if "/thoughts/" in request.url else None)
    for ply in (1, 2):
        await page.locator(f"#m-{ply} a").click()
        await expect(page.locator(".replay .shown")).to_contain_text(f"Move {ply}")
    assert asked == [], "a closed card asks nothing"
    await card.locator("summary").click()
    await expect(thoughts).to_contain_text("thinker")
    await expect(thoughts).to_contain_text("Expected moves: 4")
    await thoughts.scroll_into_view_if_needed()
    await post(page, f"{match}move/", ply=3, move="3")
    await expect(page.locator("#m-4")).to_be_visible()
    await post(page, f"{match}move/", ply=5, move="5")
    await expect(thoughts).to_contain_text("The other would win there.")
    await pictures(page, "live")
    await page.locator("#m-2 a").click()
    await expect(thoughts).to_contain_text("As near to the centre")
    await card.locator("summary").click()
    await page.locator("#m-6 a").click()
    await card.locator("summary").click()
    await expect(thoughts).to_contain_text("The other would win there.")
    await post(page, f"{match}resign/")
    await page.goto(f"{match}?ply=2")
    await expect(thoughts).to_contain_text("As near to the centre")
    await resized(page, 1280, 900)
    await page.locator(".replay [data-by=last]").click()
    await expect(thoughts).to_contain_text("The other would win there.")
    await pictures(page, "over")


async def pictures(page: Page, name: str) -> None:
    for width, scheme in LOOKS[:4]:
        await page.emulate_media(color_scheme=scheme)
        await resized(page, width, 900)
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await picture(page, f"thoughts-{name}-{width}-{scheme}")


async def begun(browser: Browser, running: Server, name: str, variant: str) -> Page:
    """The page of a person who plays the bot of this name."""
    page = await a_page(browser, running, "/r/new/")
    summary = page.locator(".summary")
    game = page.locator(f"label:has(#variant-{variant})")
    await game.click()
    await expect(game.locator("input")).to_be_checked()
    bot = page.locator("#f-side1 option", has_text=f"{name}, run by this server")
    await page.select_option("#f-side1", await bot.get_attribute("value"))
    await expect(summary).to_contain_text(f"you against {name}")
    await page.select_option("#f-clock", "2m")
    await expect(summary).to_contain_text("2:00 each")
    await page.click("label:has(#rounds-1)")
    await expect(summary).to_contain_text("1 round")
    await page.check("#pace-full")
    await page.click("#new-room >> text=Start")
    return page
