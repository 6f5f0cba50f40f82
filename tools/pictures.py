"""Pictures of the pages: `python -m tools.pictures [FOLDER]` makes those in docs/pictures, or the same in FOLDER.

With `--all` it makes each of them in FOLDER at five widths, light and dark, for comparison. It reaches the states as
people do, on a server of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

from playwright.async_api import Browser, Page, async_playwright

from tests.browser.boards import two_people
from tests.browser.test_play import Bot, my_turn, shows
from tests.kit.chromium import FLAGS, program
from tests.kit.contexts import contexts_of
from tests.kit.server import ROOT, Server, environment, migrate
from tests.kit.visiting import Visitor

USUAL = ROOT / "docs" / "pictures"
WIDTHS = ((360, 640), (390, 844), (768, 1024), (1280, 800), (1920, 1080))
# After seven moves of a win that the loser then gives away, and to its end.
LOST = ("4", "1", "4", "1", "4", "2")
# The bot begins, and the guest is to move.
MOVES = ("4", "3", "4", "4", "5", "2", "3")
SANTORINI = ("c3", "c1", "d4", "e3", "d4-c4+b4", "c1-b2+a3", "c4-b4+a3")
EVENT = """
name = "Friday cup"
variant = "connect-four-7x6"
format = "round-robin"
entry = [{seat = "builtin:casual"}, {seat = "builtin:club"}, {seat = "builtin:beginner"}]
"""


class State(NamedTuple):
    """A picture: its page, window and theme, and how the page gets there."""

    name: str
    size: tuple[int, int]
    scheme: str
    reach: Callable[[Browser, Server], Awaitable[Page]]


def _at(path: str) -> Callable[[Browser, Server], Awaitable[Page]]:
    async def reach(browser: Browser, server: Server) -> Page:
        context = await contexts_of(browser).take(server.address, {"reduced_motion": "reduce"})
        page = await context.new_page()
        await page.goto(server.address + path)
        return page

    return reach


def _match(variant: str, moves: tuple[str, ...], end: str = "") -> Callable[[Browser, Server], Awaitable[Page]]:
    """A match in the middle, or at its end: `won` by the player in the browser, or `lost` by giving up."""

    async def reach(browser: Browser, server: Server) -> Page:
        page, _ = await two_people(browser, server, variant, clock="5m", moves=moves)
        if end == "won":
            await page.click("#col-4")
        elif end == "lost":
            await page.click(".actions summary")
            await page.click(".ask form.resign button")
        if end:
            await page.wait_for_selector(".headline h2")
        return page

    return reach


async def _against_a_bot(browser: Browser, server: Server) -> Page:
    """A guest, in the middle of a match with a bot on its socket."""
    bot = await Bot.join(server, "friday-4")
    page = await _at("/r/friday-4/")(browser, server)
    await page.click("text=Sit down and play")
    for ply, move in enumerate(MOVES):
        if ply % 2:
            await my_turn(page)
            await page.click(f"#col-{move}")
        else:
            await bot.until("YOUR_MOVE")
            bot.say(f"PUT {int(move) - 1}")
    await shows(page, len(MOVES))
    await my_turn(page)
    return page


async def _analysis(browser: Browser, server: Server) -> Page:
    page = await _match("connect-four-7x6", LOST, "won")(browser, server)
    await page.goto(f"{page.url}analysis/?ply=2")
    await page.wait_for_selector("#values li")
    return page


async def _invitation(browser: Browser, server: Server) -> Page:
    host = Visitor(server.port)
    await host.get("/")
    room = (await host.post("/r/friend/", variant="connect-four-7x6")).headers["Location"]
    return await _at(room)(browser, server)


async def _tournament(browser: Browser, server: Server) -> Page:
    return await _at("/t/friday-cup/")(browser, server)


STATES = (
    State("match", (1280, 800), "light", _against_a_bot),
    State("home", (1280, 900), "light", _at("/")),
    State("turn", (390, 844), "light", _match("connect-four-7x6", ("4", "4", "3", "5"))),
    State("won", (390, 844), "light", _match("connect-four-7x6", LOST, "won")),
    State("lost", (390, 844), "dark", _match("connect-four-7x6", LOST[:4], "lost")),
    State("nim", (1280, 800), "light", _match("expanding-nim", ("3", "4", "5r", "3", "6", "7"))),
    State("santorini", (1280, 800), "light", _match("santorini-6x6", SANTORINI[:6])),
    State("analysis", (1280, 800), "dark", _analysis),
    State("invitation", (390, 844), "light", _invitation),
    State("tournament", (1280, 900), "light", _tournament),
    State("watch", (1280, 700), "dark", _at("/watch/")),
)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.pictures", description="Pictures of the pages.")
    parser.add_argument("folder", nargs="?", type=Path, help="without it, those in docs/pictures are made anew")
    parser.add_argument("--all", action="store_true", help="each at five widths, light and dark, for comparison")
    asked = parser.parse_args(arguments)
    if asked.all and asked.folder is None:
        parser.error("--all needs a folder: docs/pictures has one picture of each page")
    folder = asked.folder or USUAL
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="arena-pictures-") as data:
        asyncio.run(_made(Path(data), folder, asked.all))
    return 0


async def _made(data: Path, folder: Path, every: bool) -> None:
    migrate(data)
    event = data / "event.toml"
    event.write_text(EVENT, encoding="utf-8")
    words = ("tournament", "run", str(event))
    command = [sys.executable, "manage.py", *words]
    await asyncio.to_thread(subprocess.run, command, cwd=ROOT, env=environment(data), check=True, capture_output=True)
    server = Server(data)
    await server.start()
    try:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=program(), args=FLAGS)
            for state in STATES:
                page = await state.reach(browser, server)
                await _pictures(page, state, folder, every)
                print(state.name, flush=True)
                await page.close()
            await browser.close()
    finally:
        await server.stop()


async def _pictures(page: Page, state: State, folder: Path, every: bool) -> None:
    looks = [(state.size, state.scheme)]
    if every:
        looks = [(size, scheme) for size in WIDTHS for scheme in ("light", "dark")]
    for (width, height), scheme in looks:
        await page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        await page.set_viewport_size({"width": width, "height": height})
        await page.evaluate("scrollTo(0, 0)")
        await page.wait_for_timeout(300)
        name = f"{state.name}-{width}-{scheme}" if every else state.name
        await page.screenshot(path=folder / f"{name}.jpg", type="jpeg", quality=80)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
