"""`/work/programs/<sha256>`: given to the worker with a run that plays it, to nobody else."""

from __future__ import annotations

import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from arena.bots.process import programs
from arena.models import Bot, Work
from tests.kit.browsing import Person
from tests.kit.history import a_bot

SECRET = str(uuid.UUID(int=7))


@pytest.fixture
async def given(settings: Any, tmp_path: Path, transactional_db: None) -> tuple[str, Bot]:
    settings.ARENA_DATA = tmp_path
    bot = await a_bot(command=["python3", "left.py"])
    files = tmp_path / "files"
    files.mkdir()
    (files / "left.py").write_text("print(1)\n")
    return await sync_to_async(programs.add)(bot, files, "ops"), bot


async def a_run(sha256: str, **fields: Any) -> Work:
    job = {"programs": {sha256: {"of": "gravity-9", "at": ""}}}
    until = timezone.now() + timedelta(seconds=20)
    out = {"state": "out", "token": 3, "secret": SECRET, "until": until, "job": job} | fields
    return await Work.objects.acreate(kind="play", key="pairing:1:1", **out)


async def ask(sha256: str, shown: str) -> tuple[int, bytes]:
    answer: Any = await Person().client.get(f"/work/programs/{sha256}", headers={"authorization": shown})
    body = b"".join([part async for part in answer]) if answer.streaming else answer.content
    return answer.status_code, body


async def test_the_worker_that_has_the_run_gets_what_was_packed(given: tuple[str, Bot]) -> None:
    sha256, bot = given
    run = await a_run(sha256)
    status, body = await ask(sha256, f"Run {run.pk}.3.{SECRET}")
    assert status == 200 and body == programs.packed_of(bot.player.slug, sha256).read_bytes()


@pytest.mark.parametrize(
    "shown",
    [
        *(
            "",
            "Run",
            "Bearer x",
            "Run {run}.3",
            "Run {run}.2.{secret}",
            "Run {run}.3.00000000-0000-0000-0000-000000000008",
        ),
        *("Run 0.3.{secret}", "Run {run}.3.{secret}x", "Run 99999999999999999999.3.{secret}", "Run {run}.3."),
    ],
)
async def test_nobody_else_gets_it(given: tuple[str, Bot], shown: str) -> None:
    sha256, _ = given
    run = await a_run(sha256)
    status, body = await ask(sha256, shown.format(run=run.pk, secret=SECRET))
    assert status == 403 and b"expected the header `Authorization: Run WORK.TOKEN.SECRET`" in body


@pytest.mark.parametrize(
    "fields", [{"state": "done", "until": None}, {"secret": ""}, {"job": None}, {"job": {"spec": {}}}]
)
async def test_a_run_that_is_over_or_plays_something_else_gets_nothing(
    given: tuple[str, Bot], fields: dict[str, Any]
) -> None:
    sha256, _ = given
    run = await a_run(sha256, **fields)
    assert (await ask(sha256, f"Run {run.pk}.3.{SECRET}"))[0] == 403


async def test_one_that_is_not_kept_any_more_is_said(given: tuple[str, Bot]) -> None:
    run = await a_run("0" * 64)
    assert await ask("0" * 64, f"Run {run.pk}.3.{SECRET}") == (404, b"this program is not kept here any more\n")
