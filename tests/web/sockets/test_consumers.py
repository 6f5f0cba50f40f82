"""Websockets of browsers: who is told what, how often it is rendered, and that nobody writes who may not."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.db import OperationalError

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.models import Room
from arena.routing import websockets
from arena.transports.websocket import POLICY
from arena.web import open_sockets
from arena.web.match import frames
from arena.web.sockets import consumers
from tests.kit.browsing import Person, second_round, shorten_break, two_people
from tests.kit.deadline import DEADLINE_S
from tests.kit.refereeing import moves_of
from tests.kit.until import until


class Socket:
    """A browser's websocket. `have` is what its page has seen, as live.js keeps it."""

    def __init__(self, communicator: WebsocketCommunicator, have: int) -> None:
        self._communicator = communicator
        self.texts: list[str] = []
        self.have = have

    async def text(self) -> str:
        """The next message that is no heartbeat, which may come at any time."""
        while (text := await self._message()).startswith('<div id="hb"'):
            pass
        return text

    async def _message(self) -> str:
        message = await self._communicator.receive_output(DEADLINE_S)
        assert message["type"] == "websocket.send", message
        if found := re.match(r'<div id="live" data-seq="(\d+)" data-base="(\d+)"', message["text"]):
            seq, base = int(found[1]), int(found[2])
            assert base <= self.have <= seq, f"a gap: have {self.have}, got {base} to {seq}"
            self.have = seq
        self.texts.append(message["text"])
        return str(message["text"])

    async def until(self, part: str) -> str:
        """The first message with `part`. Heartbeats never end, so all of it has a deadline."""
        async with asyncio.timeout(DEADLINE_S):
            while part not in (text := await self._message()):
                pass
        return text

    async def code(self) -> int:
        """The code this socket is closed with."""
        while (message := await self._communicator.receive_output(DEADLINE_S))["type"] != "websocket.close":
            pass
        return int(message.get("code", 1000))

    async def send(self, **form: Any) -> None:
        await self.send_text(json.dumps(form))

    async def send_text(self, text: str) -> None:
        await self._communicator.send_input({"type": "websocket.receive", "text": text})


@asynccontextmanager
async def opened(person: Person, path: str, have: int | None = None) -> AsyncIterator[Socket]:
    headers = [(b"host", b"testserver"), (b"origin", b"http://testserver"), (b"cookie", person.cookies.encode())]
    query = "" if have is None else f"?have={have}"
    communicator = WebsocketCommunicator(websockets, path + query, headers=headers)
    accepted, _ = await communicator.connect(timeout=DEADLINE_S)
    assert accepted
    try:
        yield Socket(communicator, have or 0)
    finally:
        await communicator.disconnect(timeout=DEADLINE_S)


def watching(person: Person, live: LiveMatch, have: int | None = None) -> Any:
    return opened(person, f"/ws/m/{live.id}/", have)


async def test_both_seats_and_a_watcher_follow_a_match_each_in_their_own_words(host: Host) -> None:
    live, first, second = await two_people(host)
    async with watching(first, live) as one, watching(second, live) as two, watching(Person(), live) as watcher:
        await one.send(ply="1", move="4", HEADERS={}, csrfmiddlewaretoken="x")
        assert "is thinking" in await one.until('id="m-1"')
        assert "Your turn" in await two.until('id="m-1"')
        third = await watcher.until('id="m-1"')
        assert "Blue to move" in third and 'name="move"' not in third and "You" not in third
        await two.send(ply=2, move="4")
        assert "Your turn" in await one.until('id="m-2"')
    assert moves_of(live) == ["4", "4"]


