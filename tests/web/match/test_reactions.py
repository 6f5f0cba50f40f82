"""Reactions: seen by everybody for a moment, chosen from a few, one in a while, and off where somebody wants that."""

from __future__ import annotations

import html
import time

import pytest
from django.conf import settings

from arena.host import Host
from arena.web.match import frames, reaction_words, reactions
from tests.kit.browsing import Person, text, two_people


async def test_what_a_player_says_is_seen_by_everybody_and_gone_soon(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, first, _ = await two_people(host)
    version, seq = live.version, live.state.seq
    assert (await first.post(f"/m/{live.id}/react/", say="good")).status_code == 302
    assert live.version > version and live.state.seq == seq, "a signal: nothing of it is in the log"
    for audience in ("0", "1", ""):
        assert ">Good move</span>" in frames.frame(host, live, audience, seq)
    later = time.monotonic() + reaction_words.SHOWN_S
    with monkeypatch.context() as clock:
        clock.setattr("arena.web.match.reaction_words.time.monotonic", lambda: later)
        assert reaction_words.shown(live.id) == ("", "")


async def test_one_in_a_while_from_each_seat(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reactions, "EVERY_S", 3600.0)
    live, first, second = await two_people(host)
    answers = [await person.post(f"/m/{live.id}/react/", say="hello") for person in (first, first, second)]
    assert [answer.status_code for answer in answers] == [302, 429, 302]
    assert "One reaction every 3600 s." in text(answers[1])


async def test_nothing_else_can_be_said(host: Host) -> None:
    live, first, _ = await two_people(host)
    for said in ("", "<b>", "\u202e", "x" * 10_000):
        answer = await first.post(f"/m/{live.id}/react/", say=said)
        assert answer.status_code == 422 and "expected hello, good" in html.unescape(text(answer)), said
        assert said != "<b>" or "Received &#x27;&lt;b&gt;" in text(answer)
        assert reaction_words.shown(live.id) == ("", ""), said


async def test_watchers_say_nothing(host: Host) -> None:
    live, _, _ = await two_people(host)
    assert (await Person().post(f"/m/{live.id}/react/", say="good")).status_code == 403
    assert "react/" not in text(await Person().get(f"/m/{live.id}/"))


async def test_the_site_and_each_person_switch_them_off(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    live, first, second = await two_people(host)
    await second.post("/settings/one/", talk="off", next="/")
    assert 'data-talk="off"' in text(await second.get(f"/m/{live.id}/")), "the style sheet hides them"
    assert "react/" in text(await first.get(f"/m/{live.id}/"))
    monkeypatch.setattr(settings, "ARENA_TALK", False)
    assert "react/" not in text(await first.get(f"/m/{live.id}/"))
    answer = await first.post(f"/m/{live.id}/react/", say="good")
    assert answer.status_code == 409 and "off on this server" in text(answer)
