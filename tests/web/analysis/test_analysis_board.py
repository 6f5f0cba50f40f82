"""The analysis board of a match that is over: any ply, both sides, with and without a script."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from arena.analysis.matches import analyse
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.models import Analysis
from arena.work.analyses import pack
from tests.kit.browsing import Person, text, two_people
from tests.kit.refereeing import moves_of

# Move 3 throws away the win, move 4 the draw.
MISTAKEN = "4112"


async def over(host: Host, moves: str = "4353535", **fields: str) -> tuple[LiveMatch, Person]:
    """A match that ends by its moves, and one of its players."""
    live, *people = await two_people(host, **fields)
    for number, move in enumerate(moves):
        await people[number % 2].play(live, move)
    return live, people[0]


def told(page: str) -> Any:
    found = re.search(r'data-board="([^"]*)"', page)
    assert found
    return json.loads(html.unescape(found[1]))


async def test_a_ply_and_a_line_are_on_the_board_and_both_sides_may_move(host: Host) -> None:
    live, somebody = await ended(host)
    page = text(await somebody.get(f"/m/{live.id}/analysis/?ply=2&line=1"))
    assert sorted(set(re.findall(r'<use id="p-(\d-\d)"', page))) == ["1-1", "3-1", "4-1"]
    assert 'name="move" value="4"' in page and told(page)["line"] == ["1"]
    assert told(page)["played"] == list(moves_of(live)) and told(page)["ply"] == 2


async def test_the_page_of_a_running_match_has_no_analysis(host: Host) -> None:
    live, first, _ = await two_people(host)
    answer = await first.get(f"/m/{live.id}/analysis/")
    assert answer["Location"] == f"/m/{live.id}/"


async def test_without_a_script_a_move_is_a_form_that_leads_to_the_longer_line(host: Host) -> None:
    live, somebody = await ended(host)
    answer = await somebody.post(f"/m/{live.id}/analysis/", ply="2", line="1", move="7")
    assert answer["Location"] == f"/m/{live.id}/analysis/?ply=2&line=1,7"
    answer = await somebody.post(f"/m/{live.id}/analysis/", ply="2", line="", move="9")
    assert answer.status_code == 422 and "no column 9" in html.unescape(text(answer))


async def test_webassembly_is_allowed_on_this_page_and_on_no_other(host: Host) -> None:
    live, somebody = await ended(host)
    policy = (await somebody.get(f"/m/{live.id}/analysis/"))["Content-Security-Policy"]
    assert "script-src 'self' 'wasm-unsafe-eval'" in policy
    assert "wasm" not in (await somebody.get(f"/m/{live.id}/"))["Content-Security-Policy"]


async def test_a_private_match_is_analysed_by_its_players_only(host: Host) -> None:
    live, somebody = await ended(host, private="on")
    assert (await somebody.get(f"/m/{live.id}/analysis/")).status_code == 200
    assert (await Person().get(f"/m/{live.id}/analysis/")).status_code == 404


async def test_the_match_page_leads_there_when_it_is_over(host: Host) -> None:
    live, first, _ = await two_people(host)
    assert "/analysis/" not in text(await first.get(f"/m/{live.id}/"))
    other, somebody = await ended(host)
    assert f'href="/m/{other.id}/analysis/"' in text(await somebody.get(f"/m/{other.id}/"))


async def ended(host: Host, **fields: str) -> tuple[LiveMatch, Person]:
    live, somebody = await over(host, **fields)
    await somebody.post(f"/m/{live.id}/resign/")
    assert live.over
    return live, somebody


async def test_each_player_is_led_to_their_own_mistakes_and_a_watcher_to_none(host: Host) -> None:
    live, first, second = await two_people(host)
    for number, move in enumerate(MISTAKEN):
        await (second if number % 2 else first).play(live, move)
    await first.post(f"/m/{live.id}/resign/")
    found = analyse({"variant": "connect-four-7x6", "settings": {}, "moves": list(MISTAKEN)})
    await Analysis.objects.acreate(match_id=live.id, kernel=found["kernel"], values=pack(found["values"]))
    pages = [text(await who.get(f"/m/{live.id}/analysis/")) for who in (first, second, Person())]
    assert [told(page)["mistakes"] for page in pages] == [[3], [4], []]
    assert ["Your mistakes (1)" in page for page in pages] == [True, True, False]
    assert told(pages[2])["values"] == found["values"]
    position = f"/m/{live.id}/analysis/?ply=2"
    again, other, plain = [
        text(await who.get(address))
        for who, address in ((first, f"{position}&again="), (second, f"{position}&again="), (first, position))
    ]
    assert told(again)["trying"] == 3 and '<div id="values"></div>' in again, "its values would be the answer"
    assert told(other)["trying"] == told(plain)["trying"] == 0 and '<div id="values"></div>' not in other + plain
