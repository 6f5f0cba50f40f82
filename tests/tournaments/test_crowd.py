"""A small sample of `make soak ARGS=events`: who does not come, comes late or is killed costs nobody else a match."""

from __future__ import annotations

from random import Random

from arena.host import Host
from tests.tournaments.crowd import Trouble, play


async def test_an_event_with_trouble_plays_every_match_of_those_who_come(host: Host) -> None:
    assert host.director is not None
    host.director.call_s = 1.5
    port = (await host.open_doors("127.0.0.1", {"native": 0}, []))["native"]
    found = await play(host, port, "cup", 6, Trouble(absent=1, late=1, kills=2), Random(9))
    assert found.statuses == {"played": 10, "forfeited": 5}
    assert found.terminations == {"normal": 10}, "who was killed came back to its match"
    assert (found.given_up, found.kills) == (1, 2)
