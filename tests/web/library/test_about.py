"""The page about this site says what is so."""

from __future__ import annotations

import html
import re

from django.conf import settings

from arena.host import Host
from arena.web import prefs
from tests.kit.browsing import Person, match_of, text


async def test_every_cookie_that_is_set_is_named(host: Host) -> None:
    person = Person()
    page = html.unescape(text(await person.get("/about/")))
    match_of(await person.post("/play/", variant="connect-four-7x6", move="4"))
    await person.get("/")
    await person.post("/settings/one/", theme="dark")
    named = set(re.findall(r"<code>(\w+)</code>", page))
    assert set(person.client.cookies) <= named
    assert {settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, prefs.COOKIE} == named
    assert f"({settings.SESSION_COOKIE_AGE // 86400} days)" in page


async def test_it_is_found_from_every_page_and_leaves_no_cookie_of_a_session(host: Host) -> None:
    person = Person()
    assert 'href="/about/"' in text(await person.get("/rank/connect-four-7x6/"))
    assert 'href="/about/" aria-current="page"' in text(await person.get("/about/"))
    assert "sessionid" not in person.client.cookies
