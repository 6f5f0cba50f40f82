"""Every secret there is comes by a server that says everything: none is in what it printed or in a file beside."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
from websockets.exceptions import WebSocketException

from arena.common.logs import JsonLines, TextLines
from tests.kit.clients import Wire
from tests.kit.commands import manage
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.processes import until_open
from tests.kit.server import Server, migrate
from tests.kit.sockets import connect
from tests.kit.visiting import Visitor

PASSWORD, WRONG_PASSWORD = "correct-horse-battery", "wrong-horse-battery"
CODE, WRONG_CODE = "K7QM-2WXR-9ABC", "K7QM-2WXR-9ABD"
TOKEN, OTHER, WRONG_TOKEN = ("arn_" + letters * 13 for letters in ("a2", "b3", "c4"))
WRONG_KEY = "otter-zzzzyyyyxxxx"

FILL = f"""
from datetime import timedelta
from django.contrib.auth.models import User
from django.utils import timezone
from arena.bots.session.tokens import sha256_of
from arena.web.people.codes import digest
from arena.models import Bot, OneTimeCode, Player
for name in ("mira", "bob"):
    user = User.objects.create_user(name, password={PASSWORD!r})
    Player.objects.create(kind="person", name=name, slug=name, user=user)
OneTimeCode.objects.create(user=user, code_sha256=digest({CODE!r}), expires=timezone.now() + timedelta(hours=1))
for name, protocol, token, port in (("lisp", "droidcon", {TOKEN!r}, PORT), ("sage", "native", {OTHER!r}, None)):
    player = Player.objects.create(kind="bot", name=name, slug=name)
    Bot.objects.create(player=player, variant="connect-four-7x6", protocol=protocol, family=name,
                       token_sha256=sha256_of(token), port=port)
"""


class Told:
    """What is secret, by its name, as it comes up."""

    def __init__(self) -> None:
        self.secrets = {
            "password": PASSWORD,
            "wrong password": WRONG_PASSWORD,
            "code": CODE,
            "wrong code": WRONG_CODE,
            "token": TOKEN,
            "other token": OTHER,
            "wrong token": WRONG_TOKEN,
            "wrong room key": WRONG_KEY.partition("-")[2],
        }

    def cookies_of(self, visitor: Visitor, name: str) -> None:
        self.secrets |= {f"{key} of {name}": value for key, value in visitor.cookies.items() if len(value) > 20}

    def found_in(self, text: str) -> list[str]:
        shown = text.lower()
        return [name for name, secret in self.secrets.items() if secret.lower() in shown]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A data folder with people and bots, and the port of one."""
    folder, port = tmp_path_factory.mktemp("filled"), free_port()
    migrate(folder)
    run = manage(folder, "shell", "-v0", "-c", FILL.replace("PORT", str(port)))
    assert run.returncode == 0, run.stderr
    return folder, port


@pytest.mark.cases(1)
@pytest.mark.parametrize("form", ["json", "text"])
async def test_no_secret_is_in_what_a_server_says(filled: tuple[Path, int], tmp_path: Path, form: str) -> None:
    folder, personal = filled
    data, told = Path(shutil.copytree(folder, tmp_path / "data", symlinks=True)), Told()
    server = Server(data, LOG_FORMAT=form, LOG_LEVEL="debug")
    await server.start()
    try:
        await people_come(server, told)
        await rooms_are_private(server, told)
        await bots_come(server, personal)
    finally:
        await server.stop()
    assert told.found_in(server.said) == []
    assert [(str(path), found) for path, found in files(data, told) if found] == []
    for line in server.said.splitlines() if form == "json" else ():
        if not re.match(r"(Pages|Bots|Admin|Ready)\b", line):
            assert {"time", "level", "logger", "message"} <= json.loads(line).keys()
    assert "arena.access" in server.said and "/login/" in server.said, "it did say everything"


def files(folder: Path, told: Told) -> list[tuple[Path, list[str]]]:
    """In the database codes, tokens and passwords are looked for too: there are only digests of them."""
    found = []
    for path in (path for path in folder.rglob("*") if path.is_file()):
        names = told.found_in(path.read_bytes().decode("latin-1"))
        if "sqlite3" in path.name:
            names = [name for name in names if "session" not in name and "room" not in name and "csrf" not in name]
        found.append((path, names))
    return found


