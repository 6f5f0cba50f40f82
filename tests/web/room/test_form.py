"""The form of a room: what can be chosen, why something cannot, and what the next form remembers."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.host import Host
from arena.models import Bot, Player
from arena.web.room import form as room_form
from arena.web.room import form_page
from arena.web.room.form import DEFAULTS, Named, RoomForm
from tests.kit.browsing import Person, flowing, text

FIAR_LISP = Named(7, "fiar-lisp", "connect-four-7x6", False, "fiar")
HOUSE_BOT = Named(8, "house", "connect-four-7x6", True, "fiar")
SEVEN, EIGHT = "connect-four-7x6", "connect-four-8x8"


def form(person: bool = False, /, **said: str) -> RoomForm:
    return room_form.possible(posted(person, **said))


def posted(person: bool = False, /, **said: str) -> RoomForm:
    usual = {"variant": SEVEN, "clock": "5s", "rounds": "1"}
    return RoomForm({**DEFAULTS, **usual, **said}, (FIAR_LISP, HOUSE_BOT), person)


def test_what_can_be_has_no_error_and_becomes_a_row() -> None:
    ready = posted(side1="socket:droidcon", rounds="4", private="on")
    assert room_form.errors(ready) == {}
    expected = {"variant": SEVEN, "clock": "5s", "rounds": 4, "pace_ms": 700, "rated": False, "private": True}
    assert room_form.fields(ready) == expected | {"offers": True, "adjudicate": 0}
    assert room_form.fields(posted(adjudicate="8"))["adjudicate"] == 8


@pytest.mark.parametrize(
    ("said", "friendly", "rated"), [("friendly", True, False), ("on", True, True), ("off", False, False)]
)
def test_takebacks_and_draw_offers_are_off_in_rated_rooms_unless_somebody_allows_them(
    said: str, friendly: bool, rated: bool
) -> None:
    assert room_form.fields(posted(offers=said))["offers"] is friendly
    assert room_form.fields(posted(True, offers=said, rated="on"))["offers"] is rated


@pytest.mark.parametrize(
    ("said", "field", "words"),
    [
        ({"variant": "chess"}, "variant", "Received the game 'chess'"),
        ({"side0": "king"}, "side0", "Received 'king', expected one of the list."),
        ({"side1": "builtin:grandmaster"}, "side1", "Received 'builtin:grandmaster'"),
        ({"side0": "me", "side1": "me"}, "side1", "You can sit on one side only."),
        ({"side1": "socket:gamestate"}, "side1", "It plays Connect Four 8"),
        ({"side1": "socket:gopher"}, "side1", "Received 'socket:gopher'"),
        ({"variant": EIGHT, "side1": "bot:7"}, "side1", "fiar-lisp plays Connect Four 7"),
        ({"side1": "bot:99"}, "side1", "This bot does not exist, or it is not yours."),
        ({"side1": "bot:9" + "9" * 40}, "side1", "Received 'bot:99"),
        ({"clock": "an hour"}, "clock", "Received the clock 'an hour', expected 1s, 5s"),
        ({"clock": "other"}, "clock", "Received the clock '', expected 1s, 5s"),
        ({"clock": "other", "clock_text": "5m+"}, "clock", "Received the clock '5m+', expected 1s, 5s"),
        ({"clock": "other", "clock_text": "8d"}, "clock", "Received the clock '8d'"),
        ({"clock": "other", "clock_text": "none", "side1": "socket:fiar"}, "clock", "No clock: only if"),
        ({"clock": "none", "side1": "socket:fiar"}, "clock", "No clock: only if no bot plays."),
        ({"clock": "1s"}, "clock", "1 s a move: only if a bot plays: a person needs more time."),
        ({"rounds": "1000"}, "rounds", "Received the rounds '1000', expected 1, 2, 4."),
        ({"pace": "slow"}, "pace", "Received the pace 'slow'"),
        ({"offers": "maybe"}, "offers", "Received the offers 'maybe', expected friendly, on, off."),
        ({"adjudicate": "3"}, "adjudicate", "Received the adjudicate '3', expected 0, 4, 8, 12, 20."),
        ({"rated": "on"}, "rated", "You play as a guest"),
        ({"rated": "on", "side0": "anyone", "side1": "builtin:club"}, "rated", "Both sides need an account"),
    ],
)
def test_what_cannot_be_is_said_of_its_field(said: dict[str, str], field: str, words: str) -> None:
    wrong = room_form.errors(posted(**said))
    assert list(wrong) == [field] and wrong[field].startswith(words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("45s", "45 s a move"),
        ("10m", "10:00 each"),
        (" 5m+3s ", "5:00 each and 3 s a move"),
        ("move:2m", "120 s a move"),
        ("total:90s", "1:30 each"),
    ],
)
def test_any_clock_can_be_written(text: str, words: str) -> None:
    written = posted(clock="other", clock_text=text)
    assert room_form.errors(written) == {}
    assert room_form.fields(written)["clock"] == text.strip()
    assert form_page.summary(written).endswith(f", {words}.")
    assert form_page.context(written, {})["clock_text"] == text


def test_a_clock_of_a_link_is_written_out_and_one_that_is_being_written_stays() -> None:
    linked = form(clock="45s")
    assert (linked.said["clock"], linked.said["clock_text"]) == ("other", "45s")
    begun = form(clock="other", clock_text="5m+")
    assert (begun.said["clock"], begun.said["clock_text"]) == ("other", "5m+")
    assert form(clock="2m").said["clock"] == "2m"


def test_a_new_choice_of_the_game_replaces_what_became_impossible() -> None:
    settled = form(variant=EIGHT, side0="bot:7", side1="socket:fiar", clock="none", rounds="x", pace="slow")
    assert room_form.errors(settled) == {}
    assert settled.sides == ("me", "anyone") and settled.said["pace"] == "watchable"


@pytest.mark.parametrize(
    ("said", "clock", "rounds"),
    [
        ({}, "none", "1"),
        ({"side1": "socket:droidcon"}, "move:30s", "4"),
        ({"variant": "expanding-nim", "side1": "socket:nyu-nim"}, "2m", "1"),
        ({"variant": "santorini-6x6", "side1": "socket:santorini-json"}, "move:30s", "1"),
        ({"variant": "santorini-5x5", "side1": "socket:native"}, "move:30s", "1"),
        ({"side1": "bot:7"}, "move:30s", "1"),
    ],
)
def test_clock_and_rounds_are_those_of_the_protocol(said: dict[str, str], clock: str, rounds: str) -> None:
    settled = form(**{**said, "clock": "", "rounds": ""})
    assert (settled.said["clock"], settled.said["rounds"]) == (clock, rounds)


async def test_the_clock_is_the_one_that_the_server_was_started_with(host: Host) -> None:
    host.seat_ports.clocks = {"droidcon": "5s", "fiar": "45s", "native": "2m"}
    for slug, choice, written in (("droidcon", "5s", ""), ("fiar", "other", "45s"), ("native", "2m", "")):
        page = flowing(await Person().get(f"/r/new/?variant={SEVEN}&side1=socket:{slug}"))
        assert f'<option value="{choice}" selected' in page, slug
        assert f'name="clock_text" value="{written}"' in page or not written, slug


def test_what_was_only_proposed_for_other_sides_is_proposed_anew_and_a_choice_is_kept() -> None:
    before = f"{SEVEN} me anyone"
    now = form(side1="socket:droidcon", clock="none", rounds="1", proposed=before)
    assert (now.said["clock"], now.said["rounds"]) == ("move:30s", "4")
    chosen = form(side1="socket:droidcon", clock="2m", rounds="2", proposed=before)
    assert (chosen.said["clock"], chosen.said["rounds"]) == ("2m", "2")
    same = form(side1="socket:droidcon", clock="2m", rounds="1", proposed=f"{SEVEN} me socket:droidcon")
    assert (same.said["clock"], same.said["rounds"]) == ("2m", "1")


def test_a_rated_box_that_cannot_hold_is_not_ticked() -> None:
    assert form(True, rated="on").is_rated
    assert not form(rated="on").is_rated
    assert not form(True, rated="on", side1="builtin:club").is_rated


@pytest.mark.parametrize("text", ["", "me:1", "builtin:", "bot:", "bot:-1", "bot:٣", "socket", "anyone:x"])
def test_what_is_no_choice_is_none(text: str) -> None:
    assert room_form.choice_of(text) is None


# -- as a request ------------------------------------------------------------------------------------------------------


async def a_bot(name: str, **fields: Any) -> Bot:
    player = await Player.objects.acreate(kind=Player.Kind.BOT, name=name, slug=name)
    return await Bot.objects.acreate(player=player, variant=SEVEN, protocol="fiar", family=name, **fields)


async def test_the_last_choice_stands_in_the_next_form(host: Host) -> None:
    person = Person()
    await person.post("/r/new/", variant=EIGHT, side0="me", side1="anyone", clock="2m", rounds="2", private="on")
    page = flowing(await person.get("/r/new/"))
    assert f'id="variant-{EIGHT}" value="{EIGHT}" checked' in page
    assert '<option value="2m" selected' in page and 'name="private" id="private" checked' in page
    assert f'value="{SEVEN}" checked' in flowing(await person.get(f"/r/new/?variant={SEVEN}"))


async def test_a_room_and_its_match_say_that_a_proof_may_decide(host: Host) -> None:
    said = "decided once a proof has held for 8 moves"
    made = {"variant": SEVEN, "clock": "none", "rounds": "1", "adjudicate": "8"}
    room = (await Person().post("/r/new/", side0="me", side1="anyone", **made))["Location"]
    assert said in text(await Person().get(room))
    ada = Person()
    match = (await ada.post("/r/new/", side0="me", side1="builtin:random", **made))["Location"]
    assert said.capitalize() in text(await ada.get(f"{match}?tab=info"))
    plain = (await ada.post("/r/new/", side0="me", side1="builtin:random", **{**made, "adjudicate": "0"}))["Location"]
    assert "once a proof" not in text(await ada.get(plain))


async def test_a_cookie_that_was_tampered_with_is_no_choice(host: Host) -> None:
    person = Person()
    person.client.cookies["room"] = "variant=chess&clock=%00&side0=<script>&rounds=" + "9" * 5000
    page = flowing(await person.get("/r/new/"))
    assert "<script>" not in page and f'value="{SEVEN}" checked' in page


async def test_looking_makes_nothing(host: Host) -> None:
    person = Person()
    answer = await person.post("/r/new/", variant=EIGHT, look="1", clock="5s", rounds="1")
    assert answer.status_code == 200 and f'value="{EIGHT}" checked' in flowing(answer)
    swapped = text(await person.post("/r/new/", variant=SEVEN, swap="1", side0="me", side1="builtin:club"))
    assert "built-in Club against you" in swapped
    assert host.lobby.rooms == {} and await Player.objects.acount() == 0


async def test_a_bot_of_this_server_that_cannot_be_started_is_listed_as_that(
    host: Host, settings: SimpleNamespace, tmp_path: Path
) -> None:
    settings.ARENA_BOTS = tmp_path
    house = await a_bot("house", command=["bot"])
    assert "house (cannot be started)" in (page := flowing(await Person().get("/r/new/")))
    assert f'value="command:{house.pk}">' in page, "whoever sends the form may have mended it"


async def test_bots_of_this_server_and_one_that_a_link_names_can_be_chosen(
    host: Host, settings: SimpleNamespace
) -> None:
    house, theirs = await a_bot("house", command=["sh"]), await a_bot("theirs")
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as name:
        settings.ARENA_BOTS = Path(name)
        for place in (Path(name), Path(name, "house")):
            place.mkdir(exist_ok=True)
            place.chmod(0o755)
        assert "house, run by this server" in text(await Person().get("/r/new/"))
    assert "theirs" not in text(await Person().get("/r/new/"))
    assert f'value="bot:{theirs.pk}" selected' in flowing(await Person().get(f"/r/new/?side1=bot:{theirs.pk}"))
    await Bot.objects.filter(pk=house.pk).aupdate(enabled=False)
    assert "house" not in text(await Person().get("/r/new/"))


async def test_of_more_bots_than_are_listed_any_is_found_by_its_name(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that is chosen stays in the list, whatever is looked for."""
    monkeypatch.setattr(room_form, "MOST_BOTS", 2)
    person = Person()
    assert 'name="find"' not in text(await person.get("/r/new/"))
    last = [await a_bot(name, command=["bot"]) for name in ("ada", "bella", "cleo")][-1]
    page = flowing(await person.get("/r/new/"))
    assert 'name="find" value=""' in page and "cleo" not in page
    page = flowing(await person.post("/r/new/", variant=SEVEN, look="1", find="LEO"))
    assert 'name="find" value="LEO"' in page and f'value="command:{last.pk}">' in page and "bella" not in page
    page = flowing(await person.post("/r/new/", variant=SEVEN, look="1", find="b", side1=f"command:{last.pk}"))
    assert f'value="command:{last.pk}" selected' in page and "bella" in page and "ada" not in page
    assert 'name="find" value=""' in flowing(await person.get("/r/new/")), "the next form has its own"
