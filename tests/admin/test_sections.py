from __future__ import annotations

import re
from collections.abc import Callable

from django.contrib import admin
from django.test import Client

from arena.admin.sections import SECTIONS


def _bar(client: Client, address: str = "/admin/") -> str:
    found = re.search(r'<nav id="nav-sections".*?</nav>', client.get(address).content.decode(), re.DOTALL)
    assert found is not None
    return found[0]


def test_every_section_names_tables_that_there_are() -> None:
    tables = {model.__name__ for model in admin.site._registry}
    assert {name for names in SECTIONS.values() for name in names} <= tables


def test_tables_stand_by_subject_and_each_once(superuser: Client) -> None:
    bar = _bar(superuser)
    assert re.findall(r"<h2>(.+?)</h2>", bar) == ["Play", "Bots", "Events", "People", "System"]
    addresses = re.findall(r'href="(/admin/[^"]+/[^"]+/)"', bar)
    assert len(addresses) == len(set(addresses)) == len(admin.site._registry)


def test_where_one_is_stands_in_the_bar(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    for address in ("/admin/arena/match/", "/admin/arena/match/match-1/change/"):
        assert re.findall(r'href="([^"]+)" aria-current="page"', _bar(superuser, address)) == ["/admin/arena/match/"]
