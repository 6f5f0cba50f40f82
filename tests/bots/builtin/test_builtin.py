from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator

import pytest

from arena.bots.builtin import builtin
from arena.bots.builtin.builtin import Builtin
from arena.bots.builtin.thinkers import Thinkers
from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.match.commands import Pause, Resume
from arena.match.state import SeatSetup
from arena.play.thinking import title
from tests.kit.refereeing import moves_of, refereeing, started
from tests.kit.storage import FailingMemory
from tests.kit.until import until

pytestmark = pytest.mark.long

HUMAN = SeatSetup("Teal Heron")


@pytest.fixture
def store() -> FailingMemory:
    return FailingMemory()


@pytest.fixture
async def referee(store: FailingMemory) -> AsyncIterator[Referee]:
    async with refereeing(store) as referee:
        yield referee


@pytest.fixture
async def thinkers() -> AsyncIterator[Thinkers]:
    thinkers = Thinkers()
    yield thinkers
    await thinkers.close()


async def seated(
    referee: Referee, player: Builtin, seat: int, other: SeatSetup = HUMAN, variant: str = ""
) -> LiveMatch:
    """A running match with the player on this seat."""
    seats = (player.setup, other) if seat == 0 else (other, player.setup)
    live = await started(referee, *seats, variant=variant or "connect-four-7x6")
    player.take_seat(live, seat)
    return live


async def test_two_of_them_play_a_match_to_its_end(referee: Referee, thinkers: Thinkers) -> None:
    first, second = Builtin(referee, thinkers, "beginner"), Builtin(referee, thinkers, "casual")
    live = await started(referee, first.setup, second.setup)
    for seat, player in enumerate((first, second)):
        player.take_seat(live, seat)
    await until(lambda: live.over)
    assert live.state.termination == "normal" and not live.followers


@pytest.mark.long
@pytest.mark.parametrize(
    ("variant", "level"), [("connect-four-7x6", "best"), ("santorini-5x5", "club"), ("expanding-nim", "expert")]
)
async def test_a_seed_repeats_its_choices(referee: Referee, thinkers: Thinkers, variant: str, level: str) -> None:
    chosen = []
    for _ in range(2):
        player = Builtin(referee, thinkers, level, seed=7)
        live = await seated(referee, player, 0, SeatSetup("Bob", "bot"), variant)
        await until(lambda live=live: len(moves_of(live)) == 1)  # type: ignore[misc]
        await referee.play(live, 1, 2, live.state.position.legal_moves()[0])
        await until(lambda live=live: len(moves_of(live)) == 3)  # type: ignore[misc]
        chosen.append(moves_of(live))
        await referee.resign(live, 1)
    assert chosen[0] == chosen[1]


async def test_a_seed_repeats_its_choices_when_a_turn_begins_anew(referee: Referee, thinkers: Thinkers) -> None:
    chosen = []
    for pauses in (0, 3):
        live = await seated(referee, Builtin(referee, thinkers, "random", seed=7), 0, SeatSetup("Bob", "bot"))
        for _ in range(pauses):  # it has only begun to think
            await referee.act(live, Pause("a look at the board"))
            await referee.act(live, Resume())
        for ply in (2, 4, 6):
            await until(lambda live=live, ply=ply: len(moves_of(live)) == ply - 1)  # type: ignore[misc]
            await referee.play(live, 1, ply, live.state.position.legal_moves()[0])
        chosen.append(moves_of(live))
        await referee.resign(live, 1)
    assert chosen[0] == chosen[1]


async def test_a_person_is_not_answered_like_a_machine_gun(
    referee: Referee, thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builtin, "COURTESY_S", 3600)
    player = Builtin(referee, thinkers, "random")
    live = await seated(referee, player, 0)
    other = await seated(referee, Builtin(referee, thinkers, "random"), 0, SeatSetup("Bob", "bot"))
    await until(lambda: len(moves_of(other)) == 1)
    assert moves_of(live) == []
    await referee.resign(live, 1)
    assert not live.followers


async def test_it_plays_the_next_match_although_the_last_one_ended_while_it_thought(
    referee: Referee, thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builtin, "COURTESY_S", 3600)
    player = Builtin(referee, thinkers, "random")
    first = await seated(referee, player, 0)
    await referee.resign(first, 1)
    second = await seated(referee, player, 0, SeatSetup("Bob", "bot"))
    await until(lambda: len(moves_of(second)) == 1)
    assert moves_of(first) == []


async def test_after_a_pause_it_thinks_again(referee: Referee, thinkers: Thinkers) -> None:
    player = Builtin(referee, thinkers, "random")
    live = await seated(referee, player, 1, SeatSetup("Bob", "bot"))
    referee.post(live, Pause("a look at the board"), lambda refusal: None)
    await until(lambda: live.state.phase == "paused")
    await referee.act(live, Resume())
    await referee.play(live, 0, 1, "4")
    await until(lambda: len(moves_of(live)) == 2)


async def test_a_move_that_could_not_be_stored_is_thought_about_again(
    referee: Referee, thinkers: Thinkers, store: FailingMemory
) -> None:
    live = await started(referee, SeatSetup("Bob", "bot"), SeatSetup("Club (built in)", "builtin"))
    player = Builtin(referee, thinkers, "random")
    player.take_seat(live, 1)
    await referee.play(live, 0, 1, "4")
    store.errors = [ValueError("a defect of the store")]
    await until(lambda: len(moves_of(live)) == 2)
    assert not store.errors


async def test_it_survives_the_death_of_its_worker(referee: Referee, thinkers: Thinkers) -> None:
    player = Builtin(referee, thinkers, "random")
    live = await seated(referee, player, 0, SeatSetup("Bob", "bot"))
    await until(lambda: len(moves_of(live)) == 1)
    assert thinkers._pool is not None
    for pid in list(thinkers._pool._processes):
        os.kill(pid, signal.SIGKILL)
    await referee.play(live, 1, 2, "4")
    await until(lambda: len(moves_of(live)) == 3)


async def test_it_survives_a_worker_that_was_known_to_be_dead(referee: Referee, thinkers: Thinkers) -> None:
    player = Builtin(referee, thinkers, "random")
    live = await seated(referee, player, 0, SeatSetup("Bob", "bot"))
    await until(lambda: len(moves_of(live)) == 1)
    pool = thinkers._pool
    assert pool is not None
    for pid in list(pool._processes):
        os.kill(pid, signal.SIGKILL)
    await until(lambda: bool(pool._broken))
    await referee.play(live, 1, 2, "4")
    await until(lambda: len(moves_of(live)) == 3)


async def test_when_it_fails_its_match_is_lost_and_says_so(referee: Referee, thinkers: Thinkers) -> None:
    live = await seated(referee, Builtin(referee, thinkers, "grandmaster"), 0)
    await until(lambda: live.over)
    assert (live.state.winner, live.state.termination) == (1, "crash")
    assert "unknown level 'grandmaster'" in live.state.reason


async def test_when_the_server_goes_down_its_match_stays_as_it_is(referee: Referee, thinkers: Thinkers) -> None:
    await thinkers.close()
    player = Builtin(referee, thinkers, "random")
    live = await seated(referee, player, 0)
    await until(lambda: player._thinking is not None and player._thinking.done())
    assert live.state.phase == "running"


def test_levels_have_titles() -> None:
    assert [title(level) for level in ("random", "beginner", "casual", "club", "expert", "best")] == [
        *("Random", "Beginner", "Casual", "Club", "Expert", "Best")
    ]
