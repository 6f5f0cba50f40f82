"""What becomes of a series when the host stops between two of its rounds, and the next one starts."""

from __future__ import annotations

import pytest
from django.db import OperationalError

from arena.core.log_store import DatabaseStore
from arena.host import Host
from arena.match.state import LogEvent, SeatSetup, Setup, first_state
from arena.rooms import restart
from arena.rooms.room import LiveRoom
from tests.kit.clients import Droidcon
from tests.kit.restarting import BOB, Restarts, door, live_in, two_people
from tests.kit.until import until


async def ended_first_round(host: Host, rounds: int = 3) -> LiveRoom:
    """A room of two people in the break after its first round."""
    first = await two_people(host, rounds=rounds)
    room = host.lobby.rooms["OTTER-42"]
    await host.referee.resign(first, 0)
    await until(lambda: room.pause.left_s is not None)
    return room


async def test_a_restart_between_two_rounds_goes_on_with_the_series(restarted: Restarts) -> None:
    before = live_in(await ended_first_round(await restarted()))
    host = await restarted()
    room = host.lobby.rooms["OTTER-42"]
    assert (room.round, room.plan.series, room.series.score.rounds) == (2, 1, "l")
    assert live_in(room).id == before.id and room.pause.left_s is not None
    room.pause.cancel()
    await room.begin()
    assert (live_in(room).state.setup.round, live_in(room).state.setup.series) == (2, 1)
    assert host.lobby.people(live_in(room), 2) != []


@pytest.mark.parametrize("between", [False, True])
async def test_while_the_database_is_away_no_series_is_left_behind(
    restarted: Restarts, monkeypatch: pytest.MonkeyPatch, between: bool
) -> None:
    """A server that went on without it would not have taken it up again before the next restart."""

    def away(store: DatabaseStore, match: str) -> list[LogEvent]:
        raise OperationalError("connection failed: server closed the connection unexpectedly")

    host = await restarted()
    before = live_in(await ended_first_round(host)) if between else await two_people(host, rounds=3)
    with monkeypatch.context() as meanwhile, pytest.raises(OperationalError, match="closed the connection"):
        meanwhile.setattr(DatabaseStore, "read", away)
        await restarted()
    assert live_in((await restarted()).lobby.rooms["OTTER-42"]).id == before.id


async def test_a_bot_comes_back_between_two_rounds(restarted: Restarts) -> None:
    host = await restarted()
    async with Droidcon.to(await door(host, "droidcon")) as bot:
        await bot.enter("ada", "otter-42")
        room = host.lobby.rooms["OTTER-42"]
        host.lobby.sit_down(room, BOB)
        await bot.until("YOUR_MOVE")
        await host.referee.resign(live_in(room), 1)
        await bot.until("YOU_WON")
        await until(lambda: room.pause.left_s is not None)
        host = await restarted()
    room = host.lobby.rooms["OTTER-42"]
    assert room.round == 2 and room.sides.is_away(0)
    async with Droidcon.to(await door(host, "droidcon")) as back:
        await back.enter("Ada", "Otter-42")
        room.pause.cancel()
        await room.begin()
        assert await back.line() == "NEW_GAME"


async def test_a_bot_that_lost_a_round_by_its_connection_and_was_back_plays_the_next_after_a_restart(
    restarted: Restarts,
) -> None:
    host = await restarted()
    port = await door(host, "droidcon")
    async with Droidcon.to(port) as bot:
        await bot.enter("ada", "otter-42")
        room = host.lobby.rooms["OTTER-42"]
        host.lobby.sit_down(room, BOB)
        await bot.until("YOUR_MOVE")
        lost = live_in(room)
    await until(lambda: not lost.presence[0].here)
    async with Droidcon.to(port) as back:
        await back.enter("ada", "otter-42")
        await until(lambda: room.pause.left_s is not None)
        assert (lost.state.termination, lost.state.winner) == ("disconnect", 1)
        host = await restarted()
    room = host.lobby.rooms["OTTER-42"]
    assert room.round == 2 and room.sides.is_away(0)
    async with Droidcon.to(await door(host, "droidcon")) as back:
        await back.enter("ada", "otter-42")
        room.pause.cancel()
        await room.begin()
        assert await back.line() == "NEW_GAME"


async def test_who_is_not_back_between_two_rounds_ends_the_series(
    restarted: Restarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = await restarted()
    async with Droidcon.to(await door(host, "droidcon")) as bot:
        await bot.enter("ada", "otter-42")
        room = host.lobby.rooms["OTTER-42"]
        host.lobby.sit_down(room, BOB)
        await bot.until("YOUR_MOVE")
        await host.referee.resign(live_in(room), 1)
        await until(lambda: room.pause.left_s is not None)
        monkeypatch.setattr(restart, "RETURN_S", 0.05)
        host = await restarted()
    room = host.lobby.rooms["OTTER-42"]
    await until(lambda: room.over)


async def test_a_series_that_was_over_stays_over(restarted: Restarts) -> None:
    host = await restarted()
    room = await ended_first_round(host)
    room.close()
    host = await restarted()
    assert "OTTER-42" not in host.lobby.rooms
    found = await host.lobby.find("otter-42")
    assert found is not None and found.plan.series == 2


FIRST = SeatSetup("Ada", player=1), SeatSetup("gravity", "bot", protocol="fiar")
DROIDCON = SeatSetup("Ada"), SeatSetup("ada", "bot", protocol="droidcon")
MAY_RETURN = DROIDCON[0], DROIDCON[1]._replace(holder="what it has shown")
OURS = DROIDCON[0], DROIDCON[1]._replace(player=3, startup_ms=3000)


@pytest.mark.parametrize(
    ("seats", "winner", "termination", "goes_on"),
    [
        (FIRST, 0, "normal", True),
        (FIRST, None, "normal", True),
        (FIRST, 0, "timeout", True),
        (FIRST, 0, "disconnect", False),
        (FIRST, 1, "left", False),
        (FIRST, 1, "resign", True),
        (FIRST, None, "abort", False),
        (FIRST, None, "server_abort", True),
        (DROIDCON, 0, "illegal_move", False),
        (DROIDCON, 0, "normal", True),
        (DROIDCON, 0, "disconnect", False),
        (MAY_RETURN, 0, "disconnect", True),
        (MAY_RETURN, 0, "illegal_move", False),
        (OURS, 0, "illegal_move", True),
    ],
)
def test_another_round_follows_by_the_rule_of_rooms(
    seats: tuple[SeatSetup, SeatSetup], winner: int | None, termination: str, goes_on: bool
) -> None:
    state = first_state(Setup("connect-four-7x6", seats, rounds=2))
    ended = state._replace(phase="ended", winner=winner, termination=termination)
    assert restart._goes_on(ended) is goes_on
    last = first_state(Setup("connect-four-7x6", seats, round=2, rounds=2))
    assert restart._goes_on(last._replace(winner=0, termination="normal")) is False
