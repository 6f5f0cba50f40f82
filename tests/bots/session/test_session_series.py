"""A series of `santorini-json` on a socket: three matches, the end of the tournament, and acknowledgements that do not
come.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from arena.core.hub import LiveMatch
from arena.play.spec import BuiltinSeat, SocketSeat
from arena.protocols import santorini_actions
from tests.bots.faulty.faulty_bot import turns
from tests.kit.clients import Wire
from tests.kit.deadline import DEADLINE_S
from tests.kit.live_matches import LocalMatches, Order
from tests.kit.ports import free_port
from tests.kit.samples import listening

# Long enough to acknowledge what is acknowledged, on a busy machine too.
SOON_S = 3.0
ACKNOWLEDGED = ("new_game", "over", "tournament_finished")


class Builder(Wire):
    """Plays the first legal turn; `kinds` is what it was sent."""

    async def play(self, *unanswered: str) -> list[tuple[str, Any]]:
        """Answer everything but these, until the arena closes. What was said, but for the questions."""
        await self.send('["join","faulty"]')
        assert await self.line() == '"OK"'
        said = []
        while line := await self.line():
            kind, value = json.loads(line)
            if kind in ACKNOWLEDGED:
                said.append((kind, value))
            if kind not in unanswered:
                await self.send(self.answer(kind, value))
        return said

    def answer(self, kind: str, value: Any) -> str:
        if kind == "place":
            taken = {(worker["x"], worker["y"]) for worker in value}
            return json.dumps(["place", *next((x, 0) for x in range(6) if (x, 0) not in taken)])
        return json.dumps(next(turns(value)) if kind == "turn" else "OK")


async def series(rounds: int, *unanswered: str) -> tuple[list[tuple[str, Any]], list[LiveMatch]]:
    """What the bot was told, and the matches, of a series against a built-in player."""
    port, lives = free_port(), list[LiveMatch]()
    seats = (SocketSeat("santorini-json", port), BuiltinSeat("beginner"))
    order = Order("santorini-6x6", seats, rounds, clock="30s", seed=5)
    playing = asyncio.create_task(
        LocalMatches(order, lambda round, live: None, lambda round, live: lives.append(live)).play()
    )
    await listening(port)
    async with Builder.to(port) as bot:
        said = await bot.play(*unanswered)
        async with asyncio.timeout(DEADLINE_S):
            await playing
    return said, lives


@pytest.mark.long
async def test_behind_the_last_of_three_matches_all_results_are_told_and_acknowledged() -> None:
    said, lives = await series(3)
    assert [live.state.termination for live in lives] == ["normal"] * 3
    assert [kind for kind, _ in said] == ["new_game", "over"] * 3 + ["tournament_finished"]
    opponent = said[0][1]
    results = [value for kind, value in said if kind == "over"]
    assert {name for result in results for name in (result["winner"], result["loser"])} == {"faulty", opponent}
    assert [result["winner"] == "faulty" for result in results] == [
        live.state.setup.seats[live.state.winner or 0].name == "faulty" for live in lives
    ]
    assert said[-1][1] == results


@pytest.mark.long
async def test_who_does_not_acknowledge_a_new_game_in_time_has_lost_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(santorini_actions, "ACK_S", SOON_S)
    said, (live,) = await series(1, "new_game")
    assert said == [("new_game", said[0][1])]
    assert live.state.termination == "stall"
    assert live.state.setup.seats[live.state.winner or 0].kind == "builtin"
    assert live.state.reason == 'faulty said nothing; expected "OK" within 3 s'


@pytest.mark.long
@pytest.mark.parametrize("unanswered", ["over", "tournament_finished"])
async def test_an_acknowledgement_that_is_missing_at_the_end_changes_no_result(
    unanswered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(santorini_actions, "ACK_S", SOON_S)
    said, lives = await series(2, unanswered)
    assert [live.state.termination for live in lives] == ["normal"] * 2
    assert [kind for kind, _ in said] == ["new_game", "over"] * 2 + ["tournament_finished"]
    assert [value for kind, value in said if kind == "over"] == said[-1][1]
