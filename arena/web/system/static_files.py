"""Static files as they are served: one style sheet and one script per page, compressed, each cached by browsers for a
year.

The repository has the files as people write them. When a server starts, it builds the served files in its data folder,
below their version: `Made` is asked before Django's own finders, so these win. A page names them with the version in
front, under which a browser may keep them for a year. With DEBUG nothing is built, and changes are seen at once.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import brotli
from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.finders import BaseFinder
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.core.files.storage import FileSystemStorage
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.http import require_safe
from whitenoise.middleware import WhiteNoiseMiddleware

from arena import paths
from arena.web.system import script_words

_IMPORTED_SHEET = re.compile(r'@import url\("([^"]+)"\) layer\((\w+)\);')
_SHEET_COMMENT = re.compile(r"/\*.*?\*/\n?", re.DOTALL)
# Quoted text stays; spaces mean nothing beside these signs, one is as good as many, and no rule needs its last ";".
_SHEET_SPACE = re.compile(r"""("[^"]*"|'[^']*')|;?\s*([{};,>~])\s*|(:)\s+|\s+""")
# The only ways in which our scripts name each other: tests/web/system/test_static_files.py.
_IMPORTED_SCRIPT = re.compile(r'^import (?:(\{[^}]+\}) from )?"([^"]+)";\n', re.MULTILINE)
_EXPORTED = re.compile(r"^export ((?:async )?(?:function|const) (\w+))", re.MULTILINE)
_SCRIPT_COMMENT = re.compile(r"^ *//.*\n|^ +", re.MULTILINE)  # and what stands at the left of a line
# What is quoted, and what is a pattern, stays; a comment goes, and so do spaces beside signs. A new line that may end a
# statement stays.
_SCRIPT_SPACE = re.compile(
    r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
    r"""|(?:(?<=\()/(?![/*])|(?<=[,=:[!&|?{; ])/(?![/* ]))(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*)"""
    r"""| *//[^\n]*| ?([-+*/%]) (?=[\w("'`[])| *(=>|[=!]==|&&|\|\||[-+*%]=|[=?:<>]) *"""
    r"""|\s*([{,;(])\s*|\s*(})|\s*(\)) ?|\n(\n)+"""
)
_TEXT = {".css", ".js", ".svg", ".webmanifest"}
# Compressed forms beside a file, for browsers that accept them. Most accept brotli, which is smaller, over https or
# from localhost.
_ZIPPED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda content: gzip.compress(content, 9, mtime=0),
    # Of all that can be set, this makes our files smallest.
    ".br": lambda content: brotli.compress(content, brotli.MODE_FONT, lgwin=16, lgblock=18),
}
# So many other versions stay built. A server of an earlier one may still run, and upgrades do not come that fast.
_KEPT = 4
# Files of packages: our pages load them only through `VENDOR`, so they are served as they are.
_OF_PACKAGES = ("admin/", "django_htmx/")
# Third-party scripts, in the order in which they are loaded. The file has no source of its own: `find` builds it.
VENDOR = "js/vendor.js"
_OF_VENDOR = ("django_htmx/htmx-2.min.js", "django_htmx/ext/hx-ws-2.min.js", "vendor/idiomorph-ext.min.js")


