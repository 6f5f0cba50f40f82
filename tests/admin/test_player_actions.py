"""The account of a person is closed with its data; what others played with them stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from arena.models import Audit, Bot, ChatLine, ChatReport, Match, Mute, Player, Seat
from tests.admin.conftest import NOW, VARIANT
from tests.admin.test_event_actions import staff

LIST = "/admin/arena/player/"


@pytest.fixture
def mira(fill: Callable[[int], None]) -> Player:
    """A person with a bot, who has played match 1."""
    fill(1)
    user = User.objects.create_user("mira", "mira@example.org", "seven-blue-otters")
    mira = Player.objects.create(kind="person", name="Mira", slug="mira", user=user, prefs={"theme": "dark"})
    bot = Player.objects.create(kind="bot", name="mirabot", slug="mirabot")
    Bot.objects.create(
        player=bot, owner=user, variant=VARIANT, protocol="fiar", family="mirabot", token_sha256="0" * 64
    )
    Seat.objects.filter(match="match-1", seat=0).update(player=mira, name="Mira")
    Match.objects.update(ended=NOW, termination="normal", winner=0)
    return mira


def close(client: Client, player: Player, reason: str = "she asked for it") -> str:
    said = {"action": "close account", "_selected_action": player.pk, "confirmed": "yes", "reason": reason}
    return client.post(LIST, {**said, "back": "1"}, follow=True).content.decode()


def test_the_page_says_what_goes_and_what_stays(superuser: Client, mira: Player) -> None:
    page = superuser.get(f"{LIST}{mira.pk}/change/").content.decode()
    assert "Close the account" in page and "match-1" in page
    said = {"action": "close account", "_selected_action": mira.pk, "back": "1"}
    page = superuser.post(LIST, said).content.decode()
    assert f"becomes Former player {mira.pk}" in page and "1 bot of it is disabled" in page
    assert User.objects.filter(username="mira").exists()


def test_the_page_says_what_staff_ruled_and_what_others_report(superuser: Client, mira: Player) -> None:
    line = ChatLine.objects.create(
        match_id="match-1", player=mira, name="Mira", text="You are slow", among_players=True
    )
    ChatReport.objects.create(line=line, by=Player.objects.exclude(pk=mira.pk)[0])
    page = " ".join(superuser.get(f"{LIST}{mira.pk}/change/").content.decode().split())
    assert "void, <strong>root</strong> <q>a fault of ours</q>" in page
    assert "<q>You are slow</q>, not decided" in page


def test_everything_that_says_who_it_was_goes(superuser: Client, mira: Player) -> None:
    ChatLine.objects.create(match_id="match-1", player=mira, name="Mira", text="It is me", among_players=True)
    Mute.objects.create(by=mira, whom=Player.objects.exclude(pk=mira.pk)[0])
    close(superuser, mira)
    assert not ChatLine.objects.filter(name="Mira").exists() and not Mute.objects.filter(by=mira).exists()
    assert not User.objects.filter(username="mira").exists()
    mira.refresh_from_db()
    assert (mira.name, mira.user, mira.prefs) == (f"Former player {mira.pk}", None, {})
    bot = Bot.objects.get(family="mirabot")
    assert (bot.owner, bot.enabled, bot.token_sha256) == (None, False, None)
    assert Seat.objects.get(match="match-1", seat=0).name == "Mira", "the log is the others' as well"
    done = Audit.objects.get(act="account closed")
    assert (done.subject, done.data["reason"]) == (mira.name, "she asked for it")
    assert "Close the account" not in superuser.get(f"{LIST}{mira.pk}/change/").content.decode()


def test_who_plays_is_not_closed_and_neither_is_who_has_no_account(superuser: Client, mira: Player) -> None:
    Match.objects.update(ended=None, termination=None, winner=None)
    assert "A match of theirs is not over" in close(superuser, mira)
    assert "There is no account" in close(superuser, Player.objects.get(slug="mirabot"))
    assert User.objects.filter(username="mira").exists() and not Audit.objects.filter(act="account closed").exists()


def test_staff_close_no_account_of_staff_and_others_none(mira: Player) -> None:
    User.objects.filter(username="mira").update(is_staff=True)
    rights = ("view_player", "change_player", "delete_user")
    assert "closed by superusers" in close(staff(*rights), mira)
    close(staff("view_player", "change_player", name="ed"), mira)
    assert User.objects.filter(username="mira").exists()
