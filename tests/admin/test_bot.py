from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from arena.models import Bot

FORM = {
    "variant": "connect-four-7x6",
    "protocol": "fiar",
    "family": "family-1",
    "version": "2",
    "command": '["rm", "-rf"]',
    "wire": "owner",
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


def test_who_enables_a_bot_lets_it_out_of_quarantine(staff: Client, bot: Bot) -> None:
    now = timezone.now()
    Bot.objects.update(enabled=False, why_disabled="quarantine: 10 failures in a row", quarantined=now)
    saved = save(staff, bot)
    assert saved.enabled and saved.quarantined is None and saved.cleared is not None and saved.why_disabled == ""
