"""What the web server is told by the settings."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from arena.common.limits import Rate
from arena.management.serving import server_options, why_too_few_threads


def test_each_of_several_processes_counts_its_share_of_what_an_address_may(settings: Any) -> None:
    settings.ARENA_LIMIT_CONNECTIONS, settings.ARENA_LIMIT_PAGES = (4001, 0), Rate(600, 20)
    settings.ARENA_LIMIT_FRAMES = Rate(200, 50)
    limits = server_options(2)["limits"]
    assert (limits.connections, limits.connections_per_address) == (2001, 0), "0 is no limit"
    assert (limits.pages, limits.socket.frames) == (Rate(300, 10), Rate(200, 50))
    assert server_options()["limits"].pages == Rate(600, 20)
    assert server_options(1000)["limits"].pages == Rate(1, 0.02), "a share of less than a page would be none for ever"
    settings.ARENA_LIMIT_PAGES = Rate(0, 20)
    assert server_options(2)["limits"].pages == Rate(0, 10), "0 is no limit"


def test_a_server_that_could_start_too_few_threads_says_so_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of the kernel does not bind root, so it is set here."""
    before, start = threading.active_count(), threading.Thread.start

    def limited(thread: threading.Thread) -> None:
        if threading.active_count() >= before + 3:
            raise RuntimeError("can't start new thread")
        start(thread)

    assert why_too_few_threads() == ""
    monkeypatch.setattr(threading.Thread, "start", limited)
    assert why_too_few_threads().startswith("Only 3 more threads can be started here, and a server needs 32: raise")
    assert threading.active_count() == before, "none of those that were tried is left"
