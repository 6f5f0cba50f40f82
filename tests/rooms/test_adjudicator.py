"""Matches that end by a proof: when, what everybody reads, and when not."""

from __future__ import annotations

import gc
from typing import Any

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.models import Event, Match
from tests.kit.positions import WON_TURNS
from tests.kit.restarting import Restarts, kinds, same, two_people
from tests.kit.until import until


async def play(host: Host, live: LiveMatch, *moves: str) -> None:
    for move in moves:
        ply = live.state.position.ply + 1
        await host.referee.play(live, (ply - 1) % 2, ply, move)


async def over(live: LiveMatch) -> dict[str, object]:
    """What the end says, once it has come."""
    await until(lambda: live.over)
    ended = await Event.objects.aget(match=live.id, kind="ended")
    return {**ended.data, "actor": ended.actor}


class Proofs:
    """What the adjudicator of this host asks for and hears, written down on its way."""

    def __init__(self, host: Host) -> None:
        self.plies: list[int] = []
        self._prover = host.adjudicator.prover
        host.adjudicator.prover = self

    async def verdicts(self, job: dict[str, Any]) -> dict[str, Any] | None:
        found = await self._prover.verdicts(job)
        self.plies += job["plies"]
        return found

    async def close(self) -> None:
        await self._prover.close()


async def test_a_result_that_has_held_for_its_moves_ends_the_match_with_the_line(restarted: Restarts) -> None:
    host = await restarted()
    live = await two_people(host, adjudicate=4)
    await play(host, live, "4", "1", "4", "1")
    said = await over(live)
    assert (said["termination"], said["winner"], said["actor"]) == ("adjudicated", 0, "")
    assert str(said["reason"]).startswith("Ada wins by force, proved for 4 moves: 4 4 5 ")
    assert (await Match.objects.aget(id=live.id)).winner == 0


async def test_a_match_of_santorini_ends_by_a_proof_as_well(restarted: Restarts) -> None:
    host = await restarted()
    live = await two_people(host, variant="santorini-5x5", adjudicate=4)
    await play(host, live, *WON_TURNS.split())
    said = await over(live)
    assert (said["termination"], said["winner"], live.state.position.ply) == ("adjudicated", 0, 18)
    assert str(said["reason"]).startswith("Ada wins by force, proved for 4 moves: ")


class _PauseMeanwhile(Proofs):
    """While the first proof is looked for, staff pause the match."""

    def __init__(self, host: Host, live: LiveMatch) -> None:
        super().__init__(host)
        self._host, self._live = host, live

    async def verdicts(self, job: dict[str, Any]) -> dict[str, Any] | None:
        found = await super().verdicts(job)
        if self._live.state.phase == "running" and 4 in job["plies"] and not await self._paused_before():
            await self._host.referee.pause(self._live, "lunch", "Staff")
        return found

    async def _paused_before(self) -> bool:
        return "paused" in await kinds(self._live)


async def test_a_proof_that_comes_during_a_pause_ends_the_match_when_it_goes_on(restarted: Restarts) -> None:
    host = await restarted()
    live = await two_people(host, adjudicate=4)
    _PauseMeanwhile(host, live)
    await play(host, live, "4", "1", "4", "1")
    await until(lambda: live.state.phase == "paused" and not host.adjudicator._looks)
    await host.referee.resume(live, "Staff")
    assert (await over(live))["winner"] == 0
    assert (await kinds(live))[-3:] == ["paused", "resumed", "ended"]


async def test_who_throws_the_result_away_begins_the_count_anew(restarted: Restarts) -> None:
    host = await restarted()
    proofs, live = Proofs(host), await two_people(host, adjudicate=4)
    await play(host, live, "3", "1", "4", "7")  # a win, a draw after the first move, a win again after the second
    await until(lambda: 4 in proofs.plies)
    await play(host, live, "4")
    await until(lambda: 5 in proofs.plies)
    await play(host, live, "7")
    assert (await over(live))["winner"] == 0
    assert live.state.position.ply == 6


async def test_without_the_wish_nothing_is_asked(restarted: Restarts) -> None:
    host = await restarted()
    proofs, live = Proofs(host), await two_people(host)
    asking = await two_people(host, code="badger-7", adjudicate=4)
    for each in (live, asking):
        await play(host, each, "4", "1", "4", "1")
    assert (await over(asking))["winner"] == 0
    assert not live.over and set(proofs.plies) <= {0, 1, 2, 3, 4}


async def test_after_a_restart_the_moves_before_it_count(restarted: Restarts) -> None:
    host = await restarted()
    before = await two_people(host, adjudicate=4)
    await play(host, before, "4", "1", "4")
    host = await restarted()
    live = same(host, before)
    await until(lambda: live.state.phase == "running")
    await play(host, live, "1")
    assert (await over(live))["winner"] == 0


async def test_a_match_that_leaves_the_memory_is_kept_by_nobody(restarted: Restarts) -> None:
    host = await restarted()
    live = await two_people(host, adjudicate=4)
    await play(host, live, "4")
    match = live.id
    host.lobby.let_go(live)
    del live
    await two_people(host, code="badger-7")  # the ledger keeps what it has written last
    await until(lambda: gc.collect() >= 0 and not [each for each in gc.get_objects() if _is(each, match)])


def _is(thing: object, match: str) -> bool:
    return type(thing) is LiveMatch and thing.id == match
