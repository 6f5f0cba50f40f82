"""The pages on which people arrive for the first time, and what each of them weighs: for a test and for the bench.

What travels is counted until the load event, as compressed as it is served; headers and the websocket are not counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urlsplit

from playwright.async_api import Browser, Request

import games
from arena.analysis.matches import analyse
from arena.models import Puzzle, Tournament
from arena.models.whole_logs import log_of
from arena.protocols import protocols
from arena.work import analyses
from tests.browser import cups
from tests.browser.boards import a_match_of
from tests.browser.rows import Rows, account
from tests.kit.chromium import POLL_MS
from tests.kit.puzzles import MOVES
from tests.kit.server import Server
from tests.kit.visiting import Answer, Visitor

KB = 1024
MOST_REQUESTS, MOST_BYTES, MOST_WITHOUT_FONT, MOST_FONT = 8, 80 * KB, 50 * KB, 30 * KB
# HTML, styles and scripts of ours as a browser reads them.
MOST_OWN = 150_000
FONT, FOREIGN = ".woff2", "vendor.js"
COMPRESSED = {"Accept-Encoding": "gzip, br"}
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
# Guests are called by a colour and an animal, so nobody else has the name of the owner.
CUP, OWNER = "Zenith Cup", "Orla Quill"
# The moves after which a match of each game is looked at.
RUNNING = {
    "connect-four-7x6": tuple("4757744575227546572143215164621"),
    "expanding-nim": ("3", "4", "5r", "3", "6"),
    "santorini-6x6": ("c3", "c1", "d4", "e3", "d4-c4+b4"),
}


class FirstPage(NamedTuple):
    """Where it is, and who asks for it: somebody new, unless it is that of a player."""

    path: str
    visitor: Visitor


class Weight(NamedTuple):
    """What travelled: each address with its bytes. `own` is how much of ours that was before it was compressed."""

    parts: dict[str, int]
    own: int = 0

    @property
    def whole(self) -> int:
        return sum(self.parts.values())

    @property
    def without_font(self) -> int:
        return sum(size for name, size in self.parts.items() if not name.endswith(FONT))

    @property
    def excess(self) -> list[str]:
        """What is more than the goal."""
        rest = self.without_font
        goals = (MOST_BYTES, MOST_WITHOUT_FONT, MOST_FONT, MOST_REQUESTS, MOST_OWN)
        found = zip((self.whole, rest, self.whole - rest, len(self.parts), self.own), goals, strict=True)
        return [f"{have} of {most}: {self.parts}" for have, most in found if have > most]


async def first_pages(server: Server, rows: Rows) -> dict[str, FirstPage]:
    """The pages by their names. The matches are played here, of two people by their forms."""
    new = Visitor(server.port)
    found = {f"home, {each.slug}": FirstPage(f"/?game={each.slug}", new) for each in games.variants()}
    for variant, moves in RUNNING.items():
        people = _two(server)
        match = await _played(people, variant, moves)
        found |= {
            f"{variant}, player": FirstPage(match, people[len(moves) % 2]),
            f"{variant}, watcher": FirstPage(match, new),
        }
    people = _two(server)
    over = await _played(people, "connect-four-7x6", MOVES)
    room = (await people[0].post("/r/friend/", variant="santorini-6x6")).headers["Location"]
    more = await rows(server, lambda: _stored(over.split("/")[2]))
    paths = {"finished match": over, "invitation": room, "lobby": "/watch/", "archive": "/matches/", **more}
    return found | {name: FirstPage(path, new) for name, path in paths.items()}


def _two(server: Server) -> list[Visitor]:
    return [Visitor(server.port), Visitor(server.port)]


async def _played(people: Sequence[Visitor], variant: str, moves: Sequence[str]) -> str:
    match = await a_match_of(people, variant=variant, clock="5m")
    for ply, move in enumerate(moves, start=1):
        answer = await people[(ply - 1) % 2].post(f"{match}move/", ply=str(ply), move=move)
        assert answer.status == 302, answer.text
    return match


def _stored(match: str) -> dict[str, str]:
    """What has to be in the rows: a puzzle of this match, an event, somebody with an account."""
    analyses.store({"match": match}, analyse(analyses.job_of(log_of(match))))
    cup = Tournament.objects.filter(name=CUP).first() or cups.begun(CUP)
    return {
        "puzzle": f"/puzzles/{Puzzle.objects.latest('pk').pk}/",
        "tournament": f"/t/{cup.slug}/",
        "profile": f"/@/{account(OWNER).username}/",
        "protocol": f"/protocols/{min(protocols())}/",
    }


class _Links(HTMLParser):
    """What a page loads by itself."""

    RELATIONS = ("stylesheet", "icon", "preload")

    def __init__(self) -> None:
        super().__init__()
        self.addresses: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        loads = tag in ("script", "img", "use") or tag == "link" and given.get("rel") in self.RELATIONS
        address = given.get("src") or given.get("href") or ""
        if loads and address.startswith("/"):
            self.addresses.add(urldefrag(address).url)


async def weighed(pages: Mapping[str, FirstPage], language: str = "en") -> dict[str, Weight]:
    """What a browser has to load for each page, by what the page links."""
    loaded, found = dict[str, Answer](), dict[str, Weight]()
    for name, (path, visitor) in pages.items():
        page = await visitor.get(path, **COMPRESSED, **{"Accept-Language": language})
        assert page.status == 200, f"{name}: {page}"
        links = _Links()
        links.feed(page.text)
        for address in links.addresses - loaded.keys():
            loaded[address] = await visitor.get(address, **COMPRESSED)
        parts = {path: page} | {each: loaded[each] for each in sorted(links.addresses)}
        own = sum(len(each.text) for address, each in parts.items() if not address.endswith((FONT, FOREIGN)))
        found[name] = Weight({address: each.travelled for address, each in parts.items()}, own)
    return found


async def precached(server: Server) -> Weight:
    """What the service worker loads when it is registered, which is after a first match."""
    visitor = Visitor(server.port)
    worker = (await visitor.get("/sw.js")).text
    lists = [json.loads(found) for found in re.findall(r"^const (?:FILES|PAGES) = (.*);$", worker, re.MULTILINE)]
    addresses = [address for each in lists for address in each]
    return Weight({each: (await visitor.get(each, **COMPRESSED)).travelled for each in addresses})


class Visit(NamedTuple):
    """`paint` in seconds from the start of the navigation."""

    weight: Weight
    paint: float


def _path(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


async def visited(browser: Browser, server: Server, page: FirstPage, slow: Mapping[str, Any] = {}) -> Visit:
    """By a browser that has never been there. `slow` are commands of the developer tools, with what they are given."""
    context = await browser.new_context(service_workers="block")
    for name, value in page.visitor.cookies.items():
        await context.add_cookies([{"name": name, "value": value, "url": server.address}])
    tab, finished = await context.new_page(), list[Request]()
    tools = await context.new_cdp_session(tab)
    for command, values in slow.items():
        await tools.send(command, values)
    tab.on("requestfinished", lambda request: finished.append(request))
    await tab.goto(server.address + page.path, wait_until="load", timeout=120_000)
    loaded = [(_path(each.url), (await each.sizes())["responseBodySize"]) for each in list(finished)]
    assert len(loaded) == len(dict(loaded)), f"one of these was loaded twice: {loaded}"
    paint = await (await tab.wait_for_function(PAINTED, polling=POLL_MS)).json_value()
    await context.close()
    return Visit(Weight(dict(loaded)), paint / 1000)
