"""Who may do what in the admin: every address and every act, by everybody."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.apps import apps
from django.contrib.admin import site
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client

from arena.admin.acting import Reasoned, in_host
from arena.admin.bot_actions import BOT_ACTIONS
from arena.admin.match_actions import MATCH_ACTIONS
from arena.match.commands import Refusal
from arena.models import Audit, Bot, Event, Match, Player

TABLES = [model.__name__.lower() for model in apps.get_app_config("arena").get_models()]
WHO = ("anonymous", "guest", "user", "staff without", "staff who look", "staff who change", "superuser")
# What is private takes a right of its own (test_record.py).
LOOK = ("view_", "see_private")
MAY_LOOK, MAY_CHANGE = WHO[4:], WHO[5:]
# What is written by hand here; all else is read.
WRITTEN = {"bot": MAY_CHANGE, "player": MAY_CHANGE}
# What is made by hand and then changed by acts alone.
MADE = {"tournament": MAY_CHANGE}
# Raw rows of the server (test_record.py).
RAW = (
    *(
        "chatline",
        "delivery",
        "drain",
        "handed",
        "lease",
        "logslice",
        "machine",
        "minute",
        "mute",
        "place",
        "returned",
        "webhook",
    ),
    "work",
)
UNREASONED = ("resume", "rebuild", "enabled", "new token", "program added", "program removed")
OF_SUPERUSERS = ("program added", "program removed")
# What cannot be done to a running match of no event, and to an enabled bot without a connection, a token and a program.
NOT_NOW = ("resume", "rerun", "enabled", "kicked", "token revoked", "program removed")
ACTS = [("match", act.name) for act in MATCH_ACTIONS] + [("bot", act.name) for act in BOT_ACTIONS]


def client_of(who: str) -> Client:
    client = Client()
    if who == "guest":
        client.post("/r/new/", {"variant": "connect-four-7x6", "clock": "none", "rounds": "1"})
    elif who == "superuser":
        client.force_login(User.objects.create_superuser("root"))
    elif who != "anonymous":
        user = User.objects.create_user("somebody", is_staff=who.startswith("staff"))
        given = {"staff who look": LOOK, "staff who change": (*LOOK, "change_", "add_", "delete_")}.get(who, ())
        rights = [right for right in Permission.objects.all() if right.codename.startswith(given)] if given else []
        user.user_permissions.set(rights)
        client.force_login(user)
    return client


def rows() -> dict[str, Any]:
    """All that an act or a form could have changed."""
    models = (Match, Event, Bot, Player)
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}


@pytest.mark.long
@pytest.mark.cases(1)  # test_roles.py opens every address for nobody, staff without a right and a superuser
@pytest.mark.parametrize("who", WHO)
def test_every_address_answers_everybody_as_it_should(who: str, fill: Callable[[int], None]) -> None:
    fill(1)
    client, before = client_of(who), rows()
    for table in TABLES:
        key = apps.get_model("arena", table)._default_manager.first().pk
        changes = who in WRITTEN.get(table, ())
        makes = changes or who in MADE.get(table, ())
        looks = who in (MAY_LOOK if table not in RAW else WHO[-1:])
        expected = {
            "": looks,
            f"{key}/change/": looks,
            f"{key}/history/": looks,
            "add/": makes,
            f"{key}/delete/": False,
        }
        for address, may in expected.items():
            answer = client.get(f"/admin/arena/{table}/{address}")
            wanted = 200 if may else 403 if who in WHO[4:] or who == "staff without" else 302
            assert answer.status_code == wanted, (who, table, address)
            if answer.status_code == 302:
                assert answer["Location"].startswith("/admin/login/?next="), (who, table, address)
        for address in ("add/", f"{key}/change/", f"{key}/delete/"):
            answer = client.post(f"/admin/arena/{table}/{address}", {"post": "yes"})
            shown = 422 if makes and address == "add/" and not changes else 200
            may = makes if address == "add/" else changes and "delete" not in address
            assert answer.status_code == (shown if may else wanted), (who, table, address)
    assert rows() == before


@pytest.mark.cases(4)
@pytest.mark.parametrize("who", WHO)
def test_every_act_is_refused_to_whoever_may_not(who: str, fill: Callable[[int], None]) -> None:
    fill(1)
    client, before = client_of(who), rows()
    keys = {"match": "match-1", "bot": Bot.objects.get().pk}
    for table, act in ACTS:
        chosen = {"action": act, "_selected_action": keys[table]}
        for said in ({}, {"confirmed": "yes"}, {"confirmed": "yes", "reason": " "}):
            if who in MAY_CHANGE and (said or act == "decide") and act in UNREASONED:
                continue  # they need no reason, and are tried elsewhere
            answer = client.post(f"/admin/arena/{table}/", {**chosen, **said})
            if who == "staff who change" and act in OF_SUPERUSERS:
                assert answer.status_code == 403, (act, said)
            elif who in MAY_CHANGE and act in NOT_NOW:
                assert answer.status_code == 302, (who, act, said)
            elif who in MAY_CHANGE:
                assert answer.status_code == (422 if said else 200), (who, act, said)
                assert not said or "A reason is missing" in answer.content.decode()
            else:
                assert answer.status_code == (403 if "staff" in who else 302), (who, act, said)
    assert rows() == before
    assert not Audit.objects.exclude(act="new secret").exists() and not LogEntry.objects.exists()


@pytest.mark.parametrize("who", ["staff who look", "staff who change"])
def test_only_who_may_act_is_offered_the_acts(who: str, fill: Callable[[int], None]) -> None:
    fill(1)
    client = client_of(who)
    for address in ("/admin/arena/match/", "/admin/arena/match/match-1/change/"):
        assert ('value="decide"' in client.get(address).content.decode()) == (who in MAY_CHANGE)
    bot = Bot.objects.get().pk
    assert ('value="new token"' in client.get(f"/admin/arena/bot/{bot}/change/").content.decode()) == (
        who in MAY_CHANGE
    )


def test_an_act_that_is_none_does_nothing(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    answer = superuser.post("/admin/arena/match/", {"action": "explode", "_selected_action": "match-1"}, follow=True)
    assert "No action selected" in answer.content.decode()


def test_a_token_is_made_for_one_bot_at_a_time(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    fill(2)
    chosen = {"action": "new token", "_selected_action": list(Bot.objects.values_list("pk", flat=True))}
    page = superuser.post("/admin/arena/bot/", chosen, follow=True).content.decode()
    assert "choose one row. Nothing was done." in html.unescape(page)


async def _nothing(host: object) -> None:
    """Never called: there is no host."""


def test_without_a_host_there_is_a_word_for_it() -> None:
    with pytest.raises(Refusal, match="serves no matches"):
        in_host(_nothing)


def test_labels_end_with_an_ellipsis_where_a_reason_is_asked_for() -> None:
    acts = [act for model_admin in site._registry.values() for act in getattr(model_admin, "own_actions", ())]
    assert len(acts) > 20
    for act in acts:
        assert act.label.endswith(" …") is issubclass(act.form, Reasoned), act.name
        assert "…" not in act.title + act.button, "said once"


FORGED = ("9" * 20, "9223372036854775808", "\u0661", "x")


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_number_is_no_row(superuser: Client, fill: Callable[[int], None], forged: str) -> None:
    """Of the row that a bot is of, the database was asked, which holds no such number."""
    fill(1)
    for table, act in (("arena/bot", "kicked"), ("arena/room", "close"), ("auth/user", "kicked")):
        list_of = f"/admin/{table}/"
        assert superuser.get(f"{list_of}{quote(forged)}/change/", follow=True).status_code in (200, 404), table
        said = {"action": act, "_selected_action": forged, "confirmed": "yes"}
        page = superuser.post(list_of, said, follow=True)
        assert page.status_code == 200 and "expected rows of this list" in page.content.decode(), table
    assert superuser.get(f"/admin/auth/user/?groups__id__exact={quote(forged)}", follow=True).status_code == 200
