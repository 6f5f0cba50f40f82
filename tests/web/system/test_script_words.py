"""Scripts say their sentences in the language of those who are sent them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from django.templatetags.static import static
from django.test import Client, override_settings
from django.utils import translation

from arena.catalogues import Compiled
from arena.web.system.script_words import speaks, translated

STATIC = Path(__file__).parents[3] / "static"
SCRIPT = (
    'console.log(_("Copied"), _("Move {n}", { n: 7 }), _n("{n} line", "{n} lines", 1), _n("{n} line", "{n} lines", 2));'
)
GERMAN = """
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "Copied"
msgstr "„Kopiert“"

msgid "{n} line"
msgid_plural "{n} lines"
msgstr[0] "{n} Zeile"
msgstr[1] "{n} Zeilen"
"""


def run(script: str, folder: Path) -> str:
    (folder / "words.mjs").write_text((STATIC / "js/words.js").read_text())
    (folder / "made.mjs").write_text('import { _, _n } from "./words.mjs";\n' + script)
    return subprocess.run(["node", folder / "made.mjs"], capture_output=True, text=True, check=True).stdout


@pytest.mark.long
def test_a_script_is_translated_and_what_has_no_translation_stays(tmp_path: Path) -> None:
    po = tmp_path / "own/de/LC_MESSAGES/django.po"
    po.parent.mkdir(parents=True)
    po.write_text(GERMAN, encoding="utf-8")
    assert run(SCRIPT, tmp_path) == "Copied Move 7 1 line 2 lines\n"
    with override_settings(LOCALE_PATHS=[Compiled(tmp_path / "own", tmp_path)]):
        assert run(translated(SCRIPT, "de"), tmp_path) == "„Kopiert“ Move 7 1 Zeile 2 Zeilen\n"
    assert speaks(SCRIPT) and not speaks('ba_("x"); a._("x"); _(name);')


@pytest.mark.long
def test_a_german_page_names_german_scripts_and_they_find_their_neighbours() -> None:
    with translation.override("de"):
        names = [static(f"js/{name}.js") for name in ("pages/match", "clock", "players/worker")]
        sheet = static("css/arena.css")
    assert "/de/js/pages/match.js" in names[0] and "/de/" not in sheet
    for name in names[:2]:
        answer = Client().get(name)
        answer.getvalue()
        assert answer.status_code == 200 and "immutable" in answer["Cache-Control"]
