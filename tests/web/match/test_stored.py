"""A match as committed rows have it: for a process that is not the host."""

from __future__ import annotations

import json
import re

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpResponse
from django.test import AsyncClient, AsyncRequestFactory
from django.utils import timezone

from arena import host as hosting
from arena.cluster.front import FOR_THE_HOST, MAY_PASS_ON
from arena.host import Host, NoHost
from arena.match.commands import Resign
from arena.match.state import SeatSetup, Setup
from arena.models import Room
from arena.web.match.stored import stored
from tests.kit.browsing import flowing

ADDRESSES = ("", "board/?ply=1", "log.json", "log.txt")


async def a_match(host: Host, room: int | None = None) -> str:
    """Two moves, and Ada resigns."""
    live = await host.referee.open(Setup("connect-four-7x6", (SeatSetup("Ada"), SeatSetup("Bob")), room=room))
    await host.referee.start(live)
    await host.referee.play(live, 0, 1, "4")
    await host.referee.play(live, 1, 2, "3")
    return live.id


async def over(host: Host, match: str) -> None:
    live = await host.referee.load(match)
    assert live is not None
    await host.referee.act(live, Resign(0))


async def test_what_is_over_and_done_with_reads_the_same_everywhere(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await a_match(host)
    await over(host, match)
    here = [await read(f"/m/{match}/{rest}") for rest in ADDRESSES]
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(hosting, "_here", [])
        page, *parts = [await read(f"/m/{match}/{rest}") for rest in ADDRESSES]
        found = json.loads(await read(f"/api/matches/{match}/"))
        assert (await AsyncClient().get("/m/nothing/")).status_code == 404
    assert parts == here[1:]
    assert board_of(page) == board_of(here[0]) and "Ada" in board_of(page) and "resign" in board_of(page)
    assert (found["id"], json.loads(here[2])["termination"]) == (match, "resign")


async def test_what_runs_or_may_go_on_in_its_room_is_the_hosts(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    room = await Room.objects.acreate(code="OTTER-1", shown_code="otter-1", variant="connect-four-7x6")
    alone, in_room = await a_match(host), await a_match(host, room.pk)
    await over(host, in_room)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(hosting, "_here", [])
        for match in (alone, in_room):
            with pytest.raises(NoHost):
                await stored(match)
            for address in (f"/m/{match}/", f"/m/{match}/log.json", f"/api/matches/{match}/"):
                assert (await asked_first(address)).headers[FOR_THE_HOST] == "1"
                answer = await AsyncClient().get(address)
                assert answer.status_code == 503 and FOR_THE_HOST not in answer.headers
    await Room.objects.filter(pk=room.pk).aupdate(closed=timezone.now())
    assert (await stored(in_room)) is not None


async def asked_first(address: str) -> HttpResponse:
    """What a page worker is answered before it asks the host."""
    request = AsyncRequestFactory().get(address)
    request.scope = {**request.scope, MAY_PASS_ON: True}
    async with ThreadSensitiveContext():
        answer = await ASGIHandler().get_response_async(request)
    assert isinstance(answer, HttpResponse)
    return answer


def board_of(page: str) -> str:
    """What is seen of it: the host may follow the match still, so its page opens a websocket."""
    board = page[page.index('<section class="match-board') :].partition("</main>")[0]
    return re.sub(r'(?<="csrfmiddlewaretoken" value=")[^"]+', "", board)


async def read(address: str) -> str:
    answer = await AsyncClient().get(address)
    assert answer.status_code in (200, 302), address
    return flowing(answer)
