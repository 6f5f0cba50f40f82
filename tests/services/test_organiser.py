"""The first hour of docs/organiser.md: its commands run beside a server, its addresses and buttons are there."""

from __future__ import annotations

import asyncio
import csv
import json
import re
import shlex
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from django.urls import Resolver404, resolve

from tests.kit.commands import environment
from tests.kit.server import Server, migrate

ROOT = Path(__file__).parents[2]
HANDBOOK = (ROOT / "docs" / "organiser.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.+?)```", HANDBOOK, re.DOTALL)
DEADLINE_S = 240


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    migrate(tmp_path)
    running = Server(tmp_path)
    await running.start()
    yield running
    await running.stop()
    assert "Traceback" not in running.said


async def carried_out(block: str, folder: Path) -> str:
    """What a block printed, run as it stands, but with this Python and in a folder of the test."""
    manage = f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'manage.py'))}"
    script = block.replace(".venv/bin/python manage.py", manage)
    shell = await asyncio.create_subprocess_exec(
        "sh", "-eu", "-c", script, cwd=folder, env=environment(folder) | {"SECRET_KEY": "only-for-tests"},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    async with asyncio.timeout(DEADLINE_S):
        said = (await shell.communicate())[0].decode()
    assert shell.returncode == 0, f"{block}\n{said}"
    return said


async def test_its_commands_do_what_it_says(server: Server, tmp_path: Path) -> None:
    made, played, table, exported, kept = [await carried_out(block, tmp_path) for block in BLOCKS]
    assert "Superuser created" in made
    assert "Casual" in played or "Friday cup" in played, played
    rows = list(csv.reader((tmp_path / "friday-table.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 4, "a head and three players"
    event = json.loads((tmp_path / "friday.json").read_text(encoding="utf-8"))
    assert event["state"] == "finished" and len(event["standings"]) == 3
    for row in event["standings"]:
        assert row["name"] in table and row["name"] in exported
    assert "Wrote" in kept and (tmp_path / "friday-backup" / "arena.sqlite3").exists()


def test_its_addresses_are_there() -> None:
    addresses = set(re.findall(r"`(/[^` ]*/)`", HANDBOOK))
    assert {"/admin/claim/", "/signup/", "/login/code/", "/bots/new/", "/t/new/"} <= addresses
    for address in addresses:
        try:
            resolve(address.replace("<slug>", "friday-cup"))
        except Resolver404:
            pytest.fail(f"{address} is no address of the arena")


def test_its_buttons_are_there() -> None:
    pages = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "arena" / "admin").glob("*.py")]
    permissions = [*(ROOT / "arena" / "models").glob("*.py")]
    said = "\n".join(page.read_text(encoding="utf-8") for page in [*pages, *permissions])
    own = {"Users", "staff", "Audit"}  # words of Django's admin
    labels = set(re.findall(r"\*\*([^*]+)\*\*", HANDBOOK)) - own
    assert len(labels) > 10
    assert sorted(label for label in labels if label not in said) == []


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", HANDBOOK)
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []
