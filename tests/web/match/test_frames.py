"""Frames: one render for each audience and cursor, with clocks that are true when it is sent."""

from __future__ import annotations

import re
import time

import pytest
from django.utils import translation

from arena.host import Host
from arena.web.match import fragments, frames
from tests.kit.browsing import two_people
from tests.kit.until import until


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what changes makes a frame old: on a busy machine rendering one takes as long as it is fresh."""
    monkeypatch.setattr(frames, "FRESH_S", 3600.0)


@pytest.mark.usefixtures("kept")
async def test_a_frame_is_rendered_once_until_something_changes(host: Host) -> None:
    live, first, _ = await two_people(host)
    seq, before = live.state.seq, frames.rendered[""]
    texts = {frames.frame(host, live, "", seq) for _ in range(10)}
    assert len(texts) == 1 and frames.rendered[""] == before + 1
    await first.play(live, "4")
    assert 'id="m-1"' in frames.frame(host, live, "", seq)
    assert frames.rendered[""] == before + 2


@pytest.mark.usefixtures("kept")
async def test_each_language_has_a_frame_and_whoever_wakes_the_reader_has_no_say_in_it(host: Host) -> None:
    live, first, _ = await two_people(host)
    await first.play(live, "4")
    seq, before = live.state.seq, frames.rendered[""]
    with translation.override("de"):  # somebody who reads German has moved
        english = frames.frame(host, live, "", seq)
        assert "Blue to move" in english and translation.get_language() == "de"
    german = frames.frame(host, live, "", seq, "de")
    assert "Blau am Zug" in german and translation.get_language() == "en"
    assert frames.frame(host, live, "", seq) is english and frames.rendered[""] == before + 2


async def test_readers_who_claim_to_have_more_than_there_is_share_one_frame(host: Host) -> None:
    live, _, _ = await two_people(host)
    for have in (0, *range(live.state.seq + 1, live.state.seq + 50)):
        frames.frame(host, live, "", have)
    assert list(live.frames) == [frames.FrameKey(live.state.seq, 0, "")]


async def test_a_frame_that_is_no_longer_fresh_is_rendered_again(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    live, _, _ = await two_people(host, clock="5m")
    first = frames.frame(host, live, "", live.state.seq)
    later = time.monotonic() + 60
    with monkeypatch.context() as clock:  # no longer than this: the loop reads the same clock
        clock.setattr(time, "monotonic", lambda: later)
        second = frames.frame(host, live, "", live.state.seq)
    left = [int(re.findall(r'data-left="(\d+)" data-running', text)[0]) for text in (first, second)]
    assert 59_000 < left[0] - left[1] < 75_000


async def test_only_the_running_clock_runs(host: Host) -> None:
    live, _, _ = await two_people(host, clock="5m")
    assert live.turn.since is not None
    live.turn.since -= 10
    left = frames.signals(live).left_ms
    assert left is not None and left[0] is not None
    assert 285_000 < left[0] <= 290_000 and left[1] == 300_000


async def test_the_clock_of_a_program_stands_while_it_may_be_starting_on_every_page_alike(host: Host) -> None:
    live, _, _ = await two_people(host, clock="5m")
    first, second = live.state.setup.seats
    setup = live.state.setup._replace(seats=(first._replace(kind="bot", protocol="droidcon", startup_ms=9000), second))
    live.state = live.state._replace(setup=setup)
    for waited_s, left_ms, stands_ms in ((0, 300_000, 9000), (6, 300_000, 3000), (10, 299_000, 0)):
        began = time.monotonic()
        live.turn.since = began - waited_s
        scene = frames.scene(host, live, "1")
        took_ms = round((time.monotonic() - began) * 1000) + 2
        (card,) = [each for each in scene.cards if each.running]
        # What the loop stood still, on a busy machine, is given back.
        back_ms = round(live.turn.lost_s(time.monotonic()) * 1000)
        assert card.left_ms is not None and left_ms - took_ms <= card.left_ms <= left_ms + back_ms
        assert max(0, stands_ms - took_ms) <= card.stands_ms <= stands_ms + back_ms
        clock = re.findall(r'data-left="\d+" data-running data-at="(\d+)"', fragments.frame(scene))
        assert clock == [str(scene.signals.now_ms + card.stands_ms)]
        thinks = re.findall(r'data-think="(\d+)"', scene.status.words)
        assert abs(scene.signals.now_ms - waited_s * 1000 - int(thinks[0])) <= took_ms, (
            "it has thought since its turn began"
        )


async def test_a_clock_never_shows_less_than_nothing(host: Host) -> None:
    live, _, _ = await two_people(host, clock="5m")
    assert live.turn.since is not None
    live.turn.since -= 1000
    assert frames.signals(live).left_ms == (0, 300_000)


async def test_between_two_rounds_the_frame_says_how_the_series_stands_and_goes_on(host: Host) -> None:
    live, first, _ = await two_people(host, rounds="2")
    series = frames.beside(host, live, "0").series
    assert series is not None and (series.rounds, series.next_round) == (("", ""), 0)
    await first.post(f"/m/{live.id}/resign/")
    await until(lambda: host.lobby.rooms[live.room_code.upper()].round == 2)
    series = frames.beside(host, live, "0").series
    assert series is not None and series.rounds == ("l", "w")
    assert (series.next_round, series.next_first, series.over) == (2, 1, False) and 0 < series.next_ms <= 5_000
    assert "Round 2 of 2 starts in" in frames.frame(host, live, "", 0)
    host.hub.lives.pop(live.id)  # as when many others have ended since
    read = await host.referee.load(live.id)
    assert read is not None and read is not live and not frames.next_of(host, read)[0], "it does not follow itself"
    assert "Round 2 of 2 starts in" in frames.frame(host, read, "", 0)


async def test_replies_are_counted_once_and_their_mean_follows_the_match(host: Host) -> None:
    live, first, second = await two_people(host)
    assert frames.replies(live) == (None, None)
    await first.play(live, "4")
    one, none = frames.replies(live)
    assert one == live.events[-1].elapsed_ms and none is None
    await second.play(live, "4")
    await first.play(live, "3")
    spent = [event.elapsed_ms or 0 for event in live.events if event.kind == "move"]
    assert frames.replies(live) == (round((spent[0] + spent[2]) / 2), spent[1]) == frames.replies(live)
    assert live.facts.replies[0] == len(live.events)
