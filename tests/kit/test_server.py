"""A server of the tests that answers otherwise than its OpenAPI document says is found out, and none is left behind."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.server import HELD, ROOT, SHARED, Server, migrate, tables
from tests.kit.visiting import Visitor
from tests.kit.workers import children
from tests.web.api.conforming import UNLIKE

WRONG = f"""
from django.http import JsonResponse
from {HELD} import *
from {HELD} import MIDDLEWARE

def wrong(get_response):
    return lambda request: JsonResponse({{"matches": 1}})

MIDDLEWARE.insert(1, "wrong_answers.wrong")
"""

NEVER_READY = """
import signal
print("Hello", flush=True)
signal.pause()
"""


@pytest.mark.service
async def test_an_answer_that_is_not_as_described_ends_the_test(tmp_path: Path) -> None:
    migrate(tmp_path / "data")
    (tmp_path / "wrong_answers.py").write_text(WRONG)
    server = Server(tmp_path / "data", DJANGO_SETTINGS_MODULE="wrong_answers", PYTHONPATH=f"{ROOT}:{tmp_path}")
    await server.start()
    answer = await Visitor(server.port).get("/api/v1/matches/")
    assert answer.status == 500
    with pytest.raises(AssertionError, match=UNLIKE):
        await server.stop()


async def test_of_a_server_that_nobody_waits_for_any_more_nothing_is_left(tmp_path: Path) -> None:
    others = children(os.getpid())
    server = Server(tmp_path)
    server.program = (sys.executable, "-c", NEVER_READY)
    start = asyncio.create_task(server.start())
    await server.until_said("Hello")
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    assert children(os.getpid()) == others


def test_of_tables_that_could_not_be_made_nothing_is_in_the_way_of_the_next_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SHARED, str(tmp_path))
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(subprocess.CalledProcessError):
        tables.__wrapped__()
    assert {path.suffix for path in tmp_path.iterdir()} == {".lock"}
