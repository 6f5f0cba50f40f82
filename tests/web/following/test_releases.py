"""A front and a host of two releases, while servers are replaced one after the other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from arena.core import storage_watch
from arena.core.storage_trouble import FULL
from arena.host import Host
from arena.web import open_sockets
from arena.web.following.publisher import Publisher
from arena.web.match import frames
from arena.web.match.followed import FollowedMatch
from tests.kit.browsing import two_people
from tests.kit.until import until
from tests.web.following.fronts import Following, following
from tests.web.following.test_mirror import EndedSocket
from tests.web.following.test_publisher import Line

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def both(host: Host) -> AsyncIterator[Following]:
    async with following() as made:
        yield made


async def test_what_a_host_of_another_release_says_is_taken_as_far_as_both_know_it(
    host: Host, both: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, first, _ = await two_people(host)
    take, later = both.mirror.message, {"more": 1}

    def other(message: dict[str, Any]) -> None:
        message = {**message, **later}
        if message["kind"] == "match":
            message["said"] = {"seq": message["said"]["seq"], "beside": {"1": later}, **later}
        take(message)
        take({"kind": "of the next release", **later})

    monkeypatch.setattr(both.mirror, "message", other)
    mine = await both.mirror.load(live.id)
    assert isinstance(mine, FollowedMatch)
    await first.play(live, "4")
    await until(lambda: mine.state == live.state and mine.said.seq == live.state.seq)
    for audience in ("0", "1", ""):
        assert 'id="m-1"' in frames.frame(None, mine, audience, 0)
    take({"kind": "trouble", "trouble": [*FULL, "more"], **later})
    assert storage_watch.told == FULL
    take({"kind": "trouble"})
    assert storage_watch.told is None
    socket = EndedSocket()
    with open_sockets.Opened(socket, session="abc"):
        take({"kind": "end sockets", "ending": {"code": 4401, "reason": "out", "session": "abc", **later}})
    assert socket.code == 4401


async def test_what_a_front_of_another_release_says_is_taken_as_far_as_both_know_it(host: Host) -> None:
    live, _, _ = await two_people(host)
    line = Line()
    publisher = Publisher(line)
    publisher.message("front", {"kind": "hello", "speaks": "everything"})
    publisher.message("front", {"kind": "of the next release", "id": 1})
    publisher.message("front", {"kind": "follow", "match": live.id})
    await until(lambda: "match" in line.kinds("front"))
    publisher.message("front", {"kind": "readers", "match": live.id, "readers": {"": 2, "referee": 1}, "mood": {}})
    assert live.readers("") == 2
    publisher.message("front", {"kind": "ask", "id": 2, "question": "arena.web.challenges.waiting", "arguments": [1]})
    await until(lambda: "answer" in line.kinds("front"))
    assert "value" in line.said[-1][1]
    publisher.close()
