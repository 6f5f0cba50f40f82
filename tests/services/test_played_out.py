"""A game of which nothing can be proved is played to its end: who asks for proofs is told so, where it is asked."""

from __future__ import annotations

import html
from pathlib import Path

from tests.kit.server import ROOT, Server, migrate
from tests.kit.visiting import Visitor

PLUGIN = ROOT / "tests" / "data" / "plugin"
WHY = "Nothing can be proved of Tic-tac-toe: its matches are played to their end."
USUAL = {"rounds": "1", "clock": "none"}


async def test_proofs_are_refused_in_a_new_room_and_when_its_game_changes(tmp_path: Path) -> None:
    migrate(tmp_path)
    server = Server(tmp_path, PLUGIN)
    await server.start()
    try:
        visitor = Visitor(server.port)
        await visitor.get("/r/new/")
        refused = await visitor.post("/r/new/", variant="tic-tac-toe", adjudicate="8", **USUAL)
        assert refused.status == 422 and WHY in html.unescape(refused.text)
        made = await visitor.post("/r/new/", variant="connect-four-7x6", adjudicate="8", **USUAL)
        changes = f"{made.headers['Location']}settings/"
        changed = await visitor.post(changes, variant="tic-tac-toe", **USUAL)
        assert changed.status == 409 and WHY in html.unescape(changed.text)
        assert (await visitor.post(changes, variant="connect-four-8x8", **USUAL)).status == 302
    finally:
        await server.stop()
    assert "Traceback" not in server.said
