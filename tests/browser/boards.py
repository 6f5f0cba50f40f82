"""Two people at a board: one of them in a real browser, the other by plain forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode, urljoin

from playwright.async_api import Browser, Page
from websockets.asyncio.client import ClientConnection
from websockets.typing import Origin

from tests.browser.test_play import a_page, shows
from tests.kit.server import Server
from tests.kit.sockets import connect
from tests.kit.visiting import Visitor

# The name of what has the focus.
FOCUSED = "document.activeElement.id"
# How high and how far down everything of the match is that must never move.
PLACES = """() => ["#pieces", "#controls", "#p-near", "#status"].map(id => {
  const { top, height } = document.querySelector(id).getBoundingClientRect();
  return [id, Math.round(top + scrollY), Math.round(height)];
})"""


# Where nothing may move: on a desk and on two phones.
SIZES = ((1280, 900), (390, 844), (360, 740))


async def on_every_size(page: Page) -> list[Page]:
    """The match of this page on pages of these sizes, all of the same person."""
    pages = [page, *[await page.context.new_page() for _ in SIZES[1:]]]
    for each, (width, height) in zip(pages, SIZES, strict=True):
        await each.set_viewport_size({"width": width, "height": height})
        await each.goto(page.url)
    return pages


async def places(pages: Sequence[Page]) -> list[Any]:
    """`PLACES` of each page; none of them scrolls sideways."""
    for page, (width, _) in zip(pages, SIZES, strict=True):
        assert await page.evaluate("document.documentElement.scrollWidth") == width
    return [await page.evaluate(PLACES) for page in pages]


async def all_show(pages: Sequence[Page], ply: int) -> None:
    for page in pages:
        await shows(page, ply)


class Other:
    """Somebody who sits in the same match without a browser: there by a websocket, and moves by forms."""

    def __init__(self, visitor: Visitor, match: str, socket: ClientConnection) -> None:
        self._visitor, self._match, self._socket = visitor, match, socket

    @classmethod
    async def at(cls, match: str, visitor: Visitor, page: Page) -> Other:
        """At the match with this path, as long as the page of who is in the browser is open."""
        address, cookie = f"ws://127.0.0.1:{visitor.port}/ws{match}", {"Cookie": visitor.cookie}
        origin = Origin(f"http://127.0.0.1:{visitor.port}")
        socket = await connect(address, origin=origin, additional_headers=cookie, max_queue=None)
        page.on("close", lambda _: socket.transport.abort())
        return cls(visitor, match, socket)

    async def play(self, ply: int, *parts: str) -> None:
        answer = await self._visitor.post(f"{self._match}move/", ply=str(ply), move=parts)
        assert answer.status == 302, answer.text

    async def offer(self, **fields: str) -> None:
        answer = await self._visitor.post(f"{self._match}offer/", **fields)
        assert answer.status == 302, answer.text

    async def resign(self) -> None:
        answer = await self._visitor.post(f"{self._match}resign/")
        assert answer.status == 302, answer.text

    async def rematch(self, **fields: str) -> None:
        answer = await self._visitor.post(f"{self._match}rematch/", **fields)
        assert answer.status == 302, answer.text

    def leave(self) -> None:
        """Close the page."""
        self._socket.transport.abort()


async def two_people(
    browser: Browser,
    server: Server,
    variant: str,
    first: bool = True,
    clock: str = "none",
    moves: Sequence[str] = (),
    **options: Any,
) -> tuple[Page, Other]:
    """The one in the browser, who moves first unless told otherwise, and the other. The page is opened after `moves`:
    before, both play without one.
    """
    people = [Visitor(server.port), Visitor(server.port)]
    match = await a_match_of(people, variant=variant, clock=clock)
    me, other = people if first else reversed(people)
    page = await a_page(browser, server, "", me, **options)
    both = [await Other.at(match, each, page) for each in people]
    for ply, move in enumerate(moves, start=1):
        await both[(ply - 1) % 2].play(ply, move)
    await page.goto(server.address + match)
    await shows(page, len(moves))
    return page, both[people.index(other)]


async def a_match_of(people: Sequence[Visitor], **choices: str) -> str:
    """One opens a room by its form, the other sits down; gives the path of their match."""
    host, friend = people
    await host.get("/r/new/")
    room = (await host.post("/r/new/", **{"rounds": "1", **choices})).headers["Location"]
    await friend.get(room)
    return (await friend.post(f"{room}sit/")).headers["Location"]


async def post(page: Page, address: str, **fields: Any) -> str:
    """Send a form as this visitor; where it leads to, which is not fetched."""
    token = await page.locator("[name=csrfmiddlewaretoken]").first.get_attribute("value")
    sent = [("csrfmiddlewaretoken", str(token))]
    for name, value in fields.items():
        sent += [(name, str(each)) for each in ([value] if isinstance(value, str | int) else value)]
    answer = await page.request.post(
        address,
        data=urlencode(sent),
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        max_redirects=0,
    )
    assert answer.status == 302, f"{address}: {answer.status}"
    return urljoin(address, answer.headers["location"])


async def tab_to(page: Page, prefixes: Sequence[str]) -> None:
    """Press Tab until something whose id begins so has the focus."""
    for _ in range(60):
        await page.keyboard.press("Tab")
        if str(await page.evaluate(FOCUSED)).startswith(tuple(prefixes)):
            return
    raise AssertionError(f"60 tabs, and none of {prefixes} was reached")
