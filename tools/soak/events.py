"""A round robin of forty bots, three of which never come and two come late, with ten kills, beside one without trouble.

`make soak ARGS='events [BOTS [CALL_S]]'`. Fails if a pairing is not accounted for, or if the trouble made the event
last more than 1.3 times as long.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from random import Random

BOTS, CALL_S, MOST = 40, 10.0, 1.3
ABSENT, LATE, KILLS = 3, 2, 10


def main(arguments: list[str]) -> int:
    bots = int(arguments[0]) if arguments else BOTS
    call_s = float(arguments[1]) if len(arguments) > 1 else CALL_S
    with tempfile.TemporaryDirectory(prefix="arena-soak-") as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "arena.settings", "ARENA_DATA": folder}
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        return asyncio.run(_both(bots, call_s))


async def _both(bots: int, call_s: float) -> int:
    from tests.kit.hosting import serving
    from tests.tournaments.crowd import Trouble, play

    async with serving() as host:
        assert host.director is not None
        host.director.call_s = call_s
        port = (await host.open_doors("127.0.0.1", {"native": 0}, []))["native"]
        quiet = await play(host, port, "quiet", bots, Trouble(), Random("quiet"))
        print(f"without trouble: {quiet.seconds:.1f} s, {dict(quiet.statuses)}, {dict(quiet.terminations)}", flush=True)
        rough = await play(host, port, "rough", bots, Trouble(ABSENT, LATE, KILLS), Random("rough"))
        print(f"with trouble: {rough.seconds:.1f} s, {dict(rough.statuses)}, {dict(rough.terminations)}", flush=True)
    ratio = rough.seconds / quiet.seconds
    print(f"{rough.kills} kills, {rough.given_up} given up, {ratio:.2f} times as long (at most {MOST})")
    there = bots - ABSENT
    whole = {"played": there * (there - 1) // 2, "forfeited": bots * (bots - 1) // 2 - there * (there - 1) // 2}
    right = dict(rough.statuses) == whole and rough.given_up == ABSENT and rough.kills == KILLS
    one_start = quiet.connections == bots
    print(f"every pairing accounted for: {right}; every bot played from one start: {one_start}")
    return int(not (right and one_start and ratio <= MOST))
