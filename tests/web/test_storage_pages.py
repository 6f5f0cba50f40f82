"""What people, programs and staff read while the database fails, and that all goes on when it works again."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import pytest
from django.db import connection
from django.test import RequestFactory

from arena.core import storage_watch
from arena.core.storage_trouble import COLLIDED, LOCKED
from arena.host import Host
from arena.models import Match
from arena.web.sockets import consumers
from arena.web.views import not_stored
from tests.kit.browsing import HTMX, Person, text, two_people
from tests.kit.until import until
from tests.web import markup
from tests.web.sockets.test_consumers import watching

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite can be locked by one connection")

FIRST_MOVE = {"variant": "connect-four-7x6", "level": "beginner", "move": "4"}


def words(page: str) -> str:
    return markup.words(page)


@pytest.fixture
async def locked(host: Host, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[sqlite3.Connection]:
    """Another program keeps the database locked until it is closed. Nobody waits for five seconds here."""
    options: dict[str, Any] = connection.settings_dict["OPTIONS"]
    monkeypatch.setitem(options, "timeout", 0.05)
    monkeypatch.setattr(consumers, "HEARTBEAT_S", 0.05)
    monkeypatch.setattr(consumers, "HEAD_S", 0.05)
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        yield other
    await until(lambda: storage_watch.trouble() is None and not host.ledger.failing)


@pytest.mark.parametrize("path", ["/play/", "/admin/arena/room/", "/api/rooms"])
def test_a_change_that_collided_with_another_is_tried_again_at_once(rf: RequestFactory, path: str) -> None:
    """Nothing is broken that somebody would have to fix."""
    said = words(text(not_stored(rf.post(path), COLLIDED)))
    assert said.count("Try it again.") == 1 and "when this is fixed" not in said
    assert "when this is fixed" in words(text(not_stored(rf.post(path), LOCKED)))


async def test_while_the_database_is_locked_everybody_is_told_and_nothing_is_lost(
    host: Host, locked: sqlite3.Connection
) -> None:
    live, first, second = await two_people(host)
    async with watching(second, live) as socket:
        await socket.until('<p id="storage" class="bar-top notice" role="status" hx-swap-oob="morph" hidden></p>')
        locked.execute("BEGIN EXCLUSIVE")
        refused = await Person().post("/play/", **FIRST_MOVE)
        assert refused.status_code == 503 and refused["Retry-After"]
        assert LOCKED.words in words(text(refused)) and LOCKED.todo not in text(refused)
        assert "Your match is safe" not in text(refused)
        await socket.until(LOCKED.words)

        again = await Person().post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
        assert again.status_code == 503 and "Nothing was done." in words(text(again))
        in_place = await first.post(f"/m/{live.id}/move/", HTMX, ply="1", move="4")
        assert in_place.status_code == 503 and LOCKED.words in words(text(in_place))
        page = await Person().get("/")
        assert page.status_code == 200 and LOCKED.words in words(text(page)) and LOCKED.todo not in text(page)
        for path in ("/healthz", "/readyz"):
            answer = await Person().get(path)
            assert (answer.status_code, text(answer)) == (503, f"{LOCKED.words} {LOCKED.todo}\n")

        locked.execute("ROLLBACK")
        await until(lambda: storage_watch.trouble() is None)
        await socket.until('hx-swap-oob="morph" hidden></p>')
    assert (await first.play(live, "4")).status_code in (200, 302)
    assert [event.move for event in live.events if event.kind == "move"] == ["4"]
    assert await Match.objects.acount() == 1


async def test_settings_of_an_invitation_that_cannot_be_stored_do_not_hold(
    host: Host, locked: sqlite3.Connection
) -> None:
    ada = Person()
    address = (await ada.post("/r/friend/", variant="connect-four-7x6"))["Location"]
    room = await host.lobby.find(address.split("/")[2])
    assert room is not None
    before = room.plan
    locked.execute("BEGIN EXCLUSIVE")
    answer = await ada.post(f"{address}settings/", variant="expanding-nim", rounds="1", clock="none")
    locked.execute("ROLLBACK")
    assert (answer.status_code, room.plan) == (503, before)


async def test_who_waits_for_what_cannot_be_stored_is_told_and_it_may_be_done_later(
    host: Host, locked: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match is begun by a player who is there already, so that the log is the first that cannot be written."""
    monkeypatch.setattr("arena.web.views.PATIENCE_S", 0.05)
    live, first, second = await two_people(host)
    locked.execute("BEGIN EXCLUSIVE")
    answer = await first.play(live, "4")
    assert answer.status_code == 503
    assert "may still happen" in words(text(answer))
    locked.execute("ROLLBACK")
    await until(lambda: live.state.position.ply == 1)
