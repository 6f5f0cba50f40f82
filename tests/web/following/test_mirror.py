"""What a front knows of its host: matches as they stand, moves that it passes on, answers, and the end of all that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from django.db import OperationalError, ProgrammingError
from django.utils import timezone

from arena.core import storage_watch
from arena.core.hub import LiveMatch
from arena.core.storage_trouble import FULL
from arena.core.viewers import lag_ms
from arena.host import Host, NoHost
from arena.match.commands import Refusal, Rule
from arena.models import Room
from arena.web import elsewhere, open_sockets
from arena.web.following import mirror as mirror_module
from arena.web.following import publisher as publisher_module
from arena.web.following.mirror import FrontMirror
from arena.web.following.publisher import Audience, Publisher
from arena.web.match import frames
from arena.web.match.followed import FollowedMatch
from arena.web.match.stored import is_settled
from arena.web.sockets import consumers
from tests.kit.browsing import Person, two_people
from tests.kit.until import until
from tests.web.following.fronts import HOST, Following, following
from tests.web.following.test_publisher import Line
from tests.web.sockets.test_consumers import watching
from tests.web.sockets.test_lag import lost_ms, on_a_line, without_stalls

__all__ = ["without_stalls"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def both(host: Host) -> AsyncIterator[Following]:
    async with following() as made:
        yield made


@pytest.fixture
def over_the_front(both: Following, monkeypatch: pytest.MonkeyPatch) -> Following:
    """The websockets of this test are those of the front."""
    monkeypatch.setattr(consumers, "matches", lambda: both.mirror)
    return both


async def followed(both: Following, live: LiveMatch) -> FollowedMatch:
    found = await both.mirror.load(live.id)
    assert isinstance(found, FollowedMatch)
    return found


async def test_a_match_is_there_as_it_stands_and_goes_on(host: Host, both: Following) -> None:
    live, first, second = await two_people(host)
    await first.play(live, "4")
    mine = await followed(both, live)
    assert mine is not live and mine.events == live.events and mine.state == live.state
    await second.play(live, "3")
    await until(lambda: mine.state == live.state)
    assert mine.events == live.events


async def test_its_frames_are_those_of_the_host(host: Host, both: Following) -> None:
    live, first, _ = await two_people(host, rounds="2")
    await first.play(live, "4")
    mine = await followed(both, live)
    for audience in ("0", "1", ""):
        here, there = frames.scene(host, live, audience), frames.scene(None, mine, audience)
        assert there.signals._replace(now_ms=0) == here.signals._replace(now_ms=0)
        assert (there.cards, there.status, there.rows) == (here.cards, here.status, here.rows)
    await first.post(f"/m/{live.id}/resign/")
    await until(lambda: mine.state == live.state)
    for audience in ("0", "1", ""):
        here, there = frames.scene(host, live, audience), frames.scene(None, mine, audience)
        assert there.result == here.result
        assert there.after._replace(next_round=None) == here.after._replace(next_round=None)
    assert frames.next_of(None, mine) == frames.next_of(host, live)


async def test_a_match_that_is_followed_names_nobody_who_has_closed_the_account(host: Host, both: Following) -> None:
    live, first, _ = await two_people(host)
    mine = await followed(both, live)
    name = live.state.setup.seats[0].name
    assert (await first.post("/settings/close/", name=name)).status_code == 302
    await until(lambda: mine.over)
    assert (await followed(both, live)).state.setup.seats[0].name == f"Former player {live.state.setup.seats[0].player}"


async def test_people_play_and_watch_over_a_front(host: Host, over_the_front: Following) -> None:
    live, first, second = await two_people(host)
    async with watching(first, live) as one, watching(second, live) as two, watching(Person(), live) as watcher:
        await one.send(ply="1", move="4")
        assert "Your turn" in await two.until('id="m-1"')
        assert "Blue to move" in await watcher.until('id="m-1"')
        await two.send(ply="2", move="9")
        assert "status" in await two.until("not")
        await two.send(ply="2", move="4")
        await one.until('id="m-2"')
        await until(lambda: [live.readers(each) for each in ("0", "1", "")] == [1, 1, 1])
        people = [person for seat in live.state.setup.seats for person in host.lobby.people(live, seat.player or 0)]
        assert len(people) == 2 and all(person.looks for person in people)
    await until(lambda: not any(person.looks for person in people))
    assert live.state.position.ply == 2


async def test_a_slow_line_is_measured_by_the_front_and_given_back_by_the_host(
    host: Host, over_the_front: Following, without_stalls: None
) -> None:
    live, first, second = await two_people(host, clock="5m")
    async with on_a_line(first, live) as (page, line):
        await page.text()
        line.answer(320)
        await until(lambda: lag_ms(live.viewers, 0) == 300)
        await first.play(live, "4")
        await second.play(live, "4")
        assert lost_ms(live) == 300
        assert "Slow line: 300 ms, given back" in await page.until('id="m-2"')
        line.answer(20)
        await until(lambda: lag_ms(live.viewers, 0) == 0)


@pytest.mark.parametrize("first_seen_by", ["the host's message", "a page"])
async def test_a_log_that_does_not_fit_ends_its_readers_and_is_followed_anew(
    host: Host, both: Following, first_seen_by: str
) -> None:
    live, first, second = await two_people(host)
    mine = await followed(both, live)
    ended: list[bool] = []
    both.mirror.hub.view(mine, Audience("", lambda: None, lambda: ended.append(True)))
    mine.state = mine.state._replace(seq=0)
    if first_seen_by == "a page":
        with pytest.raises(KeyError):
            await followed(both, live)
    else:
        await first.play(live, "4")
        await until(lambda: bool(ended))
    assert ended
    again = await followed(both, live)
    assert again is not mine and again.state == live.state
    await (second if live.state.position.ply else first).play(live, "4")
    await until(lambda: again.state == live.state)


async def test_a_crowd_is_one_viewer_of_the_host(
    host: Host, over_the_front: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "FRESH_S", 3600.0)
    live, first, _ = await two_people(host)
    crowd = [watching(Person(), live) for _ in range(50)]
    sockets = [await each.__aenter__() for each in crowd]
    await until(lambda: live.readers("") == 50)
    before = frames.rendered.copy()
    await first.play(live, "4")
    for socket in sockets:
        await socket.until('id="m-1"')
    assert [len(live.viewers[each]) for each in ("0", "1", "")] == [0, 0, 1]
    assert (frames.rendered - before)[""] <= 2
    for each in crowd:
        await each.__aexit__(None, None, None)
    await until(lambda: live.readers("") == 0)


async def test_who_comes_to_a_match_that_is_over_hears_a_ruling(host: Host, over_the_front: Following) -> None:
    live, first, _ = await two_people(host)
    await first.post(f"/m/{live.id}/resign/")
    await Room.objects.aupdate(closed=timezone.now())
    assert await is_settled(live)
    host.hub.lives.pop(live.id)  # as of one among many that are over
    async with watching(Person(), live) as watcher:
        await watcher.text()
        again = await host.referee.load(live.id)
        assert again is not None
        await host.referee.act(again, Rule("draw", None, "by agreement", "staff"))
        assert "by agreement" in await watcher.text()


async def test_a_page_worker_of_a_front_hears_a_ruling_on_a_match_that_is_over(
    host: Host, both: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, first, _ = await two_people(host)
    await first.post(f"/m/{live.id}/resign/")
    await Room.objects.aupdate(closed=timezone.now())
    host.hub.lives.pop(live.id)  # as of one among many that are over
    line = Line()
    publisher = Publisher(line)
    publisher.message("worker", {"kind": "hello"})

    def of_the_front() -> FrontMirror:
        monkeypatch.undo()  # the host's own end asks next
        return both.mirror

    monkeypatch.setattr(publisher_module, "matches", of_the_front)
    publisher.message("worker", {"kind": "follow", "match": live.id, "readers": {"": 1}})
    await until(lambda: line.kinds("worker").count("match") == 1)
    publisher.message("worker", {"kind": "seen", "match": live.id})
    again = await host.referee.load(live.id)
    assert again is not None
    await host.referee.act(again, Rule("draw", None, "by agreement", "staff"))
    await until(lambda: line.said[-1][1].get("said", {}).get("seq") == again.state.seq)
    publisher.close()


async def test_what_is_refused_is_refused_in_the_words_of_the_host(host: Host, both: Following) -> None:
    live, _, _ = await two_people(host)
    mine = await followed(both, live)
    for player, ply, move, code in (
        (None, 1, "4", "not_seated"),
        (live.state.setup.seats[0].player, "x", "4", "invalid_form"),
    ):
        with pytest.raises(Refusal) as refused:
            await both.mirror.play(mine, player, ply, move)
        assert refused.value.code == code
    assert live.state.position.ply == 0


async def test_a_front_that_does_not_keep_up_misses_frames_and_no_move(
    host: Host, both: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, first, second = await two_people(host)
    mine = await followed(both, live)
    held: list[dict[str, Any]] = []
    take = both.mirror.message
    # The server's own figures come beside it, whenever they are due.
    monkeypatch.setattr(
        both.mirror, "message", lambda message: held.append(message) if message["kind"] == "match" else take(message)
    )
    for number, move in enumerate("43434312"):
        await (first, second)[number % 2].play(live, move)
        await until(lambda: live not in host.hub.frame_timers)
    await until(lambda: len(held) == 1)
    monkeypatch.undo()
    take(held[0])
    await until(lambda: mine.state == live.state)
    assert live.state.position.ply == 8 and len(both.kinds("match")) <= 4


async def test_when_the_host_has_gone_sockets_come_again_and_nothing_waits(
    host: Host, over_the_front: Following
) -> None:
    live, first, _ = await two_people(host)
    async with watching(first, live) as one, watching(Person(), live) as watcher:
        await one.text()
        await watcher.text()
        over_the_front.publisher.change_over()
        assert (await one.code(), await watcher.code()) == (1012, 1012)
    assert not live.viewers[""] and not live.viewers["0"]
    assert (await followed(over_the_front, live)).state == live.state, "it is welcome again"
    over_the_front.mirror.follow("")
    with pytest.raises(NoHost):
        await over_the_front.mirror.load(live.id)


async def test_a_host_that_fell_silent_is_waited_for_once_and_found_again(
    host: Host, both: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await both.mirror.is_reached(), "who has not been heard yet may be busy"
    await until(lambda: bool(both.kinds("welcome")))
    both.hangs = True
    monkeypatch.setattr(mirror_module, "WELCOME_S", 0.3)
    both.front_bus.forget(HOST)
    assert not await both.mirror.is_reached()
    monkeypatch.setattr(mirror_module, "AGAIN_S", 0.05)
    asking = [asyncio.ensure_future(both.mirror.is_reached()) for _ in range(3)]
    for _ in range(5):
        await asyncio.sleep(0)
    assert [ask.done() and not ask.result() for ask in asking] == [True] * 3, "nobody waits again"
    both.hangs = False
    await until(lambda: len(both.kinds("welcome")) == 2)
    assert await both.mirror.is_reached()
    live, _, _ = await two_people(host)
    assert await both.mirror.load(live.id) is not None


async def test_what_nobody_reads_any_more_is_followed_no_longer(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror_module, "LOOK_S", 0.05)
    live, _, _ = await two_people(host)
    async with following() as both:
        await both.mirror.load(live.id)
        assert live.viewers[""]
        monkeypatch.setattr(mirror_module, "IDLE_S", 0.0)
        await until(lambda: not live.viewers[""])
        assert not both.mirror.hub.lives


async def test_there_is_no_match_of_another_name(host: Host, both: Following) -> None:
    assert await both.mirror.load("nothing") is None


async def test_a_match_is_no_less_there_because_there_is_no_host(
    host: Host, both: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, _, _ = await two_people(host)
    with monkeypatch.context() as without:
        # As page workers follow a front.
        without.setattr(publisher_module, "matches", lambda: FrontMirror(both.host_bus))
        with pytest.raises(NoHost):
            await both.mirror.load(live.id)
    assert (await followed(both, live)).state == live.state


async def test_a_move_that_meets_no_database_may_be_sent_again(
    host: Host, both: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, _, _ = await two_people(host)
    mine = await followed(both, live)

    def away() -> Any:
        raise OperationalError("connection refused")

    with monkeypatch.context() as without:
        without.setattr(publisher_module, "matches", away)
        with pytest.raises(NoHost, match="refused"):
            await both.mirror.play(mine, live.state.setup.seats[0].player, 1, "4")

    def broken() -> Any:
        raise ProgrammingError("no such column")

    with monkeypatch.context() as without:
        without.setattr(publisher_module, "matches", broken)
        with pytest.raises(Refusal, match="Something broke on our side"):
            await both.mirror.play(mine, live.state.setup.seats[0].player, 1, "4")
    await both.mirror.play(mine, live.state.setup.seats[0].player, 1, "4")
    assert live.state.position.ply == 1


async def test_an_answer_is_asked_for_once_and_html_stays_html(
    host: Host, both: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Host] = []

    async def value(host: Host, name: str) -> dict[str, Any]:
        asked.append(host)
        return {"name": name, "html": elsewhere.unpacked({elsewhere._SAFE: "<b>"}), "pair": (1, None)}

    monkeypatch.setitem(elsewhere.questions, "value", value)
    monkeypatch.setattr(mirror_module, "KEPT_S", 3600.0)  # however long they take to ask
    found = await asyncio.gather(*(both.mirror.ask("value", ["Ada"]) for _ in range(5)))
    assert asked == [host] and all(each == {"name": "Ada", "html": "<b>", "pair": [1, None]} for each in found)
    assert hasattr(found[0]["html"], "__html__") and not hasattr(found[0]["name"], "__html__")
    for question in ("no such question", "value"):
        with pytest.raises(NoHost, match="another release"):
            await both.mirror.ask(question, [])


async def test_what_is_the_matter_with_storage_is_said_on_fronts(
    host: Host, both: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    await both.mirror.load("nothing")
    await until(lambda: bool(both.kinds("welcome")))
    host.storage.suspect(FULL)
    await until(lambda: list(FULL) in [each["trouble"] for each in both.kinds("trouble")])
    both.mirror.message({"kind": "trouble", "trouble": list(FULL)})
    with monkeypatch.context() as front:
        front.setattr(storage_watch, "_watching", [])
        assert storage_watch.trouble() == FULL
        both.mirror.message({"kind": "trouble", "trouble": None})
        assert storage_watch.trouble() is None


class EndedSocket:
    def __init__(self) -> None:
        self.code = 0

    def end(self, code: int, reason: str) -> None:
        self.code = code


async def test_logging_out_ends_the_sockets_on_fronts(host: Host, both: Following) -> None:
    await until(lambda: bool(both.kinds("welcome")))
    heard: list[open_sockets.SocketsEnd] = []
    told: Callable[[open_sockets.SocketsEnd], None] = heard.append
    open_sockets.on_end.append(told)
    mine = EndedSocket()
    with open_sockets.Opened(mine, session="abc"):
        both.mirror.message(
            {"kind": "end sockets", "ending": open_sockets.SocketsEnd(4401, "logged out", "abc")._asdict()}
        )
    open_sockets.on_end.remove(told)
    assert mine.code == 4401 and [each.session for each in heard] == ["abc"]
    said = {"code": 4401, "reason": "logged out", "session": "abc"}
    await until(lambda: [each["ending"] for each in both.kinds("end sockets")][:1] == [said])
