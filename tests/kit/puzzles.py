"""A puzzle as they arise: from a finished and analysed public match of two people."""

from __future__ import annotations

from asgiref.sync import sync_to_async

from arena.analysis.matches import analyse
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.models import Puzzle
from arena.work import analyses
from tests.kit.browsing import Person, two_people

# After seven moves Blue is to move: column 4 wins in 2, columns 3 and 7 draw, the others lose.
MOVES, PLY, ANSWER, WRONG = "7371153442", 7, "4", "1"


async def a_match(host: Host, **fields: str) -> tuple[LiveMatch, Person, Person]:
    """The match of `MOVES`, over and analysed."""
    live, first, second = await two_people(host, **fields)
    for number, move in enumerate(MOVES):
        await (second if number % 2 else first).play(live, move)
    assert live.over
    await sync_to_async(store)(live)
    return live, first, second


async def a_puzzle(host: Host) -> Puzzle:
    await a_match(host)
    return await Puzzle.objects.aget()


def store(live: LiveMatch) -> None:
    analyses.store({"match": live.id}, analyse(analyses.job_of(live.events)))
