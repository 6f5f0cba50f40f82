"""Every sentence is found where it is said, and kept with its translation."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.catalogues import EnglishWords, read
from tools import catalogue

PYTHON = """
_("One")
ngettext("{n} move", "{n} moves", 2)
pgettext_lazy("verb", "Watch")
raise Refusal("code", "This is " "refused.")
raise Refusal("code", f"not {this}")
said("Received {what}.", what=3)
_(name)
_HOW = "flush it"
BotError("code", "Title", "It `{received}`.", f"Do: {_HOW}.")
"""
GAME = """
lead = "Three in a row."
rules = ["Take turns."]
[columns]
fiar = "1 to 7"
[[boards]]
moves = "a1"
words = "So."
"""
TEMPLATE = """
<p title="{% translate "It's here" %}">{% blocktranslate trimmed count n=moves %}One
  move{% plural %}{{ n }} moves{% endblocktranslate %}{% include "x" with a=_("Given") %}</p>
"""
SCRIPT = (
    'import { _, _n } from "./words.js";\nsay(_("Copied \\"it\\"")); say(_n("{n} line", "{n} lines", 3)); ba_("No");'
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {
        "arena/web/match/a.py": PYTHON,
        "arena/protocols/plain/adapter.py": 'class Plain:\n    expects = "a column"\n    title = "Plain"\n',
        "docs/games/plain.toml": GAME,
        "templates/arena/match.html": TEMPLATE,
        "static/js/a.js": SCRIPT,
        "templates/arena/home.html": "{% translate 'One' %}",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_sentences_are_found_in_python_templates_scripts_and_files_that_pages_show(project: Path) -> None:
    assert set(catalogue.sentences(project)) == {
        EnglishWords("", "One"),
        EnglishWords("", "{n} move", "{n} moves"),
        EnglishWords("verb", "Watch"),
        EnglishWords("", "This is refused."),
        EnglishWords("", "Received {what}."),
        EnglishWords("", "Title"),
        EnglishWords("", "It `{received}`."),
        EnglishWords("", "Do: flush it."),
        EnglishWords("", "a column"),
        EnglishWords("", "Three in a row."),
        EnglishWords("", "Take turns."),
        EnglishWords("", "1 to 7"),
        EnglishWords("", "So."),
        EnglishWords("", "It's here"),
        EnglishWords("", "One move", "%(n)s moves"),
        EnglishWords("", "Given"),
        EnglishWords("", 'Copied "it"'),
        EnglishWords("", "{n} line", "{n} lines"),
    }


def test_each_subject_has_a_catalogue_that_keeps_what_was_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catalogue.update(project)
    path = project / "locale/lobby/de/LC_MESSAGES/django.po"
    assert list(read(path)) == [EnglishWords("", ""), EnglishWords("", "One")]
    assert "lobby: 1 sentences, 1 not translated" in capsys.readouterr().out
    path.write_text(path.read_text().replace('msgid "One"\nmsgstr ""', 'msgid "One"\nmsgstr "Eins"'))
    catalogue.update(project)
    match = project / "locale/match/de/LC_MESSAGES/django.po"
    assert read(path)[EnglishWords("", "One")].words == read(match)[EnglishWords("", "One")].words == ["Eins"]
    before = path.read_text()
    catalogue.update(project)
    assert path.read_text() == before


def test_what_is_missing_unused_or_lost_is_named(project: Path) -> None:
    catalogue.update(project)
    path = project / "locale/match/de/LC_MESSAGES/django.po"
    text = path.read_text().replace(
        'msgid "Received {what}."\nmsgstr ""', 'msgid "Received {what}."\nmsgstr "Bekam {was}."'
    )
    path.write_text(text + '\nmsgid "Gone"\nmsgstr "Weg"\n')
    named = "\n".join(catalogue.problems(project))
    assert "match/de: not translated: 'One' (arena/web/match/a.py)" in named
    assert "match/de: nobody says this any more: 'Gone'" in named
    assert "'Bekam {was}.' has ['{was}'], expected ['{what}']" in named


def test_one_sentence_has_one_translation(project: Path) -> None:
    catalogue.update(project)
    for subject, word in (("lobby", "Eins"), ("match", "Ein")):
        path = project / f"locale/{subject}/de/LC_MESSAGES/django.po"
        path.write_text(path.read_text().replace('msgid "One"\nmsgstr ""', f'msgid "One"\nmsgstr "{word}"'))
    assert any("agree, or use pgettext" in each for each in catalogue.problems(project))
