"""Catalogues are read as people write them, and compiled into what gettext reads."""

from __future__ import annotations

import gettext
import io
from pathlib import Path

import pytest

from arena.catalogues import PO, Compiled, EnglishWords, compiled, read

PLURAL = "Plural-Forms: nplurals=2; plural=(n != 1);"
HEADER = f'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"{PLURAL}\\n"\n'
WRITTEN = (
    HEADER
    + """
#: a.py
msgid "Play"
msgstr "Spielen"

#: a.py
#: b.html
msgctxt "verb"
msgid "Watch"
msgstr "Zu\\"sehen\\n"

msgid "%(n)s move"
msgid_plural ""
"%(n)s moves"
msgstr[0] "%(n)s Zug"
msgstr[1] "%(n)s Züge"

#, fuzzy
msgid "Rank"
msgstr "Rang"

msgid "Late"
msgstr ""
"""
)


@pytest.fixture
def po(tmp_path: Path) -> Path:
    path = tmp_path / "de" / PO
    path.parent.mkdir(parents=True)
    path.write_text(WRITTEN, encoding="utf-8")
    return path


def test_a_catalogue_is_read_with_its_contexts_plurals_and_places(po: Path) -> None:
    found = read(po)
    assert found[EnglishWords("verb", "Watch")].words == ['Zu"sehen\n'] and found[
        EnglishWords("verb", "Watch")
    ].places == [
        "a.py",
        "b.html",
    ]
    assert found[EnglishWords("", "%(n)s move", "%(n)s moves")].words == ["%(n)s Zug", "%(n)s Züge"]
    assert [key.one for key, each in found.items() if each.fuzzy] == ["Rank"]


@pytest.mark.parametrize("line", ["msgid Play", 'msgid "Play', '"Play"', "msgid 3 +"])
def test_a_line_that_is_none_is_named(po: Path, line: str) -> None:
    po.write_text(f"\n{line}\n")
    with pytest.raises(ValueError, match="django.po:2: received .*, expected a line of a .po file"):
        read(po)


def test_what_stands_there_twice_is_named(po: Path) -> None:
    po.write_text(WRITTEN + '\nmsgid "Play"\nmsgstr "Los"\n')
    with pytest.raises(ValueError, match="'Play' stands there twice"):
        read(po)


def test_gettext_reads_what_is_compiled_and_what_is_not_translated_stays_english(po: Path) -> None:
    made = gettext.GNUTranslations(io.BytesIO(compiled(read(po))))
    assert made.gettext("Play") == "Spielen" and made.pgettext("verb", "Watch") == 'Zu"sehen\n'
    assert [made.ngettext("%(n)s move", "%(n)s moves", n) for n in (0, 1, 2)] == [
        "%(n)s Züge",
        "%(n)s Zug",
        "%(n)s Züge",
    ]
    assert (made.gettext("Rank"), made.gettext("Late")) == ("Rank", "Late")


def test_it_is_compiled_once_and_again_when_it_changes(po: Path, tmp_path: Path) -> None:
    source, data = po.parents[2], tmp_path / "data"
    first = str(Compiled(source, data))
    [made] = data.rglob("*.mo")
    assert made.is_relative_to(first) and str(Compiled(source, data)) == first
    po.write_text(WRITTEN.replace("Rang", "Rangliste"), encoding="utf-8")
    assert str(Compiled(source, data)) != first and len(list(data.rglob("*.mo"))) == 2