async def test_a_page_is_told_how_its_series_stood_also_when_its_room_is_gone(host: Host) -> None:
    live, following, first = await second_round(host)
    await first.post(f"/m/{following.id}/resign/")
    async with watching(first, following) as socket:
        assert "Series lost 0 to 2." in await socket.until('id="status"')
        host.lobby.rooms.pop(live.room_code.upper())
        host.hub.changed(following)
        assert "Series lost 0 to 2." in await socket.until('id="status"')
    host.hub.lives.pop(following.id)  # as after a restart
    async with watching(first, following) as socket:
        assert "Series lost 0 to 2." in await socket.until('id="status"')


async def test_a_page_that_is_behind_is_sent_what_it_does_not_have(host: Host) -> None:
    live, first, second = await two_people(host)
    for number, move in enumerate("445"):
        await (first, second)[number % 2].play(live, move)
    async with watching(first, live, have=live.state.seq - 1) as socket:
        text = await socket.text()
        assert 'id="m-3"' in text and 'id="m-2"' not in text
    async with watching(first, live, have=0) as socket:
        text = await socket.text()
        assert all(f'id="m-{ply}"' in text for ply in (1, 2, 3))


async def test_the_page_of_a_seat_is_no_longer_that_of_who_has_logged_out(host: Host) -> None:
    live, first, _ = await two_people(host)
    async with opened(first, f"/ws/m/{live.id}/?have=0&seat=0") as socket:
        assert "Your turn" in await socket.text()
    async with opened(Person(), f"/ws/m/{live.id}/?have=0&seat=0") as socket:
        assert await socket.code() == open_sockets.LOGGED_OUT
    before = first.client.cookies["sessionid"].value
    await first.post("/signup/", name="Mira K", password="nine-green-herons")
    first.client.cookies["sessionid"] = before  # the answer is on its way
    async with opened(first, f"/ws/m/{live.id}/?have=0&seat=0") as socket:
        assert await socket.code() == open_sockets.AGAIN


@pytest.mark.parametrize("have", ["x", "-1", "", "\u0661", "9" * 30])
async def test_an_unreadable_cursor_is_sent_everything(host: Host, have: str) -> None:
    live, first, _ = await two_people(host)
    await first.play(live, "4")
    async with opened(first, f"/ws/m/{live.id}/?have={have}") as socket:
        assert 'data-base="0"' in await socket.text()


async def test_a_ply_is_rendered_once_for_each_audience_whatever_the_crowd(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine 500 may take longer than clocks stay true; that a frame is renewed then is another test.
    monkeypatch.setattr(frames, "FRESH_S", 3600.0)
    live, first, second = await two_people(host)
    crowd = [watching(Person(), live, have=live.state.seq) for _ in range(500)]
    sockets = [await each.__aenter__() for each in crowd]
    async with watching(first, live) as one, watching(second, live) as two:
        for socket in (*sockets, one, two):
            await socket.text()
        before = frames.rendered.copy()
        await one.send(ply=1, move="4")
        for socket in (*sockets, one, two):
            await socket.until('id="m-1"')
        assert frames.rendered - before == {"0": 1, "1": 1, "": 1}
    for each in crowd:
        await each.__aexit__(None, None, None)


async def test_an_audience_that_is_absent_is_rendered_for_nobody(host: Host) -> None:
    live, first, _ = await two_people(host)
    async with watching(first, live) as one:
        await one.text()
        before = frames.rendered.copy()
        await one.send(ply=1, move="4")
        await one.until('id="m-1"')
    assert set(frames.rendered - before) == {"0"}


async def test_a_watcher_has_no_way_to_write(host: Host) -> None:
    live, first, _ = await two_people(host)
    _, stranger, _ = await two_people(host)
    for person in (Person(), stranger):
        async with watching(person, live) as socket:
            await socket.send(ply=1, move="4")
            assert "You are watching" in await socket.until("say-next")
    assert moves_of(live) == []


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"ply": 1, "move": "banana"}, "anana"),
    ({"ply": 1, "move": None}, "expected a move"),
    ({"ply": 1, "move": [4]}, "expected a move"),
    ({"ply": 1}, "expected a move"),
    ({"ply": "x", "move": "4"}, "number of the move"),
    ({"ply": 3, "move": "4"}, "The board has changed since your click."),
    ({"ply": 1, "move": "\ud800"}, "expected a move"),
]


