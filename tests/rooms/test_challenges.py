"""Challenges wait in rows, end by themselves, and wake who reads; what pages do is in tests/web/people."""

from __future__ import annotations

from datetime import timedelta

import pytest

from arena.match.commands import Refusal
from arena.models import Place, Player, Room
from arena.rooms import challenges
from arena.rooms.challenges import Challenges, EventCall
from arena.rooms.lobby import Lobby
from arena.rooms.people import seat_of_player
from arena.rooms.room import LiveRoom
from tests.kit.until import until
from tests.rooms.test_lobby import CONNECT_FOUR
from tests.rooms.test_lobby import lobby as lobby


class Woken:
    def __init__(self) -> None:
        self.times = 0

    def wake(self) -> None:
        self.times += 1


async def asked(lobby: Lobby) -> tuple[LiveRoom, Player, Player]:
    ada, bob = [await Player.objects.aget(slug=name) for name in ("ada", "bob")]
    kept = (Place(side=0, kind="me", player=bob), Place(side=1, kind="me", player=ada))
    room = await lobby.open("a", {**CONNECT_FOUR, "opener_id": ada.pk}, places=kept)
    lobby.sit_down(room, seat_of_player(ada))
    await lobby.challenges.add(room, ada, bob)
    return room, ada, bob


async def test_both_are_woken_and_a_restart_forgets_nothing(lobby: Lobby) -> None:
    reader = Woken()
    room, ada, bob = await asked(lobby)
    lobby.challenges.view(reader, bob.pk)
    again = Challenges(lobby.rooms, lobby.updates)
    await again.restore()
    assert again.received(bob.pk) == lobby.challenges.received(bob.pk) != []
    again.view(reader, bob.pk)
    before = reader.times
    room.stand(next(each for each in room.sides if each is not None))
    assert again.sent(ada.pk) == lobby.challenges.sent(ada.pk) == [], "who asked has left"
    assert reader.times == before + 2
    later = Challenges(lobby.rooms, lobby.updates)
    await Room.objects.aupdate(closed="2026-11-22T12:00:00Z")
    await later.restore()
    assert later.received(bob.pk) == []


async def test_one_that_nobody_answers_ends_and_is_told(lobby: Lobby, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(challenges, "WAITS", timedelta(0))
    _, ada, bob = await asked(lobby)
    await until(lambda: lobby.challenges.received(bob.pk) == [])
    assert [answer.said for answer in lobby.challenges.answers(ada.pk)] == ["expired"]
    lobby.challenges.take_note("A", bob.pk)
    assert lobby.challenges.answers(ada.pk) != [], "it was not told to Bob"
    lobby.challenges.take_note("A", ada.pk)
    assert lobby.challenges.answers(ada.pk) == []


async def test_who_asked_and_is_on_another_page_is_told_that_they_are_waited_for(lobby: Lobby) -> None:
    room, ada, bob = await asked(lobby)
    lobby.pages.expect("A", ada.pk, 0.0)
    lobby.sit_down(room, seat_of_player(bob))
    assert [answer.said for answer in lobby.challenges.answers(ada.pk)] == ["accepted"]
    with pytest.raises(Refusal, match="is no longer open"):
        lobby.challenges.of("a", bob.pk)


async def test_a_call_that_was_read_is_told_again_only_if_they_came_and_left(lobby: Lobby) -> None:
    calls, both = lobby.challenges, EventCall("otter", "Cup", "cup", frozenset({1, 2}))
    calls.call(both)
    calls.take_note("otter", 1)
    assert (calls.calls(1), [each.code for each in calls.calls(2)]) == ([], ["otter"])
    calls.call(both._replace(players=frozenset({1})))
    assert calls.calls(1) == calls.calls(2) == []
    calls.call(both._replace(players=frozenset({2})))
    calls.call(both)
    assert len(calls.calls(1)) == len(calls.calls(2)) == 1
