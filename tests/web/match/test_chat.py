"""The chat of a match: players among themselves, watchers apart, together after the end; bounded, muted, off."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from arena.common.limits import Buckets, Rate
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.models import ChatLine, ChatReport, Mute
from arena.web.match import chat, chat_lines, frames
from tests.kit.browsing import HTMX, Person, flowing, match_of, text
from tests.kit.until import until

LONG = "x" * (chat_lines.MOST_LETTERS + 1)


async def member(name: str) -> Person:
    person = Person()
    await person.client.aforce_login(await User.objects.acreate_user(name))
    return person


async def played(host: Host) -> tuple[LiveMatch, Person, Person, Person]:
    """A match of two people with accounts, and a watcher with one."""
    ada, bob, eve = await member("ada"), await member("bob"), await member("eve")
    created = await ada.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    live = host.hub.get(match_of(await bob.post(f"{created['Location']}sit/")))
    assert live is not None
    return live, ada, bob, eve


async def say(person: Person, live: LiveMatch, words: str) -> int:
    return (await person.post(f"/m/{live.id}/chat/", HTMX, say=words)).status_code


async def read(person: Person, live: LiveMatch) -> str:
    return text(await person.get(f"/m/{live.id}/chat/", **HTMX))


async def test_players_are_among_themselves_watchers_apart_and_all_together_after_the_end(host: Host) -> None:
    live, ada, bob, eve = await played(host)
    assert await say(ada, live, "good luck") == 200
    assert await say(eve, live, "column 4 wins") == 200
    for player in (ada, bob):
        page = await read(player, live)
        assert "good luck" in page and "column 4" not in page
    for watcher in (eve, Person()):
        page = await read(watcher, live)
        assert "column 4 wins" in page and "good luck" not in page
    players, others = live.facts.chat
    assert f'id="chat-newest" data-newest="{players}"' in frames.frame(host, live, "0", 0)
    assert f'id="chat-newest" data-newest="{others}"' in frames.frame(host, live, "", 0)
    await ada.post(f"/m/{live.id}/abort/")
    assert await say(bob, live, "thanks all") == 200
    page = await read(bob, live)
    assert "good luck" in page and "column 4 wins" in page and "thanks all" in page
    page = await read(eve, live)
    assert "thanks all" in page and "good luck" not in page, "what was said in private stays so"
    assert live.state.seq == len(live.events) and not any("luck" in str(event.data) for event in live.events)


async def test_players_read_in_each_round_what_the_two_said_in_the_others_and_watchers_do_not(host: Host) -> None:
    ada, bob, eve = await member("ada"), await member("bob"), await member("eve")
    created = await ada.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="2")
    live = host.hub.get(match_of(await bob.post(f"{created['Location']}sit/")))
    assert live is not None
    await say(ada, live, "good luck")
    await ada.post(f"/m/{live.id}/resign/")
    await say(eve, live, "column 4 wins")
    room = host.lobby.room_after(live)
    assert room is not None
    await until(lambda: room.live is not live)
    assert room.live is not None
    await say(bob, room.live, "and again")
    for player in (ada, bob):
        page = await read(player, room.live)
        assert "good luck" in page and "and again" in page and "column 4" not in page
    page = await read(eve, room.live)
    assert "good luck" not in page and "again" not in page and "column 4" not in page


async def test_two_who_play_again_go_on_talking_and_who_plays_one_of_them_later_reads_nothing_of_it(host: Host) -> None:
    live, ada, bob, eve = await played(host)
    await say(ada, live, "good luck")
    await say(eve, live, "column 4 wins")
    await ada.post(f"/m/{live.id}/resign/")
    await say(bob, live, "another one?")
    await ada.post(f"/m/{live.id}/rematch/")
    again = host.hub.get(match_of(await bob.post(f"/m/{live.id}/rematch/")))
    assert again is not None
    for player in (ada, bob):
        page = await read(player, again)
        assert "good luck" in page and "another one?" in page and "column 4" not in page
    assert "another one?" not in await read(eve, again)
    await ada.post(f"/m/{again.id}/resign/")
    for person in (ada, eve):
        answer = await person.post(f"/r/{live.room_code}/sit/")
    third = host.hub.get(match_of(answer))
    assert third is not None and third.state.setup.room == live.state.setup.room
    for player in (ada, eve):
        page = await read(player, third)
        assert "good luck" not in page and "another one?" not in page and "column 4" not in page


async def test_a_line_is_text_in_its_own_direction(host: Host) -> None:
    live, ada, bob, _ = await played(host)
    assert await say(ada, live, "<script>alert(1)</script>\u202eevil\u2066\x07 שלום\n\n tab\there") == 200
    page = await read(bob, live)
    assert "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;evil שלום tab here</bdi>" in page
    assert "\u202e" not in page and "<script>alert" not in page


@pytest.mark.parametrize(
    ("said", "why"), [("", "nothing"), (" \u200b\u202e \u200d", "nothing"), (LONG, "Received 201")]
)
async def test_what_is_no_line_is_refused_in_words(host: Host, said: str, why: str) -> None:
    live, ada, _, _ = await played(host)
    answer = await ada.post(f"/m/{live.id}/chat/", HTMX, say=said)
    assert answer.status_code == 422 and why in text(answer) and "Nothing was said." in text(answer)
    assert not await ChatLine.objects.aexists()


async def test_ten_thousand_lines_are_bounded_for_each_person_and_each_match(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, ada, bob, _ = await played(host)
    monkeypatch.setattr(chat, "_said", Buckets(Rate(5, 1 / 3600)))
    answers = [await say(ada, live, f"line {n}") for n in range(8)]
    assert answers == [200] * 5 + [429] * 3
    assert await ChatLine.objects.acount() == 5
    monkeypatch.setattr(chat_lines, "MOST_LINES", 5)
    answer = await bob.post(f"/m/{live.id}/chat/", HTMX, say="one more")
    assert answer.status_code == 429 and "the maximum" in text(answer)
    monkeypatch.setattr(chat_lines, "SHOWN", 2)
    page = await read(bob, live)
    assert "line 4" in page and "line 2" not in page


async def test_guests_read_and_do_not_write(host: Host) -> None:
    live, ada, _, eve = await played(host)
    await say(eve, live, "hello watchers")
    guest = Person()
    page = flowing(await guest.get(f"/m/{live.id}/?tab=chat"))
    assert "hello watchers" in page and "to write." in page and 'id="chat-say"' not in page
    assert await say(guest, live, "let me in") == 403
    assert 'id="chat-say"' in flowing(await ada.get(f"/m/{live.id}/?tab=chat"))


async def test_against_a_program_one_writes_after_the_end(host: Host) -> None:
    ada = await member("ada")
    live = host.hub.get(match_of(await ada.post("/play/", variant="connect-four-7x6", level="club", move="4")))
    assert live is not None
    answer = await ada.post(f"/m/{live.id}/chat/", HTMX, say="hello")
    assert answer.status_code == 409 and "cannot read" in text(answer)


async def test_a_private_match_is_not_there_for_strangers(host: Host) -> None:
    ada, bob, eve = await member("ada"), await member("bob"), await member("eve")
    created = await ada.post("/r/friend/", variant="connect-four-7x6")
    live = host.hub.get(match_of(await bob.post(f"{created['Location']}sit/")))
    assert live is not None and await say(ada, live, "just us") == 200
    assert (await eve.get(f"/m/{live.id}/chat/", **HTMX)).status_code == 404
    assert await say(eve, live, "me too") == 404


async def test_a_line_is_reported_once_and_a_writer_muted_everywhere(host: Host) -> None:
    live, ada, bob, eve = await played(host)
    await say(ada, live, "rude words")
    line = await ChatLine.objects.aget()
    for _ in range(2):
        answer = await bob.post(f"/m/{live.id}/chat/", HTMX, report=str(line.pk))
        assert answer.status_code == 200 and "Staff will look at it." in text(answer)
    assert await ChatReport.objects.acount() == 1
    for person, number in ((eve, line.pk), (ada, line.pk), (bob, 999)):
        assert (await person.post(f"/m/{live.id}/chat/", HTMX, report=str(number))).status_code == 404
    answer = await bob.post(f"/m/{live.id}/chat/", HTMX, mute=str(line.pk))
    assert "You no longer see what ada writes." in text(answer) and "rude words" not in text(answer)
    assert "rude words" in await read(ada, live)
    page = flowing(await bob.get("/settings/"))
    assert "Muted" in page and ">ada<" in page
    mute = await Mute.objects.aget()
    await eve.post("/settings/unmute/", who=str(mute.whom_id))
    assert await Mute.objects.aexists(), "somebody else's"
    await bob.post("/settings/unmute/", who=str(mute.whom_id))
    assert not await Mute.objects.aexists() and "rude words" in await read(bob, live)


async def test_the_site_and_each_person_switch_it_off(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    live, ada, bob, _ = await played(host)
    await say(ada, live, "hello bob")
    await bob.post("/settings/one/", talk="off", next="/")
    assert "hello bob" not in await read(bob, live)
    answer = await bob.post(f"/m/{live.id}/chat/", HTMX, say="hello")
    assert answer.status_code == 409 and "off in your settings" in text(answer)
    monkeypatch.setattr(settings, "ARENA_TALK", False)
    answer = await ada.post(f"/m/{live.id}/chat/", HTMX, say="hello")
    assert answer.status_code == 409 and "off on this server" in text(answer)
    assert 'data-to="chat"' not in text(await ada.get(f"/m/{live.id}/"))


async def test_without_scripts_a_line_leads_back_to_the_chat(host: Host) -> None:
    live, ada, bob, _ = await played(host)
    answer = await ada.post(f"/m/{live.id}/chat/", say="hello")
    assert (answer.status_code, answer["Location"]) == (302, f"/m/{live.id}/?tab=chat")
    assert "hello" in text(await bob.get(answer["Location"]))
    assert (await bob.get(f"/m/{live.id}/chat/"))["Location"] == answer["Location"]
