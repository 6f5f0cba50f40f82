"""What is sent to the API is refused in JSON unless it is exactly what the address takes."""

from __future__ import annotations

from typing import Any

import pytest

from arena.host import Host
from arena.models import Player, Room
from arena.web.api import answers
from arena.web.api.writing import MOST_BYTES
from arena.web.limits import Limit
from tests.kit.browsing import Person, far_away, text
from tests.web.api.writing import ROOM, a_token, sent

REFUSED: list[tuple[Any, str]] = [
    (" ", "Received what is not JSON (Expecting value: line 1, column 2), expected a JSON object."),
    ('{"a": 1,\n"b"}', "Received what is not JSON (Expecting ':' delimiter: line 2, column 4)"),
    (b'{"variant": "\xff"}', "Received no UTF-8, too many brackets or too many digits, expected a JSON object."),
    ("[" * 50_000, "Received no UTF-8, too many brackets or too many digits, expected a JSON object."),
    (b'{"rounds": ' + b"9" * 5_000 + b"}", "too many brackets or too many digits, expected a JSON object."),
    ("[]", "Received [], expected a JSON object."),
    ("null", "Received null, expected a JSON object."),
    ({"variant": "connect-four-7x6", "first": "me"}, "second: Field required."),
    ({**ROOM, "second": 7}, "second: Input should be a valid string, received 7."),
    ({**ROOM, "rounds": "1"}, 'rounds: Input should be 1, 2 or 4, received "1".'),
    ({**ROOM, "rounds": True}, "rounds: Received the rounds 'True', expected 1, 2, 4."),
    ({**ROOM, "rated": 1}, "rated: Input should be a valid boolean, received 1."),
    ({**ROOM, "owner_id": 1}, "owner_id: Extra inputs are not permitted, received 1."),
    ({**ROOM, "\ud800": 1}, "A name: "),
    ({**ROOM, "clock": "\ud800"}, "clock: "),
    ({**ROOM, "clock": "5s\0"}, 'clock: received "5s\\u0000", expected one line of printable text.'),
    ({**ROOM, "clock": "\u202e" * 99}, "\\u202e\\u202…, expected one line of printable text."),
]


async def test_a_body_that_is_not_what_is_expected(host: Host) -> None:
    token = await a_token("play")
    for body, words in REFUSED:
        status, said = await sent("/api/v1/rooms/", body, token)
        assert (status, said["error"]["code"]) == (422, "invalid_form"), words
        assert words in said["error"]["sentence"] and said["error"]["sentence"].endswith("Nothing was done.")
    assert not await Room.objects.aexists()


async def test_other_types_and_what_is_too_long(host: Host) -> None:
    token = await a_token("play")
    for kind in ("text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"):
        status, said = await sent("/api/v1/rooms/", "variant=x", token, kind=kind)
        assert (status, said["error"]["code"]) == (415, "wrong_type"), said
    status, said = await sent("/api/v1/rooms/", {**ROOM, "clock": "5" * MOST_BYTES}, token)
    assert (status, said["error"]["code"]) == (413, "too_large")
    assert (await sent("/api/v1/rooms/", ROOM, token, kind="application/json; charset=utf-8"))[0] == 201


async def test_other_methods_and_addresses_are_answered_in_json(host: Host) -> None:
    answer = await Person().get("/api/v1/rooms/")
    assert (answer.status_code, answer["Allow"]) == (405, "POST, OPTIONS")
    assert "Received GET, expected POST." in text(answer)
    for method in ("put", "patch", "delete"):
        for path, status in (("/api/v1/rooms/", 405), ("/api/v1/matches/", 405), ("/api/v1/rooms", 404)):
            answer = await getattr(Person().client, method)(path)
            assert (answer.status_code, answer["Content-Type"][:16]) == (status, "application/json"), (method, path)
    assert (await sent("/api/v1/nowhere", {}))[0] == 404


async def test_another_host_is_answered_in_json(host: Host) -> None:
    status, said = await sent("/api/v1/rooms/", ROOM, await a_token("play"), Host="elsewhere.example")
    assert (status, said["error"]["code"]) == (400, "bad_request") and "host" in said["error"]["sentence"]
    assert not await Room.objects.aexists()


async def test_a_fault_of_ours_is_answered_in_json(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    token = await a_token("play")
    program = Person(raise_request_exception=False)
    with monkeypatch.context() as broken:
        broken.setattr(host, "room_maker", None)
        status, said = await sent("/api/v1/rooms/", ROOM, token, who=program)
    assert (status, said["error"]["code"]) == (500, "server_error")
    assert "NoneType" not in str(said) and said["error"]["hint"].startswith("Id ")


async def test_a_flood_is_held_back_before_its_tokens_are_looked_up(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "OFTEN", Limit("requests to /api/", 2, 0.001))
    program = far_away()
    found = [await sent("/api/v1/rooms/", ROOM, "arp_" + "a" * 32, who=program) for _ in range(3)]
    assert [status for status, _ in found] == [401, 401, 429]
    assert not await Player.objects.aexists()


async def test_where_no_host_is_nothing_is_done(transactional_db: None) -> None:
    status, said = await sent("/api/v1/rooms/", ROOM, await a_token("play"))
    assert (status, said["error"]["code"]) == (503, "no_host")
