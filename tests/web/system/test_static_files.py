"""What is served is one style sheet and compressed text; what is written stays as it is."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest
from django.contrib.staticfiles.finders import get_finders
from django.templatetags.static import static
from django.test import Client, override_settings

import games
from arena.web.drawing import artist
from arena.web.system.static_files import Made, one_script, one_sheet, version
from tests.kit.server import files
from tests.web.test_weight import with_imports

pytestmark = pytest.mark.long

STATIC, TEMPLATES = (Path(__file__).parents[3] / name for name in ("static", "templates"))
CSS, PAGES = STATIC / "css", sorted((STATIC / "js/pages").iterdir())
IMPORTED = re.compile(r'@import url\("([^"]+)"\)')
SHEETS = [path for path in sorted(CSS.iterdir()) if IMPORTED.search(path.read_text(encoding="utf-8"))]
# Linked by itself, and stronger than all layers.
ALONE = {"shown.css"}
# A template in a template: which words are quoted is not seen.
NESTED = re.compile(r"`[^`]*\$\{[^}`]*`")
# A script that comes beside that of the page, when it is needed.
ADDED = {"pages/wires.js", "pages/mine.js", "pages/sounds.js", "pages/turned.js"}
READ = r'import (\{[^}]+\} from )?"\.[^"]+";$|export (async function|function|const) \w+'


def test_a_style_sheet_holds_what_it_imports_each_in_its_layer(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text('/* why */\n@layer x, y;\n@import url("b.css") layer(y);\np { color: red; }\n')
    (tmp_path / "b.css").write_text("/* and */ a { color: blue; }\n")
    made = one_sheet(tmp_path / "a.css")
    assert made == "@layer x,y;@layer y{a{color:blue}}p{color:red}"


def test_of_spaces_in_a_style_sheet_those_stay_that_mean_something(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text(
        'a  b,\n  c > d ~ g :is(e , f) {\n  width: calc(1px + 2px);\n  content: " ; {  , ";\n}\n'
    )
    assert one_sheet(tmp_path / "a.css") == 'a b,c>d~g :is(e,f){width:calc(1px + 2px);content:" ; {  , "}'


def test_nothing_of_our_own_sheets_is_lost() -> None:
    parts = {name for sheet in SHEETS for name in IMPORTED.findall(sheet.read_text(encoding="utf-8"))}
    assert {path.name for path in CSS.iterdir()} == {sheet.name for sheet in SHEETS} | parts | ALONE
    made = "".join(one_sheet(sheet) for sheet in SHEETS)
    assert "@import" not in made and "/*" not in made
    for name in parts:
        text = re.sub(r"/\*.*?\*/|url\([^)]*\)", "", (CSS / name).read_text(encoding="utf-8"), flags=re.S)
        for used in re.findall(r"\.[a-z][a-z-]+", text):
            assert used in made, f"{used} of {name}"


def test_no_page_links_a_sheet_outside_the_layers() -> None:
    """What is in no layer wins over all that is: over the rules for fingers, for one."""
    pages = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*.html"))
    linked = {f"{name}.css" for name in re.findall(r"static ['\"]css/([\w-]+)", pages)}
    assert linked - ALONE <= {path.name for path in SHEETS}


def test_a_page_with_a_board_has_a_sheet_for_each_drawing() -> None:
    scripts = {artist(game.slug).SCRIPT for game in games.games()}
    for kind in ("board", "match", "match-over", "study", "room"):
        found = {path.stem for path in SHEETS if path.stem.startswith(kind) and "-over" not in path.stem[len(kind) :]}
        assert found == {f"{kind}{script}" for script in scripts}, kind


@pytest.mark.parametrize(("taken", "sent"), [("gzip", "gzip"), ("gzip, deflate, br", "br")])
def test_a_browser_is_sent_the_made_file_compressed_and_keeps_it(taken: str, sent: str) -> None:
    answer = Client().get(static("css/arena.css"), headers={"accept-encoding": taken})
    assert answer["Content-Encoding"] == sent
    unpack = {"gzip": gzip.decompress, "br": brotli.decompress}[sent]
    assert unpack(answer.getvalue()).decode() == one_sheet(CSS / "arena.css")
    assert "immutable" in answer["Cache-Control"]


def test_the_manifest_travels_compressed_too() -> None:
    answer = Client().get(static("manifest.webmanifest"), headers={"accept-encoding": "br"})
    assert (answer["Content-Encoding"], answer["Content-Type"]) == ("br", "application/manifest+json")
    assert brotli.decompress(answer.getvalue()) == (STATIC / "manifest.webmanifest").read_bytes()


def test_what_needs_no_compression_is_sent_as_it_is() -> None:
    answer = Client().get(static("css/arena.css"), headers={"accept-encoding": "identity"})
    assert "Content-Encoding" not in answer
    assert answer.getvalue().decode() == one_sheet(CSS / "arena.css")


@pytest.mark.parametrize("name", ["icons.svg", "fonts/inter.woff2", "js/vendor.js", "admin/css/base.css"])
def test_every_kind_of_file_is_kept_under_its_version(name: str) -> None:
    answer = Client().get(static(name))
    assert (answer.status_code, "immutable" in answer["Cache-Control"]) == (200, True)
    assert b"".join(answer) if answer.streaming else answer.content


def test_a_page_of_an_earlier_version_still_finds_its_files() -> None:
    answer = Client().get("/static/0123456789/css/arena.css")
    assert (answer.status_code, answer["Location"]) == (302, static("css/arena.css"))
    for name in ("css/none.css", "css", "css/"):
        assert Client().get(f"/static/0123456789/{name}").status_code == 404


def test_the_version_is_another_as_soon_as_one_byte_of_a_file_is(tmp_path: Path) -> None:
    versions = set()
    for text in ("a", "b", "a"):
        (tmp_path / "own.txt").write_text(text)
        with override_settings(STATICFILES_DIRS=[tmp_path]):
            versions.add(version.__wrapped__())
    assert len(versions) == 2


def test_a_script_holds_what_it_imports_once_and_first_each_in_its_own_scope(tmp_path: Path) -> None:
    (tmp_path / "low.js").write_text("// why\nlet held = 1;\nexport const more = () => ++held;\n")
    (tmp_path / "mid.js").write_text(
        'import { more } from "./low.js";\nlet held = 10;\nexport function two() { return more() + held; }\n'
    )
    (tmp_path / "top.js").write_text(
        'import "./mid.js";\nimport { two } from "./mid.js";\nimport { more } from "./low.js";\n'
        "console.log(two(), more());\n"
    )
    made = one_script(tmp_path / "top.js")
    assert made.count("let held=1;") == 1 and "import" not in made and "//" not in made
    (tmp_path / "made.mjs").write_text(made)
    done = subprocess.run(["node", tmp_path / "made.mjs"], capture_output=True, text=True, check=True)
    assert done.stdout == "12 3\n"


def test_of_spaces_in_a_script_those_stay_that_mean_something(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text(
        'const a = [ "b , c" ]; // why\nconst d = /(e|; ) = "/.test(a) ? `${a} , { f` : (6 / 2) / 3 - -1;\n'
        "const h = d.replace(/ b = c/g, a);\n"
        "let g = a\nif (g)\n  g = () => {\n    if (a) return d;\n\n    return `${(a)} b`;\n  };\n"
    )
    assert one_script(tmp_path / "a.js").endswith(
        '(()=>{const a=[ "b , c" ];\nconst d=/(e|; ) = "/.test(a)?`${a} , { f`:(6/2)/3 - -1;'
        "const h=d.replace(/ b = c/g,a);let g=a\nif(g)\ng=()=>{if(a)return d;return `${(a)} b`;};})();\n"
    )


def test_scripts_name_each_other_only_in_the_ways_that_are_read() -> None:
    for path in {each for page in PAGES for each in with_imports(page)}:
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.match(r"(import|export)\b", line):
                assert re.match(READ, line), f"{path.name}: {line}"
            assert "import(" not in line and "import.meta" not in line, f"{path.name}: {line}"
            assert not NESTED.search(line), f"{path.name}: {line}"


@pytest.mark.cases(10)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_script_of_every_page_is_whole(page: Path, tmp_path: Path) -> None:
    (tmp_path / "made.mjs").write_text(one_script(page), encoding="utf-8")
    subprocess.run(["node", "--check", tmp_path / "made.mjs"], check=True)


def test_no_page_runs_a_script_twice() -> None:
    """What a page's script holds has run; a script beside it that imported the same would have it run again."""
    for path in TEMPLATES.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        names = set(re.findall(r"static ['\"]js/([^'\"]+)['\"]", text)) - {"vendor.js"}
        pages = {name for name in names if name.startswith("pages/")} - ADDED or {"pages/page.js"}
        for page in pages:
            held = set(with_imports(STATIC / "js" / f"{page.removesuffix('.js')}.js"))
            for name in names - pages:
                twice = held & set(with_imports(STATIC / "js" / name))
                assert twice <= {STATIC / "js/words.js"}, f"{path.name}: {name}"  # it does nothing by itself


