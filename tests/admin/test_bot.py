from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from arena.models import Audit, Bot, Player

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
    assert "bot.py" in page
    assert 'name="command"' not in page


def test_a_wire_says_whose_it_is_and_from_which_match(superuser: Client, bot: Bot) -> None:
    page = superuser.get("/admin/arena/wirechunk/").content.decode()
    assert "seat 1 0" in page
    assert "match-1" in page


@pytest.mark.long
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
