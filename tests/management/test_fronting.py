"""What a process of the arena answers as a front: whatever needs no host, and the websockets of matches."""

from __future__ import annotations

import pytest

from arena.management.fronting import FRONTING


@pytest.mark.parametrize("path", ["/ws/m/7gk3mzrq2x/"])
def test_the_websocket_of_a_match_stays(path: str) -> None:
    assert FRONTING.stays({"type": "websocket", "path": path})


@pytest.mark.parametrize("path", ["/ws/lobby/", "/ws/r/otter/", "/ws/m/7gk3mzrq2x/wire/0/", "/ws/native/"])
def test_every_other_websocket_is_the_hosts(path: str) -> None:
    assert not FRONTING.stays({"type": "websocket", "path": path})


def test_pages_and_files_stay_and_forms_do_not() -> None:
    asked = {"type": "http", "path": "/", "method": "GET", "query_string": b""}
    assert FRONTING.stays(asked) and FRONTING.stays({**asked, "path": "/static/css/arena.css"})
    assert not FRONTING.stays({**asked, "method": "POST"})
