"""What the host keeps of its fronts: one viewer a match and front, nothing of a front that has gone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from arena.cluster.bus import Message
from arena.host import Host
from arena.web.following.publisher import Publisher
from tests.kit.browsing import two_people
from tests.kit.deadline import DEADLINE_S
from tests.kit.restarting import live_in, restarting
from tests.kit.restarting import two_people as two_in_a_room
from tests.kit.server import ROOT, environment
from tests.kit.until import until

pytestmark = pytest.mark.django_db(transaction=True)

# What `serve` has loaded before its first page.
FIRST_QUESTION = """
import django
django.setup()
import arena.management.commands.serve
from arena.web import elsewhere
from arena.web.following.publisher import question_of
assert "arena.web.bots.bots._departure" not in elsewhere.questions
print(question_of("arena.web.bots.bots._departure").__name__)
"""


class Line:
    """A bus on which nobody listens: what is said is kept."""

    def __init__(self) -> None:
        self.said: list[tuple[str, Message]] = []

    def send(self, peer: str, message: Message) -> None:
        self.said.append((peer, message))

    def newest(self, peer: str) -> Message | None:
        return None

    def kinds(self, front: str) -> list[str]:
        return [message["kind"] for peer, message in self.said if peer == front]


async def test_a_front_that_does_not_answer_is_told_once_and_holds_nobody_up(host: Host) -> None:
    live, first, second = await two_people(host)
    line = Line()
    publisher = Publisher(line)
    for front in ("slow", "quick"):
        publisher.message(front, {"kind": "hello"})
        publisher.message(front, {"kind": "follow", "match": live.id, "readers": {"": 3}})
        await until(lambda front=front: "match" in line.kinds(front))  # type: ignore[misc]
    assert live.readers("") == 6 and len(live.viewers[""]) == 2
    for number, move in enumerate("4343"):
        publisher.message("quick", {"kind": "seen", "match": live.id})
        said = line.kinds("quick").count("match")
        await (first, second)[number % 2].play(live, move)
        await until(lambda said=said: line.kinds("quick").count("match") > said)  # type: ignore[misc]
    assert line.kinds("slow").count("match") == 1 and line.kinds("quick").count("match") >= 5
    publisher.message("slow", {"kind": "seen", "match": live.id})
    newest = [message for peer, message in line.said if peer == "slow" and message["kind"] == "match"][-1]
    assert newest["said"]["seq"] == live.state.seq, "the newest, and nothing in between"
    publisher.close()
    assert not live.viewers[""]


async def test_who_was_there_over_a_front_is_away_when_it_has_gone(host: Host) -> None:
    live, _, _ = await two_people(host)
    line, player = Line(), live.state.setup.seats[0].player
    publisher = Publisher(line)
    publisher.message("front", {"kind": "hello"})
    (person,) = host.lobby.people(live, player or 0)
    for number in (1, 2):
        publisher.message("front", {"kind": "enter", "id": number, "match": live.id, "player": player})
    publisher.message("front", {"kind": "leave", "id": 2})
    await until(lambda: person._sockets == 1)
    publisher.broken("front")
    assert not person.looks
    publisher.message("front", {"kind": "enter", "id": 3, "match": live.id, "player": player})
    await until(lambda: person.looks)
    publisher.close()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only the file of SQLite can be away for one connection")
async def test_pages_whose_player_cannot_be_seated_connect_again(
    host: Host, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    live, first, _ = await two_people(host)
    await first.post(f"/m/{live.id}/resign/")
    assert live.over
    line = Line()
    publisher = Publisher(line)
    publisher.message("front", {"kind": "hello"})
    close = sync_to_async(lambda: connection.close())
    with monkeypatch.context() as away:
        away.setitem(connection.settings_dict, "NAME", str(tmp_path / "nothing" / "arena.sqlite3"))
        await close()
        publisher.message(
            "front", {"kind": "enter", "id": 1, "match": live.id, "player": live.state.setup.seats[0].player}
        )
        await until(lambda: "cannot follow" in line.kinds("front"))
    await close()
    publisher.close()


async def test_a_page_that_a_restart_found_at_the_round_before_is_led_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with restarting(monkeypatch) as restarted:
        host = await restarted()
        first, room = await two_in_a_room(host, rounds=2), host.lobby.rooms["OTTER-42"]
        await host.referee.resign(first, 0)
        await until(lambda: room.pause.left_s is not None)
        room.pause.cancel()
        await room.begin()
        second = live_in(room)
        await restarted()
        line = Line()
        publisher = Publisher(line)
        publisher.message("front", {"kind": "hello"})
        publisher.message("front", {"kind": "follow", "match": first.id, "readers": {"0": 1}})
        await until(lambda: "match" in line.kinds("front"))
        assert line.said[-1][1]["said"]["follows"] == (second.id, 2)
        publisher.close()


async def test_a_match_that_is_not_there_and_one_that_has_gone_meanwhile(host: Host) -> None:
    line = Line()
    publisher = Publisher(line)
    publisher.message("front", {"kind": "hello"})
    publisher.message("front", {"kind": "follow", "match": "nothing", "readers": {}})
    await until(lambda: line.kinds("front") == ["welcome", "no match"])
    live, _, _ = await two_people(host)
    publisher.message("front", {"kind": "follow", "match": live.id, "readers": {}})
    publisher.broken("front")
    await until(lambda: not publisher._tasks)
    assert not live.viewers[""]
    publisher.close()


async def test_a_match_that_is_left_while_it_is_read_is_not_followed(host: Host) -> None:
    line = Line()
    publisher = Publisher(line)
    publisher.message("front", {"kind": "hello"})
    live, _, _ = await two_people(host)
    follow = {"kind": "follow", "match": live.id, "readers": {"": 3}}
    publisher.message("front", follow)
    publisher.message("front", {"kind": "unfollow", "match": live.id})
    publisher.message("front", follow)
    publisher.message("front", {"kind": "hello"})
    await until(lambda: not publisher._tasks)
    assert not live.viewers[""] and line.kinds("front") == ["welcome", "welcome"]
    for _ in range(2):
        publisher.message("front", follow)
    await until(lambda: not publisher._tasks)
    assert len(live.viewers[""]) == 1
    publisher.close()


async def test_a_front_that_takes_itself_for_greeted_starts_over(host: Host) -> None:
    """It has heard an answer from before a break, after it had broken itself."""
    live, _, _ = await two_people(host)
    line = Line()
    publisher = Publisher(line)
    publisher.message("front", {"kind": "follow", "match": live.id, "readers": {"": 3}})
    await until(lambda: not publisher._tasks)
    assert line.kinds("front") == ["over"] and not live.viewers[""]
    publisher.close()


async def test_fronts_that_do_not_keep_up_keep_nothing_from_the_others(host: Host) -> None:
    class Full(Line):
        def send(self, peer: str, message: Message) -> None:
            super().send(peer, message)
            if message["kind"] == "trouble" and peer != "quick":
                publisher.broken(peer)

    line = Full()
    publisher = Publisher(line)
    for front in ("slow", "quick", "slower"):
        publisher.message(front, {"kind": "hello"})
    host.hub.wake_all()
    assert "trouble" in line.kinds("quick") and publisher._fronts == {"quick"}
    publisher.close()


async def test_a_move_is_told_once_and_with_the_clock_of_the_turn_that_it_begins(host: Host) -> None:
    """A player's page is woken at once and watchers a little later: to a front both are the same news."""
    live, first, _ = await two_people(host, clock="5m")
    line = Line()
    publisher = Publisher(line)
    publisher.message("front", {"kind": "hello"})
    publisher.message("front", {"kind": "follow", "match": live.id, "readers": {"0": 1}})
    await until(lambda: line.kinds("front").count("match") == 1)
    publisher.message("front", {"kind": "seen", "match": live.id})
    assert live.turn.since is not None
    live.turn.since -= 100
    await first.play(live, "4")
    await until(lambda: line.kinds("front").count("match") == 2)
    await until(lambda: live not in host.hub.frame_timers, "all have been woken")
    publisher.message("front", {"kind": "seen", "match": live.id})
    await asyncio.sleep(0)
    assert line.kinds("front").count("match") == 2
    said = [message["said"] for _, message in line.said if message["kind"] == "match"][-1]
    assert (said["seq"], said["runs"]) == (live.state.seq, 1)
    assert said["left_ms"][0] <= 200_000 < 250_000 < said["left_ms"][1]
    publisher.close()


def test_a_host_that_has_made_no_page_yet_knows_the_questions_of_pages(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FIRST_QUESTION]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, timeout=DEADLINE_S
    )
    assert done.stdout == "_departure\n", done.stdout + done.stderr
