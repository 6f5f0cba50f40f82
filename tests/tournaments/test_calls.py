"""Who is waited for: each once, for all its pairings."""

from __future__ import annotations

import asyncio

import pytest
from asgiref.sync import sync_to_async

from arena.models import Bot, Entry, Player
from arena.tournaments import calls
from arena.tournaments.calls import Calls, missing_entries, to_be_called
from arena.tournaments.sheet import PairingLine
from arena.tournaments.spec import EntrySpec
from tests.kit.deadline import DEADLINE_S
from tests.kit.tournaments import a_begun, a_sheet, a_spec, builtins

pytestmark = pytest.mark.django_db(transaction=True)


@sync_to_async
def a_bot(name: str) -> EntrySpec:
    player = Player.objects.create(kind="bot", name=name, slug=name)
    Bot.objects.create(player=player, variant="connect-four-7x6", protocol="fiar", family=name)
    return EntrySpec(name, "bot", "", "fiar", player=player.pk)


def waiting(lines: list[PairingLine]) -> list[PairingLine]:
    return [line for line in lines if line.status == "waiting"]


async def test_everybody_who_is_missing_is_called_and_who_missed_a_call_at_the_end_of_the_queue() -> None:
    await a_begun(a_spec(entries=(*builtins(2), await a_bot("ada"), await a_bot("bob")), clock="5s"))
    found = await a_sheet("spring-cup")
    ada, bob = (next(entry for entry in found.entries.values() if entry.name == name) for name in ("ada", "bob"))
    assert to_be_called(found, waiting(found.lines), {bob.player_id or 0}) == [ada]
    assert {entry.name for entry in to_be_called(found, waiting(found.lines), ())} == {"ada", "bob"}
    ada.calls = 1
    assert to_be_called(found, waiting(found.lines), ()) == [bob]
    only_its_own = [line for line in found.lines if ada.pk in (line.a, line.b)]
    assert {entry.name for entry in to_be_called(found, only_its_own, {bob.player_id or 0})} == {"ada"}


async def test_a_bot_that_is_disabled_is_missing_and_a_player_of_ours_never() -> None:
    await a_begun(a_spec(entries=(*builtins(1), await a_bot("ada")), clock="5s"))
    await Bot.objects.aupdate(enabled=False)
    found = await a_sheet("spring-cup")
    ours, ada = found.entries.values()
    assert missing_entries(found, found.lines, {ada.player_id or 0}) == {ada.pk: ada}


class Missed:
    """Calls, and what came of them."""

    def __init__(self, call_s: float) -> None:
        self.missed: list[int] = []
        self.news = asyncio.Event()
        self.calls = Calls(lambda: call_s, self._miss, self.news.set)

    async def _miss(self, entry: int) -> None:
        self.missed.append(entry)

    async def over(self) -> list[int]:
        async with asyncio.timeout(DEADLINE_S):
            await self.news.wait()
        return self.missed


async def test_who_does_not_come_has_missed_one_call_however_often_it_is_asked_for() -> None:
    of = Missed(0.01)
    for _ in range(20):
        of.calls.call(Entry(pk=7, kind="builtin"))
    assert await of.over() == [7]


@pytest.mark.parametrize(("said_after_s", "named"), [(600.0, []), (0.0, [(7,)])])
async def test_who_is_called_is_named_after_a_while(
    said_after_s: float, named: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "SAID_AFTER_S", said_after_s)
    of = Missed(600)
    of.calls.call(Entry(pk=7, kind="builtin"))
    assert [call.missing for call in of.calls.now()] == named
    await of.calls.stop()


async def test_who_comes_or_is_wanted_no_more_has_missed_nothing() -> None:
    for comes in (True, False):
        of = Missed(600)
        of.calls.call(Entry(pk=7, kind="person", player=Player(pk=70, kind="person")))
        of.calls.come(70) if comes else of.calls.keep(())
        assert await of.over() == []


async def test_a_server_that_stops_has_called_nobody_in_vain() -> None:
    of = Missed(600)
    of.calls.call(Entry(pk=7, kind="builtin"))
    await of.calls.stop()
    assert of.missed == []
