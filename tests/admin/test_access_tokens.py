"""One token of the API is revoked by staff: it acts no more, the others of its account do."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from arena.models import AccessToken, Audit
from arena.web.bearer import make
from tests.kit.browsing import flowing

pytestmark = pytest.mark.django_db
LIST = "/admin/arena/accesstoken/"


def staff(name: str, *rights: str) -> Client:
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client = Client()
    client.force_login(user)
    return client


def token_of(user: User, name: str) -> str:
    return make(user, name, [AccessToken.Scope.PLAY], timezone.now() + timedelta(days=1))


def revoke(client: Client, name: str) -> str:
    row = AccessToken.objects.get(name=name)
    said = {"action": "revoke", "_selected_action": str(row.pk), "confirmed": "yes", "reason": "it leaked"}
    return flowing(client.post(LIST, said, follow=True))


def status(token: str) -> int:
    body = {"variant": "connect-four-7x6"}
    headers = {"Authorization": f"Bearer {token}"}
    return Client(headers=headers).post("/api/rooms/", body, content_type="application/json").status_code


def test_one_token_is_revoked_and_the_other_one_stays() -> None:
    user = User.objects.create_user("ada")
    leaked, kept = token_of(user, "leaked"), token_of(user, "kept")
    assert status(leaked) != 401
    assert "it is revoked" in revoke(staff("mod", "view_accesstoken", "change_user"), "leaked")
    assert (status(leaked), [row.name for row in AccessToken.objects.all()]) == (401, ["kept"])
    assert status(kept) != 401
    audit = Audit.objects.get(act="token revoked")
    assert audit.data == {"reason": "it leaked"} and "leaked" in audit.subject


def test_who_may_only_look_is_refused_and_tokens_of_staff_are_for_superusers() -> None:
    token_of(User.objects.create_user("ada"), "hers")
    token_of(User.objects.create_user("ref", is_staff=True), "staff's")
    looks = staff("looks", "view_accesstoken")
    said = {"action": "revoke", "_selected_action": str(AccessToken.objects.get(name="hers").pk), "confirmed": "yes"}
    assert looks.post(LIST, said).status_code == 403
    assert "Tokens of staff are revoked by superusers" in revoke(
        staff("mod", "view_accesstoken", "change_user"), "staff's"
    )
    assert AccessToken.objects.count() == 2
