"""The account of a person is closed with its data; what others played with them stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from arena.models import Audit, Bot, ChatLine, ChatReport, Entry, JoinedGuest, Match, Mute, Player, Seat, Tournament
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
    assert "a former player in place of its name" in page and "1 of its bots is disabled" in page
    assert User.objects.filter(username="mira").exists()


def test_the_page_says_what_staff_ruled_and_what_others_report(superuser: Client, mira: Player) -> None:
    line = ChatLine.objects.create(
        match_id="match-1", player=mira, name="Mira", text="You are slow", among_players=True
    )
    ChatReport.objects.create(line=line, by=Player.objects.exclude(pk=mira.pk)[0])
    page = " ".join(superuser.get(f"{LIST}{mira.pk}/change/").content.decode().split())
    assert "void, by root <q>a fault of ours</q>" in page
    assert "not decided <q>You are slow</q>" in page


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
    assert Seat.objects.get(match="match-1", seat=0).name == mira.name
    done = Audit.objects.get(act="account closed")
    assert (done.subject, done.data["reason"]) == (mira.name, "she asked for it")
    assert "Close the account" not in superuser.get(f"{LIST}{mira.pk}/change/").content.decode()


def test_who_plays_is_not_closed_and_neither_is_who_has_no_account(superuser: Client, mira: Player) -> None:
    Match.objects.update(ended=None, termination=None, winner=None)
    assert "A match of this account is not over" in close(superuser, mira), "this process cannot end it"
    assert "It does not belong to a person" in close(superuser, Player.objects.get(slug="mirabot"))
    assert User.objects.filter(username="mira").exists() and not Audit.objects.filter(act="account closed").exists()


@pytest.mark.parametrize("who", ["mira", "mirabot"])
def test_who_is_in_an_event_that_is_not_over_is_withdrawn_with_it(superuser: Client, mira: Player, who: str) -> None:
    """They were called for every round in vain, and a bot without its owner could not come."""
    entry = Entry.objects.earliest("pk")
    Tournament.objects.update(state="running")
    player = Player.objects.get(slug=who)
    Entry.objects.filter(pk=entry.pk).update(player=player, kind=player.kind, name=player.name)
    said = {"action": "close account", "_selected_action": mira.pk, "back": "1"}
    assert "withdrawn from cup 1." in superuser.post(LIST, said).content.decode()
    assert f"Close the account, {mira.name}: it is Former player {mira.pk} now." in close(superuser, mira)
    left = Entry.objects.filter(pk=entry.pk).first()
    assert left is None or left.withdrawn is not None


def test_the_page_names_the_events_that_lose_their_organiser(superuser: Client, mira: Player) -> None:
    Tournament.objects.update(state="running", organiser=mira.user)
    said = {"action": "close account", "_selected_action": mira.pk, "back": "1"}
    assert "Only staff run its events that are not over: cup 1." in superuser.post(LIST, said).content.decode()


def test_staff_close_no_account_of_staff_and_others_none(mira: Player) -> None:
    User.objects.filter(username="mira").update(is_staff=True)
    rights = ("view_player", "change_player", "delete_user")
    assert "closed by superusers" in close(staff(*rights), mira)
    close(staff("view_player", "change_player", name="ed"), mira)
    assert User.objects.filter(username="mira").exists()


# -- a guest who was a person ------------------------------------------------------------------------------------------


@pytest.fixture
def guest(mira: Player) -> Player:
    """Who played match 2, against nobody."""
    guest = Player.objects.create(kind="guest", name="Teal Heron", slug="teal-heron")
    Match.objects.create(id="match-2", variant=VARIANT, opened=NOW, started=NOW, ended=NOW, termination="normal")
    Seat.objects.create(match_id="match-2", seat=0, player=guest, name=guest.name, kind="human")
    return guest


def joining(client: Client, guest: Player, person: str, confirmed: str = "look") -> str:
    said = {"action": "join", "_selected_action": guest.pk, "back": "1", "person": person, "reason": "it was her phone"}
    return " ".join(client.post(LIST, {**said, "confirmed": confirmed}, follow=True).content.decode().split())


def moderator(*more: str, name: str = "mod") -> Client:
    return staff("view_player", "change_player", *more, name=name)


def test_a_guest_is_joined_once_its_page_has_listed_what_changes_and_parted_again(mira: Player, guest: Player) -> None:
    client = moderator()
    page = client.get(f"{LIST}{guest.pk}/change/").content.decode()
    assert 'value="join"' in page and 'value="part"' not in page and 'value="close account"' not in page
    page = joining(client, guest, "Mira")
    assert "Matches that Teal Heron played: 1." in page and "No rating changes" in page
    assert not JoinedGuest.objects.filter(guest=guest).exists(), "it was only shown"
    assert "Join with the account, Teal Heron: it is Mira." in joining(client, guest, "Mira", "yes")
    assert JoinedGuest.objects.get(guest=guest).person == mira
    page = client.get(f"{LIST}{mira.pk}/change/").content.decode()
    assert "Guests that they were" in page and "match-2" in page
    page = client.get(f"{LIST}{guest.pk}/change/").content.decode()
    assert 'value="join"' not in page and "This guest was" in page
    part = {"action": "part", "_selected_action": guest.pk, "confirmed": "yes", "reason": "it was her brother"}
    client.post(LIST, part)
    assert not JoinedGuest.objects.filter(guest=guest).exists()
    told = Audit.objects.filter(subject__in=("Teal Heron", "Mira")).order_by("pk")
    assert [(each.act, each.subject) for each in told] == [
        *(("guest joined", "Teal Heron"), ("guest joined", "Mira")),
        *(("guest parted", "Teal Heron"), ("guest parted", "Mira")),
    ]
    assert told[0].data == {"reason": "it was her phone", "person": "Mira"}


def test_a_guest_is_not_joined_with_whom_it_met_nor_with_nobody(mira: Player, guest: Player) -> None:
    client = moderator()
    Seat.objects.create(match_id="match-2", seat=1, player=mira, name="Mira", kind="human")
    assert "Teal Heron and Mira played each other" in joining(client, guest, "Mira")
    for nobody in ("Nobody", "mirabot", "Teal Heron", "\u0663\u202e"):
        assert "expected the name of a person with an account" in joining(client, guest, nobody), nobody
    assert "It is not a guest" in joining(client, mira, "Mira")
    Match.objects.filter(pk="match-2").update(ended=None, termination=None)
    assert "A match of theirs is not over" in joining(client, guest, "Mira")
    assert not JoinedGuest.objects.filter(guest=guest).exists()


def test_who_may_only_look_joins_nobody(mira: Player, guest: Player) -> None:
    client = staff("view_player", name="eve")
    assert 'value="join"' not in client.get(f"{LIST}{guest.pk}/change/").content.decode()
    for act in ("join", "part", "close account"):
        said = {"action": act, "_selected_action": guest.pk, "confirmed": "yes", "person": "Mira", "reason": "x"}
        assert client.post(LIST, said).status_code == 403


def test_with_an_account_what_its_guests_said_goes_too(superuser: Client, mira: Player, guest: Player) -> None:
    joining(superuser, guest, "Mira", "yes")
    ChatReport.objects.create(line=ChatLine.objects.exclude(player=mira)[0], by=guest)
    close(superuser, mira)
    assert not ChatReport.objects.filter(by=guest).exists() and JoinedGuest.objects.get(guest=guest).person == mira


def test_nobody_closes_their_own_account(superuser: Client) -> None:
    assert "It is your own" in close(superuser, Player.objects.get(user__username="root"))
    assert User.objects.filter(username="root").exists()


def test_whoever_has_its_name_keeps_no_account_from_being_closed(superuser: Client, mira: Player) -> None:
    name = f"Former player {mira.pk}"
    Player.objects.create(kind="person", name=name, slug=Player.slug_of(name))
    close(superuser, mira)
    mira.refresh_from_db()
    assert (mira.name, mira.user) == (f"{name} 2", None)
