"""A Chromium and a small server of pages, for the tests of what JavaScript does.

The pages are the real templates and style sheets over matches of the functional core; the websocket is scripted by the
test (`Wire`), so that gaps, duplicates and closes come exactly when they are wanted.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.test import override_settings
from django.urls import path
from playwright.sync_api import Browser, BrowserContext, Page, WebSocketRoute, expect, sync_playwright

import games
from arena.web.match import fragments
from arena.web.match.scene import Scene, Signals
from tests.kit.chromium import FLAGS, program
from tests.kit.deadline import DEADLINE_S
from tests.web.played import Played


class Pages:
    """What the server shows: one match, or one scene of it with what stands beside it, and what was posted to it."""

    match = Played()
    drawn: Scene | None = None
    beside: dict[str, Any] = {}
    posted: list[dict[str, str]] = []
    resyncs: list[str] = []


def _scene(request: HttpRequest, **more: Any) -> Scene:
    audience = request.COOKIES.get("audience", "0").strip("-")
    ply = request.GET.get("ply")
    chosen = tuple(filter(None, request.GET.get("sel", "").split(",")))
    signals = Signals(now_ms=round(time.time() * 1000))
    return Pages.match.scene(audience, ply=None if ply is None else int(ply), chosen=chosen, signals=signals, **more)


def home(request: HttpRequest) -> HttpResponse:
    variant = games.variant("connect-four-7x6")
    stage = fragments.empty_stage(variant.title, variant.game, variant.start())
    levels = [{"name": "club", "title": "Club", "current": True}]
    shown = {"games": [], "sizes": [], "variant": variant, "levels": levels, "stage": stage, "me": "Teal Heron"}
    return render(request, "arena/home.html", shown | {"fields": {"variant": variant.slug}})


def match(request: HttpRequest) -> HttpResponse:
    scene = Pages.drawn or _scene(request)
    steps = {"back": max(scene.ply - 1, 0), "forward": min(scene.ply + 1, scene.plies)}
    context = {"scene": scene, "page": fragments.page(scene), "tab": "moves", **steps, **Pages.beside}
    return render(request, "arena/match.html", context)


def board(request: HttpRequest) -> HttpResponse:
    return HttpResponse(fragments.board_at(_scene(request)))


def live(request: HttpRequest) -> HttpResponse:
    Pages.resyncs.append(request.GET["have"])
    return HttpResponse(fragments.snapshot(_scene(request)))


def move(request: HttpRequest) -> HttpResponse:
    Pages.posted.append(request.POST.dict())
    return HttpResponse(status=204)


urlpatterns = [
    path("", home),
    path("play/", move),
    path("m/abc/", match),
    path("m/abc/board/", board),
    path("m/abc/live/", live),
    path("m/abc/move/", move),
]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def server() -> Iterator[str]:
    """The pages above, on a free port; gives their address."""
    settings = override_settings(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"])
    with settings, make_server("127.0.0.1", 0, get_wsgi_application(), _Server, _Quiet) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{running.server_port}"
        finally:
            running.shutdown()
            thread.join()


@contextmanager
def chromium() -> Iterator[Browser]:
    expect.set_options(timeout=DEADLINE_S * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def kept(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    """A context for the pages of many tests: its process, with what it has compiled, lives as long."""
    context = browser.new_context(**{"service_workers": "block", **options})
    context.set_default_timeout(DEADLINE_S * 1000)
    context.new_page()
    yield context
    context.close()


def empty(context: BrowserContext, address: str) -> None:
    """Close what a test has opened in a kept context, and forget what its pages have stored."""
    keeper, *others = context.pages
    for page in others:
        page.close()
    context.clear_cookies()
    speaks = context.new_cdp_session(keeper)
    speaks.send("Storage.clearDataForOrigin", {"origin": address, "storageTypes": "all"})
    speaks.detach()


@contextmanager
def opened(browser: Browser, **options: Any) -> Iterator[Page]:
    """A page of somebody new."""
    context = browser.new_context(**{"service_workers": "block", **options})
    context.set_default_timeout(DEADLINE_S * 1000)
    yield context.new_page()
    context.close()


# What is pressed has been sent by then.
SENT = "new Promise(done => setTimeout(() => setTimeout(done)))"


class Wire:
    """The server's end of the page's websocket. `heard` are the messages of the page, `urls` what it asked for;
    `greeting` is sent as soon as the page opens another one.
    """

    def __init__(self, page: Page) -> None:
        self.heard: list[str] = []
        self.urls: list[str] = []
        self.refuse = False
        self.greeting = ""
        self._page = page
        self._sockets: list[WebSocketRoute] = []
        page.route_web_socket("**/ws/**", self._opened)

    def _opened(self, socket: WebSocketRoute) -> None:
        self.urls.append(socket.url)
        self._sockets.append(socket)
        socket.on_message(lambda message: self.heard.append(str(message)))
        if self.refuse:
            socket.close(code=4408)
        elif self.greeting:
            socket.send(self.greeting)

    def sent(self) -> list[Any]:
        """All forms that the page has sent, once it has done what was pressed before."""
        self._page.evaluate(SENT)
        return [json.loads(message) for message in self.heard]

    def until_opened(self, times: int) -> None:
        """Wait until the page has opened its socket this many times. The page's own clock has to run meanwhile."""
        deadline = time.monotonic() + DEADLINE_S
        while len(self.urls) < times:
            assert time.monotonic() < deadline, f"opened {len(self.urls)} times, expected {times}"
            self._page.wait_for_timeout(20)

    def send(self, text: str) -> None:
        self._sockets[-1].send(text)

    def close(self, code: int) -> None:
        self._sockets[-1].close(code=code)

    def frame(self, base: int | None = None, audience: str = "0") -> None:
        """What the match sends now to a reader who has everything up to `base`, all but the last event by default."""
        self.send(self.framed(base, audience))

    def framed(self, base: int | None = None, audience: str = "0") -> str:
        have = len(Pages.match.events) - 1 if base is None else base
        return fragments.frame(Pages.match.scene(audience, base=have, signals=Signals(round(time.time() * 1000))))
