"""What a browser is shown that the server refuses: in the reader's language and theme, and cheap."""

from __future__ import annotations

import re

import pytest
from django.utils import translation

from arena.common.limits import Rate
from arena.server.forwarded import Headers
from arena.server.refusals import GuardRefusal, given_up, no_slash, too_large, too_many
from arena.web import refusal_pages

GERMAN: Headers = [(b"accept-language", b"de-AT,de;q=0.9,en;q=0.8")]
MANY = too_many(Rate(600, 20), 5)


def title(page: str) -> str:
    found = re.search(r"<title>(.*?)</title>", page)
    assert found
    return found[1]


@pytest.mark.parametrize(
    ("headers", "language", "head", "words"),
    [
        ([], "en", "Too many at once · Arena", "asked for too many pages in a short time. Try again in 5 s."),
        (GERMAN, "de", "Zu viel auf einmal · Arena", "wurden in kurzer Zeit zu viele Seiten angefragt."),
        ([*GERMAN, (b"cookie", b"a=b; prefs=language:en")], "en", "Too many at once · Arena", "Try again in 5 s."),
    ],
)
def test_a_page_speaks_the_language_of_its_reader(headers: Headers, language: str, head: str, words: str) -> None:
    before = translation.get_language()
    page = refusal_pages.page(MANY, headers)
    assert (title(page), f'<html lang="{language}"' in page, words in page) == (head, True, True), page
    assert translation.get_language() == before


@pytest.mark.parametrize("refusal", [MANY, too_large(9), no_slash(b"x"), given_up(500, ""), given_up(503, "")])
def test_every_refusal_has_a_page_and_its_sentence(refusal: GuardRefusal) -> None:
    page = refusal_pages.page(refusal, [])
    assert f">{refusal.status}</p>" in page and refusal.sentence.split("'")[0] in page
    assert "Log in" not in page and "csrf" not in page, "nobody knows who has asked"


def test_what_was_sent_is_text_on_a_page_that_is_made_once() -> None:
    made = refusal_pages._prepared.cache_info().misses
    for target in (b"<script>", b"<b>", b"{{ 1 }}"):
        page = refusal_pages.page(no_slash(target), [])
        assert target.decode().replace("<", "&lt;").replace(">", "&gt;") in page
    assert refusal_pages._prepared.cache_info().misses <= made + 1


def test_the_theme_is_the_readers() -> None:
    assert ' data-theme="dark"' in refusal_pages.page(MANY, [(b"cookie", b"prefs=theme:dark")])
    assert ' data-theme="system"' in refusal_pages.page(MANY, [(b"cookie", b"prefs=theme:<b>")])


def test_a_page_that_asks_in_place_is_told_in_passing() -> None:
    said = refusal_pages.passing(MANY, GERMAN)
    assert said.startswith('<div id="toast" role="status" hx-swap-oob="morph">') and "Von deiner Adresse" in said