def test_while_pages_are_written_the_sources_are_served() -> None:
    finder = next(each for each in get_finders() if isinstance(each, Made))
    with override_settings(DEBUG=True):
        assert list(finder.list(None)) == []


@pytest.fixture
def built(tmp_path: Path) -> Iterator[Path]:
    """The folder of this version in a data folder, in which an earlier start has built everything, as for all tests."""
    shutil.copytree(files() / "static", tmp_path / "static")
    with override_settings(ARENA_DATA=tmp_path):
        yield tmp_path / "static" / version()


def test_what_an_earlier_start_has_made_is_made_again_only_where_its_source_has_changed(built: Path) -> None:
    finder = next(each for each in get_finders() if isinstance(each, Made))
    names = [name for name, storage in finder.list(None) if Path(storage.path(name)).is_relative_to(built)]
    names = [name for name in names if not name.startswith(version())]
    changed, lost = (built / name for name in ("css/arena.css", "icons.svg.gz"))
    changed.write_text("p { color: red; }")
    changed.with_name("arena.css.gz").write_bytes(gzip.compress(b"p { color: red; }"))
    lost.unlink()
    before = {name: (built / name).stat().st_ino for name in names if name != "icons.svg.gz"}
    assert set(names) <= {name for name, _ in finder.list(None)}
    again = {name for name, inode in before.items() if (built / name).stat().st_ino != inode}
    icons = {"icons.svg", "icons.svg.br"}
    assert again == icons | {f"css/arena.css{ending}" for ending in ("", ".gz", ".br")} and lost.is_file()
    made = gzip.decompress(changed.with_name("arena.css.gz").read_bytes())
    assert made == changed.read_bytes() == one_sheet(CSS / "arena.css").encode()


