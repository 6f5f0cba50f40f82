"""Rights are ticked, a line for each table, and what was ticked is what an account has."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from arena.models import Audit
from tests.kit.browsing import flowing


def _right(name: str) -> str:
    return str(Permission.objects.get(codename=name).pk)


def test_the_rights_of_a_table_stand_in_one_line_in_few_words(superuser: Client) -> None:
    page = flowing(superuser.get("/admin/auth/group/add/"))
    match = re.search(r"<legend>Match</legend>(.*?)</fieldset>", page)
    assert match is not None
    words = [" ".join(label.split()) for label in re.findall(r"<input[^>]*>([^<]*)</label>", match[1])]
    assert words[:4] == ["view", "add", "change", "delete"] and len(words) > 4, "and one that is no usual one, in full"
    assert page.count('name="permissions"') == Permission.objects.count()


def test_what_is_ticked_is_given_and_is_ticked_when_the_page_is_opened_again(superuser: Client) -> None:
    given = _right("view_room")
    superuser.post("/admin/auth/group/add/", {"name": "judges", "permissions": [given]})
    group = Group.objects.get(name="judges")
    assert [each.codename for each in group.permissions.all()] == ["view_room"]
    page = flowing(superuser.get(f"/admin/auth/group/{group.pk}/change/"))
    assert re.findall(r'value="(\d+)"[^>]*checked', page) == [given]


@pytest.mark.parametrize("right", ["999999", str(2**63), "²"])
def test_a_right_that_is_none_is_refused_and_nothing_is_saved(superuser: Client, right: str) -> None:
    answer = superuser.post("/admin/auth/group/add/", {"name": "judges", "permissions": [right]})
    assert answer.status_code == 200 and "is not one of the available choices" in flowing(answer)
    assert not Group.objects.filter(name="judges").exists()


def test_the_audit_says_by_name_which_rights_and_groups_were_given(superuser: Client) -> None:
    superuser.post(
        "/admin/auth/group/add/", {"name": "judges", "permissions": [_right("view_room"), _right("view_bot")]}
    )
    assert (said := Audit.objects.get()).says() == "before: –; after: name judges, permissions view_bot, view_room"
    assert (said.actor, said.act, said.subject) == ("root", "group added", "judges")
    mira = User.objects.create_user("mira")
    form = {"username": "mira", "is_active": "on", "groups": [str(Group.objects.get(name="judges").pk)]}
    joined = {"date_joined_0": f"{mira.date_joined:%Y-%m-%d}", "date_joined_1": f"{mira.date_joined:%H:%M:%S}"}
    superuser.post(f"/admin/auth/user/{mira.pk}/change/", {**form, **joined})
    data = Audit.objects.latest("pk").data
    assert (data["before"]["groups"], data["after"]["groups"]) == ("", "judges")
    page = flowing(superuser.get("/admin/arena/audit/", {"q": "judges"}))
    assert "group added" in page and 'id="searchbar"' in page and "QuerySet" not in page


def test_an_account_has_what_was_ticked_for_it(superuser: Client) -> None:
    User.objects.create_user("mira", is_staff=True).user_permissions.add(Permission.objects.get(codename="view_match"))
    page = flowing(superuser.get(f"/admin/auth/user/{User.objects.get(username='mira').pk}/change/"))
    assert re.findall(r'name="user_permissions" value="(\d+)"[^>]*checked', page) == [_right("view_match")]
