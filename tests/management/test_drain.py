"""A server that is drained for real: matches end by their rules, it stops with success, and the next one goes on."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

from tests.kit.bridging import bridge
from tests.kit.clients import Droidcon
from tests.kit.commands import finished, manage, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.samples import FOLDER
from tests.kit.server import Server, migrate
from tests.kit.visiting import Visitor

NATIVE = [sys.executable, str(FOLDER / "native" / "bot.py")]


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    migrate(tmp_path)
    said = manage(tmp_path, "drain")
    assert said.returncode == 1 and "No server runs on this database" in said.stderr
    said = manage(tmp_path, "drain", "--cancel")
    assert said.returncode == 1 and "Nobody has asked this server to drain" in said.stderr
    said = manage(tmp_path, "drain", "--at", "quarter past")
    assert said.returncode != 0 and "expected a time such as 18:00" in said.stderr


async def test_matches_end_by_their_rules_and_the_next_server_goes_on(tmp_path: Path) -> None:
    """Two bots by a clock, a person without one, and a bot behind the bridge that waits: nobody loses anything."""
    migrate(tmp_path)
    server = Server(tmp_path)
    await server.start()
    person = Visitor(server.port)
    await person.get("/")
    begun = await person.post("/play/", variant="connect-four-7x6", level="beginner", move="4")
    match = re.fullmatch(r"(/m/\w+/).*", begun.headers["Location"])
    assert match, begun
    async with bridge(server.doors["fiar"], "--forever", bot=[sys.executable, str(FOLDER / "fiar" / "bot.py")]) as it:
        await it.says("connected")
        async with Droidcon.to(server.doors["droidcon"]) as ada, Droidcon.to(server.doors["droidcon"]) as bob:
            await ada.enter("ada", "lab")
            await bob.enter("bob", "lab")
            draining = await start(tmp_path, "drain")
            await server.until_said("draining: 1 matches")
            assert "The arena restarts soon." in (await person.get("/")).text
            refused = await person.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
            assert refused.status in (422, 503) and "nothing new begins now" in refused.text
            async with asyncio.timeout(DEADLINE_S):
                heard, _ = await asyncio.gather(ada.play_anything(), bob.play_anything())
        assert heard.count("NEW_GAME") == 1, "no other round began"
        assert await server.ends() == 0
        code, said, _ = await finished(draining)
        assert code == 0 and "1 match with a clock still running." in said and "The server has stopped." in said
        await server.start()
        await it.says("connected", 2)
    assert "The arena restarts" not in (await person.get(match[1])).text
    moved = await person.post(f"{match[1]}move/", ply="3", move="1")
    assert moved.status == 302, moved
    logged = (await person.get(f"{match[1]}log.json")).text
    assert '"termination": null' in logged
    (ended,) = json.loads((await person.get("/api/matches/?state=ended")).text)["matches"]
    assert ended["termination"] == "normal"
    await server.stop()
    assert server.complaints == []
