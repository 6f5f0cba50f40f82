from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.models import Player, Room

ADDRESS = "/admin/search/"


@pytest.mark.parametrize(
    ("term", "page"),
    [("match-1", "match/match-1"), ("ROOM-1", "room/"), ("cup-1", "tournament/"), ("family-1", "bot/")],
)
def test_what_alone_is_called_so_is_opened_at_once(
    term: str, page: str, superuser: Client, fill: Callable[[int], None]
) -> None:
    fill(1)
    answer = superuser.get(ADDRESS, {"q": f" {term} "})
    assert answer.status_code == 302 and answer["Location"].startswith(f"/admin/arena/{page}"), answer.content


def test_parts_of_names_find_several_the_newest_first(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    fill(2)
    page = superuser.get(ADDRESS, {"q": "layer"}).content.decode()
    assert -1 < page.find(">player 2") < page.find(">player 1")


@pytest.mark.parametrize("term", ["", "nowhere", "é" * 500, "%", "<script>"])
def test_whatever_is_typed_has_an_answer(term: str, superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    with CaptureQueriesContext(connection) as asked:
        answer = superuser.get(ADDRESS, {"q": term})
    assert answer.status_code == 200 and len(asked) <= 15
    assert "<script>alert" not in answer.content.decode()


def test_only_what_one_may_look_at_is_found(fill: Callable[[int], None]) -> None:
    fill(1)
    user = User.objects.create_user("looks", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_room"))
    client = Client()
    assert client.get(ADDRESS, {"q": "room-1"})["Location"].startswith("/admin/login/")
    client.force_login(user)
    assert client.get(ADDRESS, {"q": "room-1"}).status_code == 302
    assert client.get(ADDRESS, {"q": "match-1"}).status_code == 200
    Room.objects.update(private=True)
    assert client.get(ADDRESS, {"q": "room-1"}).status_code == 200


def test_an_old_name_is_found_whole(superuser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.admin.finding.LOOKED_THROUGH", 1)
    for n in range(3):
        Player.objects.create(kind="person", name=f"Mira {n}", slug=f"mira-{n}")
    assert superuser.get(ADDRESS, {"q": "Mira 0"}).status_code == 302
    assert "Mira 0" not in superuser.get(ADDRESS, {"q": "ira"}).content.decode()


def test_the_key_of_the_search_is_off_where_single_letter_keys_are(superuser: Client) -> None:
    assert 'aria-keyshortcuts="/"' in superuser.get("/admin/").content.decode()
    user = User.objects.get(pk=superuser.session["_auth_user_id"])
    person = {"kind": Player.Kind.PERSON, "name": "keyless", "slug": "keyless", "prefs": {"keys": "off"}}
    Player.objects.update_or_create(user=user, defaults=person)
    page = superuser.get("/admin/").content.decode()
    assert 'id="find-q"' in page and "keyshortcuts" not in page
