"""Tournaments in a test's own host: made, begun and played to the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import sync_to_async

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.models import Tournament
from arena.tournaments import actions
from arena.tournaments.sheet import Sheet, read
from arena.tournaments.spec import EntrySpec, TournamentSpec
from tests.kit.until import asked_until, until


def builtins(count: int, level: str = "beginner") -> tuple[EntrySpec, ...]:
    return tuple(EntrySpec(f"p{n}", "builtin", level) for n in range(1, count + 1))


def a_spec(count: int = 3, **values: Any) -> TournamentSpec:
    fields: dict[str, Any] = {
        "name": "Spring cup",
        "variant": "connect-four-7x6",
        "format": "round-robin",
        "entries": builtins(count),
        "legs": 1,
        "concurrency": 4,
        "seed": 7,
    }
    return TournamentSpec(**fields | values)


def begun(spec: TournamentSpec) -> Tournament:
    """A running tournament, as rows."""
    tournament = actions.create(spec)
    actions.start(tournament)
    return tournament


@sync_to_async
def a_begun(spec: TournamentSpec) -> Tournament:
    return begun(spec)


def sheet(slug: str) -> Sheet:
    found = read(slug)
    assert found is not None
    return found


a_sheet = sync_to_async(sheet)


async def sheet_when(slug: str, condition: Callable[[Sheet], bool]) -> Sheet:
    """Wait until the condition holds; returns the tournament."""
    return await asked_until(lambda: a_sheet(slug), condition)


async def live_of(host: Host, match: str) -> LiveMatch:
    """The match in memory. Its row is stored before anybody is told of it, so who has read the row may be early."""
    await until(lambda: host.hub.get(match))
    return host.hub.lives[match]


async def finished(slug: str) -> Sheet:
    return await sheet_when(slug, lambda found: found.tournament.state == "finished")
