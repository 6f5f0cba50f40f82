"""The first administrator: one code, once, typed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from arena.web.people.claim import KEPT, offer

pytestmark = pytest.mark.django_db
ADDRESS = "/admin/claim/"


@pytest.fixture
def data(settings: Any, tmp_path: Path) -> Path:
    settings.ARENA_DATA = tmp_path
    return tmp_path


def _form(code: str) -> dict[str, str]:
    return {"code": code, "username": "ada", "password1": "seven-blue-otters", "password2": "seven-blue-otters"}


@pytest.mark.service
def test_the_printed_code_makes_an_administrator_once(data: Path) -> None:
    code = offer(data)
    assert code is not None
    answer = Client().post(ADDRESS, _form(code))
    assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/")
    ada = get_user_model().objects.get(username="ada")
    assert ada.is_superuser and ada.is_staff
    assert not (data / KEPT).exists()
    Client().post(ADDRESS, _form(code) | {"username": "bob"})
    assert not get_user_model().objects.filter(username="bob").exists()


def test_the_code_may_be_typed_in_small_letters_without_hyphens(data: Path) -> None:
    code = offer(data)
    assert code is not None
    Client().post(ADDRESS, _form(code.lower().replace("-", " ")))
    assert get_user_model().objects.filter(username="ada", is_superuser=True).exists()


def test_a_wrong_code_is_refused_in_words(data: Path) -> None:
    offer(data)
    answer = Client().post(ADDRESS, _form("AAAA-BBBB-CCCC"))
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "That is not the code." in page
    assert re.findall(r'<(?:div|input)[^>]*? (?:id|name)="(\w+)"[^>]* autofocus', page) == ["errors", "code"], (
        "the first one has it"
    )
    assert not get_user_model().objects.exists()


def test_a_forged_form_is_refused(data: Path) -> None:
    code = offer(data)
    assert code is not None
    assert Client(enforce_csrf_checks=True).post(ADDRESS, _form(code)).status_code == 403
    assert not get_user_model().objects.exists()


def test_no_code_is_kept_that_could_be_read(data: Path) -> None:
    code = offer(data)
    assert code is not None
    assert code not in (data / KEPT).read_text()
    assert (data / KEPT).stat().st_mode & 0o077 == 0


def test_there_is_no_code_where_somebody_is_administrator(data: Path) -> None:
    get_user_model().objects.create_superuser("root", password="x")
    assert offer(data) is None
    assert Client().get(ADDRESS).status_code == 302
