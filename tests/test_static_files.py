from __future__ import annotations

from contextlib import closing

import pytest
from django.test import Client
from whitenoise.middleware import WhiteNoiseMiddleware

ICON = "/static/favicon.svg"


def test_every_client_is_served_the_files_and_they_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Client().get(ICON)) as answer:
        assert answer.status_code == 200
    monkeypatch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", None)
    with closing(Client().get(ICON)) as answer:
        assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