async def test_a_move_that_cannot_be_played_is_refused_in_words(host: Host) -> None:
    live, first, _ = await two_people(host)
    for form, words in REFUSED:
        async with watching(first, live) as socket:
            await socket.text()
            await socket.send(**form)
            text = await socket.text()
            assert words in text and 'id="status"' in text, form
            text.encode()
        assert moves_of(live) == [], form


async def test_what_is_no_form_is_answered_in_words_and_three_of_them_close(host: Host) -> None:
    live, first, _ = await two_people(host)
    for message in (
        *("", "nonsense", "[]", "4", "null", '{"ply": 1', '{"ply": 1, "move": "4", "winner": 0}'),
        *("x" * 5000, "[" * 4000),
    ):
        async with watching(first, live) as socket:
            await socket.text()
            for _ in range(2):
                await socket.send_text(message)
                assert "Received" in await socket.text(), message
            await socket.send_text(message)
            assert await socket.code() == POLICY, message
        assert moves_of(live) == [], message


async def test_a_flood_of_moves_closes_the_socket_and_not_the_match(host: Host) -> None:
    live, first, second = await two_people(host)
    async with watching(second, live) as socket:
        for _ in range(2 * consumers.MESSAGES):  # a few more are taken the longer it takes
            await socket.send(ply=1, move="4")
        assert await socket.code() == POLICY
    assert not live.over
    assert (await first.play(live, "4")).status_code == 302


async def test_five_tabs_of_one_seat_are_one_seat(host: Host) -> None:
    live, first, _ = await two_people(host)
    tabs = [watching(first, live) for _ in range(5)]
    sockets = [await tab.__aenter__() for tab in tabs]
    await asyncio.gather(*[socket.send(ply=1, move="4") for socket in sockets])
    for socket in sockets:
        await socket.until('id="m-1"')
    for tab in tabs:
        await tab.__aexit__(None, None, None)
    assert moves_of(live) == ["4"]


async def test_the_other_side_sees_when_the_last_tab_of_a_player_goes_and_comes_back(host: Host) -> None:
    live, first, second = await two_people(host)
    async with watching(second, live) as two:
        async with watching(first, live) as tab:
            await tab.text()
            async with watching(first, live):
                pass
            assert live.presence[0].here
        assert "is offline" in await two.until("is offline")
        async with watching(first, live):
            await two.until("Orange")
            await until(lambda: live.presence[0].here)


async def test_an_unknown_or_hidden_match_closes_with_4404(host: Host) -> None:
    live, first, _ = await two_people(host)
    room = host.lobby.room_of(live)
    assert room is not None
    await Room.objects.filter(code=room.plan.code.upper()).aupdate(private=True)
    live.private = None
    async with opened(Person(), "/ws/m/nosuch/") as socket:
        assert await socket.code() == consumers.GONE
    async with watching(Person(), live) as socket:
        assert await socket.code() == consumers.GONE
    async with watching(first, live) as socket:
        assert 'id="live"' in await socket.text()


async def test_a_quiet_match_is_heard_of_by_its_heartbeat(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "HEARTBEAT_S", 0.05)
    monkeypatch.setattr(consumers, "HEAD_S", 0.05)
    live, first, _ = await two_people(host)
    async with watching(first, live) as socket:
        heard = await socket.until('id="hb"')
        assert re.match(
            rf'<div id="hb" data-now="\d{{13}}" data-seq="{live.state.seq}" hidden></div><p id="storage"', heard
        )
        await socket.until('id="hb"')
        await first.play(live, "4")
        await socket.until('id="m-1"')
        assert f'data-seq="{live.state.seq}"' in await socket.until('id="hb"')


