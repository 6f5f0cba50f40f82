"""Every `curl` of docs/api.md, run against a real server, answers what the handbook shows."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.kit.commands import manage
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import Server, migrate

HANDBOOK = Path(__file__).parents[2] / "docs" / "api.md"
EXAMPLE = re.compile(r"```\n(curl [^\n]+)\n```\n\n```json\n(.+?)\n```", re.DOTALL)
ROOM = re.compile(r"(http://[a-z0-9.:]+/r/|/api/rooms/|/r/)?[a-z]+-[2-9a-z]{12}/?")
CHANGING = (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"), re.compile(r"[0-9a-f]{64}"), ROOM)


class Example(NamedTuple):
    command: str
    answer: str


EXAMPLES = [Example(*found) for found in EXAMPLE.findall(HANDBOOK.read_text(encoding="utf-8"))]


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    assert shutil.which("curl"), "curl is not installed here: `make test` installs it where that is allowed"
    migrate(tmp_path)
    filled = manage(tmp_path, "shell", "-v0", "-c", "from tests.services.handbook import fill; fill()")
    assert filled.returncode == 0, filled.stderr
    running = Server(tmp_path)
    await running.start()
    yield running
    await running.stop()


async def answered(command: str, server: Server, lines: int | None) -> list[Any]:
    """What it printed, object by object; of an endless stream, this many lines."""
    words = [word.replace("http://localhost:8000", server.address) for word in shlex.split(command)]
    words[1:1] = ["--silent", "--show-error"]
    curl = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    assert curl.stdout is not None and curl.stderr is not None
    try:
        async with asyncio.timeout(DEADLINE_S):
            if lines is None:
                out, err = await curl.communicate()
                assert (curl.returncode, err) == (0, b""), command
                return [json.loads(out)]
            said: list[Any] = []
            while len(said) < lines:
                line = await curl.stdout.readline()
                assert line, f"{command} ended after {len(said)} lines"
                said += [json.loads(line)] if line.strip() else []
            return said
    finally:
        if curl.returncode is None:
            curl.kill()
            await curl.communicate()


def differs(shown: Any, real: Any, where: str = "answer") -> list[str]:
    """Where they are not alike: other names, other types, other words. Numbers, times and hashes have their own day."""
    if type(shown) is not type(real):
        return [f"{where}: {shown!r} is shown, {real!r} came"]
    if isinstance(shown, dict):
        if shown.keys() != real.keys():
            return [f"{where}: {sorted(shown.keys() ^ real.keys())} are shown or came, not both"]
        return [found for name in shown for found in differs(shown[name], real[name], f"{where}.{name}")]
    if isinstance(shown, list):
        if len(shown) > len(real):
            return [f"{where}: {len(shown)} are shown, {len(real)} came"]
        return [found for n, each in enumerate(shown) for found in differs(each, real[n], f"{where}[{n}]")]
    if (
        isinstance(shown, str)
        and shown != real
        and not any(of.fullmatch(shown) and of.fullmatch(real) for of in CHANGING)
    ):
        return [f"{where}: {shown!r} is shown, {real!r} came"]
    return []


def test_every_curl_has_its_answer_below_it() -> None:
    assert len(EXAMPLES) == HANDBOOK.read_text(encoding="utf-8").count("\ncurl ") >= 9


async def test_every_curl_of_the_handbook_answers_what_it_shows(server: Server) -> None:
    wrong = []
    for command, answer in EXAMPLES:
        streamed = " -N " in command
        shown = [json.loads(line) for line in answer.splitlines()] if streamed else [json.loads(answer)]
        real = await answered(command, server, len(shown) if streamed else None)
        wrong += [f"{command}: {found}" for found in differs(shown, real)]
    assert wrong == []


def test_a_difference_is_seen() -> None:
    shown = {"a": [{"b": 1, "at": "2026-01-31T12:00:00.123Z"}], "c": None}
    assert differs(shown, {"a": [{"b": 2, "at": "2027-01-31T12:00:00.123Z"}, {}], "c": None}) == []
    for other in ({**shown, "c": 1}, {**shown, "d": 1}, {**shown, "a": []}, {**shown, "a": [{"b": "1", "at": ""}]}):
        assert differs(shown, other)
