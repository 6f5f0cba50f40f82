from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest
from django.test import Client

from arena.models import Audit, Bot, Match, Player, Seat
from tests.admin.conftest import NOW

FORM = {
    "variant": "connect-four-7x6",
    "protocol": "fiar",
    "family": "family-1",
    "version": "2",
    "command": '["rm", "-rf"]',
    "wire": "owner",
    "open_to": "staff",
    "enabled": "on",
}


@pytest.fixture
def bot(fill: Callable[[int], None]) -> Bot:
    fill(1)
    return Bot.objects.get()


def save(client: Client, bot: Bot) -> Bot:
    form = {**FORM, "player": bot.player_id}
    assert client.post(f"/admin/arena/bot/{bot.pk}/change/", form).status_code == 302
    bot.refresh_from_db()
    return bot


def test_staff_change_a_bot_but_not_what_the_server_runs(staff: Client, bot: Bot) -> None:
    saved = save(staff, bot)
    assert (saved.version, saved.command) == ("2", ["python3", "bot.py"])


@pytest.mark.long
def test_a_superuser_says_what_the_server_runs(superuser: Client, bot: Bot) -> None:
    assert save(superuser, bot).command == ["rm", "-rf"]


def test_staff_read_what_the_server_runs(staff: Client, bot: Bot) -> None:
    page = staff.get(f"/admin/arena/bot/{bot.pk}/change/").content.decode()
    assert "bot.py" in page and "no such folder to start a bot in" in page, "it is not in ARENA_BOTS"
    assert 'name="command"' not in page


def test_a_wire_says_whose_it_is_and_from_which_match(superuser: Client, bot: Bot) -> None:
    page = superuser.get("/admin/arena/wirechunk/").content.decode()
    assert "seat 1 0" in page
    assert "match-1" in page


@pytest.mark.long
def test_a_bot_that_is_not_started_here_has_no_command(superuser: Client, bot: Bot) -> None:
    assert ">null<" not in html.unescape(superuser.get("/admin/arena/bot/add/").content.decode()).replace("\n", "")
    form = {**FORM, "player": bot.player_id, "command": ""}
    assert superuser.post(f"/admin/arena/bot/{bot.pk}/change/", form).status_code == 302
    bot.refresh_from_db()
    assert bot.command is None


def test_what_changed_is_recorded(superuser: Client, bot: Bot) -> None:
    save(superuser, bot)
    audit = Audit.objects.get(act="bot changed")
    assert (audit.actor, audit.subject) == ("root", "player 1")
    assert (audit.data["before"]["version"], audit.data["after"]["version"]) == ("1", "2")


@pytest.mark.parametrize("command", ['"rm -rf"', "[1, 2]", "[]", "{}"])
def test_a_command_is_a_list_of_words(superuser: Client, bot: Bot, command: str) -> None:
    form = {**FORM, "player": bot.player_id, "command": command}
    page = superuser.post(f"/admin/arena/bot/{bot.pk}/change/", form)
    assert page.status_code == 200 and b"expected a list of words" in page.content
    bot.refresh_from_db()
    assert bot.command == ["python3", "bot.py"]


@pytest.mark.parametrize("field", ["family", "version"])
def test_what_is_part_of_a_name_breaks_no_line(superuser: Client, bot: Bot, field: str) -> None:
    form = {**FORM, "command": '["python3", "bot.py"]', field: "a\nb"}
    page = superuser.post(f"/admin/arena/bot/{bot.pk}/change/", form)
    assert page.status_code == 200 and b"U+000A" in page.content


def test_nobody_makes_a_person_a_bot(staff: Client, bot: Bot) -> None:
    mira = Player.objects.create(kind="person", name="Mira", slug="mira")
    page = staff.post("/admin/arena/bot/add/", {**FORM, "family": "newton", "player": mira.pk})
    assert page.status_code == 200 and b"Mira is a person, expected the player of a bot" in page.content


def test_what_is_live_is_not_changed_by_the_form(superuser: Client, bot: Bot) -> None:
    form = {**FORM, "player": bot.player_id, "enabled": "", "port": "4310", "why_disabled": "x", "token_sha256": "0"}
    superuser.post(f"/admin/arena/bot/{bot.pk}/change/", form)
    bot.refresh_from_db()
    assert (bot.enabled, bot.port, bot.why_disabled, bot.token_sha256) == (True, None, "", None)


def test_a_bot_is_not_deleted(superuser: Client, bot: Bot) -> None:
    assert superuser.post(f"/admin/arena/bot/{bot.pk}/delete/", {"post": "yes"}).status_code == 403
    assert superuser.post(f"/admin/arena/player/{bot.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Bot.objects.exists()


def test_its_page_says_how_fast_it_answers_where_it_failed_and_what_else_is_of_its_family(
    superuser: Client, bot: Bot
) -> None:
    Match.objects.update(ended=NOW, termination="illegal_move", winner=1, reason="4 is full")
    Seat.objects.filter(seat=1).update(player=None)
    other = Player.objects.create(kind="bot", name="family-1 2", slug="family-1-2")
    Bot.objects.create(
        player=other, variant=bot.variant, protocol="fiar", family=bot.family, version="2", enabled=False
    )
    page = " ".join(superuser.get(f"/admin/arena/bot/{bot.pk}/change/").content.decode().split())
    assert "Median 0.15 s, 99 of 100 within 0.15 s" in page
    assert 'match-1/change/?wires=errors">match-1</a> 4 is full' in page
    assert f'/admin/arena/bot/{other.pk}/change/">family-1 2</a> (disabled)' in page


def test_only_what_can_be_done_now_is_offered(superuser: Client, bot: Bot) -> None:
    address = f"/admin/arena/bot/{bot.pk}/change/"
    page = superuser.get(address).content.decode()
    assert [f'value="{act}"' in page for act in ("disabled", "enabled", "token revoked")] == [True, False, False]
    Bot.objects.update(enabled=False, token_sha256="0" * 64)
    page = superuser.get(address).content.decode()
    assert [f'value="{act}"' in page for act in ("disabled", "enabled", "token revoked")] == [False, True, True]


def test_who_saves_what_another_has_changed_meanwhile_is_told_first(superuser: Client, staff: Client, bot: Bot) -> None:
    address = f"/admin/arena/bot/{bot.pk}/change/"
    since = re.search(r'name="since" value="(\d+)"', superuser.get(address).content.decode())
    assert since is not None
    form = {**FORM, "player": bot.player_id, "owner": bot.owner_id, "command": "[]", "since": since[1]}
    assert staff.post(address, {**form, "version": "2"}).status_code == 302
    told = superuser.post(address, {**form, "version": "3", "command": '["python3", "bot.py"]'})
    page = html.unescape(told.content.decode())
    assert told.status_code == 200 and "Meanwhile: staff at " in page and "bot changed. Nothing was saved" in page
    bot.refresh_from_db()
    assert bot.version == "2"
    again = re.search(r'name="since" value="(\d+)"', page)
    assert again is not None
    form |= {"version": "3", "command": '["python3", "bot.py"]', "since": again[1]}
    assert superuser.post(address, form).status_code == 302, "who has read it may save"