class Versioned(StaticFilesStorage):
    """Names a file by its address with the common version: a new version has new addresses."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._addresses: dict[str, str] = {}  # each is joined and quoted once: a page has a dozen

    def url(self, name: str | None, force: bool = False) -> str:
        if settings.DEBUG or not name:
            return super().url(name)
        path = f"{version()}/{script_words.of_reader(name)}"
        if path not in self._addresses:
            self._addresses[path] = super().url(path)
        return self._addresses[path]


class ReadWhenAsked(WhiteNoiseMiddleware):  # type: ignore[misc]  # it comes without types
    """WhiteNoise that looks at a file when it is first requested, because most of the 900 never are, and that needs a
    thread only for files: without that each page would hold one from its first byte to its last.
    """

    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any], *args: Any, **kwargs: Any) -> None:
        self.paths: dict[str, str] = {}
        super().__init__(get_response, *args, **kwargs)
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def add_file_to_dictionary(self, url: str, path: str, stat_cache: Any = None) -> None:
        if not self.is_compressed_variant(path, stat_cache=stat_cache):
            self.paths[url] = path

    def __call__(self, request: HttpRequest) -> Any:
        if iscoroutinefunction(self):
            return self._awaited(request)
        sent = self._sent(request)
        return self.get_response(request) if sent is None else sent

    async def _awaited(self, request: HttpRequest) -> HttpResponseBase:
        is_file = self.autorefresh or request.path_info in self.paths
        sent = await sync_to_async(self._sent)(request) if is_file else None
        return await self.get_response(request) if sent is None else sent

    def _sent(self, request: HttpRequest) -> HttpResponseBase | None:
        url = request.path_info
        if url in self.paths and url not in self.files:  # two threads may do so at once, and find the same
            self.files[url] = self.get_static_file(self.paths[url], url)
        found = self.find_file(url) if self.autorefresh else self.files.get(url)
        return None if found is None else self.serve(found, request)


class Made(BaseFinder):
    """Lists the files built for this server, each with its `.gz` and `.br`."""

    def find(self, path: str, find_all: bool = False) -> Any:
        if path != VENDOR:
            return []
        made = _built() / VENDOR
        _make(made, _vendor())
        return [str(made)] if find_all else str(made)

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        if settings.DEBUG:
            return
        folder, texts, places = _built(), {}, {}
        for name, source in _sources():
            if source.suffix in _TEXT and not name.startswith(_OF_PACKAGES):
                texts[name] = source
            else:
                places[f"{version()}/{name}"] = source
        for name in _make_all(folder, texts):
            for made in (name, *(name + ending for ending in _ZIPPED)):
                places[made] = places[f"{version()}/{made}"] = folder / made
        # Scripts name their neighbours by relative paths, which are the same below every language.
        for name, place in list(places.items()):
            if name.startswith((f"{version()}/js/", f"{version()}/kernel/")):
                for language in script_words.OTHERS:
                    places.setdefault(name.replace("/", f"/{language}/", 1), place)
        storage = _Places(places)
        yield from ((name, storage) for name in places)


class _Places(FileSystemStorage):
    """Files anywhere, by their names. One instance for all: Django goes through all storages when it makes another."""

    def __init__(self, places: dict[str, Path]) -> None:
        super().__init__()
        self._places = places

    def path(self, name: str) -> str:
        return str(self._places[name])


@require_safe
def of_another_version(request: HttpRequest, number: str, name: str) -> HttpResponse:
    """For pages that were opened before an upgrade: the file of this version. Raises Http404 for any other name."""
    if not (found := finders.find(name)) or Path(found).is_dir():  # a folder would lead to itself for ever
        raise Http404
    return redirect(static(name))


@cache
def version() -> str:
    """Ten digits that change with any byte of any file, including this one, which builds them."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for catalogue in sorted((paths.FILES / "locale").rglob("*.po")):
        digest.update(catalogue.read_bytes())
    for name, source in _sources():
        digest.update(name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:10]


def _built() -> Path:
    """The folder built for this version: two may share a data folder, and each remembers the length of files."""
    return Path(settings.ARENA_DATA / "static" / version())


def _vendor() -> bytes:
    return b";\n".join(Path(str(finders.find(name))).read_bytes() for name in _OF_VENDOR)


def _served(source: Path) -> str:
    if source.suffix == ".css":
        return one_sheet(source)
    return one_script(source) if source.parent.name == "pages" else source.read_text(encoding="utf-8")


def one_sheet(path: Path) -> str:
    """The style sheet with each `@import` replaced by its contents, in its layer; no comments, no needless spaces."""
    return _SHEET_SPACE.sub(lambda found: found[1] or found[2] or found[3] or " ", _with_imports(path))


def _with_imports(path: Path) -> str:
    def imported(found: re.Match[str]) -> str:
        return f"@layer {found[2]} {{\n{_with_imports(path.parent / found[1])}}}\n"

    return _IMPORTED_SHEET.sub(imported, _SHEET_COMMENT.sub("", path.read_text(encoding="utf-8")))


