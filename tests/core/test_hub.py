"""The hub: who is told what, and that nobody who listens badly hurts the others."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.hub import (
    FIRST_FRAME_S,
    FRAMES_COUNTED,
    FRAMES_SHARE,
    MOST_ENDED_KEPT,
    WATCHER_FRAME_S,
    Hub,
    LiveMatch,
    Presence,
    TurnSignal,
    Update,
)
from arena.core.slices import SLICE_S
from arena.match.commands import Command, Play, Start
from arena.match.decide import decide, open_match
from arena.match.evolve import following
from arena.match.state import LogEvent, SeatSetup, Setup, first_state
from tests.kit.deadline import DEADLINE_S

NOW = datetime(2026, 1, 31, 12, 0, 0, 123_456, tzinfo=UTC)
SETUP = Setup("connect-four-7x6", (SeatSetup("Ada"), SeatSetup("Bob")), clock="1m+1s")


def a_live(match: str = "m1") -> LiveMatch:
    return LiveMatch(match, first_state(SETUP), list(open_match(SETUP, NOW)))


def the_updates() -> tuple[list[LogEvent], list[Update]]:
    """A whole match: its log, and the updates that told it, one an append."""
    state, log, updates = first_state(SETUP), list(open_match(SETUP, NOW)), list[Update]()
    commands: list[Command] = [Start(), *[Play(ply % 2, ply + 1, text) for ply, text in enumerate("4343434")]]
    for number, command in enumerate(commands):
        events = decide(state, command, NOW + timedelta(milliseconds=number), 500)
        states = following(state, events)
        positions = tuple(each.position for each in states)
        updates.append(Update("m1", state.seq, states[-1].seq, events, None, positions))
        log += events
        state = states[-1]
    return log, updates


LOG, UPDATES = the_updates()


class Page:
    """A viewer that counts how often it was woken, and can be broken."""

    people = 1
    lag_ms = 0

    def __init__(self, audience: str = "", broken: bool = False) -> None:
        self.audience = audience
        self.woken = 0
        self.broken = broken
        self.awake = asyncio.Event()

    def wake(self) -> None:
        self.woken += 1
        self.awake.set()
        if self.broken:
            raise ConnectionResetError("the browser is gone")

    def end(self, code: int, reason: str) -> None:
        """Its match stays."""


# -- updates ---------------------------------------------------------------------------------------------------------


class Reader:
    """One who follows the rule of updates and reads the log where a update is missing."""

    def __init__(self) -> None:
        self.events = [LOG[0]]
        self.reads = 0

    def receive(self, update: Update, log: list[LogEvent]) -> None:
        have = len(self.events)
        if update.seq <= have:
            return
        if update.base <= have:
            self.events += [event for event in update.events if event.seq > have]
        else:
            self.reads += 1
            self.events = log[: update.seq]


def test_updates_follow_each_other_without_a_gap() -> None:
    assert [update.base for update in UPDATES] == [1, *[update.seq for update in UPDATES[:-1]]]
    for update in UPDATES:
        assert [event.seq for event in update.events] == list(range(update.base + 1, update.seq + 1))
    assert len(UPDATES[-1].events) == 2, "the last move and the end are never split"


@given(st.lists(st.sampled_from(UPDATES)))
def test_updates_lost_doubled_and_out_of_order_still_add_up_to_the_log(received: list[Update]) -> None:
    reader = Reader()
    for update in received:
        reader.receive(update, LOG)
        assert reader.events == LOG[: len(reader.events)]
    assert len(reader.events) == max((update.seq for update in received), default=1)


def test_a_reader_that_loses_no_update_never_reads_the_log() -> None:
    reader = Reader()
    for update in UPDATES:
        reader.receive(update, LOG)
    assert (reader.events, reader.reads) == (LOG, 0)


def test_a_update_travels_as_json() -> None:
    update = Update("m1", 2, 3, UPDATES[1].events, TurnSignal(3, 1, (60_500, 60_000)), UPDATES[1].positions)
    data = json.loads(json.dumps(update.to_json()))
    assert (data["match"], data["base"], data["seq"]) == ("m1", 2, 3)
    assert data["turn"] == {"seat": 1, "left_ms": [60_500, 60_000]}
    (move,) = data["events"]
    assert (move["seq"], move["kind"], move["ply"], move["seat"], move["move"]) == (3, "move", 1, 0, "4")
    assert (move["elapsed_ms"], move["left_ms"]) == (500, [60_500, 60_000])
    assert move["at"].endswith("Z")


def test_the_last_update_has_no_turn() -> None:
    data = UPDATES[-1].to_json()
    assert data["turn"] is None
    assert data["events"][-1]["data"]["termination"] == "normal"


# -- followers -------------------------------------------------------------------------------------------------------


async def test_followers_are_told_at_once_in_the_order_they_came() -> None:
    hub, live = Hub(), a_live()
    heard = list[tuple[str, object]]()
    hub.follow(live, lambda live, news: heard.append(("first", news)))
    hub.follow(live, lambda live, news: heard.append(("second", news)))
    hub.tell(live, UPDATES[0])
    assert heard == [("first", UPDATES[0]), ("second", UPDATES[0])]


async def test_who_stopped_following_is_told_nothing() -> None:
    hub, live = Hub(), a_live()
    heard = list[object]()

    def follower(live: LiveMatch, news: Update | TurnSignal) -> None:
        heard.append(news)

    hub.follow(live, follower)
    hub.unfollow(live, follower)
    hub.unfollow(live, follower)
    hub.tell(live, UPDATES[0])
    assert heard == []


async def test_a_follower_that_fails_is_dropped_and_the_others_hear_everything(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hub, live = Hub(), a_live()
    heard = list[object]()

    def broken(live: LiveMatch, news: Update | TurnSignal) -> None:
        heard.append("broken")
        raise RuntimeError("a session with a defect")

    hub.follow(live, broken)
    hub.follow(live, lambda live, news: heard.append(news))
    hub.tell(live, UPDATES[0])
    hub.tell(live, UPDATES[1])
    assert heard == ["broken", UPDATES[0], UPDATES[1]]
    assert "match m1: a follower failed and is dropped" in caplog.text


async def test_a_follower_may_leave_and_another_come_while_they_are_told() -> None:
    hub, live = Hub(), a_live()
    heard = list[object]()

    def once(live: LiveMatch, news: Update | TurnSignal) -> None:
        hub.unfollow(live, once)
        hub.follow(live, lambda live, news: heard.append(news))

    hub.follow(live, once)
    hub.tell(live, UPDATES[0])
    hub.tell(live, UPDATES[1])
    assert heard == [UPDATES[1]]


# -- viewers ---------------------------------------------------------------------------------------------------------


async def test_players_are_woken_at_once_and_watchers_with_the_next_frame() -> None:
    hub, live = Hub(), a_live()
    pages = [Page("0"), Page("1"), Page("")]
    for page in pages:
        hub.view(live, page)
    for update in UPDATES[:4]:
        hub.tell(live, update)
    assert [page.woken for page in pages] == [4, 4, 0]
    async with asyncio.timeout(DEADLINE_S):
        await pages[2].awake.wait()
    assert pages[2].woken == 1, "many updates are one frame"


@pytest.mark.long
async def test_frames_of_many_matches_share_what_the_server_gives_to_watchers() -> None:
    hub, lives = Hub(), [a_live(f"m{number}") for number in range(200)]
    for live in lives:
        hub.view(live, Page())
        hub.changed(live)
    first, last = hub.frame_timers[lives[0]], hub.frame_timers[lives[-1]]
    assert last.when() - first.when() > len(lives) * FIRST_FRAME_S / FRAMES_SHARE - 2 * WATCHER_FRAME_S
    last_page = Page()
    hub.view(lives[-1], last_page)
    async with asyncio.timeout(DEADLINE_S):
        await last_page.awake.wait()
    again = a_live("again")
    hub.view(again, Page())
    hub.changed(again)
    assert hub.frame_timers[again].when() - asyncio.get_running_loop().time() <= WATCHER_FRAME_S


async def test_frames_that_take_longer_are_made_less_often() -> None:
    class SlowPage(Page):
        def wake(self) -> None:
            began = time.perf_counter()
            while time.perf_counter() < began + SLICE_S:
                pass
            super().wake()

    hub, slow, lives = Hub(), SlowPage(), [a_live(f"m{number}") for number in range(20)]
    hub.view(lives[0], slow)
    hub.changed(lives[0])
    async with asyncio.timeout(DEADLINE_S):
        await slow.awake.wait()
    began = asyncio.get_running_loop().time()
    for live in lives[1:]:
        hub.view(live, Page())
        hub.changed(live)
    expected = FIRST_FRAME_S + (SLICE_S - FIRST_FRAME_S) / FRAMES_COUNTED
    assert hub.frame_timers[lives[-1]].when() >= began + (len(lives) - 1) * expected / FRAMES_SHARE


async def test_a_watcher_is_woken_for_what_came_after_its_frame() -> None:
    hub, live, watcher = Hub(), a_live(), Page("")
    hub.view(live, watcher)
    for update in UPDATES[:2]:
        hub.tell(live, update)
        watcher.awake.clear()
        async with asyncio.timeout(DEADLINE_S):
            await watcher.awake.wait()
    assert watcher.woken == 2
    assert WATCHER_FRAME_S == 0.05


async def test_who_looks_at_one_match_looks_at_no_other() -> None:
    hub, lives = Hub(), [a_live("seen"), a_live("unseen")]
    hub.view(lives[0], Page("1"))
    hub.unview(lives[1], Page("1"))
    assert [[live.readers(audience) for audience in live.viewers] for live in lives] == [[0, 1, 0], [0, 0, 0]]
    assert hub.viewed == {lives[0]}


async def test_who_does_not_look_any_more_is_not_woken() -> None:
    hub, live, page = Hub(), a_live(), Page("0")
    hub.view(live, page)
    hub.unview(live, page)
    hub.unview(live, page)
    hub.tell(live, UPDATES[0])
    assert page.woken == 0 and not hub.viewed


async def test_a_page_that_fails_is_dropped_and_the_others_are_woken(caplog: pytest.LogCaptureFixture) -> None:
    hub, live = Hub(), a_live()
    broken = [Page("0", broken=True), Page("", broken=True)]
    others = [Page("0"), Page("1"), Page("")]
    for page in [*broken, *others]:
        hub.view(live, page)
    hub.tell(live, UPDATES[0])
    hub.tell(live, UPDATES[1])
    async with asyncio.timeout(DEADLINE_S):
        await asyncio.gather(others[2].awake.wait(), broken[1].awake.wait())
    assert [page.woken for page in others] == [2, 2, 1]
    assert [page.woken for page in broken] == [1, 1]
    assert "match m1: a page failed and is dropped" in caplog.text


async def test_a_page_may_leave_while_pages_are_woken() -> None:
    hub, live = Hub(), a_live()

    class Leaving(Page):
        def wake(self) -> None:
            super().wake()
            hub.unview(live, self)

    pages = [Leaving("0"), Leaving("0"), Leaving(""), Leaving("")]
    for page in pages:
        hub.view(live, page)
    hub.tell(live, UPDATES[0])
    async with asyncio.timeout(DEADLINE_S):
        await asyncio.gather(*[page.awake.wait() for page in pages])
    assert [page.woken for page in pages] == [1, 1, 1, 1]


# -- signals ---------------------------------------------------------------------------------------------------------


async def test_presence_is_the_last_thing_said_and_said_once() -> None:
    hub, live, page = Hub(), a_live(), Page("1")
    hub.view(live, page)
    before = live.version
    hub.signal(live, 0, Presence(False, 1_000.0))
    hub.signal(live, 0, Presence(False, 1_000.0))
    assert (live.presence, page.woken) == ((Presence(False, 1_000.0), Presence()), 1)
    assert live.version == before + 1
    hub.signal(live, 0, Presence())
    assert live.presence == (Presence(), Presence())


async def test_what_was_drawn_is_thrown_away_when_something_changes() -> None:
    hub, live = Hub(), a_live()
    live.frames = {(1, "0"): "<div>"}
    hub.changed(live)
    assert live.frames == {}


# -- which matches ---------------------------------------------------------------------------------------------------


async def test_running_matches_are_those_without_an_ending() -> None:
    hub, live, over = Hub(), a_live("m1"), a_live("m2")
    hub.add(live)
    hub.add(over)
    over.state = over.state._replace(phase="ended")
    assert hub.running() == [live]
    assert hub.get("m2") is over
    assert hub.get("never") is None


async def test_ended_matches_are_kept_for_those_who_look_and_then_forgotten() -> None:
    hub = Hub()
    lives = [hub.add(a_live(f"m{number}")) for number in range(MOST_ENDED_KEPT + 3)]
    for live in lives:
        hub.ended(live)
    assert [hub.get(live.id) for live in lives[:4]] == [None, None, None, lives[3]]
    assert len(hub.lives) == MOST_ENDED_KEPT


async def test_who_asks_for_it_is_told_of_every_end_once_all_followers_know() -> None:
    hub, live, told = Hub(), a_live(), asyncio.Event()
    hub.on_end += [lambda ended: told.set() if ended is live else None]
    hub.ended(live)
    assert not told.is_set()
    async with asyncio.timeout(DEADLINE_S):
        await told.wait()
