"""Under which names the pages may be asked for. Real requests by them: `tests/management/test_serve.py`."""

from __future__ import annotations

import socket
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import DisallowedHost
from django.test import AsyncRequestFactory

from arena.common.limits import LOCAL_HOSTS
from arena.web import host_names
from arena.web.host_names import Listening, Request, is_let_in, origin_for_others, own_address

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


@pytest.mark.parametrize("named", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_who_asks_for_localhost_sends_others_to_an_address_of_the_machine(
    named: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ALLOWED_HOSTS = list(LOCAL_HOSTS)
    address, trouble = origin_for_others(_request(named))
    assert address == f"http://{named}" and "start Arena with --host 0.0.0.0" in trouble
    monkeypatch.setattr(Listening, "host", "0.0.0.0")
    monkeypatch.setattr(host_names, "IN_CONTAINERS", ())
    address, trouble = origin_for_others(_request(named))
    if own := own_address():
        assert (address, trouble) == (f"http://{own}:8000", "")
    else:
        assert address == f"http://{named}" and trouble == "Only this machine can open this link."


@pytest.mark.parametrize("named", ["192.168.1.20:8000", "arena.example.org"])
def test_who_asks_for_what_others_can_ask_for_sends_them_there(named: str, settings: Any) -> None:
    settings.ALLOWED_HOSTS = [*LOCAL_HOSTS] if named[0] == "1" else ["arena.example.org"]
    assert origin_for_others(_request(named)) == (f"http://{named}", "")


def test_behind_a_proxy_the_name_in_a_request_says_nothing(settings: Any) -> None:
    settings.ALLOWED_HOSTS, settings.TRUSTED_PROXY_HOPS = list(LOCAL_HOSTS), 1
    assert origin_for_others(_request("localhost:8000")) == ("http://localhost:8000", "")


def test_a_container_has_no_address_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_names, "IN_CONTAINERS", (str(tmp_path),))
    assert own_address() == ""


def _request(named: str) -> Request:
    request = Request(AsyncRequestFactory().get("/").scope, BytesIO())
    request.META["HTTP_HOST"] = named
    return request