def one_script(path: Path) -> str:
    """The module with everything it imports: each module once, before those that use it, in its own scope."""
    made: dict[Path, str] = {}
    _add_script(path.resolve(), made)
    return "".join(made.values())


def _add_script(path: Path, made: dict[Path, str]) -> None:
    if path in made:
        return
    text = path.read_text(encoding="utf-8")
    needs = [(names, (path.parent / name).resolve()) for names, name in _IMPORTED_SCRIPT.findall(text)]
    for _, other in needs:
        _add_script(other, made)
    scopes = {other: f"${number}" for number, other in enumerate((*made, path))}
    given = ",".join(name for _, name in _EXPORTED.findall(text))
    text = _EXPORTED.sub(r"\1", _SCRIPT_COMMENT.sub("", _IMPORTED_SCRIPT.sub("", text)))
    text = _SCRIPT_SPACE.sub(lambda found: "".join(filter(None, found.groups())), text)
    taken = "".join(f"const{names.replace(' ', '')}={scopes[other]};" for names, other in needs if names)
    kept, end = (f"const {scopes[path]}=", f"return{{{given}}}") if given else ("", "")
    made[path] = f"{kept}(()=>{{{taken}{text}{end}}})();\n"


def _sources() -> Iterator[tuple[str, Path]]:
    """The files of Django's own finders, by the names under which they are served."""
    for finder in finders.get_finders():
        if isinstance(finder, Made):
            continue
        for path, storage in finder.list(None):
            below = getattr(storage, "prefix", None)
            if not path.startswith("samples/"):
                yield (f"{below}/{path}" if below else path), Path(storage.path(path))


def _make_all(folder: Path, sources: dict[str, Path]) -> list[str]:
    """Build everything, unless an earlier start of this version has done so; one that was cut off leaves no mark.

    Returns the names of what is built; those of files in other languages are `de/` and the name of a source.
    """
    mark = folder / "names"
    if mark.is_file():
        os.utime(folder)
        names = mark.read_text(encoding="utf-8").split("\n")
        if all((folder / (name + ending)).is_file() for name in names for ending in ("", *_ZIPPED)):
            return names
        mark.unlink(missing_ok=True)
    _make(folder / VENDOR, _vendor())
    names = [VENDOR, *sources]
    for name, source in sources.items():
        served = _served(source)
        _make(folder / name, served.encode())
        if source.suffix == ".js" and script_words.speaks(served):
            for language in script_words.OTHERS:
                names.append(f"{language}/{name}")
                _make(folder / names[-1], script_words.translated(served, language).encode())
    _write(mark, "\n".join(names).encode())
    _remove_others(folder)
    return names


def _remove_others(folder: Path) -> None:
    """Remove what other versions have built, but for the `_KEPT` with which servers were started last. Several
    processes of one server may do so at once.
    """
    others = [each for each in folder.parent.iterdir() if each != folder]
    for old in sorted(others, key=lambda each: each.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True) if old.is_dir() else old.unlink(missing_ok=True)


def _make(path: Path, content: bytes) -> None:
    """Build the file and its `_ZIPPED` forms, unless an earlier start has: the file last, so that no form is older."""
    zipped = {ending: path.with_name(path.name + ending) for ending in _ZIPPED}
    if path.is_file() and path.read_bytes() == content and all(each.is_file() for each in zipped.values()):
        return
    before = _before(path, content)
    for ending, place in zipped.items():
        _write(place, before[ending] if before else _ZIPPED[ending](content))
    _write(path, content)


def _before(path: Path, content: bytes) -> dict[str, bytes]:
    """The compressed forms that another version has built of the same content, {} if none has: compressing takes
    seconds, and few files differ from one version to the next.
    """
    name = path.relative_to(_built())
    for folder in _built().parent.glob("*"):
        other = folder / name
        with suppress(OSError):  # the first, most often; or that version is being removed
            if other != path and other.read_bytes() == content:
                return {ending: other.with_name(other.name + ending).read_bytes() for ending in _ZIPPED}
    return {}


def _write(path: Path, content: bytes) -> None:
    """Write whole or not at all: several processes of one server may do so at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(made, path)