async def test_the_first_heartbeat_after_news_does_not_wait_for_the_slow_ones(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "HEARTBEAT_S", 3600.0)
    monkeypatch.setattr(consumers, "HEAD_S", 0.05)
    live, first, _ = await two_people(host)
    async with watching(first, live) as socket:
        await socket.until('id="hb"')
        await first.play(live, "4")
        assert f'data-seq="{live.state.seq}"' in await socket.until('id="hb"')


async def test_the_end_is_told_and_the_way_to_the_next_round_follows(host: Host) -> None:
    live, first, second = await two_people(host, rounds="2")
    shorten_break(host.lobby.rooms[live.room_code.upper()])
    async with watching(first, live) as one:
        await second.post(f"/m/{live.id}/resign/")
        text = await one.until('class="result ')
        assert "You won" in text and "0\u20111" not in text and "1\u20110, " in text
        text = await one.until('id="goto"')
        assert 'data-go="seats"' in text and "Go to round 2" in text


async def test_without_a_host_the_page_is_told_to_come_again() -> None:
    async with opened(Person(), "/ws/lobby/") as socket:
        assert await socket.code() == open_sockets.AGAIN


async def test_without_a_database_the_page_is_told_to_come_again(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    live, first, _ = await two_people(host)

    async def away(headers: object) -> None:
        raise OperationalError("connection failed: Connection refused")

    monkeypatch.setattr(consumers, "visitor_in_thread", away)
    async with opened(first, f"/ws/m/{live.id}/") as socket:
        assert await socket.code() == open_sockets.AGAIN


async def test_a_socket_that_ends_is_forgotten(host: Host) -> None:
    live, first, _ = await two_people(host)
    async with watching(first, live) as socket, watching(Person(), live) as other:
        await socket.text()
        await other.text()
        assert sum(map(len, live.viewers.values())) == 2
    assert sum(map(len, live.viewers.values())) == 0


async def test_the_lobby_is_told_of_rooms_and_matches_and_takes_nothing(host: Host) -> None:
    async with opened(Person(), "/ws/lobby/") as lobby, opened(Person(), "/ws/lobby/") as other:
        assert "No one is waiting" in await lobby.text()
        live, first, _ = await two_people(host)
        await first.play(live, "4")
        for socket in (lobby, other):
            assert "Live now" in await socket.until(f"/m/{live.id}/")
        await lobby.send(ply=1, move="4")
        assert "only listens" in await lobby.until("toast")


class Ends(consumers.Consumer):
    """Its writer ends when it is told to."""

    def __init__(self, writer_ends: asyncio.Future[None]) -> None:
        super().__init__()
        self.times_closed = 0
        self.writes = asyncio.Event()
        self._writer_ends = writer_ends

    async def find(self, scope: consumers.Scope) -> None:
        """It is about nothing."""

    def closed(self) -> None:
        self.times_closed += 1

    async def write(self) -> None:
        self.writes.set()
        await self._writer_ends
        raise consumers.Close(consumers.GONE, "it is over")


@pytest.mark.parametrize("writer_first", [True, False])
async def test_a_writer_that_ends_as_its_reader_goes_disturbs_nothing(writer_first: bool) -> None:
    loop = asyncio.get_running_loop()
    writer_ends, gone = loop.create_future(), loop.create_future()
    sent, messages = list[str](), [{"type": "websocket.connect"}]

    async def receive() -> dict[str, Any]:
        if not messages:
            await gone
        return messages.pop() if messages else {"type": "websocket.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message["type"])

    socket = Ends(writer_ends)
    running = asyncio.ensure_future(socket.run({"headers": [], "query_string": b""}, receive, send))
    await socket.writes.wait()
    for each in (writer_ends, gone) if writer_first else (gone, writer_ends):
        each.set_result(None)
    await running
    assert (sent, socket.times_closed, running.cancelling()) == (["websocket.accept"], 1, 0)
