"""What every address below `/api/` shares: JSON for answers and errors alike, queries of lists, a limit per address.

An error is `{"error": {"code", "sentence", "hint"}}`; `hint` says what to do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Coroutine, Iterable
from functools import wraps
from typing import Any, NoReturn

from django.db import Error as DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response

from arena.core import storage_watch
from arena.host import NoHost, here, here_or_none
from arena.match.commands import Refusal
from arena.web.limits import Limit, TooMany
from arena.web.views import STATUS, for_the_host, not_stored

TYPE = "application/json; charset=utf-8"
MOST_IN_A_LIST, USUAL_IN_A_LIST = 200, 50

View = Callable[..., Coroutine[Any, Any, HttpResponseBase]]

HINTS = {
    404: "Begin at /api/, or follow an address from a list.",
    405: "Everything here is read with GET.",
    429: "Ask less often; the streams below /api/stream/ tell of news without asking.",
    503: "Try again in a moment.",
}
_often = Limit("requests to /api/", 120, 10)


class WrongQuery(Refusal):
    """A query that cannot be answered. The sentence names what was received and what was expected."""

    def __init__(self, sentence: str) -> None:
        super().__init__("wrong_query", sentence)


def api(*, hosted: bool = False, rows: bool = False) -> Callable[[View], View]:
    """A view for GET that is called as `(request, …)`; whatever it refuses is answered as JSON.

    It reads committed rows alone, so any process can answer. `hosted=True`: it shows what the host remembers, and is
    called as `(request, host, …)`. `rows`: as in `arena.web.views.view`.
    """

    def decorate(function: View) -> View:
        @wraps(function)
        async def guarded(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
            if request.method not in ("GET", "HEAD"):
                answer = error(405, "wrong_method", f"Received {request.method}, expected GET. Nothing was done.")
                answer["Allow"] = "GET, HEAD"
                return answer
            try:
                _often.check(request)
                host = (here_or_none() if rows else here(),) if hosted or rows else ()
                return await function(request, *host, **arguments)
            except (Refusal, Http404, DatabaseError, NoHost) as reason:
                return _refused(request, reason)

        guarded.reads_rows = rows or not hosted  # type: ignore[attr-defined]
        guarded.needs_host = hosted  # type: ignore[attr-defined]
        return guarded

    return decorate


def _refused(request: HttpRequest, reason: Exception) -> HttpResponseBase:
    """The answer in words. Raises what is a fault of ours."""
    match reason:
        case TooMany():
            answer = error(429, reason.code, reason.sentence)
            answer["Retry-After"] = str(reason.retry_s)
            return answer
        case WrongQuery():
            return error(400, reason.code, reason.sentence, "docs/api.md names every parameter.")
        case Refusal():
            return error(STATUS.get(reason.code, 409), reason.code, reason.sentence)
        case Http404():
            return error(404, "not_found", str(reason) or "There is nothing at this address.")
        case NoHost():
            starting = error(503, "no_host", "This server is starting, or serves no matches.")
            return for_the_host(request) or starting
    if (trouble := storage_watch.saw(reason)) is None:
        raise reason
    return not_stored(request, trouble)


def said(request: HttpRequest, content: dict[str, Any]) -> HttpResponse:
    """200 with this as JSON, or 304 for who has it already."""
    body = json.dumps(content, ensure_ascii=False).encode()
    etag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    response = HttpResponse(body, content_type=TYPE, headers={"ETag": etag, "Cache-Control": "no-cache"})
    found = get_conditional_response(request, etag=etag, response=response)
    assert isinstance(found, HttpResponse), "a response was given"
    return found


def error(status: int, code: str, sentence: str, hint: str = "") -> HttpResponse:
    """An error in words."""
    content = {"error": {"code": code, "sentence": sentence, "hint": hint or HINTS.get(status, "")}}
    return HttpResponse(json.dumps(content, ensure_ascii=False), status=status, content_type=TYPE)


# -- queries -----------------------------------------------------------------------------------------------------------


def asked(request: HttpRequest, *names: str) -> dict[str, str]:
    """The parameters of these names and `limit`, "" where not given. WrongQuery for any other and for doubles."""
    for name, values in request.GET.lists():
        if name not in (*names, "limit"):
            _wrong(f"There is no parameter {name[:40]!r} here; there are {', '.join((*names, 'limit'))}.")
        if len(values) > 1:
            _wrong(f"{name} is given {len(values)} times, expected once.")
    return {name: request.GET.get(name, "") for name in names}


def one_of(name: str, value: str, allowed: Iterable[str]) -> str:
    """`value`, which is one of these or "". Raises WrongQuery."""
    known = list(allowed)
    if value and value not in known:
        _wrong(f"{name}={value[:40]}: expected one of {', '.join(known)}.")
    return value


def number(name: str, value: str, most: int) -> int | None:
    """A whole number from 1 to `most`, None for "". Raises WrongQuery."""
    if not value:
        return None
    if not (value.isascii() and value.isdecimal() and len(value) <= 19 and 0 < int(value) <= most):
        _wrong(f"{name}={value[:40]}: expected a whole number from 1 to {most}.")
    return int(value)


def limit_of(request: HttpRequest) -> int:
    """How many of a list are wanted."""
    return number("limit", request.GET.get("limit", ""), MOST_IN_A_LIST) or USUAL_IN_A_LIST


def next_address(request: HttpRequest, name: str, value: object) -> str:
    """The address of the page behind this one: `name` is the parameter that says where it begins."""
    query = request.GET.copy()
    query[name] = str(value)
    return f"{request.path}?{query.urlencode()}"


def _wrong(sentence: str) -> NoReturn:
    raise WrongQuery(sentence)
