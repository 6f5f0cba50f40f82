"""What each role may do, as a table: role by page, by act and by field."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from arena.admin.bot_actions import BOT_ACTIONS
from arena.admin.event_actions import EVENT_ACTIONS
from arena.admin.match_actions import MATCH_ACTIONS
from arena.admin.roles import ROLES, make_roles
from arena.models import Bot, Player, Tournament

PLAY = ("match", "seat", "event", "move", "ruling", "room", "player", "rating", "audit")
EVENTS = ("tournament", "entry", "pairing")
RAW = ("lease", "handed", "minute", "place", "chatline", "mute")
# Lists that each role may open; all others are refused.
PAGES = {
    "referee": (*PLAY, *EVENTS, "bot"),
    "organiser": (*PLAY, *EVENTS, "bot"),
    "moderator": (*PLAY, "onetimecode", "chatreport"),
    "operator": (*PLAY, *EVENTS, "bot", "wirechunk"),
}
TABLES = (*PLAY, *EVENTS, *RAW, "bot", "wirechunk", "onetimecode", "ratingchange", "chatreport")
ACTS = {"referee": "match", "organiser": "match tournament", "moderator": "", "operator": "bot"}
# Fields of a form that each role may fill in, by table.
FIELDS = {
    ("moderator", "player"): {"name"},
    ("operator", "bot"): {"variant", "protocol", "family", "version"},
}


def of_role(role: str) -> Client:
    make_roles()
    user = User.objects.create_user(role, is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("role", ROLES)
def test_which_pages_a_role_opens(role: str, fill: Callable[[int], None]) -> None:
    fill(1)
    client = of_role(role)
    opened = {table for table in TABLES if client.get(f"/admin/arena/{table}/").status_code == 200}
    assert opened == set(PAGES[role])
    assert (client.get("/admin/auth/user/").status_code == 200) is (role == "moderator")
    assert client.get("/admin/auth/group/").status_code == 403
    assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize("role", ROLES)
def test_which_acts_a_role_is_offered_and_refused(role: str, fill: Callable[[int], None]) -> None:
    fill(1)
    client, may = of_role(role), ACTS[role].split()
    bot, event = Bot.objects.get().pk, Tournament.objects.get().pk
    for table, key, acts in (("match", "match-1", MATCH_ACTIONS), ("bot", bot, BOT_ACTIONS)):
        for act in acts:
            answer = client.post(f"/admin/arena/{table}/", {"action": act.name, "_selected_action": key})
            assert answer.status_code == (200 if table in may else 403), (table, act.name)
    for of_event in EVENT_ACTIONS:
        answer = client.get(f"/admin/arena/tournament/{event}/act/{of_event.name}/")
        assert answer.status_code == (403 if "tournament" not in may else answer.status_code), of_event.name
        assert "tournament" not in may or answer.status_code in (200, 302), of_event.name


@pytest.mark.parametrize("role", ROLES)
def test_which_fields_a_role_fills_in(role: str, fill: Callable[[int], None]) -> None:
    fill(1)
    client = of_role(role)
    rows = {
        "player": Player.objects.get(name="player 1").pk,
        "bot": Bot.objects.get().pk,
        "match": "match-1",
        "room": 1,
    }
    for table, key in rows.items():
        answer = client.get(f"/admin/arena/{table}/{key}/change/")
        shown = answer.context["adminform"].form.fields if answer.status_code == 200 else {}
        assert set(shown) == FIELDS.get((role, table), set()), table


@pytest.mark.django_db
def test_they_are_made_once_and_what_is_changed_stays() -> None:
    assert make_roles()
    Group.objects.get(name="referee").permissions.clear()
    Group.objects.get(name="operator").delete()
    assert not make_roles()
    assert not Group.objects.get(name="referee").permissions.exists()
    assert Group.objects.count() == len(ROLES) - 1
