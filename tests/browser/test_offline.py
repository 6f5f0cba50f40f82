"""Without a network: copies of pages that were seen, games against built-in players, and no file of another version."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from arena.web.lobby.offline import addresses
from tests.browser.axe import violations
from tests.browser.sharing import server as server
from tests.browser.test_play import DEADLINE_MS, a_page, led_to
from tests.kit.chromium import POLL_MS
from tests.kit.server import Server

WORKER = Path(__file__).parents[2] / "static/js/service-worker.js"
CONTROLLED = """() => navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller
  || new Promise(done => navigator.serviceWorker.addEventListener("controllerchange", done))).then(() => true)"""
COPIED = "async path => Boolean(await caches.match(path))"
# Whatever may be pressed now that makes or prepares a move.
MOVES = "#controls:not([inert]) :is(button[name=move], .target, #take[type=submit]):not([aria-disabled])"


async def test_who_came_back_plays_every_game_without_a_network(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, service_workers="allow")
    assert await page.evaluate("navigator.serviceWorker.getRegistrations().then(all => all.length)") == 0
    await page.goto(f"{server.address}/games/")
    assert await page.evaluate(CONTROLLED)
    for path in ("/about/", "/?game=expanding-nim"):
        await page.goto(server.address + path)
        await page.wait_for_function(COPIED, arg=path, polling=POLL_MS)
    kept = await page.evaluate("async () => (await caches.match('/about/')).text()")
    assert 'csrfmiddlewaretoken" value=""' in kept and '"X-CSRFToken": ""' in kept
    await page.context.set_offline(True)
    await page.goto(f"{server.address}/about/")
    await expect(page.locator("#copy")).to_contain_text("The arena does not answer: this is a copy of the page from")
    await page.goto(f"{server.address}/t/")
    await expect(page.locator("h1")).to_have_text("Play offline")
    await page.goto(f"{server.address}/?game=expanding-nim")
    await page.locator("#take[type=submit]").click()
    await led_to(page, f"{server.address}/offline/?game=expanding-nim")
    await page.set_viewport_size({"width": 360, "height": 640})
    # The best one computes for as long as it may: in one game, for tests/web/test_players_in_script.py has all levels.
    for level, address in zip(("Best", *["Beginner"] * len(addresses())), addresses()[1:], strict=False):
        await page.goto(server.address + address)
        await page.get_by_text(level, exact=True).click()
        await page.get_by_role("button", name="New game").click()  # now the other one begins
        await expect(page.locator("#status")).to_contain_text(f"{level} played", timeout=DEADLINE_MS)
        assert await page.evaluate("document.documentElement.scrollWidth") == 360
        await expect(page.locator("#reader caption")).to_have_text("Board after move 1")
    await page.goto(server.address + addresses()[1])
    assert await violations(page) == []
    await _goes_on_after_a_reload(page)
    await _to_the_end(page)


async def test_an_answer_that_cannot_be_sent_leads_back_to_the_puzzle(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, service_workers="allow")
    await page.goto(f"{server.address}/puzzles/")
    assert await page.evaluate(CONTROLLED)
    await page.reload()
    await page.wait_for_function(COPIED, arg="/puzzles/", polling=POLL_MS)
    await page.context.set_offline(True)
    await page.evaluate("""() => {
      const form = document.createElement("form");
      [form.method, form.action] = ["post", "/puzzles/"];
      document.body.append(form);
      form.submit();
    }""")
    await expect(page.locator("#copy")).to_contain_text("The arena does not answer")
    await expect(page).to_have_url(f"{server.address}/puzzles/")


async def _goes_on_after_a_reload(page: Page) -> None:
    discs = page.locator("#pieces use[href^='#d']")
    await page.get_by_text("Random", exact=True).click()
    await page.locator(MOVES).nth(0).click()
    await expect(page.locator("#status")).to_contain_text("Random played", timeout=DEADLINE_MS)
    shown = await discs.count()
    await page.reload()
    await expect(page.locator("#status")).to_contain_text("Your match goes on. Your turn", timeout=DEADLINE_MS)
    await expect(discs).to_have_count(shown)
    await expect(page.get_by_role("radio", name="Random")).to_be_checked()
    await page.evaluate(
        'for (const key of Object.keys(localStorage)) localStorage.setItem(key, \'{"played": ["99"]}\')'
    )
    await page.reload()
    await expect(page.locator("#status")).to_contain_text("Your turn: you are Orange.", timeout=DEADLINE_MS)
    await expect(discs).to_have_count(0)


async def _to_the_end(page: Page) -> None:
    """By keys alone: into the column where the focus is, and when that one is full into the next."""
    await page.get_by_text("Random", exact=True).click()
    status = page.locator("#status")
    for turn in range(42):
        await page.locator(MOVES).nth(0).press("Enter")
        await expect(status).not_to_contain_text("thinking", timeout=DEADLINE_MS)
        if "New game?" in await status.inner_text():
            return
        assert turn < 41, "a board of 42 holes is full"


async def test_what_stands_in_for_a_page_makes_way_for_it_when_the_server_answers(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server, service_workers="allow")
    await page.goto(f"{server.address}/about/")
    assert await page.evaluate(CONTROLLED)
    await page.goto(f"{server.address}/about/")
    await page.wait_for_function(COPIED, arg="/about/", polling=POLL_MS)
    head, asked, copy = page.locator("h1"), page.locator("#asked"), page.locator("#copy")
    await page.context.set_offline(True)
    await page.goto(f"{server.address}/offline/")
    await expect(asked).to_be_hidden()
    await page.goto(f"{server.address}/about/")
    await expect(copy).to_be_visible()
    await page.context.set_offline(False)
    await expect(copy).to_have_count(0, timeout=DEADLINE_MS)
    await page.context.set_offline(True)
    await page.goto(f"{server.address}/t/")
    await expect(asked).to_contain_text("The page that you opened comes as soon as it does.")
    assert await violations(page) == []
    await page.context.set_offline(False)
    await expect(head).to_have_text("Tournaments", timeout=DEADLINE_MS)
    # Not over the head of who has begun something meanwhile.
    await page.context.set_offline(True)
    await page.goto(f"{server.address}/rank/")
    await page.locator(MOVES).nth(0).click()
    await expect(page.locator("#status")).to_contain_text("Club played", timeout=DEADLINE_MS)
    await page.reload()
    await expect(page.locator("#status")).to_contain_text("Your match goes on.", timeout=DEADLINE_MS)
    await page.context.set_offline(False)
    await asked.get_by_role("link").click(timeout=DEADLINE_MS)
    await expect(head).to_have_text("Leaderboards", timeout=DEADLINE_MS)


async def test_a_worker_older_than_the_server_gives_no_page_a_script_of_another_version(browser: Browser) -> None:
    """Against a site of two pages that becomes another version, with the worker that we serve."""
    with _a_site() as site:
        context = await browser.new_context()
        page = await context.new_page()
        await page.goto(f"{site.address}/seen/")
        await page.evaluate("navigator.serviceWorker.register('/sw.js').then(() => 0)")
        assert await page.evaluate(CONTROLLED)
        await page.goto(f"{site.address}/seen/")
        await page.wait_for_function(COPIED, arg="/seen/", polling=POLL_MS)
        site.version = "b" * 10  # the worker is still the old one
        await page.goto(f"{site.address}/seen/")
        assert await page.evaluate("[document.body.dataset.page, window.ran]") == ["b" * 10, "b" * 10]
        await context.set_offline(True)
        await page.goto(f"{site.address}/seen/")
        assert await page.evaluate("[document.body.dataset.page, window.ran]") == ["a" * 10, "a" * 10]
        await expect(page.locator("#back")).to_have_text("/m/x/back//")
        await context.set_offline(False)
        site.worker = site.version
        await page.evaluate("navigator.serviceWorker.getRegistration().then(each => each.update()).then(() => 0)")
        await page.wait_for_function(
            "async () => (await caches.keys()).every(name => name.endsWith('b'.repeat(10)))", polling=POLL_MS
        )
        await _nothing_of_others_is_kept(page, site)
        await context.close()


async def _nothing_of_others_is_kept(page: Page, site: _Site) -> None:
    await page.goto(f"{site.address}/mine/")
    await page.goto(f"{site.address}/seen/")
    await page.wait_for_function(COPIED, arg="/seen/", polling=POLL_MS)
    assert not await page.evaluate(COPIED, "/mine/")
    await page.evaluate("fetch('/logout/', { method: 'POST' }).then(answer => answer.status)")
    assert not await page.evaluate(COPIED, "/seen/")


class _Site(ThreadingHTTPServer):
    """Its pages run the script of their version and say both; `/mine/` is one reader's own."""

    version = worker = "a" * 10

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answers(BaseHTTPRequestHandler):
    server: _Site

    def do_GET(self) -> None:
        name = f"/static/{self.server.version}/it.js"
        page = f"<header></header><body data-page={self.server.version}><script src={name}></script>"
        page += "<i id=back>/m/x/back/Wz:1-s_Q/"
        own = [f"/static/{self.server.worker}/it.js"]
        words = {"copy": "The arena does not answer: this is a copy of the page from {time}.", "play": "Play offline"}
        known = f"const VERSION = '{self.server.worker}', LANGUAGE = 'en', FILES = {own}, PAGES = [], SAID = {words};\n"
        known += f"const RETURNS = '{own[0]}';\n"
        match self.path.split("/")[1]:
            case "sw.js":
                self._say("text/javascript", known + WORKER.read_text())
            case "static":
                self._say("text/javascript", f"window.ran = '{self.path.split('/')[2]}'")
            case "mine":
                self._say("text/html", page, "private, no-store")
            case _:
                self._say("text/html", page)

    def do_POST(self) -> None:
        self._say("text/plain", "")

    def log_message(self, *_: object) -> None:
        pass

    def _say(self, kind: str, body: str, kept: str = "no-cache") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", kept)
        self.end_headers()
        self.wfile.write(body.encode())


@contextmanager
def _a_site() -> Iterator[_Site]:
    with _Site(("127.0.0.1", 0), _Answers) as site:
        thread = threading.Thread(target=site.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()
