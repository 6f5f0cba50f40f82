"""What is served is one style sheet and compressed text; what is written stays as it is."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from django.contrib.staticfiles.finders import get_finders
from django.test import Client, override_settings

from arena.web.system.static_files import Made, one_sheet
from tests.web.test_weight import with_imports

CSS = Path(__file__).parents[3] / "static/css"


def test_a_style_sheet_holds_what_it_imports_each_in_its_layer(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text('/* why */\n@layer x, y;\n@import url("b.css") layer(y);\np { color: red; }\n')
    (tmp_path / "b.css").write_text("/* and */ a { color: blue; }\n")
    made = one_sheet(tmp_path / "a.css")
    assert " ".join(made.split()) == "@layer x, y; @layer y { a { color: blue; } } p { color: red; }"


def test_nothing_of_our_own_sheets_is_lost() -> None:
    made = one_sheet(CSS / "arena.css")
    assert "@import" not in made and "/*" not in made
    for path in with_imports(CSS / "arena.css"):
        for name in re.findall(r"\.[a-z][a-z-]+", re.sub(r"/\*.*?\*/|url\([^)]*\)", "", path.read_text(), flags=re.S)):
            assert name in made, f"{name} of {path.name}"


def test_a_browser_is_sent_the_made_file_compressed() -> None:
    answer = Client().get("/static/css/arena.css", headers={"accept-encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.getvalue()).decode() == one_sheet(CSS / "arena.css")


def test_while_pages_are_written_the_sources_are_served() -> None:
    finder = next(each for each in get_finders() if isinstance(each, Made))
    with override_settings(DEBUG=True):
        assert list(finder.list(None)) == []


def test_what_an_earlier_start_has_made_is_made_again_only_where_its_source_has_changed(tmp_path: Path) -> None:
    finder = next(each for each in get_finders() if isinstance(each, Made))
    with override_settings(ARENA_DATA=tmp_path):
        names = [name for name, _ in finder.list(None)]
        changed, lost = (tmp_path / "static" / name for name in ("css/arena.css", "icons.svg.gz"))
        changed.write_text("p { color: red; }")
        changed.with_name("arena.css.gz").write_bytes(gzip.compress(b"p { color: red; }"))
        lost.unlink()
        before = {name: (tmp_path / "static" / name).stat().st_ino for name in names if name != "icons.svg.gz"}
        assert [name for name, _ in finder.list(None)] == names
    again = {name for name, inode in before.items() if (tmp_path / "static" / name).stat().st_ino != inode}
    assert again == {"css/arena.css", "css/arena.css.gz", "icons.svg"} and lost.is_file()
    made = gzip.decompress(changed.with_name("arena.css.gz").read_bytes())
    assert made == changed.read_bytes() == one_sheet(CSS / "arena.css").encode()
