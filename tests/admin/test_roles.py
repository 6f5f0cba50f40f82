"""What each role may do, as a table: role by page, by act and by field."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from arena.admin.bot_actions import BOT_ACTIONS
from arena.admin.event_actions import EVENT_ACTIONS
from arena.admin.match_actions import MATCH_ACTIONS
from arena.admin.roles import ROLES, make_roles
from arena.models import Audit, Bot, Drain, Player, Tournament

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
# Of these no role is offered; and what cannot be done to a running match of no event, and to a bot without a token and
# a connection.
OF_SUPERUSERS = {"program added", "program removed"}
NOT_NOW = {"resume", "rerun", "enabled", "kicked", "token revoked"}
# Pages that belong to no table.
OWN_PAGES = ("", "search/?q=cup-1", "drain/")
# Who is no role: staff without a right, staff with all of them, and who is no staff.
NOBODY, EVERYBODY, OUTSIDE = "no role", "superuser", "anonymous"
# Fields of a form that each role may fill in, by table.
FIELDS = {
    ("moderator", "player"): {"name"},
    ("operator", "bot"): {"variant", "protocol", "family", "version"},
}


def of_role(role: str) -> Client:
    make_roles()
    client = Client()
    if role == OUTSIDE:
        return client
    user = User.objects.create_user(role, is_staff=True, is_superuser=role == EVERYBODY)
    if role in ROLES:
        user.groups.add(Group.objects.get(name=role))
    client.force_login(user)
    return client


def opened(client: Client) -> dict[str, int]:
    """What each address of the administration answers: lists, a row of each, forms for new ones, and its own pages."""
    paths = {path: path for path in OWN_PAGES}
    for model, of_model in admin.site._registry.items():
        table = f"{model._meta.app_label}/{model._meta.model_name}"
        row = model._default_manager.order_by("pk").first()
        paths |= {table: f"{table}/", f"{table} add": f"{table}/add/"}
        if row is not None:
            address = reverse(f"admin:{table.replace('/', '_')}_change", args=[quote(row.pk)])
            paths[f"{table} row"] = address.removeprefix("/admin/")
        assert of_model is not None
    return {name: client.get(f"/admin/{path}").status_code for name, path in paths.items()}


def test_who_is_no_role_opens_nothing_and_a_superuser_everything(fill: Callable[[int], None]) -> None:
    """Every address that there is: one that is added stands here by itself."""
    fill(1)
    nothing, everything, outside = (opened(of_role(role)) for role in (NOBODY, EVERYBODY, OUTSIDE))
    assert {name for name, status in nothing.items() if status != 403} == {"", "search/?q=cup-1"}
    assert len(outside) > 80 and set(outside.values()) == {302}, "the page to log in"
    assert {name for name, status in everything.items() if status not in (200, 302) and " add" not in name} == set()
    assert {name for name, status in everything.items() if status == 200 and " add" in name} == {
        "arena/bot add", "arena/player add", "arena/tournament add", "auth/user add", "auth/group add",
    }  # fmt: skip


@pytest.mark.parametrize(("role", "finds"), [(NOBODY, False), ("moderator", False), ("referee", True)])
def test_the_search_finds_only_what_the_role_may_look_at(role: str, finds: bool, fill: Callable[[int], None]) -> None:
    fill(1)
    page = of_role(role).get("/admin/search/?q=cup-1", follow=True).content.decode()
    assert ("/admin/arena/tournament/" in page) is finds


@pytest.mark.django_db
@pytest.mark.parametrize("role", (*ROLES, NOBODY, EVERYBODY))
def test_who_may_drain_the_server(role: str) -> None:
    client, may = of_role(role), role in ("operator", EVERYBODY)
    assert ("Drain …" in client.get("/admin/").content.decode()) is may
    assert client.get("/admin/drain/").status_code == (200 if may else 403)
    assert client.post("/admin/drain/", {"action": "drain", "reason": "why"}).status_code == (302 if may else 403)
    assert Drain.objects.exists() is may


def test_a_role_that_is_taken_away_while_its_page_is_open_does_nothing_more(fill: Callable[[int], None]) -> None:
    """The page that asks is open: what is answered there is refused, and nothing is told any more."""
    fill(1)
    bot, event = Bot.objects.get(), Tournament.objects.get()
    acts = {
        "operator": ("/admin/arena/bot/", {"action": "disabled", "_selected_action": bot.pk}),
        "referee": ("/admin/arena/match/", {"action": "pause", "_selected_action": "match-1"}),
        "organiser": (f"/admin/arena/tournament/{event.pk}/act/open/", {}),
    }
    for role, (address, form) in acts.items():
        client = of_role(role)
        asked = client.post(address, form) if form else client.get(address)
        assert asked.status_code in (200, 302), role
        User.objects.get(username=role).groups.clear()
        answered = client.post(address, {**form, "confirmed": "yes", "reason": "it was open"})
        assert answered.status_code == 403, role
        assert "cup 1" not in client.get("/admin/").content.decode()
    bot.refresh_from_db()
    event.refresh_from_db()
    assert bot.enabled and event.state == "draft" and not Audit.objects.filter(data__reason="it was open").exists()


@pytest.mark.parametrize("role", ROLES)
def test_which_pages_a_role_opens(role: str, fill: Callable[[int], None]) -> None:
    fill(1)
    client = of_role(role)
    opens = {table for table in TABLES if client.get(f"/admin/arena/{table}/").status_code == 200}
    assert opens == set(PAGES[role])
    assert (client.get("/admin/auth/user/").status_code == 200) is (role == "moderator")
    assert client.get("/admin/auth/group/").status_code == 403
    assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize("role", ROLES)
def test_which_acts_a_role_is_offered_and_refused(role: str, fill: Callable[[int], None]) -> None:
    fill(1)
    """What cannot be done to the row now is refused in words, on the list."""
    client, may = of_role(role), ACTS[role].split()
    bot, event = Bot.objects.get().pk, Tournament.objects.get().pk
    for table, key, acts in (("match", "match-1", MATCH_ACTIONS), ("bot", bot, BOT_ACTIONS)):
        for act in acts:
            answer = client.post(f"/admin/arena/{table}/", {"action": act.name, "_selected_action": key})
            allowed = table in may and act.name not in OF_SUPERUSERS
            wanted = 403 if not allowed else 302 if act.name in NOT_NOW else 200
            assert answer.status_code == wanted, (table, act.name)
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
