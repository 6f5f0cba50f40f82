from __future__ import annotations

from axes.models import AccessAttempt
from django.test import Client


def test_who_is_locked_out_is_let_in_again(superuser: Client) -> None:
    for _ in range(11):
        answer = Client().post("/admin/login/", {"username": "mira", "password": "wrong"})
    assert answer.status_code == 429
    attempt = AccessAttempt.objects.get()
    assert ">mira<" in superuser.get("/admin/axes/accessattempt/?q=mira").content.decode()
    assert superuser.post(f"/admin/axes/accessattempt/{attempt.pk}/change/", {"username": "x"}).status_code == 403
    assert superuser.post(f"/admin/axes/accessattempt/{attempt.pk}/delete/", {"post": "yes"}).status_code == 302
    assert Client().post("/admin/login/", {"username": "mira", "password": "wrong"}).status_code == 200
