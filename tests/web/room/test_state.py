"""What a room says to its visitors: who sits there, who may sit down, and the one sentence that applies."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils.html import strip_tags
from django.utils.safestring import SafeString

from arena.host import Host
from arena.models import Room
from arena.rooms import lobby
from arena.web.room.state import RoomState, Side, sentence
from tests.kit.browsing import Person, text

ROOM = Room(code="OTTER-42", shown_code="otter-42", variant="connect-four-7x6", clock="5s", rounds=4)
FREE = Side(1, SafeString(), False, "", "", False, False, "", "")
MIRA = Side(0, SafeString(), True, "Mira K", "", True, False, "", "")
JONAS = MIRA._replace(number=1, first=False, name="Jonas")
GAME = "Connect Four 7\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}6"


def said(first: Side, second: Side, **facts: Any) -> str:
    usual: dict[str, Any] = {"live": None, "closed": False, "may_sit": True, "mine": False}
    now = RoomState(sides=(first, second), **{**usual, **facts})
    return strip_tags(sentence(ROOM, now))


YOU = MIRA._replace(you=True)
LEFT = FREE._replace(number=0, first=True, kept="Kept for Mira K", owner="Mira K")
BOT = FREE._replace(kept="Waiting for a bot that speaks Droidcon Connect Four")


@pytest.mark.parametrize(
    ("first", "second", "facts", "words"),
    [
        (YOU, FREE, {}, "Waiting for your friend."),
        (MIRA, FREE, {}, f"Mira K wants to play {GAME} with you. 4 rounds, 5 s a move."),
        (FREE._replace(number=0), FREE, {}, f"Nobody sits here yet. {GAME}, 4 rounds, 5 s a move."),
        (LEFT, FREE, {}, "Mira K is not here right now. The match starts when they are back."),
        (LEFT, FREE, {"mine": True}, f"Nobody sits here yet. {GAME}, 4 rounds, 5 s a move."),
        (
            LEFT,
            JONAS._replace(you=True),
            {},
            "Mira K is not here right now. The match starts when they are back. You can wait here, or leave.",
        ),
        (MIRA, JONAS, {"may_sit": False}, "Both seats are taken. You can watch."),
        (MIRA, BOT, {"may_sit": False}, "Waiting for a bot that speaks Droidcon Connect Four. You can watch."),
        (
            YOU,
            BOT,
            {},
            "Waiting for a bot that speaks Droidcon Connect Four. The match starts when both sides are there.",
        ),
        (YOU, JONAS._replace(ready=False), {}, "Waiting for Jonas to get ready."),
        (YOU, JONAS, {}, "Both seats are ready. The match starts."),
        (
            YOU,
            JONAS._replace(ready=False, absent=True),
            {},
            "Jonas is not here right now. The match starts when they are back. You can wait here, or leave.",
        ),
        (
            MIRA._replace(ready=False, absent=True),
            FREE,
            {},
            f"Mira K wants to play {GAME} with you. 4 rounds, 5 s a move. Mira K is not here right now. "
            "The match starts when they are back.",
        ),
        (FREE, FREE, {"closed": True}, "This room is closed."),
    ],
)
def test_one_sentence_holds(first: Side, second: Side, facts: dict[str, Any], words: str) -> None:
    assert said(first, second, **facts) == words


def test_names_are_escaped() -> None:
    now = RoomState((MIRA._replace(name="<b>x"), FREE), None, False, True, False)
    assert "<b>x" not in sentence(ROOM, now)


async def test_who_waits_over_a_restart_has_waited_since_before_it(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person()
    address = (await person.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1"))["Location"]
    await Room.objects.aupdate(last_used=datetime.now(UTC) - timedelta(minutes=5))

    async def waited_s() -> int:
        host.lobby.rooms.clear()  # as after a restart
        await person.get(address)
        return int(re.findall(r'data-waited="(\d+)"', text(await person.get(address)))[0])

    assert await waited_s() >= 300
    monkeypatch.setattr(lobby, "BACK_S", 0.0)
    assert await waited_s() < 300, "who comes later has not waited meanwhile"
