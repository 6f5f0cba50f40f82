"""Every sentence of a page goes through the catalogue, and every one in it has its German."""

from __future__ import annotations

import re
from pathlib import Path

from django.test import override_settings

from arena.host import Host
from tests.kit.browsing import text
from tests.kit.marked import locale_in, marked, unmarked
from tests.web.test_matrix import a_world, asked_of
from tools import catalogue

GERMAN = {"accept-language": "de"}
# Names of things, and of people in the tests.
NAMES = {"Arena", "JSON"}


def test_what_is_not_marked_is_found_wherever_it_is_read() -> None:
    page = f'<p title="Aloud">{marked("Said {name}")} Seen</p><img alt="{marked("marked")}"><code>code</code>'
    assert list(unmarked(page)) == ["Aloud", "Seen"]
    assert len(marked("twenty letters of it")) == 28


def test_the_catalogues_are_whole() -> None:
    assert catalogue.problems() == []


async def test_a_page_says_nothing_that_is_not_in_the_catalogue(host: Host, tmp_path: Path) -> None:
    world = await a_world(host)
    await world.owner.post("/settings/one/", language="de")
    live = await host.referee.load(world.match)
    assert live is not None
    pages = [f"/m/{live.id}/{more}" for more in ("", "?tab=info", "?tab=chat")]
    pages += ["/puzzles/", "/puzzles/1/", "/puzzles/1/?tried=1", "/mistakes/"]
    names = NAMES | {word for seat in live.state.setup.seats for word in seat.name.split()}
    forgotten, read = {}, 0
    with override_settings(LOCALE_PATHS=[locale_in(tmp_path)]):
        for phase in ("running", "over"):
            for address in pages:
                answer = await asked_of(world.owner, "GET", address)
                read += answer.status_code == 200
                if words := {word for word in unmarked(main_of(text(answer))) if word not in names}:
                    forgotten[f"{address} ({phase})"] = sorted(words)
            await world.owner.post(f"/m/{live.id}/abort/")
    assert forgotten == {}, "\n".join(f"{where}: {words}" for where, words in forgotten.items())
    assert read > 10


def main_of(page: str) -> str:
    """What is under the bars, without the code of a room."""
    return re.sub('<a href="/r/.*?</a>', "", re.split("<main[^>]*>", page)[-1].partition("</main>")[0])
