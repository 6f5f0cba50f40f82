"""Sentences of the layers below the pages are English texts that can be said in another language."""

from __future__ import annotations

import json
from pathlib import Path

from django.test import override_settings
from django.utils import translation

from arena.catalogues import Compiled
from arena.match.said import packed, said, said_of_many, unpacked
from arena.web.words import spoken

GERMAN = """
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "Column {column} is full: {why}"
msgstr "{why} Spalte {column} ist voll."

msgid "{n} stone"
msgid_plural "{n} stones"
msgstr[0] "{n} Stein"
msgstr[1] "{n} Steine"
"""


def test_it_is_english_and_can_be_said_in_another_language_even_after_a_bus(tmp_path: Path) -> None:
    po = tmp_path / "own/de/LC_MESSAGES/django.po"
    po.parent.mkdir(parents=True)
    po.write_text(GERMAN, encoding="utf-8")
    sentence = said("Column {column} is full: {why}", column=4, why=said_of_many("{n} stone", "{n} stones", 6, n=6))
    assert sentence == "Column 4 is full: 6 stones" == spoken(sentence)
    assert said_of_many("{n} stone", "{n} stones", 1, n=1) == "1 stone"
    carried = unpacked(json.loads(json.dumps(packed(sentence))))
    with override_settings(LOCALE_PATHS=[Compiled(tmp_path / "own", tmp_path)]), translation.override("de"):
        assert spoken(sentence) == spoken(carried) == "6 Steine Spalte 4 ist voll."
        assert carried == "Column 4 is full: 6 stones" and unpacked(packed("plain")) == spoken("plain") == "plain"
        assert spoken("") == ""
