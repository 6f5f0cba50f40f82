"""A page is in the language that was chosen, else in the first that the browser asks for."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.utils import translation

from arena.host import Host
from arena.web import languages, prefs
from tests.kit.browsing import Person, text, two_people

GERMAN = {"accept-language": "fr, de-AT;q=0.8, en;q=0.5"}


def language(answer: HttpResponse) -> str:
    found = text(answer).partition('<html lang="')[2].partition('"')[0]
    assert answer["Content-Language"] == found and {"Accept-Language", "Cookie"} <= set(answer["Vary"].split(", "))
    return found


async def test_the_browser_says_it_and_settings_change_it(host: Host) -> None:
    person = Person()
    assert language(await person.get("/settings/")) == "en"
    assert language(await person.get("/settings/", **GERMAN)) == "de"
    kept = {"theme": "system", "view": "auto", "keys": "on", "heights": "on", "talk": "on"}
    await person.post("/settings/", GERMAN, **kept, language="en")
    assert language(await person.get("/settings/", **GERMAN)) == "en"
    await person.post("/settings/", GERMAN, **kept, language="de")
    assert language(await person.get("/nowhere/")) == "de", "pages of errors as well"


async def test_an_account_takes_its_language_to_other_devices(host: Host) -> None:
    first, second = Person(), Person()
    login = {"name": "Mira", "username": "Mira", "password": "a long enough one 7", "again": "a long enough one 7"}
    await first.post("/signup/", **login)
    await first.post("/settings/one/", language="de")
    await second.post("/login/", **login)
    assert language(await second.get("/settings/")) == "de"


async def test_programs_are_answered_in_english_and_nothing_stays_active(host: Host) -> None:
    answer = await Person().get("/api/v1/nowhere/", **GERMAN)
    assert "Content-Language" not in answer
    await Person().get("/settings/", **GERMAN)
    assert translation.get_language() == "en"


@pytest.mark.parametrize(
    ("cookie", "asked", "account", "expected"),
    [
        (b"", b"de", None, "de"),
        (b"prefs=language:en", b"de", None, "en"),
        (b'prefs="theme:dark.language:de"', b"en", None, "de"),
        (b"prefs=language:en", b"en", {**prefs.USUAL, "language": "de"}, "de"),
        (b"prefs=language:xx", b"\xff;q=x,,*", None, "en"),
    ],
)
def test_a_socket_speaks_as_the_pages_do(
    cookie: bytes, asked: bytes, account: prefs.Prefs | None, expected: str
) -> None:
    headers = [(b"cookie", cookie), (b"accept-language", asked)]
    assert languages.of_socket(headers, account) == expected


def test_a_socket_speaks_the_language_of_its_page() -> None:
    german = [(b"cookie", b"prefs=language:de"), (b"accept-language", b"de")]
    assert languages.of_socket(german, None, b"language=en&have=7") == "en"
    assert languages.of_socket(german, {**prefs.USUAL, "language": "de"}, b"language=en") == "en"
    for query in (b"", b"have=7", b"language=xx", b"language=\xff"):
        assert languages.of_socket(german, None, query) == "de", query


async def test_a_request_in_place_is_answered_in_the_language_of_its_page(host: Host) -> None:
    """The language was switched in another tab meanwhile."""
    live, first, _ = await two_people(host)
    assert '"Arena-Language": "en"' in text(await first.get(f"/m/{live.id}/"))
    await first.post("/settings/one/", language="de")
    fragments = f"/m/{live.id}/live/?have=0&seat=0"
    assert "Du bist am Zug" in text(await first.get(fragments, **{"HX-Request": "true"}))
    page = {"HX-Request": "true", "Arena-Language": "en"}
    answer = await first.get(fragments, **page)
    assert "Your turn" in text(answer) and "Du bist" not in text(answer)
    assert text(await first.get(f"/m/{live.id}/")).count('"Arena-Language": "de"') == 1
