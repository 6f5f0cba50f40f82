"""Whatever programs send to the API is answered as the OpenAPI document says, and never by a fault of the server.

The examples follow the document's own schemas, with values of other types among them. `make soak ARGS=examples` tries
thirty times as many. Of a stream only the first line is read, as its answer may have no end.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote, unquote, urlencode

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.http import HttpResponse
from django.urls import resolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.host import Host
from arena.web.api.openapi import BASE, document
from arena.web.api.routes import ROUTES, VERSION
from arena.web.api.shapes import RefusalShape
from arena.web.match import stored
from tests.kit.browsing import Person, text
from tests.kit.history import a_bot, match, person
from tests.web.api.conforming import conforms
from tests.web.api.test_acts import a_cup
from tests.web.api.writing import ROOM, a_token, sent

Schema = dict[str, Any]

DOCUMENT = document(ROUTES, VERSION)
SCHEMAS: dict[str, Schema] = DOCUMENT["components"]["schemas"]
# One host answers all examples of a test: what one of them opens is there for the next.
ON_ONE_HOST = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=5,
)
NAMED = ["gravity-9", "winter-cup", "mira-k", "connect-four-7x6", "start", "me", "anyone", "bot:gravity-9"]
WORDS = st.sampled_from([*NAMED, "builtin:random", "none", "45s"]) | st.text(max_size=80)
PARTS = st.sampled_from(NAMED) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/"), max_size=80)


@dataclass(frozen=True, slots=True)
class Example:
    """One request: `path` is the address as the document has it, `address` with its parts and parameters."""

    path: str
    address: str
    body: bytes = b""
    kind: str = "application/json"


def _values(schema: Schema) -> st.SearchStrategy[Any]:
    """What the schema allows, and more: an answer has to be found for both."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema.get("type") == "boolean":
        return st.booleans()
    if schema.get("type") == "integer":
        return st.integers(schema.get("minimum", -1) - 1, schema.get("maximum", 1000) + 1)
    if schema.get("format") == "date-time":
        return st.datetimes().map(lambda moment: f"{moment.isoformat()}Z") | WORDS
    return WORDS


@st.composite
def _addresses(draw: st.DrawFn, path: str, parameters: list[Schema]) -> str:
    parts = {each["name"]: quote(draw(PARTS), safe="") for each in parameters if each["in"] == "path"}
    address = BASE + path.format(**parts)
    names = {each["name"]: each["schema"] for each in parameters if each["in"] == "query"}
    if not names:
        return address
    chosen = draw(st.lists(st.sampled_from(sorted(names)), max_size=3))
    pairs = [(name, str(draw(_values(names[name]) | st.text(max_size=60)))) for name in chosen]
    if draw(st.integers(0, 9)) == 0:
        pairs.append((draw(st.text(max_size=20)), "x"))
    return f"{address}?{urlencode(pairs)}" if pairs else address


def _kinds(get: Any) -> Any:
    """The media types of its answer."""
    return get["responses"]["200"]["content"]


@st.composite
def _readings(draw: st.DrawFn, streams: bool = False) -> Example:
    gets = {path: item["get"] for path, item in DOCUMENT["paths"].items() if "get" in item}
    paths = {path: get for path, get in gets.items() if ("application/x-ndjson" in _kinds(get)) == streams}
    path = draw(st.sampled_from(sorted(paths)))
    return Example(path, draw(_addresses(path, paths[path]["parameters"])))


