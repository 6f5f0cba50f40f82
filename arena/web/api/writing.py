"""Acts of the API: a POST with a token and a JSON object, answered in JSON like everything below `/api/`."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from functools import cache, wraps
from typing import Any, get_type_hints

from django.db import Error as DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from arena.host import NoHost, here
from arena.match.commands import Refusal
from arena.web.api import answers
from arena.web.bearer import identify
from arena.web.privacy import keep_private
from arena.web.views import while_stored

MOST_BYTES = 64 * 1024
MOST_SHOWN = 60

Act = Callable[..., Coroutine[Any, Any, Any]]


class WrongType(Refusal):
    """The body has an unsupported media type."""


class TooLarge(Refusal):
    """The body is longer than any that makes sense."""


def act(scope: str, *, hosted: bool = False, status: int = 200) -> Callable[[Act], Act]:
    """A view for POST that is called as `(request, said, …)`, or `(request, host, said, …)` with `hosted`.

    The body must match the type of `said` exactly; the returned value is sent as JSON with `status`.
    """

    def decorate(function: Act) -> Act:
        hints = get_type_hints(function)

        @wraps(function)
        async def guarded(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
            keep_private(request)
            if request.method == "OPTIONS":
                return HttpResponse(status=204, headers={"Allow": "POST, OPTIONS"})
            if request.method != "POST":
                return answers.wrong_method(request, "POST, OPTIONS")
            try:
                answers.OFTEN.check(request)
                await identify(request, scope)
                said = _read(request, hints["said"])
                given = (here(), said) if hosted else (said,)
                return await while_stored(request, _done(function(request, *given, **arguments), status))
            except WrongType as reason:
                return answers.error(415, reason.code, reason.sentence, "Send Content-Type: application/json.")
            except TooLarge as reason:
                return answers.error(413, reason.code, reason.sentence, "docs/api.md shows a body for every address.")
            except (Refusal, Http404, DatabaseError, NoHost) as reason:
                return answers.refused(request, reason)

        guarded.reads_rows = guarded.needs_host = False  # type: ignore[attr-defined]
        guarded.scope, guarded.takes = scope, hints["said"]  # type: ignore[attr-defined]
        guarded.shape, guarded.status = hints["return"], status  # type: ignore[attr-defined]
        return csrf_exempt(guarded)  # cookies authorise nothing here

    return decorate


async def _done(doing: Coroutine[Any, Any, Any], status: int) -> HttpResponse:
    return HttpResponse(json.dumps(await doing, ensure_ascii=False), status=status, content_type=answers.TYPE)


def _read(request: HttpRequest, shape: Any) -> Any:
    """The body, which matches `shape`. Raises WrongType, TooLarge, Refusal (`invalid_form`)."""
    if request.content_type != "application/json":
        kind = (request.content_type or "no type")[:40]
        raise WrongType("wrong_type", f"Received {kind}, expected application/json. Nothing was done.")
    if int(request.headers.get("Content-Length") or 0) > MOST_BYTES or len(request.body) > MOST_BYTES:
        raise TooLarge("too_large", f"Received a body of more than {MOST_BYTES} bytes. Nothing was done.")
    try:
        said = json.loads(request.body, parse_float=_number)
    except json.JSONDecodeError as why:
        at = f"line {why.lineno}, column {why.colno}"
        raise Refusal(
            "invalid_form", f"Received what is not JSON ({why.msg}: {at}), expected a JSON object. Nothing was done."
        ) from None
    except (ValueError, RecursionError):
        sentence = "Received no UTF-8, too many brackets or too many digits, expected a JSON object. Nothing was done."
        raise Refusal("invalid_form", sentence) from None
    if not isinstance(said, dict):
        raise Refusal("invalid_form", f"Received {_shown(said)}, expected a JSON object. Nothing was done.")
    # pydantic, which reads the types, is loaded only where somebody asks.
    from pydantic import ValidationError

    try:
        _checker(shape).validate_python([said])
    except ValidationError as wrong:
        first = wrong.errors(include_url=False)[0]
        place = _shown(".".join(str(part) for part in first["loc"][1:]))[1:-1] or "A name"
        received = "" if first["type"] == "missing" else f", received {_shown(first['input'])}"
        raise Refusal("invalid_form", f"{place}: {first['msg']}{received}. Nothing was done.") from None
    if odd := next((name for name, value in said.items() if isinstance(value, str) and not value.isprintable()), None):
        words = f"{odd}: received {_shown(said[odd])}, expected one line of printable text. Nothing was done."
        raise Refusal("invalid_form", words)
    return said


def _number(text: str) -> int | float:
    """JSON has one kind of number: 2.0 is an integer, too."""
    number = float(text)
    return int(number) if number.is_integer() else number


@cache
def _checker(shape: Any) -> Any:
    from pydantic import ConfigDict, TypeAdapter

    return TypeAdapter(list[shape], config=ConfigDict(extra="forbid", strict=True))


def _shown(value: object) -> str:
    """A value for a sentence, or its beginning; bytes that are not UTF-8 are escaped."""
    text = json.dumps(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
