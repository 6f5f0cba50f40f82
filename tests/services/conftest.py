"""Every test here starts a server."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith("tests/services/"):
            item.add_marker(pytest.mark.service)