@st.composite
def _acts(draw: st.DrawFn) -> Example:
    paths = {path: item["post"] for path, item in DOCUMENT["paths"].items() if "post" in item}
    path = draw(st.sampled_from(sorted(paths)))
    address = draw(_addresses(path, paths[path]["parameters"]))
    form = draw(st.integers(0, 9))
    if form == 0:
        kind = draw(st.sampled_from(["application/json", "text/plain"]))
        return Example(path, address, draw(st.binary(max_size=100)), kind)
    if form == 1:
        return Example(path, address, json.dumps(draw(JUNK)).encode())
    content = paths[path]["requestBody"]["content"]["application/json"]["schema"]
    schema = SCHEMAS[content["$ref"].rsplit("/", 1)[-1]]
    needed = set(schema.get("required", ()))
    body = {}
    for name, values in schema.get("properties", {}).items():
        if name in needed or draw(st.booleans()):
            body[name] = draw(JUNK if draw(st.integers(0, 4)) == 0 else _values(values))
    return Example(path, address, json.dumps(body).encode())


def _agrees(method: str, example: Example, answer: HttpResponse) -> None:
    """Raises AssertionError for a fault, and for an answer whose status, type or content is not in the document."""
    told = f"{method} {example.address} {example.body!r}: {answer.status_code} {text(answer)[:500]}"
    assert answer.status_code < 500, told
    described = DOCUMENT["paths"][example.path][method]["responses"].get(str(answer.status_code))
    assert described is not None, told
    if "content" not in described:
        assert not answer.content, told
        return
    assert answer["Content-Type"].partition(";")[0] in described["content"], told
    if answer["Content-Type"].startswith("application/json"):
        conforms(_shape(example) if answer.status_code < 400 else RefusalShape, json.loads(text(answer)))


def _shape(example: Example) -> Any:
    return vars(resolve(unquote(example.address.partition("?")[0])).func)["shape"]


@pytest.fixture
async def token(host: Host) -> str:
    """A token that may do everything, with a bot, an event and a room to do it to."""
    await a_bot("gravity-9")
    await a_cup()
    allowed = await a_token("play events organise")
    assert (await sent(f"{BASE}/rooms/", ROOM, allowed))[0] == 201
    return allowed


@ON_ONE_HOST
@given(_readings(), st.sampled_from(["", '"x"', "*", "W/"]))
async def test_whatever_is_asked_is_answered_as_described(token: str, example: Example, etag: str) -> None:
    answer = await Person().get(example.address, **({"If-None-Match": etag} if etag else {}))
    _agrees("get", example, answer)


@pytest.fixture
async def ended(host: Host, monkeypatch: pytest.MonkeyPatch) -> str:
    """The number of a match that can be streamed."""
    monkeypatch.setattr(stored, "WIRES_WITHIN", timedelta())
    return (await match(host, await person(), moves="12121")).id


@ON_ONE_HOST
@given(_readings(streams=True), st.booleans())
async def test_whatever_is_asked_of_a_stream_is_answered_as_described(
    ended: str, example: Example, known: bool
) -> None:
    before, _, query = example.address.partition("?")
    there = f"{BASE}/stream/matches/{ended}/" if known and "/stream/matches/" in before else before
    answer: Any = await Person().get(f"{there}?{query}")
    if not answer.streaming:
        return _agrees("get", example, answer)
    described = DOCUMENT["paths"][example.path]["get"]["responses"]["200"]
    assert answer.status_code == 200 and answer["Content-Type"].partition(";")[0] in described["content"]
    lines = aiter(answer)
    first = json.loads((await anext(lines, b"{}")).partition(b"\n")[0])
    assert first.get("type") or "/bulk/" in there and first.get("id", ended) == ended
    await lines.aclose()
    answer.close()


@ON_ONE_HOST
@given(_acts(), st.sampled_from(["good", "good", "good", "none", "wrong"]))
async def test_whatever_is_to_be_done_is_answered_as_described(token: str, example: Example, shown: str) -> None:
    bearer = {"good": f"Bearer {token}", "none": "", "wrong": "Bearer arp_x"}[shown]
    headers = {"Authorization": bearer} if bearer else {}
    async with ThreadSensitiveContext():
        client = Person().client
        answer = await client.post(example.address, example.body, content_type=example.kind, headers=headers)
    _agrees("post", example, answer)  # type: ignore[arg-type]
