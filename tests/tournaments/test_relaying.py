"""Matches that workers tell of, as live ones: everybody sees them, and nobody here referees them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from functools import partial

import pytest
from asgiref.sync import sync_to_async

from arena.core.hub import Update
from arena.core.log_store import Append, DatabaseStore
from arena.host import Host
from arena.match.commands import Command, Play, Refusal, Start
from arena.match.state import LogEvent, SeatSetup, Setup
from arena.models import Pairing
from arena.tournaments.relaying import RelayedMatches
from tests.kit.appending import the_appends
from tests.kit.hosting import serving
from tests.kit.tournaments import a_begun, a_spec

pytestmark = pytest.mark.django_db(transaction=True)

MATCH = "7gk3mzrq2x"
BOTH = (SeatSetup("left", "bot", protocol="fiar"), SeatSetup("right", "bot", protocol="fiar"))


@pytest.fixture
async def host(transactional_db: None) -> AsyncIterator[Host]:
    async with serving() as host:
        yield host


async def a_log() -> list[LogEvent]:
    """Of a pairing that waits for machines of another class."""
    await a_begun(a_spec(2, machines="c5"))
    setup = Setup("connect-four-7x6", BOTH, clock="1s", pairing=(await Pairing.objects.aget()).pk)
    commands: list[Command] = [Start(), *(Play(ply % 2, ply + 1, "4") for ply in range(4))]
    return [event for events in the_appends(commands, setup) for event in events]


async def store(host: Host, events: Sequence[LogEvent], before: Sequence[LogEvent] = ()) -> None:
    append = Append(MATCH, tuple(events), lambda error: None, before)
    await sync_to_async(partial(DatabaseStore(host.fence).write, [append]))()


async def test_it_is_seen_and_nobody_here_judges_it(host: Host) -> None:
    log, relayed, told = await a_log(), RelayedMatches(host.referee), list[int]()
    await store(host, log[:3])
    await relayed.show(MATCH)
    live = host.hub.lives[MATCH]
    host.hub.follow(live, lambda live, news: told.append(news.seq) if isinstance(news, Update) else None)
    assert live.runs() is not None and live.turn.deadline is None, "its clock is shown"
    with pytest.raises(Refusal, match="can only be ended"):
        await host.referee.play(live, 1, 2, "4")
    await store(host, log[3:], log[:3])
    await relayed.show(MATCH)
    assert live.events == log and told == [len(log)]
    await relayed.end(MATCH)
    assert live.state.termination == "server_abort" and host.hub.lives[MATCH] is live
    assert "stood still" in live.state.reason and "played again" in live.state.reason
    assert told == [len(log), len(log) + 1], "who watches hears of it"
    await relayed.end(MATCH)  # as often as anybody likes
    assert (await Pairing.objects.aget()).faults == 0


async def test_one_that_staff_stop_is_for_the_organiser(host: Host) -> None:
    log, relayed = await a_log(), RelayedMatches(host.referee)
    await store(host, log)
    await relayed.show(MATCH)
    await host.referee.abort(host.hub.lives[MATCH], "admin_abort", "wrong bot", actor="mira")
    await relayed.end(MATCH)
    assert (await Pairing.objects.aget()).state == Pairing.State.HANDED
