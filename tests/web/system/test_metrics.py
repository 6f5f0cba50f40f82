"""`/metrics`: what it counts, and who may read it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import AsyncRequestFactory

from arena.host import Host
from arena.web.system.metrics import metrics
from tests.kit.browsing import Person, text, two_people
from tests.kit.until import until

LINE = re.compile(r'# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"\n]*",?)+\})? -?[0-9.e+-]+')


async def numbers() -> dict[str, float]:
    """All samples by what stands before the number."""
    answer = await Person().get("/metrics")
    assert answer.status_code == 200 and answer["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = text(answer).splitlines()
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


async def test_a_match_is_counted_while_it_runs_and_when_it_has_ended(host: Host) -> None:
    live, first, _ = await two_people(host)
    said = await numbers()
    assert said['arena_matches{variant="connect-four-7x6"}'] == 1
    assert said['arena_seats{kind="human",protocol=""}'] == 2
    assert (said["arena_rooms"], said['arena_queue_depth{queue="ledger"}'], said["arena_front"]) == (1, 0, 0)
    await first.play(live, "4")
    await first.post(f"/m/{live.id}/resign/")
    await until(lambda: bool(host.ended.by_termination))
    said = await numbers()
    assert 'arena_matches{variant="connect-four-7x6"}' not in said
    assert said['arena_matches_ended_total{termination="resign"}'] == 1
    assert said['arena_moves_total{kind="human"}'] == said['arena_think_seconds_count{kind="human"}'] == 1
    assert said["arena_commits_total"] == said["arena_commit_seconds_count"] > 0
    assert said["process_resident_memory_bytes"] > 1e6


async def test_a_process_that_is_no_host_speaks_of_itself() -> None:
    said = await numbers()
    assert said["process_open_fds"] > 0 and "arena_rooms" not in said


@pytest.mark.parametrize(
    ("address", "nets", "status"),
    [
        ("127.0.0.1", [], 200),
        ("::ffff:127.0.0.1", [], 200),
        ("10.1.2.3", [], 403),
        ("10.1.2.3", ["10.0.0.0/8"], 200),
        ("fd00::7%eth0", ["fd00::/8"], 200),
        ("no address", ["10.0.0.0/8"], 403),
    ],
)
async def test_it_is_for_this_machine_and_for_whoever_is_named(
    address: str, nets: list[str], status: int, settings: Any
) -> None:
    settings.ARENA_METRICS = nets
    request = AsyncRequestFactory().get("/metrics")
    request.META["REMOTE_ADDR"] = address
    assert (await metrics(request)).status_code == status


async def test_a_proxy_that_nobody_has_told_us_of_is_not_this_machine(settings: Any) -> None:
    header = {"X-Forwarded-For": "127.0.0.1"}
    answer = await Person().get("/metrics", **header)
    assert answer.status_code == 403 and "TRUSTED_PROXY_HOPS" in text(answer)
    settings.TRUSTED_PROXY_HOPS = 1
    assert (await Person().get("/metrics", **header)).status_code == 200
