from __future__ import annotations

import pytest

from arena.core.hub import Presence
from arena.core.referee import Referee
from arena.match.state import SeatSetup
from arena.rooms import people
from arena.rooms.people import Person
from tests.kit.until import until
from tests.rooms.sitters import Sitter, begun, next_round, resigned


@pytest.fixture
def bob() -> Sitter:
    return Sitter("Bob")


@pytest.fixture
def person(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> Person:
    monkeypatch.setattr(people, "AWAY_S", 0.05)
    return Person(referee, SeatSetup("Teal Heron"))


async def test_who_leaves_and_does_not_come_back_has_lost_in_words(
    referee: Referee, person: Person, bob: Sitter
) -> None:
    room = await begun(referee, person, bob, rounds=4)
    live = room.live
    assert live is not None
    person.arrived()
    person.departed()
    assert person.away and not live.presence[0].here
    await until(lambda: room.over)
    assert (live.state.termination, live.state.winner) == ("left", 1)
    assert live.state.reason == "Teal Heron did not come back within 0.05 s"


async def test_nobody_is_lost_while_nothing_can_be_stored(referee: Referee, person: Person, bob: Sitter) -> None:
    room = await begun(referee, person, bob)
    live = room.live
    assert live is not None
    person.arrived()
    referee.ledger.cut_off(True)
    person.departed()
    first = live.presence[0].until
    await until(lambda: live.presence[0].until != first)
    assert person.away and not live.over
    referee.ledger.cut_off(False)
    await until(lambda: room.over)
    assert live.state.termination == "left"


async def test_nobody_is_lost_while_staff_have_paused_the_match(referee: Referee, person: Person, bob: Sitter) -> None:
    room = await begun(referee, person, bob)
    live = room.live
    assert live is not None
    person.arrived()
    await referee.pause(live, "lunch", "Staff")
    person.departed()
    first = live.presence[0].until
    await until(lambda: live.presence[0].until != first)
    assert person.away and not live.over
    await referee.resume(live, "Staff")
    await until(lambda: room.over)
    assert live.state.termination == "left"


async def test_a_page_in_time_saves_the_match_and_other_tabs_count(
    referee: Referee, person: Person, bob: Sitter
) -> None:
    room = await begun(referee, person, bob)
    arrivals: list[bool] = []
    person.on_arrival = lambda: arrivals.append(True)
    person.arrived()
    person.arrived()
    person.departed()
    assert not person.away
    person.departed()
    assert person.away
    person.arrived()
    assert not person.away and room.live is not None and room.live.presence[0] == Presence()
    assert len(arrivals) == 3


async def test_who_never_opened_a_page_is_not_watched(referee: Referee, person: Person, bob: Sitter) -> None:
    await begun(referee, person, bob)
    assert not person.away


async def test_who_is_gone_when_the_next_round_begins_is_waited_for_there_too(
    referee: Referee, person: Person, bob: Sitter
) -> None:
    room = await begun(referee, person, bob, rounds=2, break_s=0)
    person.arrived()
    live = await resigned(room, referee, 0)
    person.departed()
    assert not person.away
    second = await next_round(room, live)
    await until(lambda: second.over)
    assert second.state.termination == "left" and second.state.winner == 0
