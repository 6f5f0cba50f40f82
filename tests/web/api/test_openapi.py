"""The document of the API names every address, every parameter and every refusal; answers are held to it in `read`."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from arena.host import Host
from arena.web.api.openapi import document
from arena.web.api.routes import ROUTES, VERSION
from arena.work.webhooks import rows
from arena.work.webhooks.signing import signed
from tests.kit.browsing import Person, text
from tests.web.api.writing import a_token, sent

DOCUMENT = document(ROUTES, VERSION)


def operations() -> dict[str, dict[str, Any]]:
    return {path: item["get"] for path, item in DOCUMENT["paths"].items() if "get" in item}


def acts() -> dict[str, dict[str, Any]]:
    return {path: item["post"] for path, item in DOCUMENT["paths"].items() if "post" in item}


async def test_it_is_served_and_names_every_address(host: Host) -> None:
    answer = await Person().get("/api/v1/openapi.json")
    assert answer.status_code == 200 and json.loads(text(answer)) == DOCUMENT
    for path, operation in operations().items():
        address = "/api/v1" + path.format(match="2222222222", slug="nobody", variant="connect-four-7x6", code="NOPE")
        if "stream" not in path:
            status = (await Person().get(address)).status_code
            assert str(status) in operation["responses"], f"{address}: {status}"
    assert "/matches/{match}/" in operations() and "/leaderboards/{variant}/" in operations()


async def test_every_parameter_is_taken_and_its_limits_hold(host: Host) -> None:
    for path, operation in operations().items():
        if "{" in path or "stream" in path:
            continue
        for each in operation["parameters"]:
            schema = each["schema"]
            good = schema.get("enum", [schema.get("maximum", "2026-01-31T12:00:00Z" if "format" in schema else "zz")])[
                0
            ]
            expected = (404,) if each["name"] in ("player", "event") else (200,)
            assert (await Person().get(f"/api/v1{path}?{each['name']}={good}")).status_code in expected, each
            if "enum" in schema or "maximum" in schema or "format" in schema:
                assert (await Person().get(f"/api/v1{path}?{each['name']}=no")).status_code == 400, each


def test_every_reference_leads_somewhere_and_names_are_said_once() -> None:
    said = json.dumps(DOCUMENT)
    schemas = DOCUMENT["components"]["schemas"]
    assert {name for name in schemas if f'"#/components/schemas/{name}"' not in said} == set()
    every = [*operations().values(), *acts().values()]
    names = [operation["operationId"] for operation in every]
    assert len(names) == len(set(names)) and all(operation["summary"] for operation in every)


def test_what_webhooks_are_sent_is_described() -> None:
    webhooks = DOCUMENT["webhooks"]
    assert set(webhooks) == {*rows.KINDS, rows.TEST}
    for kind, item in webhooks.items():
        schema = item["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[-1]
        shape = DOCUMENT["components"]["schemas"][schema]["properties"]["type"]
        assert kind in shape.get("enum", [shape.get("const")])
        assert {each["name"] for each in item["post"]["parameters"]} == set(signed(b"", "", 0, b""))


WRONG: list[Any] = [None, True, -1, 1.5, 10**400, "", "\x00", "\ud800", "x" * 500, [], [[]], {}, {"a": 1}]


async def test_every_act_is_described_and_answers_every_wrong_type_as_described(host: Host) -> None:
    """Each value of each body is replaced by one of another type, of which none may be done: by a fourth of those there
    are, the next field by the next fourth."""
    turns = count()
    assert {"/rooms/", "/tournaments/{slug}/do/{name}/"} <= set(acts())
    token = await a_token("play events organise")
    schemas = DOCUMENT["components"]["schemas"]
    for path, operation in acts().items():
        address = "/api/v1" + path.format(slug="nobody", name="start")
        assert operation["security"] == [{"token": []}]
        name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[-1]
        properties = schemas[name].get("properties", {})
        good = {each: _good(schema) for each, schema in properties.items()}
        for each in properties:
            for wrong in WRONG[next(turns) % 4 :: 4]:
                status, said = await sent(address, {**good, each: wrong}, token)
                assert status in (404, 409, 422), f"{address} {each}={wrong!r}: {status} {said}"
        status, _ = await sent(address, {**good, "more": 1}, token)
        assert status == 422 and str(status) in operation["responses"]


def _good(schema: dict[str, Any]) -> Any:
    """Some value of this type, which names nothing that is there."""
    if "enum" in schema:
        return schema["enum"][0]
    return {"string": "x", "boolean": True, "integer": 1}[schema["type"]]


async def test_pages_of_other_sites_may_read_and_nothing_more(host: Host) -> None:
    for path in ("/api/v1/", "/api/v1/nobody", "/api/v1/openapi.json"):
        answer = await Person().get(path)
        assert answer["Access-Control-Allow-Origin"] == "*" and "Access-Control-Allow-Credentials" not in answer
    before = await Person().client.options("/api/v1/matches/", headers={"Origin": "https://example.org"})
    assert (before.status_code, before["Access-Control-Allow-Methods"]) == (204, "GET, HEAD, OPTIONS")
    assert "Access-Control-Allow-Origin" not in (await Person().get("/about/")).headers


async def test_answers_travel_compressed_where_that_is_asked_for(host: Host) -> None:
    answer = await Person().get("/api/v1/openapi.json", **{"Accept-Encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip" and len(answer.content) < len(json.dumps(DOCUMENT)) / 3
