"""Preferences: read from anything a browser may send, stored only where they differ from the usual."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from arena.web import prefs
from arena.web.guests import Visitor


def request(cookie: str = "", visitor: Visitor | None = None) -> Any:
    made = RequestFactory().get("/")
    made.COOKIES[prefs.COOKIE] = cookie
    made.visitor = visitor  # type: ignore[attr-defined]
    return made


def test_a_cookie_holds_what_differs_from_the_usual() -> None:
    response = HttpResponse()
    prefs.write(response, prefs.USUAL | {"theme": "dark", "sound": "on"})
    kept = response.cookies[prefs.COOKIE].value
    assert kept == "theme:dark.sound:on"
    assert prefs.of(request(kept)) == prefs.USUAL | {"theme": "dark", "sound": "on"}


def test_with_everything_as_usual_there_is_no_cookie() -> None:
    response = HttpResponse()
    prefs.write(response, prefs.USUAL)
    assert response.cookies[prefs.COOKIE]["max-age"] == 0


@given(st.text())
def test_any_cookie_is_every_preference_with_one_of_its_values(cookie: str) -> None:
    assert all(value in prefs.CHOICES[name] for name, value in prefs.read(cookie).items())


@pytest.mark.parametrize("cookie", ["theme:purple", "colour:dark", "theme", ":", "theme:dark:x", 'theme:"><script>'])
def test_what_is_no_preference_is_passed_over(cookie: str) -> None:
    assert prefs.read(cookie) == prefs.USUAL


def test_an_account_goes_before_the_cookie_and_the_cookie_is_made_to_say_the_same() -> None:
    its = prefs.USUAL | {"theme": "light"}
    asked = request("theme:dark", Visitor(1, "Mira", account=7, prefs=its))
    assert prefs.of(asked) == its
    response = HttpResponse()
    prefs.repeated(asked, response)
    assert response.cookies[prefs.COOKIE].value == "theme:light"


def test_a_guest_s_cookie_is_left_alone() -> None:
    response = HttpResponse()
    prefs.repeated(request("theme:dark", Visitor(1, "Teal Heron")), response)
    assert not response.cookies


@pytest.mark.parametrize("stored", [None, [], "dark", {"theme": "purple", "sound": 7}])
def test_what_was_stored_wrongly_is_as_usual(stored: Any) -> None:
    assert prefs.whole(stored) == prefs.USUAL


def test_the_browser_keeps_every_preference_that_there_is() -> None:
    """One that prefs.js does not know would be lost from a guest's cookie with the next change of the theme."""
    script = (Path(__file__).parents[2] / "static/js/prefs.js").read_text(encoding="utf-8")
    usual = re.search(r"const usual = \{(.*?)\};", script, re.DOTALL)
    assert usual is not None and dict(re.findall(r'(\w+): "(\w+)"', usual[1])) == prefs.USUAL
