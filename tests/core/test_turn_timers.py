"""Turns: deadlines, pauses, stalls, paces, and storage that fails while they run."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from arena.core.hub import Presence
from arena.core.log_store import MemoryStore
from arena.match.commands import Pause, Play, Resume
from arena.match.judge import judge
from tests.core.tables import House, OpenHouse, Table, answers, houses, passed
from tests.kit.storage import FailingMemory, GatedMemory
from tests.kit.until import until

pytestmark = pytest.mark.long  # they wait for turns


@pytest_asyncio.fixture
async def house() -> AsyncIterator[OpenHouse]:
    async with houses() as open_house:
        yield open_house


# -- time ------------------------------------------------------------------------------------------------------------


async def test_a_flag_falls_by_itself(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match("30ms")
    await table.told.until(lambda told: "ended" in told.kinds)
    assert (table.live.state.termination, table.live.state.winner) == ("timeout", 1)
    assert table.live.timer is None


async def test_each_turn_has_its_own_deadline(house: OpenHouse) -> None:
    """The total of one side runs out while the other still has most of its own."""
    table = await house(MemoryStore()).match("total:400ms")
    assert await answers(table.act(Play(0, 1, "4"), table.at(0.39))) == [""]
    given_back = table.given_back(0)  # before the flag, with which comes what a busy machine took of the last turn
    assert await answers(table.act(Play(1, 2, "4"), table.at(0))) == [""]
    await table.told.until(lambda told: "ended" in told.kinds)
    assert (table.live.state.termination, table.live.state.winner) == ("timeout", 1)
    moved = next(event for event in table.live.events if event.kind == "move" and event.ply == 2)
    assert (moved.left0_ms, table.live.state.left_ms[0]) == (10 + given_back, 0)


async def test_ten_thousand_moves_around_the_deadline_are_decided_by_their_stamps(house: OpenHouse) -> None:
    rng, opened, left = random.Random(13), house(MemoryStore()), 10_000
    wrong = list[tuple[float, bool]]()

    async def play() -> None:
        nonlocal left
        while left > 0:
            table = await opened.match("move:1h", "expanding-nim", settings={"stones": 1_000, "resets": 0})
            ply = 0
            while not table.live.over and left > 0:
                left, ply = left - 1, ply + 1
                off = rng.choice([rng.uniform(-0.005, 0.005), rng.randint(-5, 5) / 1000, rng.uniform(-1e-6, 1e-6)])
                begun = table.at(0)
                stamp = begun + 3600 + off
                await answers(table.act(Play((ply - 1) % 2, ply, "1"), stamp))
                in_time = stamp <= begun + 3600 + table.live.events[-1].data.get("given_back_ms", 0) / 1000
                if in_time != (table.live.state.position.ply == ply):
                    wrong.append((off, in_time))

    await asyncio.gather(*[play() for _ in range(50)])
    assert wrong == []


async def test_a_move_before_its_turn_began_took_no_time(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match("1m+1s")
    assert await answers(table.act(Play(0, 1, "4"), table.at(-3.0))) == [""]
    assert table.live.state.left_ms[0] == 61_000
    assert table.live.events[-1].elapsed_ms == 0 and table.lost_ms == []


async def test_a_pause_stops_the_clock_and_the_turn_begins_anew(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match("100ms")
    assert await answers(table.act(Pause("lunch"))) == [""]
    await passed(table.at(0.2))
    assert await answers(table.act(Play(0, 1, "4"))) == ["paused"]
    assert await answers(table.act(Resume())) == [""]
    assert [turn.seat for turn in table.told.turns] == [0, 0]
    assert table.told.turns[1].left_ms[0] == 100, "a pause takes nothing"
    await table.told.until(lambda told: "ended" in told.kinds)
    assert table.live.state.termination == "timeout"


async def test_a_stall_of_the_server_is_given_back_with_the_move(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match("200ms")
    time.sleep(0.4)  # noqa: ASYNC251 - this is the stall
    assert await answers(table.act(Play(0, 1, "4"))) == [""]
    assert table.told.kinds == ["started", "move"]
    assert table.given_back(0) >= 300 and judge(table.live.events) == ""


async def test_a_stall_gives_nothing_to_a_match_without_a_clock(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match()
    time.sleep(0.2)  # noqa: ASYNC251 - this is the stall
    assert await answers(table.act(Play(0, 1, "4"))) == [""]
    assert table.told.kinds == ["started", "move"] and table.lost_ms == []


async def test_a_storm_of_stalls_takes_no_time_from_anybody_and_makes_no_event(house: OpenHouse) -> None:
    opened = house(MemoryStore())
    played, quick = await opened.match("total:1h"), await opened.match("move:1s")
    idle = [await opened.match("total:1h") for _ in range(20)]
    for ply in range(1, 5):
        for _ in range(5):
            time.sleep(0.15)  # noqa: ASYNC251 - this is a stall
            await asyncio.sleep(0)
        assert await answers(played.act(Play((ply - 1) % 2, ply, "4"))) == [""]
    assert played.told.kinds == ["started", *["move"] * 4]
    moves = [event for event in played.live.events if event.kind == "move"]
    for move in moves:
        assert move.elapsed_ms is not None and 400 <= move.data["given_back_ms"] <= move.elapsed_ms
    assert judge(played.live.events) == ""
    paid = [sum((move.elapsed_ms or 0) - move.data["given_back_ms"] for move in moves[seat::2]) for seat in (0, 1)]
    assert played.live.state.left_ms == (3_600_000 - paid[0], 3_600_000 - paid[1])
    assert not quick.live.over, "three seconds have passed, but they were ours"
    assert quick.told.kinds == ["started"] and all(table.told.kinds == ["started"] for table in idle)
    await quick.told.until(lambda told: "ended" in told.kinds)
    assert quick.given_back(0) >= 2_000 and judge(quick.live.events) == ""


async def test_a_move_that_had_arrived_before_a_stall_lost_nothing(house: OpenHouse) -> None:
    store = GatedMemory()
    opened = house(store)
    table = await opened.match("total:1h")
    begun = table.at(0)
    store.gate.shut()
    pause, resume = table.act(Pause("lunch"), begun + 0.001), table.act(Resume())
    move = table.act(Play(0, 1, "4"), begun + 0.002)
    time.sleep(0.3)  # noqa: ASYNC251 - this is the stall
    await asyncio.sleep(0.05)
    store.gate.open()
    assert await answers(pause, resume, move) == ["", "", ""]
    assert table.lost_ms == [] and table.live.state.left_ms[0] == 3_600_000


async def test_the_next_turn_waits_for_the_pace_and_nobody_pays_for_it(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match("1m+1s", pace_ms=300)
    begun = table.at(0)
    assert await answers(table.act(Play(0, 1, "4"))) == [""]
    assert table.live.turn.since is None, "the second turn has not begun"
    await table.told.until(lambda told: len(told.turns) == 2)
    assert table.at(0) - begun >= 0.3
    assert table.told.turns[1].left_ms[1] == 60_000, "the break cost nothing"


async def test_a_move_that_comes_before_its_paced_turn_begins_no_turn_twice(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match("1m+1s", pace_ms=200)
    begun = table.at(0)
    assert await answers(table.act(Play(0, 1, "4")), table.act(Play(1, 2, "4"))) == ["", ""]
    await table.told.until(lambda told: len(told.turns) == 2)
    assert table.at(0) - begun >= 0.4, "what came early shortened no turn"
    await passed(table.at(0.3))
    assert [turn.seat for turn in table.told.turns] == [0, 0]
    assert table.live.state.left_ms[1] == 61_000, "it took no time"


async def test_a_pause_in_the_break_between_two_turns_begins_no_turn_twice(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match("1m+1s", pace_ms=200)
    given = await answers(table.act(Play(0, 1, "4")), table.act(Pause("lunch")), table.act(Resume()))
    assert given == ["", "", ""]
    await passed(table.at(0.3))
    assert [turn.seat for turn in table.told.turns] == [0, 1]


# -- storage fails ---------------------------------------------------------------------------------------------------


async def failing(opened: House, store: FailingMemory, witness: Table) -> asyncio.Future[str]:
    """Break the storage, at once; returns when it was noticed, with the answer to this match's move, which waits."""
    store.broken = True
    answer = witness.act(Play(0, 1, "4"))
    await until(lambda: opened.ledger.failing)
    return answer


