"""Webhooks, tokens, workers and work have pages of their own, with what is known of them and what can be done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.test import Client

from arena.models import AccessToken, Audit, Delivery, Machine, Pairing, Webhook, Work
from tests.kit.browsing import flowing
from tests.kit.pressing import buttons, press


class Case(NamedTuple):
    """What is pressed on the page of a row of this table, then on the page that asks, and what is offered after."""

    table: str
    label: str
    button: str
    after: str = ""

    @property
    def address(self) -> str:
        row = apps.get_model("arena", self.table)._default_manager.get()
        return f"/admin/arena/{self.table}/{row.pk}/change/"

    def rows(self) -> list[dict[str, Any]]:
        return list(apps.get_model("arena", self.table)._default_manager.values())


CASES = (
    Case("webhook", "Switch off …", "Switch off", "Switch on"),
    Case("accesstoken", "Revoke …", "Revoke"),
    Case("machine", "Drain", "Drain", "Take work again"),
    Case("work", "Cancel …", "Cancel", "Run again"),
)
REASONED = [case for case in CASES if case.label.endswith("…")]
OF_SUPERUSERS = [case for case in CASES if case.table != "accesstoken"]


@pytest.fixture(autouse=True)
def _rows(fill: Callable[[int], None]) -> None:
    fill(1)


def another(name: str, *rights: str, superuser: bool = False) -> Client:
    user = User.objects.create_user(name, is_staff=True, is_superuser=superuser)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("case", CASES)
def test_an_act_takes_two_clicks_on_its_page_and_leads_back(superuser: Client, case: Case) -> None:
    page = superuser.get(case.address)
    assert case.label in buttons(page) and case.after not in buttons(page)
    asked = press(superuser, page, case.label)
    assert "This will be changed:" in flowing(asked) and case.rows()
    done = press(superuser, asked, case.button, reason="as agreed with its owner")
    assert f"{case.button}, " in flowing(done)
    if case.after:
        assert done.request["PATH_INFO"] == case.address and case.after in buttons(done)
        assert "<q>as agreed with its owner</q>" in flowing(done), "with who has done what, and why"
    else:
        assert done.request["PATH_INFO"] == f"/admin/arena/{case.table}/" and not case.rows()
    assert Audit.objects.latest("pk").data["reason"] == "as agreed with its owner"


@pytest.mark.parametrize("case", REASONED)
def test_nothing_is_done_without_a_reason(superuser: Client, case: Case) -> None:
    before, acts = case.rows(), Audit.objects.count()
    asked = press(superuser, superuser.get(case.address), case.label)
    answer = press(superuser, asked, case.button, reason=" ")
    assert answer.status_code == 422 and "A reason is missing" in flowing(answer)
    assert (case.rows(), Audit.objects.count()) == (before, acts)


@pytest.mark.parametrize("case", OF_SUPERUSERS)
def test_the_second_of_two_is_told_what_the_first_did(superuser: Client, case: Case) -> None:
    asked = press(superuser, superuser.get(case.address), case.label)
    first = another("ada", superuser=True)
    press(first, press(first, first.get(case.address), case.label), case.button, reason="it was quicker")
    before = case.rows()
    told = flowing(press(superuser, asked, case.button, reason="too late"))
    assert "Meanwhile: ada at " in told and "Nothing was done." in told and case.rows() == before
    assert not Audit.objects.filter(data__reason="too late").exists()


def test_a_token_that_another_has_revoked_is_gone(superuser: Client) -> None:
    case = CASES[1]
    asked = press(superuser, superuser.get(case.address), case.label)
    AccessToken.objects.all().delete()
    answer = press(superuser, asked, case.button, reason="too late")
    assert answer.status_code == 200 and not Audit.objects.filter(data__reason="too late").exists()


@pytest.mark.parametrize("case", CASES)
def test_a_role_that_was_taken_away_meanwhile_does_nothing(superuser: Client, case: Case) -> None:
    asked = press(superuser, superuser.get(case.address), case.label)
    User.objects.filter(username="root").update(is_superuser=False)
    before = case.rows()
    assert press(superuser, asked, case.button, reason="still mine?").status_code == 403
    assert case.rows() == before


@pytest.mark.parametrize("case", OF_SUPERUSERS)
def test_other_staff_do_not_see_the_page(staff: Client, case: Case) -> None:
    assert staff.get(case.address).status_code == 403


def test_who_may_only_look_at_a_token_is_offered_nothing() -> None:
    looks = another("looks", "view_accesstoken")
    page = looks.get(CASES[1].address)
    assert page.status_code == 200 and "Revoke …" not in buttons(page)
    assert "Revoke …" in buttons(another("mod", "view_accesstoken", "change_user").get(CASES[1].address))


def test_the_page_of_a_webhook_tells_what_it_was_sent_and_how_that_was_answered(superuser: Client) -> None:
    Delivery.objects.update(
        state="given up", status=500, said="Internal Server Error", tries=8, settled="2026-02-01T12:00Z"
    )
    page = flowing(superuser.get(CASES[0].address))
    message = f'<a href="/admin/arena/delivery/{Delivery.objects.get().pk}/change/">msg_1</a>'
    assert f"{message} test: given up <q>500 Internal Server Error</q>" in page and "8 attempts" in page


def test_what_was_done_to_another_webhook_of_the_owner_is_not_on_its_page(superuser: Client) -> None:
    webhook = Webhook.objects.get()
    Audit.objects.create(
        actor="root", act="webhook switched off", subject=str(webhook.user), data={"receiver": "other.example"}
    )
    assert "other.example" not in flowing(superuser.get(CASES[0].address))


def test_the_page_of_a_token_tells_the_others_of_its_account(superuser: Client) -> None:
    token = AccessToken.objects.get()
    more = AccessToken.objects.create(
        user=token.user, name="of the lab", sha256="f" * 64, scopes="play", made=token.made, ends=token.ends
    )
    page = flowing(superuser.get(f"/admin/arena/accesstoken/{token.pk}/change/"))
    assert f'<a href="/admin/arena/accesstoken/{more.pk}/change/">of the lab</a>' in page
    assert token.sha256 not in page and more.sha256 not in page


def test_work_and_worker_lead_to_each_other_and_to_the_match(superuser: Client) -> None:
    work = Work.objects.get()
    Machine.objects.create(name="blade_2/a", slots=1, speed=1, sandbox=0, seen="2026-01-31T12:00Z")
    Work.objects.update(state="out", worker="blade_2/a", until="2026-01-31T12:00:09Z", token=3)
    page = superuser.get(f"/admin/arena/work/{work.pk}/change/")
    assert 'href="/admin/arena/match/match-1/change/">match-1</a>' in flowing(page)
    assert 'href="/admin/arena/machine/blade_5F2_2Fa/change/">blade_2/a</a>' in flowing(page), "as Django writes it"
    worker = superuser.get("/admin/arena/machine/blade_5F2_2Fa/change/")
    assert f'href="/admin/arena/work/{work.pk}/change/">analyse:match-1</a>' in flowing(worker)
    done = press(superuser, press(superuser, worker, "Drain"), "Drain")
    assert done.request["PATH_INFO"] == "/admin/arena/machine/blade_5F2_2Fa/change/", "names may hold any letter"
    assert "Take work again" in buttons(done)


def test_the_kinds_of_work_of_a_worker_are_said_in_words(superuser: Client) -> None:
    Machine.objects.update(kinds=["play", "analyse"])
    page = flowing(superuser.get(CASES[2].address))
    assert "play and analyse" in page and "[&quot;play" not in page


def test_work_says_in_words_how_it_stands_and_where_it_may_be_done(superuser: Client) -> None:
    said = {"token": 3, "faults": 2, "needs": "host", "priority": 9, "why": "its worker <died>"}
    Work.objects.update(**said, spec={"board": [1, {"of": "x"}]}, watched=True, match="match-1")
    page = flowing(superuser.get(f"/admin/arena/work/{Work.objects.get().pk}/change/"))
    for words in ("waiting <q>its worker &lt;died&gt;</q>", "3 run, 2 lost", "this host only", "priority 9"):
        assert words in page, words
    assert "board 1 of x" in page and "5ecre7" not in page and "All fields" in page
    assert page.count('<a href="/admin/arena/match/match-1/change/">match-1</a>') == 2


def test_a_worker_says_in_words_how_it_is(superuser: Client) -> None:
    Machine.objects.update(draining=True, distrusted="event 3 is wrong", lost=4, rules="0123456789ab", version="1.2")
    page = flowing(superuser.get(CASES[2].address))
    for words in ("takes nothing new, its answers are not accepted <q>event 3 is wrong</q>", "0 answered, 4 lost"):
        assert words in page, words
    assert "rules 0123456789ab, not those here, " in page and "2 of class unknown" in page


def test_work_for_an_event_leads_to_it(superuser: Client) -> None:
    pairing = Pairing.objects.get()
    Work.objects.update(kind="play", key=f"pairing:{pairing.pk}:1")
    page = flowing(superuser.get(f"/admin/arena/work/{Work.objects.get().pk}/change/"))
    assert f'href="/admin/arena/tournament/{pairing.tournament_id}/change/">cup 1</a>' in page
    Work.objects.update(key="pairing:999999:1")
    assert superuser.get(f"/admin/arena/work/{Work.objects.get().pk}/change/").status_code == 200, "it is gone"
