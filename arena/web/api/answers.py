"""Shared by all addresses below `/api/`: JSON for answers and errors alike, a limit per address, and CORS.

An error is `{"error": {"code", "sentence", "hint"}}`; `hint` says what to do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from typing import Any, get_type_hints

from django.db import Error as DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.views.decorators.csrf import csrf_exempt

from arena.core import storage_watch
from arena.host import NoHost, here, here_or_none
from arena.match.commands import Refusal
from arena.rooms.room_quota import TooManyRooms
from arena.web.api import query
from arena.web.api.query import Parameters, WrongQuery
from arena.web.bearer import Unauthorised
from arena.web.limits import Limit, TooMany
from arena.web.views import STATUS, for_the_host, not_stored

TYPE = "application/json; charset=utf-8"
# Pages of any site may read public data, and only that: browsers send no cookies if any site is allowed.
FROM_ANYWHERE = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Link, Retry-After",
}
ASKED_BEFORE = {
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "If-None-Match",
    "Access-Control-Max-Age": "86400",
}

Content = Mapping[str, Any]
View = Callable[..., Coroutine[Any, Any, Any]]
Guarded = Callable[..., Coroutine[Any, Any, HttpResponseBase]]

HINTS = {
    401: "Make a token on /settings/tokens/ and send it in the header Authorization: Bearer arp_…",
    404: "Begin at /api/, or follow an address from a list.",
    403: "The page of your tokens says what each may do, that of the event who runs it.",
    409: "Read how things stand, then decide.",
    422: "/api/v1/openapi.json describes what every address takes.",
    429: "Ask less often; the streams below /api/stream/ tell of news without asking.",
    503: "Try again in a moment.",
}
OFTEN = Limit("requests to /api/", 120, 10)


def api(
    *, hosted: bool = False, rows: bool = False, parameters: Parameters | None = None, any_method: bool = False
) -> Callable[[View], Guarded]:
    """A view for GET that is called as `(request, …)` and returns the value to be sent as JSON; refusals are JSON too.

    It reads only committed rows, so any process can answer. `hosted=True`: it needs the host's memory, and is called as
    `(request, host, …)`. `rows`: as in `arena.web.views.view`. `parameters`: those of a list; the view also gets its
    `Query`, as the last argument. `any_method`: it is called for every method, and refuses. Its return annotation and
    its parameters appear in the OpenAPI document.
    """

    def decorate(function: View) -> Guarded:
        @wraps(function)
        async def guarded(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
            answer = await _answer(request, arguments)
            for name, value in FROM_ANYWHERE.items():
                answer[name] = value
            return answer

        async def _answer(request: HttpRequest, arguments: dict[str, Any]) -> HttpResponseBase:
            if request.method == "OPTIONS":
                return HttpResponse(status=204, headers=ASKED_BEFORE)
            if not any_method and request.method not in ("GET", "HEAD"):
                return wrong_method(request)
            try:
                OFTEN.check(request)
                given: list[Any] = [here_or_none() if rows else here()] if hosted or rows else []
                if parameters is not None:
                    given.append(query.read(request, parameters))
                found = await function(request, *given, **arguments)
            except (Refusal, Http404, DatabaseError, NoHost) as reason:
                return refused(request, reason)
            return found if isinstance(found, HttpResponseBase) else said(request, found)

        guarded.reads_rows = rows or not hosted  # type: ignore[attr-defined]
        guarded.needs_host = hosted  # type: ignore[attr-defined]
        guarded.parameters = parameters  # type: ignore[attr-defined]
        guarded.shape = get_type_hints(function).get("return")  # type: ignore[attr-defined]
        # A form on another site could do nothing here: cookies authorise no act, and every refusal is JSON.
        return csrf_exempt(guarded)

    return decorate


def wrong_method(request: HttpRequest, allowed: str = "GET, HEAD, OPTIONS") -> HttpResponse:
    expected = allowed.partition(",")[0]
    sentence = f"Received {request.method}, expected {expected}. Nothing was done."
    answer = error(405, "wrong_method", sentence, "docs/api.md names what every address takes.")
    answer["Allow"] = allowed
    return answer


def refused(request: HttpRequest, reason: Exception) -> HttpResponseBase:
    """The refusal as an answer. Raises the exception if it is a fault of ours."""
    match reason:
        case TooMany() | TooManyRooms():
            answer = error(429, reason.code, reason.sentence)
            answer["Retry-After"] = str(reason.retry_s)
            return answer
        case Unauthorised():
            answer = error(401, reason.code, reason.sentence)
            answer["WWW-Authenticate"] = 'Bearer realm="Arena"'
            return answer
        case WrongQuery():
            return error(400, reason.code, reason.sentence, "docs/api.md names every parameter.")
        case Refusal():
            return error(STATUS.get(reason.code, 409), reason.code, reason.sentence)
        case Http404():
            return error(404, "not_found", str(reason) or "There is nothing at this address.")
        case NoHost():
            starting = error(503, "no_host", "This server is starting, has too much to do, or serves no matches.")
            return for_the_host(request) or starting
    if (trouble := storage_watch.saw(reason)) is None:
        raise reason
    return not_stored(request, trouble)


def said(request: HttpRequest, content: Content) -> HttpResponse:
    """The answer with this as JSON."""
    return unless_known(request, json.dumps(content, ensure_ascii=False).encode(), TYPE)


def unless_known(request: HttpRequest, body: bytes, content_type: str) -> HttpResponse:
    """200 with this, or 304 for a client that has it already."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    response = HttpResponse(body, content_type=content_type, headers={"ETag": etag, "Cache-Control": "no-cache"})
    found = get_conditional_response(request, etag=etag, response=response)
    assert isinstance(found, HttpResponse), "a response was given"
    return found


def error(status: int, code: str, sentence: str, hint: str = "") -> HttpResponse:
    """An error in words."""
    content = {"error": {"code": code, "sentence": sentence, "hint": hint or HINTS.get(status, "")}}
    return HttpResponse(json.dumps(content, ensure_ascii=False), status=status, content_type=TYPE)
