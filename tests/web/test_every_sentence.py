"""Every sentence of a page goes through the catalogue, and every one in it has its German."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import override_settings

import games
from arena.host import Host
from arena.models import Player
from arena.protocols import protocols
from tests.kit.browsing import Person, text
from tests.kit.marked import locale_in, marked, unmarked
from tests.web.test_matrix import a_world, asked_of
from tools import catalogue

# Names of things, of the columns of a board, and of what people named.
NAMES = {"Arena", "JSON", "Winter", "cup", "https", "Deutsch", "English", "abcdef"}
_WORD = re.compile(r"[^\W\d_]{2,}")
# Every page for players, but for the match itself and the room.
PAGES = (
    *("/", "/?game=santorini", "/?game=expanding-nim", "/watch/", "/watch/projector/", "/offline/", "/matches/"),
    *("/puzzles/", "/puzzles/1/", "/puzzles/1/?tried=1", "/mistakes/", "/rank/connect-four-7x6/", "/about/", "/games/"),
    *(f"/games/{game.slug}/" for game in games.games()),
    *(
        "/t/",
        "/t/new/",
        "/t/winter-cup/",
        "/t/winter-cup/1/2/",
        "/t/winter-cup/projector/",
        "/t/winter-cup/crosstable/",
        "/t/winter-cup/in-full/",
    ),
    *("/t/winter-cup/enter/", "/t/winter-cup/withdraw/", "/t/winter-cup/seeds/", "/@/mira-k/", "/r/new/"),
    *("/settings/", "/settings/name/", "/settings/password/", "/settings/tokens/", "/settings/webhooks/"),
    *("/settings/close/", "/nowhere/", "/r/otter-42-k7q9/connect/0/"),
)
FOR_NOBODY = ("/login/", "/login/code/", "/signup/", "/@/mira-k/", "/mistakes/", "/settings/")


def test_what_is_not_marked_is_found_wherever_it_is_read() -> None:
    page = f'<p title="Aloud">{marked("Said {name}")} Seen</p><img alt="{marked("marked")}"><code>code</code>'
    assert list(unmarked(page)) == ["Aloud", "Seen"]
    assert len(marked("twenty letters of it")) == 28


@pytest.mark.long
def test_the_catalogues_are_whole() -> None:
    assert catalogue.problems() == []


async def test_a_page_says_nothing_that_is_not_in_the_catalogue(host: Host, tmp_path: Path) -> None:
    world = await a_world(host)
    await world.owner.post("/settings/one/", language="de")
    live = await host.referee.load(world.match)
    assert live is not None
    match = [
        f"/m/{live.id}/{more}" for more in ("", "?tab=info", "?tab=chat", "?ply=x", "analysis/", "analysis/?ply=x")
    ]
    names = {word for each in protocols().values() for word in _WORD.findall(each.title)}
    names |= {word async for name in Player.objects.values_list("name", flat=True) for word in _WORD.findall(name)}
    nobody, forgotten, read = Person(), {}, 0
    await nobody.post("/settings/one/", language="de")
    with override_settings(LOCALE_PATHS=[locale_in(tmp_path)]):
        for phase, addresses in (("running", [*match, *PAGES, f"/r/{world.room}/"]), ("over", [*match, "/matches/"])):
            for who, address in [(world.owner, each) for each in addresses] + [(nobody, each) for each in FOR_NOBODY]:
                answer = await asked_of(who, "GET", address)
                read += answer.status_code == 200
                if words := {word for word in unmarked(main_of(text(answer))) if word not in names | NAMES}:
                    forgotten[f"{address} ({phase})"] = sorted(words)
            await world.owner.post(f"/m/{live.id}/abort/")
    assert forgotten == {}, "\n".join(f"{where}: {words}" for where, words in forgotten.items())
    assert read > 50


def main_of(page: str) -> str:
    """What is under the bars, without the code of a room."""
    return re.sub('<a href="/r/.*?</a>', "", re.split("<main[^>]*>", page)[-1].partition("</main>")[0])


def test_style_sheets_have_no_words() -> None:
    sheets = (Path(__file__).parents[2] / "static/css").glob("*.css")
    said = {sheet.name: re.findall(r'content: "[^"]*[^\W\d_]{2,}[^"]*"', sheet.read_text("utf-8")) for sheet in sheets}
    assert {name: words for name, words in said.items() if words} == {}
