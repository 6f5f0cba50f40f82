"""`/healthz`, `/readyz` and `/metrics` under the settings of docs/deployment.md, asked for beside the proxy."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpResponse
from django.test import AsyncRequestFactory, Client

from arena.host import Host

ADDRESSES = ("/healthz", "/readyz", "/metrics")


@pytest.fixture
def behind_a_proxy(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["arena.example.org"]
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.TRUSTED_PROXY_HOPS = 1


async def asked(name: str, path: str, method: str = "GET") -> HttpResponse:
    """What all of Django answers to a request with this host name."""
    request = AsyncRequestFactory().generic(method, path)
    request.META["HTTP_HOST"] = name
    async with ThreadSensitiveContext():
        answer = await ASGIHandler().get_response_async(request)
    assert isinstance(answer, HttpResponse)
    return answer


@pytest.mark.usefixtures("behind_a_proxy")
async def test_they_answer_on_the_machine_itself_whatever_the_pages_are_called(host: Host) -> None:
    for name in ("127.0.0.1:8000", "localhost:8000", "[::1]:8000", "10.0.0.7", "arena.example.org"):
        for address in ADDRESSES:
            answer = await asked(name, address)
            assert answer.status_code == 200, (name, address, answer.content)


@pytest.mark.usefixtures("behind_a_proxy")
async def test_a_name_of_somebody_else_and_a_page_are_judged_as_always(host: Host) -> None:
    for name in ("evil.example", "127.0.0.1.evil.example", "[", "x" * 300):
        for address in ADDRESSES:
            assert (await asked(name, address)).status_code == 400, (name, address)
    assert (await asked("127.0.0.1:8000", "/")).status_code == 400
    assert (await asked("arena.example.org", "/")).status_code == 301
    assert (await asked("127.0.0.1:8000", "/metrics", "POST")).status_code == 400


def test_a_client_without_a_loop_is_answered_as_well(db: None) -> None:
    assert [Client().get(address).status_code for address in ADDRESSES] == [503, 503, 200]
