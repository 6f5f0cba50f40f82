"""The page that plays without a network, and what a browser keeps for it."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.templatetags.static import static
from django.test import Client

from arena.host import Host
from arena.web.lobby.offline import addresses, files, playable
from arena.web.system.static_files import version
from tests.kit.browsing import Person, text

STATIC = Path(__file__).parents[3] / "static"


async def test_there_is_a_page_for_each_variant_that_names_every_level(host: Host) -> None:
    assert len(addresses()) == 1 + sum(len(game.variants) for game in playable())
    for address in addresses():
        answer = await Person().get(address)
        page = text(answer)
        assert answer.status_code == 200 and page.count('name="level"') == 6
        assert 'href="/login/"' not in page, "who reads the copy may be logged in"
        assert "'wasm-unsafe-eval'" in answer["Content-Security-Policy"]
        assert "'unsafe-inline'" not in answer["Content-Security-Policy"]


@pytest.mark.parametrize("name", ["chess", "", "é" * 500])
async def test_of_games_that_are_not_there_it_says_what_there_is(host: Host, name: str) -> None:
    answer = await Person().get(f"/offline/?{urlencode({'game': name})}")
    assert answer.status_code == (404 if name else 200)
    assert name == "" or "connect-four-7x6" in text(answer)


@pytest.mark.long
@pytest.mark.django_db  # the end of an answer looks at the connection, which an earlier test may have opened
def test_all_that_the_offline_pages_load_is_kept_and_served() -> None:
    assert {"kernel/kernel.wasm", "js/players/worker.js", "js/rules/santorini.js"} <= set(files())
    for name in files():
        answer = Client().get(static(name))
        assert (answer.status_code, "immutable" in answer["Cache-Control"]) == (200, True), name
        answer.close()


async def test_the_worker_is_asked_for_anew_and_names_the_version(host: Host, tmp_path: Path) -> None:
    answer = await Person().get("/sw.js")
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("text/javascript", "no-cache")
    made = tmp_path / "worker.mjs"
    made.write_text(text(answer))
    subprocess.run(["node", "--check", made], check=True)
    assert f'const VERSION = "{version()}";' in text(answer)
    page = text(await Person().get("/offline/"))
    assert set(re.findall(rf'(?:src|href)="/static/{version()}/([^"#]+)', page)) <= set(files())


@pytest.mark.long
def test_the_manifest_names_icons_that_are_there_and_as_large_as_it_says() -> None:
    answer = Client().get(static("manifest.webmanifest"))
    told = json.loads(answer.getvalue())
    assert answer["Content-Type"] == "application/manifest+json"
    assert (told["start_url"], told["scope"], told["name"]) == ("/", "/", "Arena")
    for icon in told["icons"]:
        content = (STATIC / icon["src"]).read_bytes()
        if icon["type"] == "image/png":
            assert "{}x{}".format(*struct.unpack(">II", content[16:24])) == icon["sizes"]
