"""Who looks at a match, and how slow their lines are."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from arena.core.log_store import MemoryStore
from arena.core.viewers import NOBODY, Viewers, lag_ms
from arena.match.commands import AnswerOffer, Offer, Pause, Play, Resume
from arena.match.judge import judge
from arena.match.turn import MOST_LAG_MS
from arena.play import lost_time
from tests.core.tables import House, OpenHouse, Table, answers, houses
from tests.core.test_hub import Page
from tests.kit.deadline import DEADLINE_S


@pytest_asyncio.fixture
async def house(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenHouse]:
    """On a busy machine turns lose time for other reasons too, but not here."""
    monkeypatch.setattr(lost_time, "STALL_S", DEADLINE_S)
    async with houses() as open_house:
        yield open_house


def a_page(ms: int) -> Page:
    page = Page("0")
    page.lag_ms = ms
    return page


def test_the_fastest_page_of_a_seat_counts() -> None:
    viewers: Viewers = {"0": {a_page(300), a_page(150)}, "1": set(), "": {a_page(900)}}
    assert [lag_ms(viewers, seat) for seat in (0, 1)] == [150, 0]
    assert [lag_ms(NOBODY, seat) for seat in (0, 1)] == [0, 0]


def on_a_line(house: House, table: Table, *lags: int) -> list[Page]:
    """The first seat's pages, whose lines are so slow."""
    pages = [a_page(ms) for ms in lags]
    for page in pages:
        house.hub.view(table.live, page)
    return pages


async def round_of(table: Table, ply: int, seconds: float = 0.0) -> None:
    """The first seat moves so long after the beginning of its turn, then the other one at once."""
    assert await answers(table.act(Play(0, ply, "4"), table.at(seconds))) == [""]
    assert await answers(table.act(Play(1, ply + 1, "4"), table.at(0))) == [""]


@pytest.mark.parametrize("clock", ["total:1h", "move:1h", "1h+1s"])
@pytest.mark.parametrize(("lags", "given"), [((300,), 300), ((2_000,), MOST_LAG_MS), ((300, 100), 100), ((300, 0), 0)])
async def test_who_has_a_slow_line_is_not_charged_for_it(
    house: OpenHouse, clock: str, lags: tuple[int, ...], given: int
) -> None:
    opened = house(MemoryStore())
    table = await opened.match(clock)
    on_a_line(opened, table, *lags)
    await round_of(table, 1, 1)
    assert table.live.turn.lost == (((table.at(0), table.at(given / 1000)),) if given else ())
    assert table.live.lasts_ms(table.at(0))[0] == (table.live.state.left_ms[0] or 0) + given
    shown = table.live.left_ms(table.at(given / 1000))
    assert shown == table.live.state.left_ms, "until then its clock stands"
    left = table.live.lasts_ms(table.at(given / 1000 + 10))
    assert (left[0], left[1]) == ((shown[0] or 0) - 10_000, shown[1])
    await round_of(table, 3, given / 2000)
    assert table.live.state.left_ms[0] == (shown[0] or 0) + 1_000 * (clock == "1h+1s"), "no more than the move took"
    assert table.given_back(1) == 0 and judge(table.live.events) == ""


async def test_the_flag_of_a_slow_line_falls_later_and_a_move_until_then_is_in_time(house: OpenHouse) -> None:
    opened = house(MemoryStore())
    late, quick = await opened.match("move:1h"), await opened.match("move:50ms")
    for table in (late, quick):
        on_a_line(opened, table, 300)
        table.act(Pause("lunch"))
        assert await answers(table.act(Resume("ada"))) == [""], "a turn that begins again has its lag again"
    assert late.live.turn.deadline == late.at(3600) + 0.3
    assert await answers(late.act(Play(0, 1, "4"), late.at(3600.299))) == [""]
    assert late.live.state.termination is None and late.live.events[-1].data == {"given_back_ms": 300}
    await quick.told.until(lambda told: "ended" in told.kinds)
    end = quick.live.events[-1]
    assert (end.elapsed_ms or 0) > 350 and end.data["given_back_ms"] >= 300 and judge(quick.live.events) == ""


async def test_without_a_clock_or_a_page_no_line_is_slow(house: OpenHouse) -> None:
    opened = house(MemoryStore())
    untimed, left = await opened.match(), await opened.match("total:1h")
    on_a_line(opened, untimed, 300)
    (page,) = on_a_line(opened, left, 300)
    opened.hub.unview(left.live, page)
    for table in (untimed, left):
        await round_of(table, 1)
        assert table.live.turn.lost == ()


async def test_after_a_takeback_and_for_who_connects_again_each_turn_is_right(house: OpenHouse) -> None:
    opened = house(MemoryStore())
    table = await opened.match("total:1h", offers=True)
    (page,) = on_a_line(opened, table, 300)
    await round_of(table, 1, 1)
    opened.hub.unview(table.live, page)
    on_a_line(opened, table, 2_000)
    assert await answers(table.act(Play(0, 3, "4"), table.at(1))) == [""], "the turn had begun on the other line"
    assert await answers(table.act(Offer(0, "takeback", 3))) == [""]
    assert await answers(table.act(AnswerOffer(1, table.live.state.seq, True))) == [""]
    assert await answers(table.act(Play(0, 3, "5"), table.at(1))) == [""]
    assert table.lost_ms == [300, MOST_LAG_MS]
    assert table.live.state.left_ms[0] == 3_600_000 - 1_000 - 500, "the first turn began before there was a page"
    kinds = ["move", "move", "move", "offered", "takeback", "move"]
    assert [event.kind for event in table.live.events[2:]] == kinds and judge(table.live.events) == ""


async def test_a_turn_that_a_restart_begins_again_is_charged_until_a_page_has_been_measured(house: OpenHouse) -> None:
    store = MemoryStore()
    before = house(store)
    table = await before.match("total:1h")
    on_a_line(before, table, 300)
    await round_of(table, 1, 1)
    assert table.live.turn.lost
    opened = house(store)
    again = await opened.sit(table.live.id)
    opened.referee.turns.begin(again.live)
    on_a_line(opened, again, 300)
    await round_of(again, 3, 1)
    await round_of(again, 5, 1)
    assert again.lost_ms == [300] and judge(again.live.events) == ""
    assert again.live.state.left_ms[0] == 3_600_000 - 2_700
