"""The frame around every page."""

from __future__ import annotations

import re

import pytest

from arena.host import Host
from arena.web.frame import PLACES
from tests.kit.browsing import Person, text


def links(page: str, label: str) -> list[str]:
    bar = re.search(rf'aria-label="{label}">(.*?)</nav>', page, re.DOTALL)
    assert bar is not None
    return re.findall(r'href="(/[^"#]*)"', re.sub(r"<use[^>]*>", "", bar[1]))


async def test_the_bars_lead_to_pages_that_are_there(host: Host) -> None:
    page = text(await Person().get("/"))
    for label in ("Main", "Main, below"):
        for address in links(page, label):
            assert (await Person().get(address)).status_code in (200, 302), address
    assert set(links(page, "Main")) <= {place.address for place in PLACES}


async def test_the_page_that_one_is_on_is_marked(host: Host) -> None:
    page = text(await Person().get("/r/new/"))
    assert re.findall(r'href="(/[^"]*)" aria-current="page"', page) == ["/r/new/"]


@pytest.mark.parametrize("path", ["/", "/m/nosuch/", "/no/such/page", "/login/"])
async def test_every_page_has_the_preferences_of_its_visitor(host: Host, path: str) -> None:
    person = Person()
    person.client.cookies["prefs"] = "theme:dark.sound:on"
    page = text(await person.get(path))
    assert 'data-theme="dark"' in page and 'data-sound="on"' in page and 'data-keys="on"' in page


async def test_nobody_is_offered_to_log_in_and_a_guest_to_keep_the_name(host: Host) -> None:
    person = Person()
    assert 'href="/login/">Log in' in text(await person.get("/"))
    await person.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    page = text(await person.get("/"))
    assert "Keep this name" in page and "/logout/" not in page
