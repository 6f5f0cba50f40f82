"""The OpenAPI 3.1 document of `/api/v1/`, made of the routes, the views' parameters and the types of their answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal

from django.urls import URLPattern
from pydantic import ConfigDict, TypeAdapter

from arena.web.api import shapes
from arena.web.api.query import LIMIT, Parameters

BASE = "/api/v1"
STRICT = ConfigDict(extra="forbid", strict=True)
# What a part of an address is: the other parts are slugs of Django, or end there.
PARTS = {
    "match": "The id of a match.",
    "slug": "The slug, as lists have it.",
    "variant": "A variant, as the index lists them.",
}
REFUSALS = {
    400: "A parameter that does not exist, is given twice or has a wrong value.",
    404: "There is no such thing, or it is private.",
    405: "Anything but GET and HEAD.",
    429: "Too many requests; `Retry-After` says when to ask again.",
    503: "The server is starting, or cannot read.",
}


def conforms(shape: Any, answer: object) -> None:
    """Raises pydantic's ValidationError for an answer that has a key more or less, or a value of another type."""
    _checker(shape).validate_python([answer])


@cache
def _checker(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(list[shape], config=STRICT)  # a TypedDict takes its configuration from what it is part of


def document(routes: Sequence[URLPattern], version: str) -> dict[str, Any]:
    """The whole document for these routes below `/api/v1/`; `version` is that of the program."""
    described = list(_described(routes))
    answered = [shapes.RefusalShape, *(view.shape for _, view in described if _has_shape(view))]
    inputs: list[tuple[Any, Literal["serialization"], TypeAdapter[Any]]]
    inputs = [(shape, "serialization", TypeAdapter(shape)) for shape in answered]
    references, schemas = TypeAdapter.json_schemas(inputs, ref_template="#/components/schemas/{model}")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Arena",
            "version": version,
            "summary": "What is public, as JSON, to read without an account.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": BASE}],
        "paths": {f"/{path}": {"get": _operation(path, view, references)} for path, view in described},
        "components": {"schemas": schemas.get("$defs", {})},
    }


def _described(routes: Sequence[URLPattern]) -> Iterator[tuple[str, Any]]:
    for route in routes:
        if (
            hasattr(route.callback, "shape")
            and "<anything:" not in str(route.pattern)
            and str(route.pattern) != "openapi.json"
        ):
            yield re.sub(r"<\w+:(\w+)>", r"{\1}", str(route.pattern)), route.callback


def _has_shape(view: Any) -> bool:
    """Streams have none: a line of theirs is told in docs/api.md."""
    return isinstance(view.shape, type) and issubclass(view.shape, dict)


def _operation(path: str, view: Any, references: Any) -> dict[str, Any]:
    if _has_shape(view):
        content: dict[str, Any] = {"application/json": {"schema": references[(view.shape, "serialization")]}}
    else:
        content = {"application/x-ndjson": {"schema": {"type": "string"}}}
    refused = {"application/json": {"schema": references[(shapes.RefusalShape, "serialization")]}}
    answers = {"200": {"description": "The answer.", "content": content}}
    if _has_shape(view):
        answers["304"] = {"description": "What `If-None-Match` names has not changed."}
    answers |= {str(status): {"description": words, "content": refused} for status, words in REFUSALS.items()}
    return {
        "operationId": f"{view.__module__.rsplit('.', 1)[-1]}_{view.__name__}",
        "summary": (view.__doc__ or "").strip().splitlines()[0],
        "parameters": [*_of_path(path), *_of_query(view.parameters)],
        "responses": answers,
    }


def _of_path(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "description": PARTS[name], "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", path)
    ]


def _of_query(parameters: Parameters | None) -> list[dict[str, Any]]:
    if parameters is None:
        return []
    return [
        {"name": name, "in": "query", "description": each.words, "allowEmptyValue": True, "schema": each.schema}
        for name, each in {**parameters, "limit": LIMIT}.items()
    ]
