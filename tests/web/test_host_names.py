"""Under which names the pages may be asked for. Real requests by them: `tests/management/test_serve.py`."""

from __future__ import annotations

import socket
from io import BytesIO
from typing import Any

import pytest
from django.core.exceptions import DisallowedHost
from django.test import AsyncRequestFactory

from arena.common.limits import LOCAL_HOSTS
from arena.web.host_names import Request, is_let_in

OWN = socket.gethostname()
ADDRESSES = ("192.168.1.20", "203.0.113.9", "[2001:db8::7]")
OTHERS = ("games.example.org", "192.168.1.20.example.org", "1.2.3", f"{OWN}.example.org", "")


@pytest.mark.parametrize("name", ["localhost", "play.localhost", "127.0.0.1", "[::1]", OWN, OWN.upper(), *ADDRESSES])
def test_an_address_and_the_name_of_the_machine_need_no_setting(name: str, settings: Any) -> None:
    settings.ALLOWED_HOSTS = list(LOCAL_HOSTS)
    assert is_let_in(name)


@pytest.mark.parametrize("name", OTHERS)
def test_a_name_that_somebody_else_may_own_needs_one(name: str, settings: Any) -> None:
    settings.ALLOWED_HOSTS = list(LOCAL_HOSTS)
    assert not is_let_in(name)


@pytest.mark.parametrize("name", [OWN, "localhost", *ADDRESSES, *OTHERS])
def test_where_names_are_chosen_no_other_is_let_in(name: str, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["arena.example.org"]
    assert not is_let_in(name)
    assert is_let_in("arena.example.org")


@pytest.mark.parametrize("named", ["192.168.1.20:8000", "[2001:db8::7]:8000", "203.0.113.9"])
def test_a_request_keeps_the_port_that_it_names(named: str, settings: Any) -> None:
    settings.ALLOWED_HOSTS = list(LOCAL_HOSTS)
    assert _request(named).get_host() == named


@pytest.mark.parametrize("named", ["games.example.org", "192.168.1.20/x", "[::", "192.168.1.20@evil.example"])
def test_a_request_with_another_name_is_refused(named: str, settings: Any) -> None:
    settings.ALLOWED_HOSTS = list(LOCAL_HOSTS)
    with pytest.raises(DisallowedHost):
        _request(named).get_host()


def _request(named: str) -> Request:
    request = Request(AsyncRequestFactory().get("/").scope, BytesIO())
    request.META["HTTP_HOST"] = named
    return request
