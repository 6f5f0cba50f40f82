"""A first visit over a slow line: requests, bytes and the first paint of three pages, each beside its goal.

A browser with an empty cache opens each page of a server as people run it. Bytes are all that travels, headers and
letters included, in KB of 1 024. The line is WebPageTest's "3G Slow" (400 ms there and back, 400 kbit/s), the processor
four times slower.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from playwright.async_api import Browser, async_playwright

from tests.kit.chromium import FLAGS, program
from tests.kit.server import ROOT, Server, environment, migrate
from tests.kit.visiting import Visitor
from tools.bench.figures import Figure
from tools.bench.load import TooBusy

MOST_REQUESTS, MOST_KB, MOST_PAINT_S = 8, 60.0, 2.5
LATENCY_MS, BYTES_A_SECOND, TIMES_SLOWER = 400, 50_000, 4
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


class Visit(NamedTuple):
    """`paint` in seconds from the start of the navigation."""

    requests: int
    kb: float
    paint: float


def run(repeats: int = 5) -> Iterator[Figure]:
    """Raises TooBusy where no Chromium is installed."""
    try:
        program()
    except AssertionError as why:
        raise TooBusy(str(why)) from None
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        yield from asyncio.run(_measured(Path(folder), repeats))


# A site with something to show: matches of `demo`, and an event.
EVENT = """
name = "Friday cup"
variant = "connect-four-7x6"
format = "round-robin"
entry = [{seat = "builtin:casual"}, {seat = "builtin:club"}, {seat = "builtin:beginner"}]
"""


async def _measured(folder: Path, repeats: int) -> list[Figure]:
    migrate(folder)
    await asyncio.to_thread(_fill, folder)
    server = Server(folder)
    await server.start()
    try:
        pages = await _pages(server)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=program(), args=FLAGS)
            visits = {name: [await _visit(browser, address) for _ in range(repeats)] for name, address in pages.items()}
            await browser.close()
    finally:
        await server.stop()
    return [figure for name, seen in visits.items() for figure in _figures(name, seen)]


def _fill(folder: Path) -> None:
    event = folder / "event.toml"
    event.write_text(EVENT, encoding="utf-8")
    for words in (["demo"], ["tournament", "run", str(event)]):
        command = [sys.executable, "manage.py", *words]
        subprocess.run(command, cwd=ROOT, env=environment(folder), check=True, timeout=600, stdout=subprocess.DEVNULL)


async def _pages(server: Server) -> dict[str, str]:
    """Their addresses, as a visitor finds them."""
    person = Visitor(server.port)
    match = re.search(r"/m/[a-z0-9]+/", (await person.get("/matches/")).text)
    event = re.search(r"/t/[a-z0-9-]*cup[a-z0-9-]*/", (await person.get("/t/")).text)
    assert match and event, "both have just been played"
    return {"home": server.address, "match": server.address + match[0], "event": server.address + event[0]}


def _figures(name: str, visits: list[Visit]) -> list[Figure]:
    paints = [visit.paint for visit in visits]
    requests = max(visit.requests for visit in visits)
    worst = f"worst of {len(visits)} {max(paints):.2f}"
    return [
        Figure(f"{name}: requests", requests, MOST_REQUESTS, "", at_most=True),
        Figure(f"{name}: KB", max(visit.kb for visit in visits), MOST_KB, "all that travels", at_most=True),
        Figure(f"{name}: first paint, seconds", median(paints), MOST_PAINT_S, worst, at_most=True),
    ]


async def _visit(browser: Browser, address: str) -> Visit:
    """By somebody who has never been here."""
    context = await browser.new_context(service_workers="block")
    page = await context.new_page()
    tools = await context.new_cdp_session(page)
    travelled: list[float] = []
    await tools.send("Network.enable")
    tools.on("Network.loadingFinished", lambda event: travelled.append(event["encodedDataLength"]))
    line = {"offline": False, "latency": LATENCY_MS}
    speed = {"downloadThroughput": BYTES_A_SECOND, "uploadThroughput": BYTES_A_SECOND}
    await tools.send("Network.emulateNetworkConditions", {**line, **speed})
    await tools.send("Emulation.setCPUThrottlingRate", {"rate": TIMES_SLOWER})
    await page.goto(address, wait_until="networkidle", timeout=120_000)
    paint = await page.evaluate(PAINTED)
    await context.close()
    return Visit(len(travelled), sum(travelled) / 1024, paint / 1000)
