"""A server that is restarted in the middle, with bots that come back by themselves: complete, and nothing twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from arena.models import Match
from tests.kit.commands import processes_of
from tests.kit.hosting import serving
from tests.kit.ports import free_port
from tests.kit.registered import register
from tests.kit.tournaments import a_begun, a_spec, builtins, finished, live_of, sheet_when
from tests.tournaments.test_calling import an_entry, connecting
from tests.tournaments.test_live_pairing import BOT, command


@pytest.mark.parametrize("protocol", ["fiar", "gamestate"])
async def test_matches_of_bots_that_connect_go_on_or_are_played_again(transactional_db: None, protocol: str) -> None:
    port = free_port()
    variant = "connect-four-7x6" if protocol == "fiar" else "connect-four-8x8"
    bots = [await register(name, protocol, variant) for name in ("gravity-9", "delta-3")]
    entries = tuple(an_entry(bot.player, protocol) for bot, _ in bots)
    await a_begun(a_spec(entries=entries, variant=variant, legs=6, clock="30s", pace_ms=10))
    for played in (1, 3):
        async with serving() as host, connecting(port, *(token for _, token in bots)):
            await host.open_doors("127.0.0.1", {protocol: port}, [])
            await sheet_when("spring-cup", lambda found, played=played: found.progress.played >= played)  # type: ignore[misc]
    async with serving() as host, connecting(port, *(token for _, token in bots)):
        await host.open_doors("127.0.0.1", {protocol: port}, [])
        found = await finished("spring-cup")
    assert Counter(line.status for line in found.lines) == {"played": 6}
    counted = Match.objects.filter(pairing__isnull=False, termination="normal")
    assert await counted.acount() == 6


async def test_a_match_that_staff_stop_after_a_restart_is_handed_to_the_organiser(transactional_db: None) -> None:
    port = free_port()
    bots = [await register(name, "fiar") for name in ("gravity-9", "delta-3")]
    entries = tuple(an_entry(bot.player, "fiar") for bot, _ in bots)
    await a_begun(a_spec(entries=entries, clock="30s", pace_ms=1000))
    running = []
    for _ in ("before", "after"):
        async with serving() as host, connecting(port, *(token for _, token in bots)):
            await host.open_doors("127.0.0.1", {"fiar": port}, [])
            found = await sheet_when("spring-cup", lambda found: found.progress.running == 1)
            running += [match.id for line in found.lines for match in line.matches]
            if len(running) == 2:
                assert host.director is not None and len(set(running)) == 1
                await host.director.looked()
                await host.referee.abort(await live_of(host, running[0]), "admin_abort", "wrong bot", actor="mira")
                found = await sheet_when("spring-cup", lambda found: found.lines[0].status == "handed")
    assert len(found.lines[0].matches) == 1, "nobody has begun it again"


async def test_processes_of_ours_die_with_the_server_and_their_matches_are_played_again(
    transactional_db: None, tmp_path: Path
) -> None:
    await a_begun(a_spec(entries=(command("left", tmp_path, BOT), *builtins(2)), legs=2, clock="30s", pace_ms=20))
    for played in (1, 2, 3):
        async with serving():
            await sheet_when("spring-cup", lambda found, played=played: found.progress.played >= played)  # type: ignore[misc]
        assert processes_of(tmp_path) == []
    async with serving():
        found = await finished("spring-cup")
    assert Counter(line.status for line in found.lines) == {"played": 6}
    assert {line.faults for line in found.lines} == {0}
    again = [match for line in found.lines for match in line.matches[:-1]]
    assert {match.termination for match in again} <= {"server_abort"}