async def test_while_storage_fails_no_flag_falls_and_the_time_is_given_back(house: OpenHouse) -> None:
    store = FailingMemory()
    opened = house(store)
    other, table = await opened.match(), await opened.match("250ms")
    witness = await failing(opened, store, other)
    assert table.live.turn.deadline is not None
    await passed(table.live.turn.deadline + 0.2)
    move = table.act(Play(0, 1, "4"))
    assert not table.live.over and not move.done() and not witness.done()
    store.broken = False
    assert await answers(witness, move) == ["", ""]
    assert table.told.kinds == ["started", "move"]
    assert table.lost_ms[0] >= 200
    await table.told.until(lambda told: "ended" in told.kinds)
    assert (table.live.state.termination, table.live.state.winner) == ("timeout", 0), "flags fall again"


async def test_a_move_made_while_storage_failed_gains_no_time_by_waiting(house: OpenHouse) -> None:
    store = FailingMemory()
    opened = house(store)
    other, table = await opened.match(), await opened.match("1m+0s")
    witness = await failing(opened, store, other)
    await passed(time.monotonic() + 0.05)
    move = table.act(Play(0, 1, "4"))
    await passed(time.monotonic() + 0.5)
    store.broken = False
    assert await answers(witness, move) == ["", ""]
    given, (used,) = table.given_back(0), [event.elapsed_ms for event in table.live.events if event.kind == "move"]
    assert used is not None and given <= used


