"""Bots that come while another program keeps the database locked."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection

from arena.bots.seats.stored import refused_while_storage_fails
from arena.bots.session import tokens
from arena.core import storage_watch
from arena.core.storage_trouble import LOCKED, NOT_OPEN
from arena.host import Host
from arena.match.commands import Refusal
from tests.bots.conftest import Opens
from tests.kit.clients import Wire
from tests.kit.until import until


class Deadlock(Exception):
    sqlstate = "40P01"


def test_only_what_storage_says_becomes_a_refusal() -> None:
    with pytest.raises(Refusal, match="locked. Try again"), refused_while_storage_fails():
        raise OperationalError("database is locked")
    with pytest.raises(Refusal, match="this one was not made. Try it again"), refused_while_storage_fails():
        raise OperationalError("deadlock detected") from Deadlock()
    with pytest.raises(OperationalError, match="no such table"), refused_while_storage_fails():
        raise OperationalError("no such table: arena_room")


@pytest.mark.usefixtures("seated_soon")
@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite can be locked by one connection")
@pytest.mark.parametrize("in_event", [False, True])
async def test_a_bot_that_comes_is_told_why_it_gets_no_seat(
    host: Host, opened: Opens, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, in_event: bool
) -> None:
    monkeypatch.setattr(host.lobby, "reserved", lambda who: in_event)
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.05)
    await sync_to_async(lambda: connection.close())()  # the next one has this patience
    named, nameless = await opened("native"), await opened("fiar")
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        async with Wire.to(named) as bot, Wire.to(nameless) as silent:
            await bot.send('{"type": "hello", "name": "late", "version": 1}')
            await bot.send('{"type": "queue", "variant": "connect-four-7x6"}')
            said = ""
            while LOCKED.words not in said:
                said = await bot.line()
                assert said, bot.heard
            assert await silent.rest() == [f"SEAT REFUSED busy: {LOCKED.words} Try again when this is fixed."]
    await until(lambda: storage_watch.trouble() is None)
    assert not [record for record in caplog.records if record.exc_info and record.levelno >= logging.ERROR]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only the file of SQLite can be away for one connection")
async def test_a_bot_that_shows_a_token_is_told_that_it_cannot_be_looked_up_now(
    host: Host, opened: Opens, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    port = await opened("fiar")
    close = sync_to_async(lambda: connection.close())
    with monkeypatch.context() as away:
        away.setitem(connection.settings_dict, "NAME", str(tmp_path / "nothing" / "arena.sqlite3"))
        await close()
        async with Wire.to(port) as bot:
            await bot.send(f"SEAT {tokens.new_token()}")
            assert await bot.rest() == [f"SEAT REFUSED busy: {NOT_OPEN.words} Try again when this is fixed."]
    await close()
    await until(lambda: storage_watch.trouble() is None)
    assert not [record for record in caplog.records if record.exc_info and record.levelno >= logging.ERROR]
