"""A match that a worker plays and somebody watches: its moves are seen as they come, and a worker that dies in the
middle costs this match and nothing else; a host that does costs not even that.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection

from tests.kit.deadline import DEADLINE_S
from tests.kit.processes import Postgres
from tests.kit.sockets import connect
from tests.kit.workers import Cluster, cluster
from tests.work.workers.test_playing import BEGUN

pytestmark = [pytest.mark.service, pytest.mark.long]

# Plays the leftmost free column, each time after half a second.
SLOW = """import sys, time
for line in sys.stdin:
    time.sleep(0.5)
    print(next(n for n in range(1, 8) if line.split()[1][n - 1] == "."), flush=True)
"""
RUNNING = "SELECT id FROM arena_match WHERE ended IS NULL"
LAST = "SELECT seq FROM arena_event WHERE match_id = %s AND kind = 'ended'"
EXPIRE = "UPDATE arena_work SET until = now() - interval '1 second' WHERE state = 'out' AND match = %s RETURNING id"
COUNTED = """
SELECT pairing_id, count(*) FILTER (WHERE termination <> 'server_abort'), count(*) FROM arena_match GROUP BY pairing_id
"""
SHOWN = "SELECT max(seq) FROM arena_event WHERE match_id = %s HAVING max(seq) > 2"
ENDED = """
SELECT termination, count(*) FILTER (WHERE arena_event.kind = 'ended'), array_agg(seq ORDER BY seq)
FROM arena_match JOIN arena_event ON match_id = arena_match.id WHERE match_id = %s GROUP BY termination
"""
VOID_OF = """
SELECT voids FROM arena_work WHERE (spec->>'pairing')::int = (SELECT pairing_id FROM arena_match WHERE id = %s)
"""
VOID = "SELECT sum(voids) FROM arena_work WHERE kind = 'play'"


async def test_its_moves_are_seen_while_it_is_played_and_a_lost_one_is_played_again(
    postgres: Postgres, folder: Path
) -> None:
    (folder / "files").mkdir()
    (folder / "files" / "left.py").write_text(SLOW)
    async with cluster(folder, postgres, "watching", fetches=True) as arena:
        await arena.add_bot(folder / "files", then=BEGUN)
        async with connect(f"{_address(arena)}/ws/lobby/?tournament=cup", origin=arena.server.address) as page:
            async with arena.held():
                worker = await arena.worker()
                ((lost,),) = await arena.until(RUNNING)
                await _until_said(page, f"/m/{lost}/")
                await worker.kill()
                await arena.until(EXPIRE, lost)
            await arena.until("SELECT 1 FROM arena_match WHERE id = %s AND termination = 'server_abort'", lost)
            async with arena.held():
                await arena.worker()
                ((match,),) = await arena.until(RUNNING)
                await _until_said(page, f"/m/{match}/")
                board = await connect(f"{_address(arena)}/ws/m/{match}/?have=0", origin=arena.server.address)
                await _until_said(board, 'id="m-1"')
                assert await arena.ask(RUNNING) == [(match,)]
            ((last,),) = await arena.until(LAST, match)
            await _until_said(board, f'data-seq="{last}"')
            await board.close()
        await arena.until("SELECT 1 FROM arena_tournament WHERE state = 'finished'")
        found = await arena.ask(COUNTED)
        ((void,),) = await arena.ask(VOID)  # by a worker that stood still, as on a busy machine
        assert [counted for _, counted, _ in found] == [1, 1] and 3 <= sum(count for *_, count in found) <= 3 + void
        assert await arena.ask("SELECT sum(faults), max(distrusted) FROM arena_pairing, arena_machine") == [(0, "")]
        assert await arena.ask("SELECT count(*) FROM arena_logslice") == [(0,)]
        assert "Traceback" not in arena.server.said
        assert "no differences" in await arena.manage("replay")


@pytest.mark.cases(0)
async def test_a_host_that_is_killed_meanwhile_goes_on_with_the_match_where_it_was_shown(
    postgres: Postgres, folder: Path
) -> None:
    (folder / "files").mkdir()
    (folder / "files" / "left.py").write_text(SLOW.replace("0.5", "1.5"))
    async with cluster(folder, postgres, "restarted", fetches=True) as arena:
        await arena.add_bot(folder / "files", then=BEGUN)
        lobby = f"{_address(arena)}/ws/lobby/?tournament=cup"
        async with connect(lobby, origin=arena.server.address) as page:
            worker = await arena.worker()
            ((match,),) = await arena.until(RUNNING)
            await _until_said(page, f"/m/{match}/")
            ((shown,),) = await arena.until(SHOWN, match)
            await arena.server.kill()
        await arena.until("SELECT 1 FROM arena_logslice")
        await arena.server.start_again()
        async with connect(f"{_address(arena)}/ws/m/{match}/?have=0", origin=arena.server.address) as board:
            ((last,),) = await arena.until(LAST, match)
            await _until_said(board, f'data-seq="{last}"')
        await worker.until_said(": answered\n")
        assert last > shown
        ((void,),) = await arena.ask(VOID_OF, match)
        assert await arena.ask(ENDED, match) == [("server_abort" if void else "normal", 1, [*range(1, last + 1)])]
        assert await arena.ask("SELECT sum(faults), max(distrusted) FROM arena_pairing, arena_machine") == [(0, "")]
        assert "no differences" in await arena.manage("replay")


def _address(arena: Cluster) -> str:
    return f"ws://127.0.0.1:{arena.server.port}"


async def _until_said(page: ClientConnection, words: str) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while words not in str(await page.recv()):
            pass
