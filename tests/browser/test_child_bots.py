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
from playwright.async_api import Browser, expect

from arena.models import Bot, Player
from tests.browser.rows import Rows
from tests.browser.test_foreign_bots import play
from tests.browser.test_play import a_page
from tests.kit.samples import ALONE, SAMPLES, Sample, command
from tests.kit.server import Server, migrate

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
    """The lowest level of the sandbox runs on every machine."""
    data = tmp_path_factory.mktemp("children")
    migrate(data)
    server = Server(data, ARENA_BOTS=str(folder), ARENA_SANDBOX_MIN="0")
    for sample in BOTS.values():
        await rows(server, partial(_register, sample, _installed(sample, built, folder)))
    await server.start()
    yield server
    await server.stop()
    assert server.complaints == []


def _register(sample: Sample, words: list[str]) -> None:
    slug = sample.protocol
    player = Player.objects.create(kind=Player.Kind.BOT, name=slug, slug=slug)
    Bot.objects.create(player=player, variant=sample.variant, protocol=slug, family=slug, command=words)


def _installed(sample: Sample, built: Path, folder: Path) -> list[str]:
    """Its command: the program lies in the folder of its bot, where the sandbox shows it."""
    [program] = command(sample, built)
    own = folder / sample.protocol
    own.mkdir(mode=0o755)
    shutil.copy(program, own / "bot")
    os.chmod(own / "bot", 0o755)
    return ["./bot", *ALONE.get(sample.protocol, ())]


def test_there_is_one_of_each_protocol_in_c() -> None:
    assert sorted(BOTS) == ["droidcon", "fiar", "gamestate", "nyu-nim", "santorini-course", "santorini-json"]


@pytest.mark.cases(1)
@pytest.mark.parametrize("slug", BOTS)
async def test_it_plays_a_person_to_the_end(slug: str, browser: Browser, running: Server) -> None:
    page = await a_page(browser, running, "/r/new/")
    summary = page.locator(".summary")
    game = page.locator(f"label:has(#variant-{BOTS[slug].variant})")
    await game.click()
    await expect(game.locator("input")).to_be_checked()
    bot = page.locator("#f-side1 option", has_text=f"{slug}, run by this server")
    await page.select_option("#f-side1", await bot.get_attribute("value"))
    await expect(summary).to_contain_text(f"you against {slug}")
    await page.select_option("#f-clock", "2m")
    await expect(summary).to_contain_text("2:00 each")
    await page.click("label:has(#rounds-1)")
    await expect(summary).to_contain_text("1 round")
    await page.check("#pace-full")
    await page.click("#new-room >> text=Start")
    ended = await play(page)
    assert (ended["termination"], ended["variant"]) == ("normal", BOTS[slug].variant)
