from __future__ import annotations

import asyncio

import pytest

from arena.core.referee import Referee
from arena.match.commands import Adjudicate, Fault, Refusal
from arena.match.series import MOST_VOIDS
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from tests.kit.deadline import DEADLINE_S
from tests.kit.refereeing import refereeing
from tests.kit.storage import GatedMemory
from tests.kit.until import until
from tests.rooms.sitters import CONNECT_FOUR, Sitter, begun, names, next_round, resigned


@pytest.fixture
def ada() -> Sitter:
    return Sitter("Ada")


@pytest.fixture
def bob() -> Sitter:
    return Sitter("Bob")


# -- sitting -----------------------------------------------------------------------------------------------------------


async def test_a_taken_side_is_refused_in_words(referee: Referee, ada: Sitter, bob: Sitter) -> None:
    room = LiveRoom(referee, Plan(CONNECT_FOUR))
    assert (room.sit(ada, 1), room.sit(bob)) == (1, 0)
    with pytest.raises(Refusal, match="Both seats are taken"):
        room.sit(Sitter("Cy"))
    with pytest.raises(Refusal, match="Both seats are taken"):
        room.sit(Sitter("Cy"), 1)


async def test_who_leaves_before_the_first_round_frees_the_side(referee: Referee, ada: Sitter, bob: Sitter) -> None:
    room = LiveRoom(referee, Plan(CONNECT_FOUR))
    room.sit(ada)
    room.stand(ada)
    room.stand(bob)
    assert room.sides.free == 0 and not room.over


async def test_who_leaves_between_rounds_ends_the_series(referee: Referee, ada: Sitter, bob: Sitter) -> None:
    room = await begun(referee, ada, bob, rounds=4)
    bob.ready = False
    await resigned(room, referee, 1)
    await until(lambda: room.round == 2)
    room.stand(bob)
    assert room.over and ada.dismissed == 1 and bob.dismissed == 0


# -- rounds ------------------------------------------------------------------------------------------------------------


async def test_a_round_begins_when_both_are_ready(referee: Referee, ada: Sitter, bob: Sitter) -> None:
    room = LiveRoom(referee, Plan(CONNECT_FOUR))
    room.sit(ada)
    room.look()
    bob.ready = False
    room.sit(bob)
    room.look()
    assert not room.playing
    bob.ready = True
    room.look()
    room.look()
    live = await next_round(room, None)
    assert names(live) == ["Ada", "Bob"] and (ada.seats, bob.seats) == ([(0, 1, 1)], [(1, 1, 1)])
    assert len(referee.hub.lives) == 1


async def test_seats_swap_every_round_and_the_score_is_kept_by_side(referee: Referee, ada: Sitter, bob: Sitter) -> None:
    room = await begun(referee, ada, bob, rounds=3)
    told: list[tuple[int, bool]] = []
    room.on_round = lambda live: told.append((live.state.setup.round, room.last))
    first = await resigned(room, referee, 0)
    second = await next_round(room, first)
    assert names(second) == ["Bob", "Ada"]
    await referee.act(second, Adjudicate(None, "agreed", "staff"))
    third = await next_round(room, second)
    assert names(third) == ["Ada", "Bob"]
    await resigned(room, referee, 1)
    await until(lambda: room.over)
    assert room.series.score.rounds == "ldw" and room.series.score.points == (1.5, 1.5)
    assert told == [(1, False), (2, False), (3, True)]
    assert (ada.dismissed, bob.dismissed) == (1, 1)
    assert ada.seats == [(0, 1, 3), (1, 2, 3), (0, 3, 3)]


async def test_a_loss_that_ends_the_series_ends_it(referee: Referee, ada: Sitter, bob: Sitter) -> None:
    room = await begun(referee, ada, bob, rounds=4)
    bob.gone = True
    assert room.live is not None
    await referee.act(room.live, Fault(0, "crash", "stopped"))
    second = await next_round(room, room.live)
    assert not room.over
    await referee.act(second, Fault(0, "crash", "stopped"))
    await until(lambda: room.over)
    assert room.round == 2


@pytest.mark.parametrize("code", ["abort", "no_start", "admin_abort"])
async def test_a_round_that_nobody_wants_ends_the_series(referee: Referee, ada: Sitter, bob: Sitter, code: str) -> None:
    room = await begun(referee, ada, bob, rounds=4)
    assert room.live is not None
    await referee.abort(room.live, code, "enough")
    await until(lambda: room.over)
    assert room.series.score.rounds == ""


async def test_a_round_that_ended_by_our_fault_is_played_again_but_not_for_ever(
    referee: Referee, ada: Sitter, bob: Sitter
) -> None:
    room = await begun(referee, ada, bob, rounds=2)
    for _ in range(MOST_VOIDS - 1):
        live = room.live
        assert live is not None
        await referee.abort(live, "server_abort", "broken")
        await next_round(room, live)
        assert room.round == 1
    assert room.live is not None
    await referee.abort(room.live, "server_abort", "broken")
    await until(lambda: room.over)
    assert [seat for seat, _, _ in ada.seats] == [0] * MOST_VOIDS


class Starter(Sitter):
    """Starts for as long as the test wants."""

    def __init__(self) -> None:
        super().__init__("Bob")
        self.setup = self.setup._replace(startup_ms=1)
        self.starting, self.started = asyncio.Event(), asyncio.Event()

    async def prepare(self) -> None:
        self.starting.set()
        await self.started.wait()