async def test_a_match_that_nobody_touched_while_storage_failed_keeps_its_deadline(house: OpenHouse) -> None:
    store = FailingMemory()
    opened = house(store)
    other, table = await opened.match(), await opened.match("250ms")
    witness = await failing(opened, store, other)
    assert table.live.turn.deadline is not None
    await passed(table.live.turn.deadline + 0.2)
    store.broken = False
    assert await answers(witness) == [""]
    await table.told.until(lambda told: "ended" in told.kinds)
    assert table.told.kinds == ["started", "ended"]
    assert table.live.state.termination == "timeout"
    ended, (given,) = table.live.events[-1], table.lost_ms
    assert ended.elapsed_ms is not None and given >= 200 and ended.elapsed_ms - given > 250
    assert judge(table.live.events) == ""


async def test_a_stall_while_storage_failed_is_given_back_once(house: OpenHouse) -> None:
    store = FailingMemory()
    opened = house(store)
    other, table = await opened.match(), await opened.match("1m+0s")
    begun = table.at(0)
    witness = await failing(opened, store, other)
    time.sleep(0.5)  # noqa: ASYNC251 - this is the stall
    await passed(time.monotonic() + 0.1)
    store.broken = False
    assert await answers(witness) == [""]
    assert await answers(table.act(Play(0, 1, "4"))) == [""]
    assert 600 <= table.given_back(0) <= (time.monotonic() - begun) * 1000
    assert judge(table.live.events) == ""


async def test_stalls_over_both_ends_of_an_outage_are_given_back_once(house: OpenHouse) -> None:
    """The loop hears behind the first that storage fails, and behind the second that it works again."""
    store = FailingMemory()
    opened = house(store)
    table, other = await opened.match("1m+0s"), await opened.match()
    begun = table.at(0)
    store.broken = True
    witness = other.act(Play(0, 1, "4"))
    time.sleep(0.3)  # noqa: ASYNC251 - the first
    await passed(time.monotonic() + 0.05)
    store.broken = False
    time.sleep(0.5)  # noqa: ASYNC251 - the second
    assert await answers(witness) == [""]
    assert await answers(table.act(Play(0, 1, "4"))) == [""]
    assert 700 <= table.given_back(0) <= (time.monotonic() - begun) * 1000


