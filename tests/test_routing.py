"""Who may open a websocket: pages of this site, scheme, name and port alike, and nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.test import override_settings
from django.urls import URLPattern

from arena.common.limits import LOCAL_HOSTS
from arena.routing import is_ours, is_static, reads_rows, websockets
from arena.urls import urlpatterns
from tests.kit.deadline import DEADLINE_S


def opened_by(origin: str | None, host: str = "arena.test:8000", scheme: str = "ws") -> bool:
    headers = [(b"host", host.encode())]
    headers += [(b"origin", origin.encode())] if origin is not None else []
    return is_ours({"scheme": scheme, "headers": headers})


@pytest.fixture(autouse=True)
def hosts(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["arena.test", "localhost"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://games.example.org", "https://*.school.example"]


@pytest.mark.parametrize(
    ("origin", "host", "scheme"),
    [
        ("http://arena.test:8000", "arena.test:8000", "ws"),
        ("http://ARENA.test:8000", "arena.test:8000", "ws"),
        ("https://arena.test", "arena.test", "wss"),
        ("http://localhost", "localhost", "ws"),
        ("https://games.example.org", "arena.test:8000", "ws"),
        ("https://a.school.example", "arena.test:8000", "ws"),
    ],
)
def test_a_page_of_this_site_is_let_in(origin: str, host: str, scheme: str) -> None:
    assert opened_by(origin, host, scheme)


def test_an_address_is_let_in_where_nobody_has_chosen_a_name(settings: Any) -> None:
    address = "192.168.1.20:8000"
    assert not opened_by(f"http://{address}", address)
    settings.ALLOWED_HOSTS = list(LOCAL_HOSTS)
    assert opened_by(f"http://{address}", address)
    assert not opened_by("http://evil.test", address)
    assert not opened_by("http://192.168.1.20.evil.test", "192.168.1.20.evil.test")


@pytest.mark.parametrize(
    ("origin", "host", "scheme"),
    [
        (None, "arena.test:8000", "ws"),
        ("", "arena.test:8000", "ws"),
        ("null", "arena.test:8000", "ws"),
        ("http://arena.test", "arena.test:8000", "ws"),
        ("http://arena.test:8001", "arena.test:8000", "ws"),
        ("https://arena.test:8000", "arena.test:8000", "ws"),
        ("http://arena.test", "arena.test", "wss"),
        ("http://arena.test:8000.evil.test", "arena.test:8000", "ws"),
        ("http://evil.test", "arena.test:8000", "ws"),
        ("http://evil.test", "evil.test", "ws"),
        ("http://games.example.org", "arena.test:8000", "ws"),
        ("https://evilschool.example", "arena.test:8000", "ws"),
        ("https://a.school.example:444", "arena.test:8000", "ws"),
        ("http://", "", "ws"),
    ],
)
def test_every_other_origin_is_refused(origin: str | None, host: str, scheme: str) -> None:
    assert not opened_by(origin, host, scheme)


@override_settings(ALLOWED_HOSTS=["*"])
def test_allowing_every_host_does_not_allow_every_origin() -> None:
    assert opened_by("http://anything.test", "anything.test")
    assert not opened_by("http://evil.test", "anything.test")


@pytest.mark.parametrize(
    ("path", "origin"),
    [
        ("/ws/lobby/", "http://evil.test"),
        ("/ws/m/abc/", "http://evil.test"),
        ("/ws/nothing/", "http://arena.test"),
        ("/ws/m/", "http://arena.test"),
        ("/ws/m/a/b/", "http://arena.test"),
        ("/ws/m/" + "a" * 500 + "/", "http://arena.test"),
        ("/ws/lobby/?tournament=%00", "http://arena.test"),
    ],
)
async def test_what_is_refused_is_no_websocket(path: str, origin: str) -> None:
    headers = [(b"host", b"arena.test"), (b"origin", origin.encode())]
    socket = WebsocketCommunicator(websockets, path, headers=headers)
    accepted, _ = await socket.connect(timeout=DEADLINE_S)
    assert not accepted
    await socket.wait(DEADLINE_S)


def asked(path: str, method: str = "GET", query: bytes = b"", kind: str = "http") -> dict[str, Any]:
    return {"type": kind, "path": path, "method": method, "query_string": query}


@pytest.mark.parametrize(
    "path",
    ["/", "/bots/", "/login/", "/about/", "/nothing/", "/@/ada/", "/t/cup/all.json", "/admin/arena/match/", "/admin/"],
)
def test_what_rows_can_answer_any_process_answers(path: str) -> None:
    assert reads_rows(asked(path)) and reads_rows(asked(path, "HEAD"))


@pytest.mark.parametrize(
    "request_",
    [
        asked("/about/", "POST"),
        asked("/admin/arena/match/", "POST"),
        asked("/admin/", "POST"),
        asked("/admin/login/"),
        asked("/admin/arena/match/", query=b"_action=abort"),
        asked("/api/stream/lobby/"),
        asked("/r/abc/"),
        asked("/healthz"),
        asked("/metrics"),
        asked("/ws/lobby/", kind="websocket"),
    ],
)
def test_what_changes_something_or_shows_what_the_host_remembers_is_for_the_host(request_: dict[str, Any]) -> None:
    assert not reads_rows(request_)


def test_files_lie_in_every_process() -> None:
    assert is_static(asked("/static/css/arena.css")) and not is_static(asked("/"))


# The players and visitors of a room are in no row, nor is a check of a bot that runs; a stream never ends, and what
# staff decide on has to stand still.
OF_THE_HOST = {
    "r/<str:code>/", "r/<str:code>/state/", "r/<str:code>/connect/<int:side>/",
    "r/<str:code>/connect/<int:side>/state/", "m/<slug:match>/decide/",
    "bots/<str:slug>/check/",
    "api/stream/lobby/", "api/stream/matches/<slug:match>/",
    "api/v1/stream/lobby/", "api/v1/stream/matches/<slug:match>/",
}  # fmt: skip


def test_the_views_that_need_the_host_for_a_get_are_these() -> None:
    """A new one reads rows alone, or is added above with what it shows."""
    needing = {path for path, callback in addresses(urlpatterns) if getattr(callback, "needs_host", False)}
    assert needing == OF_THE_HOST


def addresses(patterns: Any, below: str = "") -> Iterator[tuple[str, Any]]:
    """Every address of ours, below others too; those of Django's admin have no such mark."""
    for each in patterns:
        path = f"{below}{each.pattern}"
        if isinstance(each, URLPattern):
            yield path, each.callback
        elif path != "admin/":
            yield from addresses(each.url_patterns, path)
