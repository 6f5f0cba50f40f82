"""The server is drained from the control room: one page that says what will happen, and one that takes it back."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.models import Audit, Drain
from arena.rooms import draining
from tests.admin.test_event_actions import staff

pytestmark = pytest.mark.django_db

PAGE = "/admin/drain/"


def test_it_is_ordered_and_called_off_on_a_page_that_says_what_happens(superuser: Client) -> None:
    assert "Drain …" in superuser.get("/admin/").content.decode()
    page = superuser.get(PAGE).content.decode()
    assert "No rooms are opened and no rounds or pairings begin" in page and not Drain.objects.exists()
    superuser.post(PAGE, {"action": "drain", "at": "2999-01-31T18:00", "reason": "a new version"})
    at = draining.ordered()
    assert at is not None and at.year == 2999
    assert (Audit.objects.get().act, Audit.objects.get().data["reason"]) == ("drain", "a new version")
    assert "Nothing new begins from 18:00 UTC on" in superuser.get(PAGE).content.decode()
    superuser.post(PAGE, {"action": "call off", "reason": ""})
    assert draining.ordered() is None


def test_the_second_of_two_does_not_undo_what_the_first_did(superuser: Client) -> None:
    page = superuser.post(PAGE, {"action": "call off", "reason": ""}, follow=True).content.decode()
    assert "Nothing was done" in page and not Drain.objects.exists()
    superuser.post(PAGE, {"action": "drain", "at": "2999-01-31T18:00", "reason": ""})
    superuser.post(PAGE, {"action": "drain", "at": "2999-01-31T19:00", "reason": ""})
    at = draining.ordered()
    assert at is not None and at.hour == 18


def test_a_time_that_is_over_is_refused(superuser: Client) -> None:
    answer = superuser.post(PAGE, {"action": "drain", "at": "2001-01-31T18:00", "reason": ""})
    assert answer.status_code == 422 and "has passed: expected a time in the future" in answer.content.decode()
    assert not Drain.objects.exists()


def test_it_is_for_who_runs_the_server() -> None:
    client = staff("change_tournament", "change_match")
    assert client.get(PAGE).status_code == 403
    assert client.post(PAGE, {"action": "drain"}).status_code == 403 and not Drain.objects.exists()
    assert staff("add_drain", name="op").get(PAGE).status_code == 200
