"""The log of a match in the API is what its type says, also where there is more to say of the match."""

from __future__ import annotations

from asgiref.sync import sync_to_async

from arena.analysis.matches import analyse
from arena.host import Host
from arena.match.state import SeatSetup, Setup
from arena.work import analyses
from tests.web.api.test_api import read


async def test_what_was_proved_and_where_it_was_played_are_described(host: Host) -> None:
    place = {"worker": "hall-3", "rules": "1"}
    seats = SeatSetup("Ada"), SeatSetup("Bob")
    live = await host.referee.open(Setup("connect-four-7x6", seats, opening="4 4", played_on=place))
    await host.referee.start(live)
    for ply, move in enumerate("4343434", 3):
        await host.referee.play(live, 1 - ply % 2, ply, move)
    found = await sync_to_async(analyse)(analyses.job_of(live.events))
    await sync_to_async(analyses.store)({"match": live.id}, found)
    said = await read(f"/api/v1/matches/{live.id}/")
    assert said["played_on"] == place and said["opening"] == 2
    assert said["analysis"]["complete"] and len(said["analysis"]["values"]) == live.state.position.ply
