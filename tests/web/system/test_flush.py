"""Templates without their indentation."""

from __future__ import annotations

from pathlib import Path

from django.template import Context, Origin
from django.template.engine import Engine

from arena.web.system.flush import FlushLoader

LIBRARIES = {"i18n": "django.templatetags.i18n"}


def test_lines_begin_at_the_left_and_words_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>\n    Two\n\n    words\n</p>\n", encoding="utf-8")
    loader = FlushLoader(Engine(), [tmp_path])
    assert loader.get_contents(Origin(str(tmp_path / "page.html"))) == "<p>\nTwo\nwords\n</p>\n"


def test_lines_of_tags_leave_no_empty_line_and_what_they_choose_stays_apart(tmp_path: Path) -> None:
    source = """{% load i18n %}
{# years: a list, {% if %} is only mentioned #}
<p>
  Since
  {% if years %}
    {% for year in years %}
      <b>{{ year }}</b>
    {% endfor %}{% endif %}
  {% if not years %}today{% endif %}
  {% blocktranslate count n=years|length %}
    {{ n }} year
    {% plural %}
    {{ n }} years
  {% endblocktranslate %}
</p>
"""
    (tmp_path / "page.html").write_text(source, encoding="utf-8")
    engine = Engine(loaders=[("arena.web.system.flush.FlushLoader", [str(tmp_path)])], libraries=LIBRARIES)
    made = engine.get_template("page.html").render(Context({"years": [1999, 2026]}))
    assert made == "<p>\nSince\n<b>1999</b>\n<b>2026</b>\n\n\n2 years\n\n</p>\n"


def test_pages_are_read_so() -> None:
    assert isinstance(Engine.get_default().get_template("base.html").origin.loader, FlushLoader)
