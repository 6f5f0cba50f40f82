from __future__ import annotations

import pytest
from django.test import Client
from whitenoise.middleware import WhiteNoiseMiddleware

ICON = "/static/favicon.svg"


def _read() -> tuple[int, str, bytes]:
    """Read to its end, which closes it. Closing it by hand has Django look after its connection to the database, which
    is open if a test before this one used it, and forbidden here."""
    answer = Client().get(ICON)
    return answer.status_code, answer["Content-Type"], answer.getvalue()


def test_every_client_is_served_the_files_and_they_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = _read()
    assert first[:2] == (200, "image/svg+xml") and b"<svg" in first[2]
    monkeypatch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", None)
    assert _read() == first
