from __future__ import annotations

from collections.abc import Callable

from django.test import Client


def test_superusers_see_which_process_is_the_host(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    assert "this process" in superuser.get("/admin/arena/lease/").content.decode()