async def test_what_storage_took_is_given_back_in_the_turn_that_it_took_it_from_and_in_no_other(
    house: OpenHouse,
) -> None:
    store = FailingMemory()
    opened = house(store)
    other, table = await opened.match(), await opened.match("1m+0s")
    witness = await failing(opened, store, other)
    await passed(time.monotonic() + 0.3)
    store.broken = False
    assert await answers(witness) == [""]
    begun = table.live.turn.since
    assert await answers(table.act(Pause("lunch"))) == [""]
    paused = table.live.events[-1]
    assert paused.data["given_back_ms"] >= 300 and table.live.turn.since == begun
    assert await answers(table.act(Resume()), table.act(Play(0, 1, "4")), table.act(Play(1, 2, "4"))) == [""] * 3
    assert table.lost_ms == [paused.data["given_back_ms"]], "the moves began after it"
    assert judge(table.live.events) == ""


async def test_while_the_host_is_cut_off_no_clock_runs_though_nothing_waits_for_storage(house: OpenHouse) -> None:
    opened = house(FailingMemory())
    table = await opened.match("250ms")
    opened.ledger.cut_off(True)
    assert table.live.turn.deadline is not None
    await passed(table.live.turn.deadline + 0.2)
    move = table.act(Play(0, 1, "4"))
    assert not table.live.over and not move.done()
    opened.ledger.cut_off(False)
    assert await answers(move) == [""]
    assert table.lost_ms[0] >= 200
    await table.told.until(lambda told: "ended" in told.kinds)
    assert (table.live.state.termination, table.live.state.winner) == ("timeout", 0), "flags fall again"
    assert judge(table.live.events) == ""


async def test_a_host_that_is_cut_off_goes_on_once_it_can_store(house: OpenHouse) -> None:
    store = FailingMemory()
    opened = house(store)
    other, table = await opened.match(), await opened.match("250ms")
    witness = await failing(opened, store, other)
    opened.ledger.cut_off(True)
    await passed(time.monotonic() + 0.4)
    opened.ledger.cut_off(False)
    assert opened.ledger.failing, "the database answers, and yet nothing can be stored"
    store.broken = False
    assert await answers(witness) == [""]
    assert await answers(table.act(Play(0, 1, "4"))) == [""]
    assert table.lost_ms[0] >= 400
    assert not opened.ledger.failing


# -- while a seat is away ----------------------------------------------------------------------------------------------

GONE, BACK = Presence(False), Presence()


async def test_while_a_seat_is_away_the_clock_of_the_other_stands(house: OpenHouse) -> None:
    """Without an end: what passes until its move is given back with it."""
    table = await house(MemoryStore()).match("total:1h")
    table.referee.signal(table.live, 1, GONE)
    gone = table.live.turn.stands_since
    assert gone is not None and table.live.turn.deadline is None
    assert await answers(table.act(Play(0, 1, "4"), gone + 7200)) == [""]
    assert 7_199_999 <= table.given_back(0) <= (table.live.events[-1].elapsed_ms or 0)
    assert judge(table.live.events) == ""


async def test_when_the_other_is_back_the_clock_runs_again(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match("250ms")
    assert table.live.turn.deadline is not None
    table.referee.signal(table.live, 1, GONE)
    await passed(table.at(0.4))
    assert not table.live.over
    table.referee.signal(table.live, 1, BACK)
    await table.told.until(lambda told: "ended" in told.kinds)
    assert (table.live.state.termination, table.live.state.winner) == ("timeout", 1)


async def test_the_clock_of_who_is_away_goes_on(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match("30ms")
    table.referee.signal(table.live, 0, GONE)
    await table.told.until(lambda told: "ended" in told.kinds)
    assert (table.live.state.termination, table.live.state.winner) == ("timeout", 1)


async def test_where_both_are_away_the_clock_goes_on(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match("250ms")
    for seat in (1, 0):
        table.referee.signal(table.live, seat, GONE)
    await table.told.until(lambda told: "ended" in told.kinds)
    assert (table.live.state.termination, table.live.state.winner) == ("timeout", 1)


async def test_the_clock_stands_also_in_a_turn_that_begins_while_the_other_is_away(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match("total:1h")
    table.referee.signal(table.live, 0, GONE)
    assert table.live.turn.deadline is not None
    assert await answers(table.act(Play(0, 1, "4"))) == [""]
    assert table.live.turn.stands_since == table.at(0) and table.live.turn.deadline is None
