"""Offline play: the page that works without a server, and the service worker that keeps it in the browser.

The worker is `static/js/service-worker.js`, preceded by the version of the files and the list of those that the offline
pages need. It changes with every byte of a file, so a browser replaces it, with everything it kept, on its own.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.utils.translation import get_language, gettext

import games
from arena.web.drawing import artist
from arena.web.languages import USUAL
from arena.web.lobby.home import USUAL_LEVEL, variant_named
from arena.web.match import fragments
from arena.web.system.static_files import version
from arena.web.views import page, view
from arena.web.words import level_name, title
from games import Game
from games.players.level import EVERY_LEVEL

# The rules, boards and players that the browser knows.
IN_THE_BROWSER = ("connect-four", "expanding-nim", "santorini")
# The kernel of the players is WebAssembly.
WITH_KERNEL = {"script-src": ["'wasm-unsafe-eval'"]}
WORKER, PLAYS, RETURNS = "js/service-worker.js", "js/offline.js", "js/returns.js"
_ALSO = ("css/arena.css", "js/vendor.js", "fonts/inter.woff2", "icons.svg", "favicon.svg", "manifest.webmanifest")
# Loaded when a board is turned.
_TURNED = "js/pages/turned.js"
# How a module names another file: an import, or the address of a worker or of the kernel.
_NAMED = re.compile(r"""(?:^import [^"]*|new URL\()"(\.[^"]+)\"""", re.MULTILINE)


@view("GET", hosted=False)
async def offline(request: HttpRequest) -> HttpResponse:
    """The board at `?game=`, a game or one of its variants, as on the home page; the script plays."""
    shown = variant_named(request.GET.get("game") or playable()[0].variants[0].slug)
    variants = [each for game in playable() for each in game.variants]
    context = {
        "variants": [{"slug": each.slug, "title": title(each), "current": each == shown} for each in variants],
        "levels": [
            {"name": each.name, "title": level_name(each.name), "current": each.name == USUAL_LEVEL}
            for each in EVERY_LEVEL
        ],
        "stage": fragments.empty_stage(title(shown), shown.game, shown.start()),
        "told": json.dumps({"variant": shown.slug, "settings": {}, "title": title(shown)}),
    }
    response = await page(request, "arena/offline.html", context)
    response._csp_update = WITH_KERNEL  # type: ignore[attr-defined]  # read by the middleware of django-csp
    return response


@view("GET", hosted=False)
async def service_worker(request: HttpRequest) -> HttpResponse:
    """Its scope is the whole site, so it is at the top; browsers always fetch it again."""
    return HttpResponse(
        _worker(get_language() or USUAL), content_type="text/javascript", headers={"Cache-Control": "no-cache"}
    )


def playable() -> list[Game]:
    """The games that the browser can play by itself."""
    return [game for game in games.games() if game.slug in IN_THE_BROWSER]


def addresses() -> list[str]:
    """The offline pages: one for each variant, and the one without a game in its address."""
    return ["/offline/", *(f"/offline/?game={each.slug}" for game in playable() for each in game.variants)]


@cache
def files() -> list[str]:
    """The files that the offline pages load, by name."""
    endings = sorted({artist(game.slug).SCRIPT for game in playable()})
    pages = [f"js/pages/offline{ending}.js" for ending in endings]
    sheets = [f"css/board{ending}.css" for ending in endings]
    return [*_ALSO, *sheets, *pages, _TURNED, *sorted(_modules(PLAYS) | _modules(RETURNS))]


def _modules(name: str) -> set[str]:
    """The script and everything that it names, directly or indirectly."""
    found, waiting = set[str](), [name]
    while waiting:
        found.add(here := waiting.pop())
        if not here.endswith(".js"):
            continue
        text = Path(str(finders.find(here))).read_text(encoding="utf-8")
        named = {_beside(here, other) for other in _NAMED.findall(text)}
        waiting += named - found
    return found


def _beside(name: str, other: str) -> str:
    parts = name.split("/")[:-1]
    for part in other.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


@cache
def _worker(language: str) -> str:
    """The worker for the current language: it keeps the files and pages in that language."""
    source = Path(str(finders.find(WORKER))).read_text(encoding="utf-8")
    known: dict[str, Any] = {"VERSION": version(), "LANGUAGE": language, "FILES": [static(name) for name in files()]}
    known |= {"PAGES": addresses(), "RETURNS": static(RETURNS)}
    copy = gettext("The arena does not answer: this is a copy of the page from {time}.")
    known["SAID"] = {"copy": copy, "play": gettext("Play offline")}
    return "".join(f"const {name} = {json.dumps(value)};\n" for name, value in known.items()) + source