@pytest.fixture
async def beginning(referee: Referee, ada: Sitter) -> tuple[LiveRoom, Starter]:
    """A room in which Bob is starting for the first round with Ada."""
    room, bob = LiveRoom(referee, Plan(CONNECT_FOUR)), Starter()
    room.sit(ada)
    room.sit(bob)
    room.look()
    await bob.starting.wait()
    return room, bob


async def test_who_comes_back_while_the_other_side_starts_has_the_seat(
    beginning: tuple[LiveRoom, Starter], ada: Sitter
) -> None:
    room, bob = beginning
    back = Sitter("Ada")
    room.replace(0, back)
    bob.started.set()
    await until(lambda: room.live is not None and room.live.state.phase == "running")
    assert (ada.seats, back.seats, bob.seats) == ([], [(0, 1, 1)], [(1, 1, 1)])


async def test_who_leaves_while_the_other_side_starts_is_in_no_match(
    beginning: tuple[LiveRoom, Starter], ada: Sitter
) -> None:
    room, bob = beginning
    room.stand(ada)
    bob.started.set()
    await until(lambda: not room.playing)
    assert not (room.begun or room.over or room.referee.hub.lives) and bob.dismissed == 1
    room.sit(ada)
    await room.begin()
    assert (ada.seats, bob.seats) == ([(0, 1, 1)], [(1, 1, 1)])


async def test_a_room_that_is_closed_while_a_side_starts_has_no_match_and_ends_what_was_started(
    beginning: tuple[LiveRoom, Starter],
) -> None:
    room, bob = beginning
    room.close()
    bob.started.set()
    await until(lambda: not room.playing)
    assert not room.begun and bob.dismissed == 2


@pytest.mark.parametrize("is_closed", [False, True])
async def test_who_leaves_while_the_match_is_stored_is_not_in_it(ada: Sitter, bob: Sitter, is_closed: bool) -> None:
    async with refereeing(store := GatedMemory()) as referee:
        room = LiveRoom(referee, Plan(CONNECT_FOUR))
        room.sit(ada)
        room.sit(bob)
        store.gate.shut()
        room.look()
        assert await asyncio.to_thread(store.gate.reached.wait, DEADLINE_S)
        room.close() if is_closed else room.stand(bob)
        store.gate.open()
        await until(lambda: not room.playing)
        [live] = referee.hub.lives.values()
        await until(lambda: live.over)
        assert live.state.termination == "server_abort" and ada.seats == bob.seats == []
        assert (room.over, room.begun, ada.dismissed) == (is_closed, False, int(is_closed))


async def test_no_round_begins_while_the_host_goes_down(referee: Referee, ada: Sitter, bob: Sitter) -> None:
    room = await begun(referee, ada, bob, rounds=4)
    assert room.live is not None
    room.hold()
    await referee.abort(room.live, "server_abort", "the server was stopped")
    await until(lambda: room.pause.left_s is None and room.series.voids == 1)
    room.look()
    assert not (room.playing or room.over)


async def test_who_cannot_be_started_has_lost_and_the_other_has_won(referee: Referee, ada: Sitter, bob: Sitter) -> None:
    ada.breaks = "no such command"
    room = await begun(referee, ada, bob)
    await until(lambda: room.over)
    assert room.live is not None
    state = room.live.state
    assert (state.winner, state.termination, state.reason) == (1, "crash", "no such command")
    assert [event.kind for event in room.live.events] == ["opened", "ended"]
    assert bob.seats == [(1, 1, 1)]


async def test_a_round_that_cannot_be_opened_closes_the_room(referee: Referee, ada: Sitter, bob: Sitter) -> None:
    room = await begun(referee, ada, bob, settings={"stones": 1})
    assert room.over and room.live is None and not room.playing
    assert (ada.dismissed, bob.dismissed) == (1, 1)


async def test_a_seat_that_fails_to_hear_of_its_match_leaves_no_match_behind(
    referee: Referee, ada: Sitter, bob: Sitter
) -> None:
    bob.take_seat = lambda *args: 1 / 0  # type: ignore[assignment, method-assign]
    room = await begun(referee, ada, bob, rounds=4)
    await until(lambda: room.live is not None and room.live.over)
    assert room.over and room.live is not None and room.live.state.termination == "server_abort"
    await asyncio.sleep(0)
    assert not referee.hub.running()


async def test_bots_go_on_at_once_and_people_have_a_break(referee: Referee, ada: Sitter) -> None:
    room = await begun(referee, ada, Sitter("Teal Heron", "human"), rounds=2, break_s=3600)
    live = await resigned(room, referee, 0)
    await until(lambda: room.round == 2)
    wait = room.pause.left_s
    assert wait is not None and 3500 < wait <= 3600
    room.look()
    assert room.live is live and not room.playing
    room.close()
    assert room.pause.left_s is None


@pytest.mark.parametrize(
    ("name", "proven", "rated"), [("test", False, False), ("TEST", False, False), ("test", True, True)]
)
async def test_a_bot_that_calls_itself_test_is_never_rated(
    referee: Referee, ada: Sitter, name: str, proven: bool, rated: bool
) -> None:
    """A registered bot may have that name: it has shown its token."""
    tester = Sitter(name)
    ada.setup = ada.setup._replace(verified=True, player=1)
    tester.setup = tester.setup._replace(verified=proven, player=2)
    room = await begun(referee, ada, tester, rated=True)
    assert room.live is not None and room.live.state.setup.rated is rated


async def test_a_match_knows_where_it_is_played(referee: Referee, ada: Sitter, bob: Sitter) -> None:
    room = await begun(referee, ada, bob, code="otter-42", private=True)
    assert room.live is not None
    assert (room.live.room_code, room.live.private) == ("otter-42", True)
