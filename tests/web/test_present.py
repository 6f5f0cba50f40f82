"""What the host has at this moment, asked directly and over the bus of a front."""

from __future__ import annotations

import pytest

from arena.host import Host
from arena.web import elsewhere
from arena.web.present import present
from tests.kit.browsing import two_people
from tests.web.following.fronts import following

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_front_is_told_what_the_host_has(host: Host) -> None:
    live, _, _ = await two_people(host)
    await host.open_doors("127.0.0.1", {"native": 0}, [])
    host.seat_ports.clocks = {"native": "10s"}
    here = await present(host)
    async with following() as both:
        elsewhere.keep(both.mirror)
        try:
            assert await present(None) == here
        finally:
            elsewhere.keep(None)
    assert here.doors == {"native": host.doors["native"].port} and here.clocks == {"native": "10s"}
    assert here.playing == {seat.player for seat in live.state.setup.seats}
