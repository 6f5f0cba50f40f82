"""The log as text: exactly what interfaces promise to programs, and lines for people."""

from __future__ import annotations

import json
import re

from arena.host import Host
from arena.match.commands import Fault
from arena.match.record import head, verify
from arena.match.state import SeatSetup, Setup
from games import variant
from tests.kit.browsing import Person, text, two_people


async def test_a_finished_match_as_json(host: Host) -> None:
    live, *people = await two_people(host, clock="5s")
    for number, move in enumerate("4343434"):
        await people[number % 2].play(live, move)
    log = json.loads(text(await Person().get(f"/m/{live.id}/log.json")))
    names = [seat.name for seat in live.state.setup.seats]
    moves, at = log.pop("moves"), r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    assert log == {
        "id": live.id,
        "variant": "connect-four-7x6",
        "settings": {},
        "room": live.room_code,
        "round": 1,
        "rated": False,
        "clock": "5s",
        "seats": [{"name": name, "kind": "human", "protocol": None} for name in names],
        "winner": 0,
        "result": "1-0",
        "termination": "normal",
        "reason": "four in a row",
        "position": str(live.state.position),
        "head": head(live.id, live.events),
    }
    assert [(each["ply"], each["seat"], each["move"]) for each in moves] == [
        (n + 1, n % 2, move) for n, move in enumerate("4343434")
    ]
    assert all(re.fullmatch(at, each["at"]) and isinstance(each["elapsed_ms"], int) for each in moves)
    assert str(variant("connect-four-7x6").parse(log["position"])) == log["position"]


async def test_the_record_of_a_match_can_be_verified_once_it_is_over(host: Host) -> None:
    live, *people = await two_people(host)
    address = f"/m/{live.id}/record.jsonl"
    assert (await Person().get(address)).status_code == 404
    assert "record.jsonl" not in text(await Person().get(f"/m/{live.id}/?tab=info"))
    for number, move in enumerate("4343434"):
        await people[number % 2].play(live, move)
    found = verify(text(await Person().get(address)).encode())
    assert [event.move for event in found.events if event.kind == "move"] == list("4343434")
    page = text(await Person().get(f"/m/{live.id}/?tab=info"))
    assert "record.jsonl" in page and f">{found.head}</code>" in page


async def test_a_running_match_has_no_result(host: Host) -> None:
    live, _, _ = await two_people(host)
    log = json.loads(text(await Person().get(f"/m/{live.id}/log.json")))
    assert (log["winner"], log["result"], log["termination"], log["reason"]) == (None, "*", None, "")


async def test_an_aborted_match_has_an_ending_and_no_result(host: Host) -> None:
    live, first, _ = await two_people(host)
    await first.post(f"/m/{live.id}/abort/")
    log = json.loads(text(await Person().get(f"/m/{live.id}/log.json")))
    assert (log["winner"], log["result"], log["termination"]) == (None, "*", "abort")


async def test_a_match_without_a_room_says_so(host: Host) -> None:
    live = await host.referee.open(Setup("expanding-nim", (SeatSetup("Ada"), SeatSetup("Bob")), {"stones": 50}))
    log = json.loads(text(await Person().get(f"/m/{live.id}/log.json")))
    assert log["room"] is None and log["settings"]["stones"] == 50


async def test_the_log_for_people_names_players_moves_and_ending(host: Host) -> None:
    bot = SeatSetup("gravity-9", "bot", protocol="droidcon")
    live = await host.referee.open(Setup("connect-four-7x6", (SeatSetup("Ada"), bot)))
    await host.referee.start(live)
    await host.referee.play(live, 0, 1, "4")
    await host.referee.act(live, Fault(1, "disconnect", "gone"))
    answer = await Person().get(f"/m/{live.id}/log.txt")
    lines = text(answer).splitlines()
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert "Orange   Ada (person)" in lines and "Blue     gravity-9 (bot, droidcon)" in lines
    assert any(line.split()[:3] == ["1", "Orange", "4"] for line in lines)
    assert "1-0  disconnect: gone, Ada won" in lines
    await host.referee.rule(live, "win", 1, "our cable broke", "grace")
    await host.referee.rule(live, "void", None, "both cables broke", "grace")
    lines = text(await Person().get(f"/m/{live.id}/log.txt")).splitlines()
    ended = lines.index("1-0  disconnect: gone, Ada won")
    ruled = ["0-1  ruling: our cable broke, gravity-9 won", "*  ruling: both cables broke"]
    assert lines[ended + 1 : ended + 3] == ruled


async def test_both_logs_tell_what_no_player_chose(host: Host) -> None:
    setup = Setup("connect-four-7x6", (SeatSetup("Ada"), SeatSetup("Bob")), opening="3 4")
    live = await host.referee.open(setup)
    await host.referee.start(live)
    await host.referee.play(live, 0, 3, "4")
    lines = text(await Person().get(f"/m/{live.id}/log.txt")).splitlines()
    assert [line.split()[3] == "opening" for line in lines if re.match(r" +\d", line)] == [True, True, False]
    assert json.loads(text(await Person().get(f"/m/{live.id}/log.json")))["opening"] == 2
