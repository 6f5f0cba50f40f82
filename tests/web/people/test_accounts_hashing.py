"""A password is hashed before the transaction that stores it begins."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from arena.host import Host
from arena.models import OneTimeCode
from arena.web.people.codes import digest
from tests.kit.browsing import text
from tests.web.people.test_accounts import account


class Watching(MD5PasswordHasher):
    """Notes whether a transaction is open while it hashes: on SQLite, nobody else could store a move meanwhile."""

    seen: ClassVar[list[bool]] = []

    def encode(self, password: str, salt: str) -> str:
        self.seen.append(connection.in_atomic_block)
        return super().encode(password, salt)


async def test_others_can_write_while_a_password_is_hashed(host: Host, settings: Any) -> None:
    """A class that signed up in one minute kept the database locked for longer than anybody waits."""
    settings.PASSWORD_HASHERS = [f"{__name__}.Watching"]
    person = await account()
    user = await User.objects.aget()
    await OneTimeCode.objects.acreate(
        user=user, code_sha256=digest("K7WQ-2MZX"), expires=timezone.now() + timedelta(days=1)
    )
    await person.post("/logout/")
    answer = await person.post("/login/code/", name="Mira K", code="K7WQ-2MZX", password="nine-red-otters")
    assert answer.status_code == 302, text(answer)
    assert set(Watching.seen) == {False} and len(Watching.seen) >= 2


async def test_a_wrong_code_costs_no_hash(host: Host, settings: Any) -> None:
    settings.PASSWORD_HASHERS = [f"{__name__}.Watching"]
    person = await account()
    await person.post("/logout/")
    Watching.seen.clear()
    answer = await person.post("/login/code/", name="Mira K", code="K7WQ-2MZX", password="nine-red-otters")
    assert answer.status_code == 422 and not Watching.seen
