"""The OpenAPI 3.1 document of `/api/v1/`, made of the routes, the views' parameters and the types of their answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from django.urls import URLPattern
from pydantic import ConfigDict, TypeAdapter

from arena.web.api import shapes
from arena.web.api.query import LIMIT, Parameters
from arena.web.api.told import SHAPES
from arena.web.tournaments.actions import BY_NAME

BASE = "/api/v1"
STRICT = ConfigDict(extra="forbid", strict=True)
# The type of a parameter in an address; all others are Django slugs.
PARTS = {
    "match": "The id of a match.",
    "slug": "The slug, as lists have it.",
    "variant": "A variant, as the index lists them.",
    "code": "The code of a room, as its link has it.",
    "name": "What to do with it.",
}
TOKEN = "token"
SECURITY = {
    "type": "http",
    "scheme": "bearer",
    "description": "An access token, made on the settings page of an account.",
}
SIGNED = {
    "webhook-id": "Names the message: the same for each attempt.",
    "webhook-timestamp": "When this attempt was made, in seconds since 1970.",
    "webhook-signature": "`v1,` and the HMAC-SHA256 of id, timestamp and body with points between them, in base64.",
}
REFUSALS = {
    400: "A parameter that does not exist, is given twice or has a wrong value.",
    404: "There is no such thing, or it is private.",
    405: "Anything but GET and HEAD.",
    500: "A fault of the server.",
    429: "Too many requests; `Retry-After` says when to ask again.",
    503: "The server is starting, or cannot read.",
}
REFUSED_ACTS = {
    400: "The request cannot be read.",
    401: "No token, or one that is no longer valid.",
    403: "The token is for something else, or its account may not do that.",
    404: "There is no such thing, or it is private.",
    405: "Anything but POST.",
    409: "It is not possible as things stand.",
    410: "It is closed.",
    413: "The body is too large.",
    415: "The body is not of the type application/json.",
    422: "The body is not what is expected, or names what is not there.",
    429: "Too many requests; `Retry-After` says when to ask again.",
    500: "A fault of the server.",
    503: "The server is starting, or cannot store anything.",
}


def document(routes: Sequence[URLPattern], version: str) -> dict[str, Any]:
    """The whole document for these routes below `/api/v1/`; `version` is that of the program."""
    described = list(_described(routes))
    answered = [shapes.RefusalShape, *(view.shape for _, view in described if _has_shape(view))]
    answered += [view.takes for _, view in described if hasattr(view, "takes")]
    answered += dict.fromkeys(SHAPES.values())
    inputs: list[tuple[Any, Literal["serialization"], TypeAdapter[Any]]]
    inputs = [(shape, "serialization", TypeAdapter(shape)) for shape in answered]
    references, schemas = TypeAdapter.json_schemas(inputs, ref_template="#/components/schemas/{model}")
    for _, view in described:
        if hasattr(view, "takes"):
            schemas["$defs"][view.takes.__name__]["additionalProperties"] = False
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Arena",
            "version": version,
            "summary": "Public data, readable without an account; with a token, also rooms and events.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": BASE}],
        "paths": {f"/{path}": _item(path, view, references) for path, view in described},
        "webhooks": {kind: {"post": _message(kind, shape, references)} for kind, shape in SHAPES.items()},
        "components": {"schemas": schemas.get("$defs", {}), "securitySchemes": {TOKEN: SECURITY}},
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
    """Whether the answer has a shape. Streams have none: docs/api.md describes their lines."""
    return isinstance(view.shape, type) and issubclass(view.shape, dict)


def _item(path: str, view: Any, references: Any) -> dict[str, Any]:
    """The operation at an address: GET or POST."""
    return (
        {"post": _act(path, view, references)}
        if hasattr(view, "takes")
        else {"get": _operation(path, view, references)}
    )


def _act(path: str, view: Any, references: Any) -> dict[str, Any]:
    def body(shape: Any) -> dict[str, Any]:
        return {"application/json": {"schema": references[(shape, "serialization")]}}

    done = {str(view.status): {"description": "It is done.", "content": body(view.shape)}}
    refused = {
        str(status): {"description": words, "content": body(shapes.RefusalShape)}
        for status, words in REFUSED_ACTS.items()
    }
    return {
        **_named(view),
        "description": f"For tokens with the scope `{view.scope}`.",
        "security": [{TOKEN: []}],
        "parameters": _of_path(path),
        "requestBody": {"required": True, "content": body(view.takes)},
        "responses": done | refused,
    }


def _message(kind: str, shape: Any, references: Any) -> dict[str, Any]:
    """A webhook's message and its answer."""
    signature = [
        {"name": name, "in": "header", "required": True, "description": words, "schema": {"type": "string"}}
        for name, words in SIGNED.items()
    ]
    return {
        "operationId": f"webhook_{kind.replace('.', '_')}",
        "summary": (shape.__doc__ or "").strip().splitlines()[0],
        "parameters": signature,
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": references[(shape, "serialization")]}},
        },
        "responses": {"2XX": {"description": "It is accepted; anything else is tried again for a day."}},
    }


def _named(view: Any) -> dict[str, str]:
    return {
        "operationId": f"{view.__module__.rsplit('.', 1)[-1]}_{view.__name__}",
        "summary": (view.__doc__ or "").strip().splitlines()[0],
    }


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
        **_named(view),
        "parameters": [*_of_path(path), *_of_query(view.parameters)],
        "responses": answers,
    }


def _of_path(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "description": PARTS[name], "schema": _part(name)}
        for name in re.findall(r"{(\w+)}", path)
    ]


def _part(name: str) -> dict[str, Any]:
    return {"type": "string", **({"enum": list(BY_NAME)} if name == "name" else {})}


def _of_query(parameters: Parameters | None) -> list[dict[str, Any]]:
    if parameters is None:
        return []
    return [
        {"name": name, "in": "query", "description": each.words, "allowEmptyValue": True, "schema": each.schema}
        for name, each in {**parameters, "limit": LIMIT}.items()
    ]
