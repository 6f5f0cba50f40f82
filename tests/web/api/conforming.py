"""Every answer of the API in the tests is held against the OpenAPI document, whatever test has asked for it."""

from __future__ import annotations

import gzip
import json
import re
import sys
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse

from arena.web.middleware import Middleware

BASE = "/api/v1"
# Where a server of its own answers, this line is all that a test learns of it.
UNLIKE = "An answer is not as described"


class Conforming(Middleware):
    """Stands before all other middleware: what it sees is what is sent."""

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if request.path.startswith(f"{BASE}/") and not request.path.endswith("/openapi.json"):
            try:
                check(request, response)
            except (AssertionError, ValueError) as why:
                print(f"{UNLIKE}: {request.method} {request.path}: {why}", file=sys.stderr, flush=True)
                raise
        return response


def conforms(shape: Any, answer: object) -> None:
    """Raises pydantic's ValidationError for an answer that has a key more or less, or a value of another type."""
    _checker(shape).validate_python([answer])


@cache
def _checker(shape: Any) -> Any:
    # pydantic is loaded only where somebody asks the API.
    from pydantic import TypeAdapter

    from arena.web.api.openapi import STRICT

    return TypeAdapter(list[shape], config=STRICT)  # a TypedDict takes its configuration from what it is part of


def check(request: HttpRequest, response: HttpResponse) -> None:
    """Raises AssertionError or pydantic's ValidationError where the document says something else."""
    from arena.web.api.shapes import RefusalShape

    told = f"{request.method} {request.path}: {response.status_code}"
    described = _described(request)
    if described is not None:
        assert str(response.status_code) in described, told
        content = described[str(response.status_code)].get("content", {})
    else:  # an address or a method that is none, or one that was refused before it was looked up
        assert response.status_code >= 400 or request.method == "OPTIONS", told
        content = {"application/json": {}}
    if getattr(response, "streaming", False) or not response.content:
        return
    kind = response["Content-Type"].partition(";")[0]
    assert kind in content, f"{told}, {kind}"
    if kind == "application/json":
        shape = RefusalShape if response.status_code >= 400 else getattr(_view(request), "shape", None)
        conforms(shape, json.loads(_body(response)))


def _described(request: HttpRequest) -> dict[str, Any] | None:
    """The answers that the document has for this request."""
    method = "get" if request.method == "HEAD" else str(request.method).lower()
    found = request.resolver_match
    if found is None:
        return None
    by_view: dict[str, Any] | None = _answers().get((str(found.route), method))
    return by_view


@cache
def _answers() -> dict[tuple[str, str], dict[str, Any]]:
    """By route, as Django writes it, and method."""
    from arena.web.api.openapi import document
    from arena.web.api.routes import ROUTES, VERSION

    paths = document(ROUTES, VERSION)["paths"]
    written = {str(route.pattern): _as_document(str(route.pattern)) for route in ROUTES}
    return {
        (f"{BASE[1:]}/{route}", method): item["responses"]
        for route, path in written.items()
        for method, item in paths.get(path, {}).items()
    }


def _as_document(route: str) -> str:
    return "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route)


def _view(request: HttpRequest) -> Any:
    return request.resolver_match.func if request.resolver_match else None


def _body(response: HttpResponse) -> bytes:
    return gzip.decompress(response.content) if response.get("Content-Encoding") == "gzip" else response.content
