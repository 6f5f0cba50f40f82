"""Pages for players use the words of players: those of bots and of the code stay on pages for bot authors."""

from __future__ import annotations

import html
import re

from django.http import HttpResponse

from arena.host import Host
from arena.protocols import protocols
from tests.kit.browsing import text
from tests.web.match.test_wire import a_match, over
from tests.web.test_matrix import a_world, asked_of, table

# For bot authors, for staff, for programs.
FOR_OTHERS = re.compile(r"(bots|protocols|samples|api|admin|static)/|metrics|readyz|healthz|.*/(connect|wire|why)/")
WORDS = ("wire", "wires", "door", "doors", "stdin", "pace", "ply", "plies")
# What the board of 7 columns and 6 rows is not called: only its slug has an x, and its columns come first.
NO_BOARD = "6 ?[×x] ?7|7x6"
# What is quoted word for word, and what is folded away for who brings a bot.
QUOTED = re.compile(
    r'<(style|script|code|pre|noscript)\b.*?</\1>|<!--.*?-->|<details[^>]*id="bring".*?</details>', re.DOTALL
)
READ_ALOUD = re.compile(r'\b(?:aria-label|title|placeholder|alt)="([^"]*)"')
TAG = re.compile(r"<[^>]*>")


def strange_words(answer: HttpResponse) -> list[str]:
    """Those of WORDS, and slugs of protocols, that a player reads on this page or has read aloud."""
    page = QUOTED.sub("", text(answer))
    said = html.unescape(" ".join([*READ_ALOUD.findall(page), TAG.sub(" ", page)]))
    for adapter in protocols().values():
        said = said.replace(adapter.title, "")  # its name for people, which has the slug in it now and then
    slugs = [slug for slug in protocols() if slug != "native"]  # which is English as well
    strange = re.compile(
        rf"(?<![\w/-])(?:{'|'.join([*WORDS, NO_BOARD, *map(re.escape, slugs)])})(?![\w/-])", re.IGNORECASE
    )
    return sorted({found.lower() for found in strange.findall(said)})


def test_strange_words_are_found_wherever_they_are_read() -> None:
    page = (
        '<p data-ply="3">Your Pace</p><a href="/wire/" aria-label="The wire">x</a><code>stdin</code><b>droidcon</b>7x6'
    )
    assert strange_words(HttpResponse(page)) == ["7x6", "droidcon", "pace", "wire"]


async def test_pages_for_players_have_no_words_of_bots(host: Host) -> None:
    world, (live, _) = await a_world(host), await a_match(host)
    addresses = [world.address(route) for route in table() if not FOR_OTHERS.match(route)]
    addresses += [f"/m/{live.id}/", f"/m/{live.id}/?tab=info", f"/m/{live.id}/?tab=wire"]
    strange, read = {}, 0
    for phase in ("running", "over"):
        for address in addresses:
            answer = await asked_of(world.owner, "GET", address)
            if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
                read += 1
                if found := strange_words(answer):
                    strange[f"{address} ({phase})"] = found
        addresses = addresses[-3:]
        if phase == "running":
            await over(host, live)
    assert strange == {}
    assert read > 30, "the crawl reads the pages that there are"
