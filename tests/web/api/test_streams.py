"""`/api/stream/`: the state, then every event once and in order, resumed without a gap."""

from __future__ import annotations

import asyncio
import gc
import http.client
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from arena.common.limits import Shares
from arena.host import Host
from arena.match.state import LogEvent as LogEvent
from arena.models import Event
from arena.web.api import streams
from tests.kit.browsing import Person, far_away, match_of, text, two_people
from tests.kit.commands import finished, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.history import match, person
from tests.kit.ports import free_port
from tests.kit.server import migrate
from tests.web.people.test_accounts import account


class Lines:
    """A stream that is read line by line; an empty line is None."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self._parts = aiter(answer)
        self._lines: list[str] = []

    async def next(self) -> dict[str, Any] | None:
        if not self._lines:
            async with asyncio.timeout(DEADLINE_S):
                part = (await anext(self._parts)).decode()
            assert part.endswith("\n")
            self._lines = part[:-1].split("\n")
        line = self._lines.pop(0)
        return json.loads(line) if line else None

    async def news(self) -> dict[str, Any]:
        """The next line that is not empty."""
        while (line := await self.next()) is None:
            pass
        return line

    async def rest(self) -> list[dict[str, Any]]:
        found = []
        while True:
            try:
                found.append(await self.news())
            except StopAsyncIteration:
                return found


@asynccontextmanager
async def stream(path: str, who: Person | None = None) -> AsyncIterator[Lines]:
    answer: Any = await (who or Person()).get(path)
    assert answer.status_code == 200 and answer["Content-Type"] == "application/x-ndjson; charset=utf-8"
    lines = Lines(answer)
    try:
        yield lines
    finally:
        await lines._parts.aclose()
        answer.close()


async def test_a_match_is_told_move_by_move_to_its_end(host: Host) -> None:
    live, *people = await two_people(host)
    async with stream(f"/api/stream/matches/{live.id}/") as lines:
        first = await lines.news()
        assert (first["type"], first["seq"], first["moves"]) == ("match", live.state.seq, [])
        await people[0].play(live, "4")
        told = await lines.news()
        assert (told["kind"], told["seq"], told["ply"], told["seat"], told["move"]) == (
            "move",
            first["seq"] + 1,
            1,
            0,
            "4",
        )
        await people[1].post(f"/m/{live.id}/resign/")
        ended, end = await lines.rest()
        assert (ended["kind"], ended["winner"], ended["termination"]) == ("ended", 0, "resign")
        assert end == {"type": "end", "seq": live.state.seq}
    assert streams._seats.open == 0


async def test_a_stream_goes_on_behind_the_number_it_had(host: Host) -> None:
    live = await match(host, await person(), moves="12121")
    async with stream(f"/api/stream/matches/{live.id}/?since=0") as lines:
        *events, end = await lines.rest()
    assert [each["seq"] for each in events] == list(range(1, live.state.seq + 1)) and end["type"] == "end"
    async with stream(f"/api/stream/matches/{live.id}/?since=4") as lines:
        assert await lines.rest() == [*events[4:], end]
    async with stream(f"/api/stream/matches/{live.id}/") as lines:
        assert [each["type"] for each in await lines.rest()] == ["match", "end"]


async def test_who_holds_a_seat_is_nobodys_business(host: Host) -> None:
    live, _, _ = await two_people(host)
    opened = await Event.objects.aget(match=live.id, kind="opened")
    holders = [seat["holder"] for seat in opened.data["seats"]]
    async with stream(f"/api/stream/matches/{live.id}/?since=0") as lines:
        first = await lines.news()
    assert all(holders) and "data" not in first and not any(holder in json.dumps(first) for holder in holders)


async def test_a_private_match_is_streamed_to_its_players_only(host: Host) -> None:
    live, first, _ = await two_people(host, private="on")
    assert (await Person().get(f"/api/stream/matches/{live.id}/")).status_code == 404
    async with stream(f"/api/stream/matches/{live.id}/", first) as lines:
        assert (await lines.news())["id"] == live.id


async def test_the_stream_of_a_private_match_ends_if_its_session_was_over_before_its_first_line(host: Host) -> None:
    owner = await account("Mira K")
    fields = {"variant": "connect-four-7x6", "clock": "none", "rounds": "1", "private": "on"}
    made = await owner.post("/r/new/", **fields)
    match = match_of(await Person().post(f"{made['Location']}sit/"))
    answer: Any = await owner.get(f"/api/stream/matches/{match}/")
    await owner.post("/logout/")
    said = [json.loads(line) async for part in answer.streaming_content for line in part.splitlines()]
    answer.close()
    assert said[-1]["type"] == "closed" and "logged out" in said[-1]["sentence"]


async def test_the_stream_of_a_private_match_ends_with_the_session_it_was_opened_with(host: Host) -> None:
    owner, other = await account("Mira K"), Person()
    fields = {"variant": "connect-four-7x6", "clock": "none", "rounds": "1", "private": "on"}
    made = await owner.post("/r/new/", **fields)
    match = match_of(await other.post(f"{made['Location']}sit/"))
    async with (
        stream(f"/api/stream/matches/{match}/", owner) as owners,
        stream(f"/api/stream/matches/{match}/", other) as others,
        stream("/api/stream/lobby/", owner) as lobby,
    ):
        for lines in (owners, others, lobby):
            await lines.news()
        await owner.post("/logout/")
        closed = await owners.news()
        assert (closed["type"], closed["sentence"].partition(".")[0]) == ("closed", "This stream ends: logged out")
        assert await owners.rest() == []
        await other.post(f"/m/{match}/abort/")
        assert (await others.news())["kind"] == "ended", "that of the other one goes on"
        assert (await Person().get("/")).status_code == 200
        streams.end_all("the server stops")
        assert [line["type"] for line in await lobby.rest()] == ["closed"]


async def test_a_quiet_stream_says_that_it_lives(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "KEEP_ALIVE_S", 0.01)
    live, _, _ = await two_people(host)
    for path in (f"/api/stream/matches/{live.id}/", "/api/stream/lobby/"):
        async with stream(path) as lines:
            assert await lines.next() is not None
            assert [await lines.next() for _ in range(3)] == [None, None, None]


async def test_a_number_that_the_match_has_not_reached_is_refused(host: Host) -> None:
    live, _, _ = await two_people(host)
    answer = await Person().get(f"/api/stream/matches/{live.id}/?since=99")
    assert answer.status_code == 400 and f"has {live.state.seq} events so far" in text(answer)


async def test_the_lobby_tells_what_begins_and_what_ends(host: Host) -> None:
    async with stream("/api/stream/lobby/") as lines:
        state = await lines.news()
        assert (state["type"], state["matches"]) == ("lobby", [])
        live, first, _ = await two_people(host)
        await first.play(live, "4")
        began = await lines.news()
        assert (began["type"], began["match"], began["seq"]) == ("started", live.id, state["seq"] + 1)
        await first.post(f"/m/{live.id}/resign/")
        ended = await lines.news()
        assert (ended["type"], ended["match"], ended["result"]) == ("ended", live.id, "0-1")
    async with stream(f"/api/stream/lobby/?since={began['seq']}") as lines:
        assert await lines.news() == ended
    async with stream("/api/stream/lobby/?since=7") as lines:
        assert (await lines.news())["type"] == "lobby"


async def test_a_private_match_is_no_news(host: Host) -> None:
    live, first, _ = await two_people(host, private="on")
    await first.play(live, "4")
    async with stream("/api/stream/lobby/") as lines:
        assert (await lines.news())["matches"] == []


async def test_whoever_is_too_far_behind_is_told_and_leaves(host: Host) -> None:
    news = streams.news_of(host)
    async with stream("/api/stream/lobby/") as lines:
        await lines.news()
        for _ in range(streams.MOST_NEWS + 1):
            news._note({"type": "started"})
        (line,) = await lines.rest()
        assert line["type"] == "too_slow" and "Connect again" in line["sentence"]
    assert news.readers == set()


async def test_streams_of_one_address_are_bounded_and_given_back(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    seats = streams.Seats()
    seats._shares = Shares(each=2)
    monkeypatch.setattr(streams, "_seats", seats)
    far = far_away()
    async with stream("/api/stream/lobby/", far), stream("/api/stream/lobby/", far):
        answer = await far.get("/api/stream/lobby/")
        assert answer.status_code == 429 and json.loads(text(answer))["error"]["code"] == "too_many_streams"
        async with stream("/api/stream/lobby/"):
            assert seats.open == 3
    assert seats.open == 0
    await far.get("/api/stream/lobby/")
    gc.collect()
    assert seats.open == 0
    async with stream("/api/stream/lobby/", far) as lines:
        assert (await lines.news())["type"] == "lobby"


@pytest.mark.service
async def test_over_a_real_server_the_first_line_comes_at_once_and_then_an_empty_one(tmp_path: Path) -> None:
    migrate(tmp_path)
    port = free_port()
    server = await start(tmp_path, "serve", "--port", str(port), "--no-doors")
    try:
        assert server.stdout is not None
        async with asyncio.timeout(DEADLINE_S):
            while b"Ready" not in await server.stdout.readline():
                pass
        first, second = await asyncio.to_thread(_two_lines, port)
        assert json.loads(first)["type"] == "lobby" and second == b"\n"
        for path in ("/api/stream/lobby/", "/api/bulk/matches/"):
            asked, got = [await asyncio.to_thread(_headers, port, path, method) for method in ("HEAD", "GET")]
            assert asked == got and "Content-Length" not in asked
    finally:
        server.terminate()
        await server.communicate()


@pytest.mark.service
async def test_a_server_that_stops_ends_its_streams_in_order(tmp_path: Path) -> None:
    migrate(tmp_path)
    port = free_port()
    server = await start(tmp_path, "serve", "--port", str(port), "--no-doors")
    assert server.stdout is not None
    async with asyncio.timeout(DEADLINE_S):
        while b"Ready" not in await server.stdout.readline():
            pass
    answer = await asyncio.to_thread(_opened, port)
    assert json.loads(await asyncio.to_thread(answer.readline))["type"] == "lobby"
    server.terminate()
    rest = await asyncio.to_thread(answer.read)  # IncompleteRead where the last chunk is missing
    assert [json.loads(line)["type"] for line in rest.splitlines() if line] == ["closed"]
    answer.close()
    code, _, err = await finished(server)
    assert (code, "Traceback" in err) == (0, False)


def _headers(port: int, path: str, method: str) -> set[str]:
    """The names of those that the answer has, but for what says how its body is sent."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
    connection.request(method, path, headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    connection.close()
    return {*answer.headers} - {"Transfer-Encoding"}


def _opened(port: int) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
    connection.request("GET", "/api/stream/lobby/", headers={"Connection": "close"})
    return connection.getresponse()


def _two_lines(port: int) -> tuple[bytes, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
    connection.request("GET", "/api/stream/lobby/")
    answer = connection.getresponse()
    assert answer.status == 200
    lines = answer.readline(), answer.readline()
    connection.close()
    return lines


async def test_a_note_says_nothing_of_what_a_bot_said(host: Host) -> None:
    at = datetime(2026, 1, 31, tzinfo=UTC)
    told = streams.shown(LogEvent(9, at, "note", seat=1, data={"reason": "it wrote: secret"}))
    assert "secret" not in json.dumps(told) and (told["kind"], told["seat"]) == ("note", 1)
