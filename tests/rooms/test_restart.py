"""What becomes of running matches when one host stops and the next one starts on the same database.

A host that stops leaves its matches as the log has them, so the next one finds what it would find after a crash; that
nothing is lost by a real one is shown in test_restart_killed.py.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from arena.bots.seats.choices import SideChoice
from arena.host import Host
from arena.match.commands import Flag, Refusal
from arena.match.state import SeatSetup, Setup
from arena.models import Event, Match
from arena.rooms import restart
from arena.rooms.plan import Plan
from tests.kit.clients import Droidcon, Wire, filling
from tests.kit.refereeing import moves_of
from tests.kit.restarting import ADA, BOB, CONNECT_FOUR, Restarts, door, kinds, live_in, same, two_people
from tests.kit.until import until

# -- people and built-in players ---------------------------------------------------------------------------------------


async def test_without_a_clock_a_match_goes_on_at_once(restarted: Restarts) -> None:
    before = await two_people(await restarted())
    host = await restarted()
    live = same(host, before)
    await until(lambda: live.state.phase == "running")
    await host.referee.play(live, 0, 1, "4")
    assert await kinds(live) == ["opened", "started", "paused", "resumed", "move"]
    assert (live.room_code, live.private) == ("otter-42", False)
    assert host.lobby.people(live, 1) != []


async def test_what_waits_for_its_people_is_left_in_its_row(restarted: Restarts) -> None:
    host = await restarted()
    before = await two_people(host)
    await host.referee.play(before, 0, 1, "4")
    await Event.objects.filter(match=before.id).aupdate(at=datetime.now(UTC) - timedelta(hours=1))
    host = await restarted()
    assert host.hub.lives == {} and host.lobby.rooms == {}
    live = await host.referee.load(before.id)
    assert live is not None and await host.parking.wake(live) is live
    await host.referee.play(live, 1, 2, "4")
    assert await kinds(live) == ["opened", "started", "move", "move"]


async def test_a_built_in_player_thinks_on(restarted: Restarts) -> None:
    host = await restarted()
    room = await host.lobby.play_builtin(ADA, "random", 0, Plan("connect-four-7x6"))
    before = live_in(room)
    await host.referee.play(before, 0, 1, "4")
    host = await restarted()
    live = same(host, before)
    await until(lambda: len(moves_of(live)) == 2)
    assert host.lobby.people(live, 1) != []


async def test_who_has_a_clock_is_waited_for_and_begins_the_turn_anew(restarted: Restarts) -> None:
    host = await restarted()
    before = await two_people(host, clock="1m+1s")
    await host.referee.play(before, 0, 1, "4")
    left = before.state.left_ms
    await asyncio.sleep(0.05)
    host = await restarted()
    live = same(host, before)
    people = [host.lobby.people(live, number)[0] for number in (1, 2)]
    with pytest.raises(Refusal, match="clocks are stopped, and it goes on by itself"):
        await host.referee.play(live, 1, 2, "4")
    for person in people:
        assert person is not None and live.state.phase == "paused"
        person.arrived()
        await asyncio.sleep(0.01)
    await until(lambda: live.state.phase == "running")
    assert live.state.left_ms == left


async def test_nobody_with_a_clock_is_waited_for_for_ever(restarted: Restarts, monkeypatch: pytest.MonkeyPatch) -> None:
    before = await two_people(await restarted(), clock="1m")
    monkeypatch.setattr(restart, "RETURN_S", 0.0)  # over as soon as it may be, whatever else is under way
    host = await restarted()
    live = same(host, before)
    await until(lambda: live.turn.is_timed)
    host.referee.post(live, Flag(live.state.seq), lambda refusal: None, time.monotonic() + 61)
    await until(lambda: live.over)
    assert (live.state.termination, live.state.winner) == ("timeout", 1)
    assert (await kinds(live))[-3:] == ["paused", "resumed", "ended"]


async def test_a_second_restart_while_everyone_is_waited_for_changes_nothing(restarted: Restarts) -> None:
    before = await two_people(await restarted(), clock="1m+1s")
    assert same(await restarted(), before).state.phase == "paused"
    host = await restarted()
    live = same(host, before)
    for number in (1, 2):
        person = host.lobby.people(live, number)[0]
        assert person is not None
        person.arrived()
    await until(lambda: live.state.phase == "running")
    assert await kinds(live) == ["opened", "started", "paused", "resumed"]


@pytest.mark.parametrize("clock", ["none", "1m+1s"])
async def test_what_staff_have_paused_waits_for_staff(restarted: Restarts, clock: str) -> None:
    host = await restarted()
    before = await two_people(host, clock=clock)
    await host.referee.pause(before, "lunch", "Ada")
    await restarted()
    host = await restarted()
    live = same(host, before)
    for number in (1, 2):  # the last one who was missing is back
        person = host.lobby.people(live, number)[0]
        assert person is not None
        person.arrived()
    with pytest.raises(Refusal, match="A referee has paused the match"):
        await host.referee.play(live, 0, 1, "4")
    await host.referee.resume(live, "Ben")
    await host.referee.play(live, 0, 1, "4")
    assert await kinds(live) == ["opened", "started", "paused", "resumed", "move"]


async def test_the_series_of_two_people_goes_on_with_its_score(restarted: Restarts) -> None:
    host = await restarted()
    first = await two_people(host, rounds=3)
    room = host.lobby.rooms["OTTER-42"]
    room.plan = replace(room.plan, break_s=0.0)
    await host.referee.resign(first, 0)
    await until(lambda: room.live is not first and live_in(room).state.phase == "running")
    before = live_in(room)
    host = await restarted()
    room = host.lobby.rooms["OTTER-42"]
    assert room.live is same(host, before) and (room.round, room.series.score.rounds) == (2, "l")
    await until(lambda: live_in(room).state.phase == "running")
    await host.referee.resign(live_in(room), 0)
    await until(lambda: room.round == 3)
    assert room.series.score.rounds == "lw"


# -- bots that can go on -----------------------------------------------------------------------------------------------


async def test_bots_that_can_go_on_find_their_match_at_the_door(restarted: Restarts) -> None:
    host = await restarted()
    port = await door(host, "fiar")
    async with Wire.to(port) as one, Wire.to(port) as two:
        await until(lambda: bool(host.hub.running()) and host.hub.running()[0].state.phase == "running")
        [before] = host.hub.running()
        await host.referee.play(before, 0, 1, "4")
        again = asyncio.ensure_future(restarted())
        await asyncio.gather(one.rest(), two.rest())
    host = await again
    live = same(host, before)
    assert live.state.phase == "paused" and not live.presence[0].here
    port = await door(host, "fiar")
    async with Wire.to(port) as one:
        await until(lambda: bool(host.doors["fiar"]._sessions) and not host.doors["fiar"]._unseated.total)
        assert live.state.phase == "paused"
        async with Wire.to(port) as two:
            await asyncio.gather(filling(one), filling(two))
    assert (live.state.termination, moves_of(live)[:2]) == ("normal", ["4", "2"])
    heard = [line for wire in (one, two) for line in wire.heard.decode().splitlines()]
    assert "O " + "." * 35 + "...@..." in heard


async def test_a_nim_bot_without_a_bridge_is_told_the_end(restarted: Restarts) -> None:
    host = await restarted()
    port = await door(host, "nyu-nim")
    async with Wire.to(port) as one, Wire.to(port) as two:
        await until(lambda: bool(host.hub.running()) and host.hub.running()[0].state.phase == "running")
        [before] = host.hub.running()
        again = asyncio.ensure_future(restarted())
        await asyncio.gather(rest(one), rest(two))
        await again  # not before: clients that keep their own side open are still there while the host goes down
    assert sorted((one.heard, two.heard)) == [b"0 0 0 1", b"100 2 0 00 0 0 1"]
    ended = await Match.objects.aget()  # the round is played again by the next host, not by the one that stops
    assert (ended.pk, ended.termination, ended.reason) == (before.id, "server_abort", "the server was stopped")


async def test_one_behind_a_bridge_is_told_nothing_and_goes_on(restarted: Restarts) -> None:
    host = await restarted()
    sides = (SideChoice("socket", protocol="nyu-nim"), SideChoice("builtin", level="random"))
    room = await host.room_maker.open_room({"variant": "expanding-nim", "clock": "2m"}, sides, None)
    waiting = host.seat_ports.port_of(room.plan.code, 0)
    assert waiting is not None and waiting.port is not None
    port, token = waiting.port, waiting.token
    async with Wire.to(port) as bot:
        await bot.send(f"SEAT {token}")
        assert await bot.some() == b"100 2 0 0"
        await bot.send_bytes(b"1 0")
        asked = await bot.some()
        before = live_in(room)
        again = asyncio.ensure_future(restarted())
        assert await bot.some() == b""
    host = await again
    assert same(host, before).state.phase == "paused"
    async with Wire.to(port) as bot:
        await bot.send(f"SEAT {token}")
        assert await bot.some() == asked
    assert same(host, before).state.phase == "running"


async def rest(wire: Wire) -> None:
    while await wire.some():
        pass


async def test_a_bot_that_does_not_come_back_has_lost_in_words(
    restarted: Restarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = await restarted()
    port = await door(host, "fiar")
    async with Wire.to(port) as bot:
        await until(lambda: bool(host.lobby.open_rooms()))
        host.lobby.sit_down(host.lobby.open_rooms()[0], ADA)
        await bot.line()
        [before] = host.hub.running()
        monkeypatch.setattr(restart, "RETURN_S", 0.1)
        again = asyncio.ensure_future(restarted())
        await bot.rest()
    live = same(await again, before)
    await until(lambda: live.over)
    assert (live.state.termination, live.state.winner) == ("disconnect", 1)
    assert live.state.reason == "fiar (unverified) did not come back within 0.1 s of a restart"


async def test_a_bot_that_does_not_come_back_loses_nothing_while_staff_have_paused_the_match(
    restarted: Restarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = await restarted()
    port = await door(host, "fiar")
    async with Wire.to(port) as bot:
        await until(lambda: bool(host.lobby.open_rooms()))
        host.lobby.sit_down(host.lobby.open_rooms()[0], ADA)
        await bot.line()
        [before] = host.hub.running()
        await host.referee.pause(before, "lunch", "Ada")
        monkeypatch.setattr(restart, "RETURN_S", 0.1)
        again = asyncio.ensure_future(restarted())
        await bot.rest()
    host = await again
    live = same(host, before)
    first = live.presence[0].until
    await until(lambda: live.over or live.presence[0].until != first)
    assert not live.over
    await host.referee.resume(live, "Ben")
    await until(lambda: live.over)
    assert (live.state.termination, live.state.winner) == ("disconnect", 1)


# -- bots that cannot --------------------------------------------------------------------------------------------------


async def four_rounds(host: Host, restarted: Restarts, stop_in: int) -> Host:
    """Ada and Bob play, until the host is restarted in the middle of this round."""
    port = await door(host, "droidcon")
    async with Droidcon.to(port) as one, Droidcon.to(port) as two:
        await one.enter("ada", "a")
        await two.enter("bob", "a")
        room = host.lobby.rooms["A"]
        for number in range(1, stop_in + 1):
            await until(lambda number=number: room.round == number and room.playing)  # type: ignore[misc]
            await until(lambda: room.live is not None and room.live.state.phase == "running")
            if number < stop_in:
                await host.referee.resign(live_in(room), 0)
        await host.referee.play(live_in(room), 0, 1, "4")
        again = asyncio.ensure_future(restarted())
        await one.rest()
        await two.rest()
    return await again


async def test_a_round_that_cannot_go_on_is_void_and_begins_again(restarted: Restarts) -> None:
    host = await four_rounds(await restarted(), restarted, stop_in=2)
    rows = [(row.round, row.termination, row.winner) async for row in Match.objects.order_by("opened")]
    assert rows == [(1, "resign", 1), (2, "server_abort", None)]
    port = await door(host, "droidcon")
    async with Droidcon.to(port) as one, Droidcon.to(port) as two, Droidcon.to(port) as other:
        await other.send("NAME cy", "JOIN a")
        assert (await other.until("Error CHANNEL_IS_FULL"))[0] == "SUCCESS"
        await one.enter("ADA", "A")
        await two.enter("bob", "a")
        assert await one.until("NEW_GAME") == ["NEW_GAME"]
        assert await two.until("YOUR_MOVE") == ["NEW_GAME", "YOUR_MOVE"]
        room = host.lobby.rooms["A"]
        assert (room.round, room.series.score.rounds, live_in(room).state.setup.rounds) == (2, "l", 4)


async def test_who_is_back_alone_in_the_middle_of_a_series_is_let_go(restarted: Restarts) -> None:
    host = await four_rounds(await restarted(), restarted, stop_in=2)
    room, port = host.lobby.rooms["A"], await door(host, "droidcon")
    async with Droidcon.to(port) as one:
        await one.enter("ada", "a")
        restart._return_over(room)  # as its timer does a minute after the restart, no matter who has come by then
        assert await one.rest() == []
    assert room.over


async def test_a_person_opposite_waits_for_the_bot(restarted: Restarts) -> None:
    host = await restarted()
    port = await door(host, "droidcon")
    async with Droidcon.to(port) as bot:
        await bot.enter("ada", "a")
        host.lobby.sit_down(host.lobby.rooms["A"], ADA)
        await bot.until("YOUR_MOVE")
        before = live_in(host.lobby.rooms["A"])
        again = asyncio.ensure_future(restarted())
        await bot.rest()
    host = await again
    ended, room = same(host, before), host.lobby.rooms["A"]
    assert ended.state.termination == "server_abort" and ended.room_code == "a"
    assert live_in(room) is ended and room.pause.left_s is not None, "who reads that it is void has a moment for it"
    page = Page()
    host.hub.view(ended, page)
    port = await door(host, "droidcon")
    async with Droidcon.to(port) as bot:
        await bot.enter("ada", "a")
        room.pause.cancel()
        page.led.clear()
        room.look()
        await bot.until("YOUR_MOVE")
        assert page.led.is_set(), "the page of the void round hears that there is another one"
    assert [seat.name for seat in live_in(room).state.setup.seats] == ["ada (unverified)", "Ada"]
    assert host.lobby.room_after(ended) is room


class Page:
    """That of a person on the second seat."""

    audience, people, lag_ms = "1", 1, 0

    def __init__(self) -> None:
        self.led = asyncio.Event()

    def wake(self) -> None:
        self.led.set()

    def end(self, code: int, reason: str) -> None:
        raise AssertionError("its match is known")


# -- what was half done, and what is broken ----------------------------------------------------------------------------


async def test_a_round_that_had_not_started_begins_again_in_its_room(restarted: Restarts) -> None:
    host = await restarted()
    row = await host.lobby.open("otter-42", CONNECT_FOUR)
    before = await host.referee.open(Setup("connect-four-7x6", (ADA, BOB), room=row.plan.room))
    host = await restarted()
    assert same(host, before).state.termination == "server_abort"
    room = host.lobby.rooms["OTTER-42"]
    room.pause.cancel()
    await room.begin()
    assert (live_in(room).state.phase, live_in(room).state.setup.round) == ("running", 1)


async def test_one_that_nobody_had_seen_is_over(restarted: Restarts) -> None:
    host = await restarted()
    before = await host.referee.open(
        Setup("connect-four-7x6", (ADA, SeatSetup("Beginner", "builtin", level="beginner")))
    )
    host = await restarted()
    assert same(host, before).state.termination == "server_abort"
    assert not host.hub.running()


async def test_for_a_bot_that_has_shown_nothing_nobody_is_waited_for(restarted: Restarts) -> None:
    host = await restarted()
    room = await host.lobby.open("otter-42", CONNECT_FOUR)
    nobody = SeatSetup("fiar (unverified)", "bot", protocol="fiar")
    before = await host.referee.open(Setup("connect-four-7x6", (nobody, BOB), room=room.plan.room))
    await host.referee.start(before)
    await restarted()
    assert (await Match.objects.aget(pk=before.id)).termination == "server_abort"


async def test_a_match_that_cannot_be_read_hinders_no_other(
    restarted: Restarts, caplog: pytest.LogCaptureFixture
) -> None:
    host = await restarted()
    broken = await host.referee.open(Setup("connect-four-7x6", (ADA, BOB)))
    before = await two_people(host)
    opened = await Event.objects.aget(match=broken.id, seq=1)
    await Event.objects.filter(pk=opened.pk).aupdate(data=opened.data | {"variant": "chess"})
    host = await restarted()
    assert same(host, before).state.phase in ("paused", "running")
    assert f"match {broken.id} cannot go on" in caplog.text
