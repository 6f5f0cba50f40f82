"""A first visit over a slow line: the requests, bytes and first paint of each first page, beside their goals.

tests/browser/first_pages.py lists the pages and counts. A browser with an empty cache opens each page, on a server as
people run it. The line has a round trip of 400 ms and 400 kbit/s, and the processor is four times slower.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from playwright.async_api import Browser, async_playwright

from tests.browser import first_pages
from tests.browser.first_pages import KB, FirstPage, Visit
from tests.browser.rows import Rows
from tests.kit.chromium import FLAGS, program
from tests.kit.server import Server, migrate
from tools.bench.figures import Figure
from tools.bench.load import TooBusy

MOST_PAINT_S = 2.5
LATENCY_MS, BYTES_A_SECOND, TIMES_SLOWER = 400, 50_000, 4
_LINE: dict[str, Any] = {"offline": False, "latency": LATENCY_MS}
SLOW = {
    "Network.enable": {},
    "Network.emulateNetworkConditions": _LINE
    | dict.fromkeys(("downloadThroughput", "uploadThroughput"), BYTES_A_SECOND),
    "Emulation.setCPUThrottlingRate": {"rate": TIMES_SLOWER},
}


def run(repeats: int = 3, pages: int | None = None) -> Iterator[Figure]:
    """Raises TooBusy if no Chromium is installed. `pages` is the number of pages to open, None for all."""
    try:
        program()
    except AssertionError as why:
        raise TooBusy(str(why)) from None
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        yield from asyncio.run(_measured(Path(folder), repeats, pages))


async def _measured(folder: Path, repeats: int, most: int | None) -> list[Figure]:
    migrate(folder)
    server = Server(folder)
    await server.start()
    try:
        pages = dict(islice((await first_pages.first_pages(server, Rows(nullcontext))).items(), most))
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=program(), args=FLAGS)
            figures = [
                figure for name, page in pages.items() for figure in await _of(browser, server, name, page, repeats)
            ]
            await browser.close()
        kept = (await first_pages.precached(server)).whole / KB
        return [*figures, Figure("precache, after a first match: KB", kept, None, "")]
    finally:
        await server.stop()


async def _of(browser: Browser, server: Server, name: str, page: FirstPage, repeats: int) -> list[Figure]:
    visits: list[Visit] = [await first_pages.visited(browser, server, page, SLOW) for _ in range(repeats)]
    weight = max((visit.weight for visit in visits), key=lambda each: each.whole)
    paints = [visit.paint for visit in visits]
    light = first_pages.MOST_WITHOUT_FONT / KB
    worst = f"worst of {repeats} {max(paints):.2f}"
    return [
        Figure(f"{name}: requests", len(weight.parts), first_pages.MOST_REQUESTS, "", at_most=True),
        Figure(f"{name}: KB", weight.whole / KB, first_pages.MOST_BYTES / KB, "", at_most=True),
        Figure(f"{name}: KB without the font", weight.without_font / KB, light, "", at_most=True),
        Figure(f"{name}: first paint, seconds", median(paints), MOST_PAINT_S, worst, at_most=True),
    ]
