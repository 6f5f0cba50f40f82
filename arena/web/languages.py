"""Which language a reader reads: the one they chose, else the first that their browser asks for and Arena has.

What reaches an open page later is in the language in which the page was made, also when its reader has chosen another
one in another tab: its requests in place and its websockets say which one that is.

It applies to one request or one frame and is never left active: whatever the host does by itself, and what it writes
into logs, is in English. Programs (`/api/`) and the administration use English as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import parse_qs

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from arena.web import prefs
from arena.web.middleware import Middleware

USUAL = "en"
KNOWN = frozenset(dict(settings.LANGUAGES))
# The header of a request in place with the language of its page (templates/base.html).
OF_PAGE = "Arena-Language"
# What stays English, for programs and for staff; a file in another language has an address of its own.
_ENGLISH = re.compile(r"/(api|admin|samples|static)/|/(metrics|healthz|readyz)$|/m/[^/]+/decide/")


class LanguageMiddleware(Middleware):
    """Activates the reader's language while their request is answered."""

    def before(self, request: HttpRequest) -> None:
        speak(request)

    async def before_on_loop(self, request: HttpRequest) -> None:
        speak(request)

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if not is_english(request.path):
            response.headers.setdefault("Content-Language", translation.get_language() or USUAL)
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
        translation.deactivate()
        return response


def is_english(path: str) -> bool:
    return _ENGLISH.match(path) is not None


def speak(request: HttpRequest) -> None:
    """Use the reader's language until the end of this request."""
    translation.activate(of(request))


def of(request: HttpRequest) -> str:
    if is_english(request.path):
        return USUAL
    page = request.headers.get(OF_PAGE, "")
    return page if page in KNOWN else _chosen(prefs.of(request), request.META.get("HTTP_ACCEPT_LANGUAGE", ""))


def of_socket(headers: Iterable[tuple[bytes, bytes]], account: prefs.Prefs | None, query: bytes = b"") -> str:
    """The language of the reader behind a websocket: `account` holds the preferences of their account, None without
    one; the page says its own in the `query`.
    """
    page = parse_qs(query.decode("latin1")).get("language", [""])[0]
    if page in KNOWN:
        return page
    sent = dict(headers)
    known = prefs.of_headers(sent) if account is None else account
    return _chosen(known, sent.get(b"accept-language", b"").decode("latin1"))


def named(view: str, language: str) -> str:
    """The name of a view that is rendered once for all readers of a language: in English its own."""
    return view if language == USUAL else f"{view}\n{language}"


def view_of(name: str) -> tuple[str, str]:
    """The view and the language of such a name."""
    view, _, language = name.partition("\n")
    return view, language or USUAL


def _chosen(known: prefs.Prefs, asked: str) -> str:
    return _first_of(asked) if known["language"] == prefs.USUAL["language"] else known["language"]


@lru_cache(maxsize=256)
def _first_of(asked: str) -> str:
    """The first language of a header Accept-Language that Arena has."""
    request = HttpRequest()
    request.META["HTTP_ACCEPT_LANGUAGE"] = asked
    return translation.get_language_from_request(request)