async def people_come(server: Server, told: Told) -> None:
    mira, bob = Visitor(server.port), Visitor(server.port)
    for who in (mira, bob):
        await who.get("/login/?next=/watch/")
    assert (await mira.post("/login/", name="mira", password=WRONG_PASSWORD)).status == 422
    assert (await mira.post("/login/", name="mira", password=PASSWORD)).status == 302
    assert (await bob.post("/login/code/", name="bob", code=WRONG_CODE, password=PASSWORD)).status == 422
    used = await bob.post("/login/code/", name="bob", code=CODE, password=PASSWORD)
    assert used.status == 302, used.text
    await mira.get(f"/settings/?password={PASSWORD}")
    told.cookies_of(mira, "mira")
    told.cookies_of(bob, "bob")
    forged = Visitor(server.port)
    forged.cookies = dict(mira.cookies)
    assert (await forged.post("/settings/one/", csrfmiddlewaretoken="x" * 32)).status == 403
    assert (await mira.post("/logout/")).status == 302


async def rooms_are_private(server: Server, told: Told) -> None:
    guest = Visitor(server.port)
    await guest.get("/r/new/")
    room = {"variant": "connect-four-7x6", "clock": "5m", "rounds": "1", "private": "on"}
    made = await guest.post("/r/new/", **room, side0="me", side1="socket:droidcon")
    assert made.status == 302, made.text
    code = made.headers["Location"].split("/")[2]
    address = f"/r/{code}/"
    told.secrets["room key"] = code.partition("-")[2]
    told.cookies_of(guest, "guest")
    await guest.get(made.headers["Location"])
    for path in (f"{address}?key={code}", f"{address}nowhere/", f"/r/{WRONG_KEY}/", f"/m/2222222222/?code={code}"):
        await guest.get(path, Authorization=f"Bearer {TOKEN}")
    await guest.post(f"{address}sit/", csrfmiddlewaretoken="wrong")
    for cookie in (guest.cookie, ""):
        with suppress(WebSocketException):
            socket = f"ws://127.0.0.1:{server.port}/ws/r/{code}/?key={code}"
            async with connect(socket, additional_headers={"Origin": server.address, "Cookie": cookie}) as pipe:
                await pipe.recv()
    for said in (f"JOIN {code}", f"JOIN {WRONG_KEY}", f"SEAT {WRONG_TOKEN}", "SEAT mistyped-token"):
        async with Wire.to(server.doors["droidcon"]) as wire:
            await wire.send("NAME lisp", said)
            wire.finish()
            await wire.rest()


async def bots_come(server: Server, personal: int) -> None:
    address = f"ws://127.0.0.1:{server.port}/ws/native/"
    for token in (OTHER, WRONG_TOKEN, "no-token-at-all"):
        for query, headers in (("", {"Authorization": f"Bearer {token}"}), (f"?token={token}", {})):
            with suppress(WebSocketException):
                async with connect(address + query, additional_headers=headers) as pipe:
                    await pipe.send(json.dumps({"type": "hello", "name": "sage", "token": token}))
                    async with asyncio.timeout(DEADLINE_S):
                        await pipe.recv()
        async with Wire.to(server.doors["native"]) as wire:
            await wire.send(json.dumps({"type": "hello", "name": "sage", "token": token}), "{broken " + token)
            wire.finish()
            await wire.rest()
    await asyncio.to_thread(until_open, personal)
    for token in (TOKEN, OTHER):
        async with Wire.to(personal) as wire:
            await wire.send(f"SEAT {token}", "NAME lisp", "JOIN otter-42")
            wire.finish()
            await wire.rest()


def test_the_handbook_shows_lines_as_they_are() -> None:
    handbook = (Path(__file__).parents[2] / "docs" / "logs.md").read_text(encoding="utf-8")
    (shown,) = [json.loads(line) for line in handbook.splitlines() if line.startswith('{"time"')]
    level, name, about = logging.INFO, shown["logger"], {key: shown[key] for key in ("match", "seat", "protocol")}
    record = logging.LogRecord(name, level, __file__, 1, shown["message"], (), None)
    record.__dict__.update(about, created=datetime.fromisoformat(shown["time"]).timestamp())
    assert json.loads(JsonLines().format(record)) == shown
    assert TextLines().format(record).partition(" INFO ")[2] in handbook
