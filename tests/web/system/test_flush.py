"""Templates without their indentation."""

from __future__ import annotations

from pathlib import Path

from django.template import Origin
from django.template.engine import Engine

from arena.web.system.flush import FlushLoader


def test_lines_begin_at_the_left_and_words_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>\n    Two\n\n    words\n</p>\n", encoding="utf-8")
    loader = FlushLoader(Engine(), [tmp_path])
    assert loader.get_contents(Origin(str(tmp_path / "page.html"))) == "<p>\nTwo\nwords\n</p>\n"


def test_pages_are_read_so() -> None:
    assert isinstance(Engine.get_default().get_template("base.html").origin.loader, FlushLoader)
