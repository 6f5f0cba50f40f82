"""The disk space of a match: real matches of `droidcon` with their wires, by table and index.

Two bots play a few matches to the last free cell, 42 moves without a winner. They are stored again and again under new
names and with other times, as matches of two registered bots in rooms, and their logs are packed. The bench shows the
growth of the file, with its free pages on a separate line.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from django.db import connection

from arena.bots.session.wire_store import store_wires
from arena.core.log_store import Append
from arena.core.packing import pack_next
from arena.match.ids import Ids
from arena.match.state import LogEvent
from arena.models import Player
from arena.play.driver import Log, play
from arena.play.spec import CommandSeat, Spec
from games import variant
from tests.kit.storage import Database
from tools.bench.figures import Figure, raised

# Is given the columns of a whole match, in order, and plays those that are its own.
BOT = """
import sys
print("NAME " + sys.argv[1] + "\\nJOIN room", flush=True)
columns = []
for line in sys.stdin:
    if line.startswith("NEW_GAME"):
        columns = list(sys.argv[2])
    elif line.startswith("PUT"):
        columns.pop(0)
    elif line.startswith("YOUR_MOVE"):
        print("PUT", columns.pop(0), flush=True)
"""
GOAL_MB = 3.0
PLAYED = 6
VARIANT, CELLS = "connect-four-7x6", 42
# The number of logs that are still rows when the next ones are packed.
STAY_ROWS, PACKED_AT_ONCE = 200, 10
# Tables and indexes with at least this much of the figure for 1 000 matches are shown separately.
SHOWN_MB = 0.02


def run(matches: int = 1000) -> Iterator[Figure]:
    logs = _played()
    moves = sum(event.kind == "move" for log in logs for event in log.events) / len(logs)
    before = _sizes()
    _store(logs, matches)
    grown = {name: (size - before.get(name, 0)) / 1e6 * 1000 / matches for name, size in _sizes().items()}
    detail = f"{moves:.0f} moves each"
    yield Figure("MB for 1 000 matches of droidcon", sum(grown.values()), GOAL_MB, detail, at_most=True)
    yield Figure("  free again", _free() / 1e6 * 1000 / matches, None, "not counted: the next rows take them")
    for name, size in sorted(grown.items(), key=lambda item: -item[1]):
        if size >= SHOWN_MB:
            yield Figure(f"  {name}", size, None, "")


def _played() -> list[Log]:
    dice, logs = Random(1), list[Log]()
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        for _ in range(PLAYED):
            columns = _drawn(dice)
            first, second = (
                CommandSeat("droidcon", (sys.executable, "-c", BOT, name, columns)) for name in ("gravity", "otter")
            )
            logs += play(Spec(VARIANT, (first, second), clock="5s", cwd=folder, wires=True))
    return logs


def _drawn(dice: Random) -> str:
    """The columns, from 0, of a match that nobody wins."""
    while True:
        position, columns = variant(VARIANT).start(), ""
        while position.outcome() is None:
            move = dice.choice(position.legal_moves())
            position, columns = position.play(move), columns + str(int(move) - 1)
        if len(columns) == CELLS:
            return columns


def _store(logs: list[Log], matches: int) -> None:
    """Store the matches one after the other, over all days of a month."""
    store, ids, dice = Database(), Ids(), Random(1)
    players = [Player.objects.create(slug=f"bench-{name}", name=name, kind="bot").pk for name in ("gravity", "otter")]
    at, packed = datetime(2026, 1, 1, tzinfo=UTC), 0
    for number in range(matches):
        log = logs[number % len(logs)]
        match, at = ids.new(at.timestamp()), at + timedelta(seconds=dice.uniform(1, 5000))
        events = [
            event._replace(at=at + (event.at - log.events[0].at), data=_of_players(event, players))
            for event in log.events
        ]
        store.write([Append(match, tuple(events), raised)])
        assert log.wires is not None, "they were asked for"
        store_wires({match: log.wires})
        if number >= STAY_ROWS and number % PACKED_AT_ONCE == 0:
            packed = _pack(packed, PACKED_AT_ONCE)
    while last := _pack(packed, PACKED_AT_ONCE):
        packed = last


def _pack(after: int, most: int) -> int:
    """Pack the logs after that one, as the host does an hour after a match. Returns the last one."""
    return pack_next(after, datetime.max.replace(tzinfo=UTC), most) or 0


def _of_players(event: LogEvent, players: list[int]) -> Mapping[str, Any]:
    """The players as in a match of two registered bots that came to a door: each is known, and its token proves its
    seat.
    """
    if event.kind != "opened":
        return event.data
    proven = [{"player": player, "verified": True, "owner": 1, "holder": f"{player:064x}"} for player in players]
    seats = [seat | more for seat, more in zip(event.data["seats"], proven, strict=True)]
    return {**event.data, "seats": seats, "rounds": 4}


def _free() -> int:
    """The bytes of the file that belong to no table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")
        return int(cursor.fetchone()[0])


def _sizes() -> dict[str, int]:
    """The bytes of each table and index of the file."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name")
        return {name: int(size) for name, size in cursor.fetchall()}
