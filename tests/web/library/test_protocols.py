"""The pages for authors of bots (arena/web/library/protocols.py)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import arena.protocols
from arena.bots.failure.errors import every_error
from arena.bots.seats.doors import Door
from arena.host import Host
from arena.protocols import protocol, protocols
from arena.web.library.protocol_texts import sample_files, samples_of, text_of
from tests.kit.browsing import Person, text

FILES = sample_files()


def words(page: str) -> str:
    """What a reader of the page sees."""
    plain = re.sub(r"<[^>]+>", "", page)
    for entity, sign in (("&quot;", '"'), ("&#x27;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        plain = plain.replace(entity, sign)
    return plain


@pytest.mark.parametrize("slug", protocols())
async def test_the_page_of_a_protocol_says_all_of_its_text(host: Host, slug: str) -> None:
    answer = await Person().get(f"/protocols/{slug}/")
    assert answer.status_code == 200
    page, said = words(text(answer)), text_of(slug)
    assert said.title in page and said.lead in page and said.conversation in page
    for line in said.messages:
        assert line.text in page and line.means.replace("`", "") in page
    for failure in said.failures:
        assert failure.code in page and failure.do.replace("`", "") in page
    for trap in said.traps:
        assert trap.replace("`", "") in page
    for sample in said.samples:
        assert sample.path.read_text(encoding="utf-8").strip() in page


async def test_the_door_is_that_of_this_server(host: Host) -> None:
    page = words(text(await Person().get("/protocols/fiar/")))
    assert "Doorclosedonthisserver" in "".join(page.split())
    door = host.doors["fiar"] = Door(host.seat_ports, protocol("fiar"), [])
    port = await door.open("127.0.0.1", 0)
    page = words(text(await Person().get("/protocols/fiar/")))
    assert f"Doortestserverport{port}" in "".join(page.split())
    assert f"python3 arena-bridge.py testserver {port} -- python3 fiar_bot.py" in page
    assert f"fiarConnectFour7×6{port}" in "".join(words(text(await Person().get("/protocols/"))).split())


async def test_all_protocols_are_listed_with_their_games(host: Host) -> None:
    page = text(await Person().get("/protocols/"))
    for slug in protocols():
        assert f'href="/protocols/{slug}/"' in page
    assert "Every game" in page and 'href="/samples/arena-bridge.py"' in page


async def test_the_pages_are_found_from_every_page(host: Host) -> None:
    assert '<a href="/protocols/">' in text(await Person().get("/"))
    page = text(await Person().get("/protocols/fiar/"))
    assert '<a href="/protocols/" aria-current="page">' in " ".join(page.split())


async def test_every_code_of_a_failure_is_explained(host: Host) -> None:
    page = text(await Person().get("/protocols/errors/"))
    for group in every_error().values():
        for error in group:
            assert f'id="{error.code}"' in page and error.title in words(page)
    assert "‹received›" in page and "{received}" not in page
    assert "‹meant› Send only" in page and "‹exit› ‹last_words›" in page


async def test_an_unknown_protocol_is_told_which_there_are(host: Host) -> None:
    answer = await Person().get("/protocols/fire/")
    assert answer.status_code == 404
    assert "There is no protocol 'fire'. There are: droidcon, fiar, gamestate" in words(text(answer))


async def test_a_sample_is_served_as_text_under_its_name(host: Host) -> None:
    for name, path in FILES.items():
        answer = await Person().get(f"/samples/{name}")
        assert answer.content == path.read_bytes(), name
        assert answer["Content-Type"] == "text/plain; charset=utf-8", name
        assert answer["Content-Disposition"] == f'inline; filename="{name}"'


@pytest.mark.parametrize("name", ["..", ".", "fire_bot.py", "..%2Fcss%2Fbase.css", "%2Fetc%2Fpasswd"])
async def test_nothing_but_samples_is_served_there(host: Host, name: str) -> None:
    assert (await Person().get(f"/samples/{name}")).status_code == 404


def test_every_sample_is_quoted_on_its_page() -> None:
    names = {sample.name for slug in protocols() for sample in samples_of(slug)}
    assert names == set(FILES) - {"arena-bridge.py"}
    assert {"droidcon_bot.py", "santorini_json_bot.c", "native_bot.js"} <= names, "addresses that people have kept"
    lying = {path for path in Path(arena.protocols.__path__[0]).glob("*/bot.*") if path.is_file()}
    assert lying == set(FILES.values()) - {FILES["arena-bridge.py"]}, "nothing lies there that is not served"
