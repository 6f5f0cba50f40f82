from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client


@pytest.mark.parametrize("table", ["tournament", "entry", "pairing"])
def test_tournaments_are_read_and_not_written(table: str, superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    assert superuser.get(f"/admin/arena/{table}/add/").status_code == (200 if table == "tournament" else 403)
    page = superuser.get(f"/admin/arena/{table}/").content.decode()
    assert "cup" in page
    assert "action-checkbox" not in page or "delete_selected" not in page
