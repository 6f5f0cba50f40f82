"""The one door for acts: each way in which two acts can meet, but for time (test_turn_timers) and death (_killed)."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio

from arena.core.hub import LiveMatch, TurnSignal, Update
from arena.core.ledger import MOST_WAITING
from arena.core.log_store import MemoryStore, Store
from arena.core.referee import MOST_IN_A_MAILBOX
from arena.match.commands import Abort, Command, Fault, Flag, Pause, Play, Refusal, Resign, Resume
from arena.match.evolve import replay
from arena.match.quota import MOST_A_DAY
from arena.match.state import LogEvent, SeatSetup, Setup
from arena.models import Event as EventRow
from tests.core.tables import OpenHouse, Table, answers, houses, passed
from tests.kit.deadline import DEADLINE_S
from tests.kit.rated import a_match, cast, store
from tests.kit.storage import Database, GatedMemory, elsewhere
from tests.kit.until import asked_until


@pytest_asyncio.fixture
async def house() -> AsyncIterator[OpenHouse]:
    async with houses() as open_house:
        yield open_house


# -- one act ---------------------------------------------------------------------------------------------------------


async def test_every_act_is_one_update_and_the_updates_are_the_log(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match("1m+1s")
    for ply, text in enumerate("4343434"):
        assert await answers(table.act(Play(ply % 2, ply + 1, text, "session 7"))) == [""]
    assert table.told.kinds == ["started", *["move"] * 7, "ended"]
    assert [update.base for update in table.told.updates] == [1, *[update.seq for update in table.told.updates[:-1]]]
    log = await table.referee.ledger.read(table.live.id)
    assert log[1:] == [event for update in table.told.updates for event in update.events]
    assert (log, replay(log)) == (table.live.events, table.live.state)
    assert [turn.seat for turn in table.told.turns] == [0, 1, 0, 1, 0, 1, 0]


async def test_nobody_is_told_what_another_connection_cannot_read(transactional_db: None, house: OpenHouse) -> None:
    table = await house(Database()).match()
    seen = list[tuple[int, int]]()

    def look(live: LiveMatch, news: Update | TurnSignal) -> None:
        assert isinstance(news, Update)
        seen.append((news.seq, elsewhere(lambda: EventRow.objects.filter(match=live.id).count())))

    table.referee.hub.follow(table.live, look)
    for ply, text in enumerate("4343434"):
        assert await answers(table.act(Play(ply % 2, ply + 1, text))) == [""]
    assert seen == [(3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (8, 8), (10, 10)]


async def test_who_asks_is_answered_after_everyone_was_told(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match()
    told_before = list[int]()
    done = asyncio.Event()

    def reply(refusal: Refusal | None) -> None:
        told_before.append(len(table.told.updates))
        done.set()

    table.referee.post(table.live, Play(0, 1, "4"), reply)
    async with asyncio.timeout(DEADLINE_S):
        await done.wait()
    assert told_before == [2]


async def test_what_is_refused_is_said_to_who_asked_and_to_nobody_else(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match()
    asked = [Play(1, 1, "4"), Play(0, 2, "4"), Play(0, 1, "9"), Play(0, 1, "four")]
    given = await answers(*[table.act(command) for command in asked])
    assert given == ["not_your_turn", "stale", "illegal_move", "invalid_move"]
    assert table.told.kinds == ["started"]


async def test_acts_in_words_are_the_same_acts(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match()
    referee, live, ended = table.referee, table.live, list[LiveMatch]()
    referee.hub.on_end.append(ended.append)
    await referee.play(live, 0, 1, "4", "session 7")
    await referee.pause(live, "lunch")
    await referee.resume(live, "staff 1")
    with pytest.raises(Refusal, match="other side's turn"):
        await referee.play(live, 0, 2, "4")
    await referee.adjudicate(live, 1, "a power cut", "staff 1")
    with pytest.raises(Refusal, match="The match is over: a power cut"):
        await referee.resign(live, 0)
    await referee.rule(live, "void", None, "it was ours", "staff 1")
    with pytest.raises(Refusal, match="needs a reason"):
        await referee.rule(live, "draw", None, "", "staff 1")
    assert table.told.kinds == ["started", "move", "paused", "resumed", "ended", "ruled"]
    await asyncio.sleep(0)  # the end is told in the next turn of the loop
    assert (live.state.winner, live.state.reason, ended) == (1, "a power cut", [live]), "a ruling is no second end"


async def test_whether_a_match_is_rated_is_decided_when_it_is_opened(house: OpenHouse) -> None:
    referee = house(MemoryStore()).referee
    gravity, otter = (SeatSetup(name, "bot", n, verified=True) for n, name in enumerate(("gravity", "otter")))
    unproven = await referee.open(Setup("connect-four-7x6", (gravity, SeatSetup("Teal Heron")), rated=True))
    assert unproven.events[0].data["rated"] is unproven.state.setup.rated is False
    both = Setup("connect-four-7x6", (gravity, otter), rated=True)
    rated = [(await referee.open(both)).state.setup.rated for _ in range(MOST_A_DAY + 1)]
    assert rated == [True] * MOST_A_DAY + [False]


async def test_the_rated_matches_that_two_bots_began_before_a_restart_count(
    transactional_db: None, house: OpenHouse
) -> None:
    one, other = elsewhere(lambda: cast("gravity", "otter", kind="bot"))
    elsewhere(lambda: store(*[a_match(one, other, at=datetime.now(UTC) + timedelta(1)) for _ in range(MOST_A_DAY - 1)]))
    gravity, otter = (SeatSetup(each.name, "bot", each.pk, verified=True) for each in (one, other))
    referee = house(Database()).referee
    opening = [referee.open(Setup("connect-four-7x6", (gravity, otter), rated=True)) for _ in range(2)]
    assert sorted([live.state.setup.rated for live in await asyncio.gather(*opening)]) == [False, True]


async def test_ids_are_short_never_repeat_and_grow_with_time(house: OpenHouse) -> None:
    opened = house(MemoryStore())
    ids = [(await opened.match()).live.id for _ in range(30)]
    assert ids == sorted(set(ids))
    assert all(re.fullmatch("[2-9b-df-hj-km-np-tv-xz]{10}", one) for one in ids)


async def test_a_setup_that_cannot_be_played_opens_nothing(house: OpenHouse) -> None:
    store = MemoryStore()
    with pytest.raises(KeyError, match="halma"):
        await house(store).match(variant="halma")
    with pytest.raises(ValueError, match="no setting 'stones'"):
        await house(store).match(settings={"stones": 3})
    assert store.logs == {}


# -- two acts meet ---------------------------------------------------------------------------------------------------


async def test_of_two_moves_at_one_ply_the_first_is_played_and_the_second_is_told(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match()
    assert await answers(table.act(Play(0, 1, "4")), table.act(Play(0, 1, "3"))) == ["", "not_your_turn"]
    assert table.moves == "4"


async def test_a_move_said_twice_while_it_is_being_written_is_acknowledged_twice(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match()
    assert await answers(*[table.act(Play(0, 1, "4")) for _ in range(5)]) == [""] * 5
    assert table.moves == "4"


async def test_a_move_in_time_beats_the_flag_however_long_its_commit_takes(house: OpenHouse) -> None:
    store = GatedMemory()
    table = await house(store).match("200ms")
    store.gate.shut()
    move = table.act(Play(0, 1, "4"))
    assert table.live.turn.deadline is not None
    await passed(table.live.turn.deadline + 0.2)
    assert table.told.kinds == ["started"]
    opened = time.monotonic()
    store.gate.open()
    assert await answers(move) == [""]
    assert (table.moves, table.live.state.phase) == ("4", "running")
    assert table.at(0) >= opened, "the turn of the other side began after the commit"


async def test_a_move_in_time_that_waits_behind_another_act_beats_the_flag(house: OpenHouse) -> None:
    store = GatedMemory()
    table = await house(store).match("200ms")
    store.gate.shut()
    pause, resume = table.act(Pause("lunch")), table.act(Resume())
    move = table.act(Play(0, 1, "4"), table.at(0.2))
    flag = table.act(Flag(table.live.state.seq), table.at(0.3))
    store.gate.open()
    assert await answers(pause, resume, move, flag) == ["", "", "", ""]
    assert table.told.kinds == ["started", "paused", "resumed", "move"]


async def test_a_flag_that_fell_first_stands(house: OpenHouse) -> None:
    store = GatedMemory()
    table = await house(store).match("200ms")
    store.gate.shut()
    flag = table.act(Flag(table.live.state.seq), table.at(60.1))
    move = table.act(Play(0, 1, "4"), table.at(60.2))
    store.gate.open()
    await answers(flag, move)
    assert (table.live.state.termination, table.live.state.winner, table.moves) == ("timeout", 1, "")


async def test_a_move_then_a_resignation_are_both_kept(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match()
    assert await answers(table.act(Play(0, 1, "4")), table.act(Resign(0))) == ["", ""]
    assert table.told.kinds == ["started", "move", "ended"]
    assert table.live.state.winner == 1


async def test_after_a_resignation_no_move_is_played(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match()
    assert await answers(table.act(Resign(1)), table.act(Play(0, 1, "4"))) == ["", "match_over"]
    assert (table.moves, table.live.state.winner) == ("", 0)


async def test_two_resignations_have_one_loser(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match()
    assert await answers(table.act(Resign(1)), table.act(Resign(0))) == ["", "match_over"]
    assert table.live.state.winner == 0


async def test_a_winning_move_beats_an_abort_that_came_later(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match()
    await answers(*[table.act(Play(ply % 2, ply + 1, text)) for ply, text in enumerate("434343")])
    abort = Abort("admin_abort", "the hall is closing", actor="staff 1")
    assert await answers(table.act(Play(0, 7, "4")), table.act(abort)) == ["", "match_over"]
    assert (table.live.state.termination, table.live.state.winner) == ("normal", 0)


async def test_an_abort_beats_a_winning_move_that_came_later(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match()
    await answers(*[table.act(Play(ply % 2, ply + 1, text)) for ply, text in enumerate("434343")])
    abort = Abort("admin_abort", "the hall is closing", actor="staff 1")
    assert await answers(table.act(abort), table.act(Play(0, 7, "4"))) == ["", "match_over"]
    assert (table.live.state.termination, table.live.state.winner) == ("admin_abort", None)


async def test_all_acts_at_once_in_any_order_leave_one_ending_and_a_log_without_gaps(house: OpenHouse) -> None:
    rng, opened = random.Random(7), house(MemoryStore())
    actions: list[Command] = [
        Play(0, 1, "4"),
        Play(0, 1, "3"),
        Play(1, 2, "4"),
        Resign(0),
        Resign(1),
        Pause("?"),
        Resume(),
    ]
    actions += [Abort("admin_abort", "?"), Fault(1, "disconnect", "gone"), Flag(2)]
    for _ in range(200):
        table = await opened.match("5s")
        given = await answers(*[table.act(command) for command in rng.sample(actions, MOST_IN_A_MAILBOX)])
        if not table.live.over:
            given += await answers(table.act(Resign(0)))
        log = await opened.ledger.read(table.live.id)
        assert [event.seq for event in log] == list(range(1, len(log) + 1))
        assert [event.kind for event in log].count("ended") == 1 and log[-1].kind == "ended"
        assert replay(log) == table.live.state
        assert "busy" not in given


# -- limits ----------------------------------------------------------------------------------------------------------


async def test_eight_acts_wait_and_the_ninth_is_told_busy(house: OpenHouse) -> None:
    store = GatedMemory()
    table = await house(store).match()
    store.gate.shut()
    being_written = table.act(Play(0, 1, "4"))
    waiting = [table.act(Play(1, 2, "9")) for _ in range(8)]
    too_many = table.act(Play(1, 2, "3"))
    assert too_many.done() and too_many.result() == "busy"
    store.gate.open()
    assert await answers(being_written, *waiting) == ["", *["illegal_move"] * 8]
    assert await answers(table.act(Play(1, 2, "3"))) == [""]


async def test_a_full_ledger_is_told_busy_and_the_match_goes_on(house: OpenHouse) -> None:
    store = GatedMemory()
    opened = house(store)
    table = await opened.match()
    store.gate.shut()
    event = LogEvent(1, datetime.now(UTC), "opened", data=table.live.events[0].data)
    for number in range(MOST_WAITING):
        opened.ledger.append(f"m{number}", (event,), lambda error: None)
    assert await answers(table.act(Play(0, 1, "4"))) == ["busy"]
    store.gate.open()
    await asked_until(lambda: answers(table.act(Play(0, 1, "4"))), lambda said: said != ["busy"])
    assert table.moves == "4"


# -- another process -------------------------------------------------------------------------------------------------


@pytest.fixture
def database(transactional_db: None) -> Callable[[], Store]:
    return Database


async def test_who_comes_second_is_told_stale_and_sees_what_the_other_process_wrote(
    database: Callable[[], Store], house: OpenHouse
) -> None:
    here = await house(database()).match()
    there = await house(database()).sit(here.live.id)
    await answers(there.act(Pause("it was restored")), there.act(Resume()))
    assert await answers(here.act(Play(0, 1, "4"))) == ["stale"]
    assert here.told.kinds == ["started", "paused", "resumed"]
    assert here.live.state == there.live.state
    assert await answers(here.act(Play(0, 1, "4"))) == [""]
    assert await answers(there.act(Play(0, 1, "3"))) == ["stale"]
    assert there.moves == "4"
    assert there.live.state == here.live.state


async def test_what_ended_in_another_process_is_over_here(database: Callable[[], Store], house: OpenHouse) -> None:
    here = await house(database()).match()
    there = await house(database()).sit(here.live.id)
    await answers(there.act(Resign(1)))
    assert await answers(here.act(Play(0, 1, "4")), here.act(Play(0, 1, "4"))) == ["stale", "match_over"]
    assert here.told.kinds == ["started", "ended"]
    assert here.live.over


async def test_two_processes_that_play_one_match_never_both_get_a_ply(
    database: Callable[[], Store], house: OpenHouse
) -> None:
    first = await house(database()).match(variant="expanding-nim", settings={"stones": 60, "resets": 0})
    tables = [first, await house(database()).sit(first.live.id)]
    accepted = list[int]()

    async def play(table: Table, rng: random.Random) -> None:
        while not table.live.over:
            ply, seat = table.live.state.position.ply + 1, table.live.state.position.to_move
            assert seat is not None
            move = rng.choice(table.live.state.position.legal_moves())
            if await answers(table.act(Play(seat, ply, move))) == [""]:
                accepted.append(ply)

    async with asyncio.timeout(DEADLINE_S):
        await asyncio.gather(*[play(table, random.Random(seed)) for seed, table in enumerate(tables)])
    log = await first.referee.ledger.read(first.live.id)
    # One may hear of its ply only after the other has read it from the log and answered it.
    assert sorted(accepted) == [event.ply for event in log if event.kind == "move"]
    assert replay(log) == tables[0].live.state == tables[1].live.state


async def test_a_match_is_loaded_once_and_stands_where_its_log_ends(
    database: Callable[[], Store], house: OpenHouse
) -> None:
    here = await house(database()).match()
    await answers(here.act(Play(0, 1, "4")), here.act(Play(1, 2, "4")))
    there = house(database())
    lives = await asyncio.gather(*[there.referee.load(here.live.id) for _ in range(5)])
    assert all(live is lives[0] for live in lives)
    assert lives[0] is not None
    assert (lives[0].state, lives[0].events) == (here.live.state, here.live.events)
    assert await there.referee.load("never") is None


# -- readers ---------------------------------------------------------------------------------------------------------


async def test_a_reader_that_lost_updates_has_everything_after_reading_the_log(house: OpenHouse) -> None:
    table = await house(MemoryStore()).match()
    lost, events = {2, 3, 5}, table.live.events[:2]

    async def receive(update: Update) -> None:
        if update.base <= len(events):
            events.extend(event for event in update.events if event.seq > len(events))
        else:
            events[:] = await table.referee.ledger.read(table.live.id)

    for ply, text in enumerate("4343434"):
        await answers(table.act(Play(ply % 2, ply + 1, text)))
        if ply not in lost:
            await receive(table.told.updates[-1])
    assert events == table.live.events


async def test_a_follower_or_an_answer_that_breaks_leaves_the_match_alone(
    house: OpenHouse, caplog: pytest.LogCaptureFixture
) -> None:
    table = await house(MemoryStore()).match()

    def broken(*whatever: object) -> None:
        raise RuntimeError("a session with a defect")

    table.referee.hub.follow(table.live, broken)
    table.referee.post(table.live, Play(0, 1, "4"), broken)
    table.referee.post(table.live, Play(0, 1, "4"), broken)
    table.referee.post(table.live, Play(0, 9, "4"), broken)
    assert await answers(table.act(Play(1, 2, "4")), table.act(Play(0, 3, "4"))) == ["", ""]
    assert table.told.kinds == ["started", "move", "move", "move"]
    assert caplog.text.count("an answer could not be given") == 3


async def test_a_defect_of_ours_ends_its_match_and_no_other(house: OpenHouse, caplog: pytest.LogCaptureFixture) -> None:
    opened = house(MemoryStore())
    table, other = await opened.match(), await opened.match()
    assert await answers(table.act(Fault(0, "not a termination", "?"))) == ["server_abort"]
    await table.told.until(lambda told: "ended" in told.kinds)
    assert (table.live.state.termination, table.live.state.winner) == ("server_abort", None)
    assert await answers(other.act(Play(0, 1, "4"))) == [""]
    assert "not a termination" in caplog.text