def test_a_start_after_one_that_was_cut_off_looks_at_every_file_again(built: Path) -> None:
    finder = next(each for each in get_finders() if isinstance(each, Made))
    names = [name for name, _ in finder.list(None)]
    mark, sheet = built / "names", built / "css/arena.css"
    zipped = sheet.with_name("arena.css.gz")
    sheet.write_text("p { color: red; }")
    zipped.unlink()
    zipped.mkdir()  # where no file can be written
    with pytest.raises(IsADirectoryError):
        list(finder.list(None))
    assert not mark.exists()
    zipped.rmdir()
    assert [name for name, _ in finder.list(None)] == names and mark.is_file()
    assert sheet.read_text() == one_sheet(CSS / "arena.css")


def test_what_another_version_has_compressed_is_taken_from_there_if_its_file_is_the_same(built: Path) -> None:
    finder = next(each for each in get_finders() if isinstance(each, Made))
    other = built.rename(built.with_name("1"))
    (other / "icons.svg.br").write_bytes(b"from there")
    (other / "css/arena.css").write_text("p { color: red; }")
    assert list(finder.list(None))
    assert (built / "icons.svg.br").read_bytes() == b"from there"
    made = gzip.decompress((built / "css/arena.css.gz").read_bytes())
    assert made == (built / "css/arena.css").read_bytes() == one_sheet(CSS / "arena.css").encode()


def test_another_version_changes_no_file_of_one_that_still_runs(built: Path) -> None:
    """What was built last stays; older versions go, and so does what lay beside them."""
    finder = next(each for each in get_finders() if isinstance(each, Made))
    (built / "names").unlink()  # the mark of what is whole: this version is still to be built
    older = [built.parent / name for name in ("css/arena.css", "1/names", "2/names", "3/names", "4/names")]
    for age, each in enumerate(reversed(older)):
        each.parent.mkdir(parents=True)
        each.write_text("built before")
        os.utime(each.parent, (10_000 - age, 10_000 - age))
    assert list(finder.list(None))
    assert [each.is_file() for each in older] == [False, True, True, True, True]
