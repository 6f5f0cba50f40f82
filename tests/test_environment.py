"""How settings are read; what each one is stands in test_settings.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.exceptions import ImproperlyConfigured

from arena import environment


def test_what_can_be_read_is_and_nothing_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment.text("ARENA_NONE", "x") == "x" and environment.number("ARENA_NONE", 3) == 3
    monkeypatch.setenv("ARENA_SOME", " a, b ")
    assert environment.words("ARENA_SOME") == ["a", "b"]
    monkeypatch.setenv("ARENA_SOME", "4300-4301")
    assert list(environment.ports("ARENA_SOME", "1-2")) == [4300, 4301]
    monkeypatch.setenv("ARENA_SOME", "600,20")
    assert environment.rate("ARENA_SOME", "1,1") == (600, 20) and environment.share("ARENA_SOME", "1,1") == (600, 20)


def test_an_address_is_one_with_https_or_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment.address("ARENA_NONE") == ""
    for good in ("https://arena.example.org", "https://10.0.0.1:8443/", "http://127.0.0.1:8000", "http://[::1]"):
        monkeypatch.setenv("ARENA_SOME", good)
        assert environment.address("ARENA_SOME") == good.rstrip("/")
    for bad in ("http://arena.example.org", "https://a.org/x", "https://a:b@c.org", "https://", "https://a.org:x"):
        monkeypatch.setenv("ARENA_SOME", bad)
        with pytest.raises(ImproperlyConfigured, match="expected an address with https"):
            environment.address("ARENA_SOME")


@pytest.mark.parametrize(
    "read",
    [
        lambda: environment.number("ARENA_SOME", 1),
        lambda: environment.ports("ARENA_SOME", "1-2"),
        lambda: environment.networks("ARENA_SOME"),
        lambda: environment.rate("ARENA_SOME", "1,1"),
        lambda: environment.one_of("ARENA_SOME", "a", {"a": "b"}),
        lambda: environment.address("ARENA_SOME"),
    ],
)
def test_what_cannot_be_read_is_named(read: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_SOME", "nonsense")
    with pytest.raises(ImproperlyConfigured, match="ARENA_SOME=nonsense: "):
        read()
