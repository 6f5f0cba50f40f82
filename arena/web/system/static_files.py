"""Static files as they travel: a style sheet is one file with what it imports, and all that is text is compressed.

The files lie in the repository as people write them. When a server starts it makes what it serves in its data folder:
`Made` is asked before Django's own finders, so these win. With DEBUG nothing is made, and changes are seen at once.
"""

from __future__ import annotations

import gzip
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

_IMPORT = re.compile(r'@import url\("([^"]+)"\) layer\((\w+)\);')
_COMMENT = re.compile(r"/\*.*?\*/\n?", re.DOTALL)
_TEXT = {".css", ".js", ".svg"}


class Made(BaseFinder):
    """Lists what was made for this server, each file with its `.gz` beside it. `find` knows the sources only."""

    def find(self, path: str, *args: Any, **options: Any) -> list[str]:  # type: ignore[override]
        return []

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        if settings.DEBUG:
            return
        folder = settings.ARENA_DATA / "static"
        storage = FileSystemStorage(location=folder)
        for name, source in _sources():
            text = one_sheet(source) if source.suffix == ".css" else source.read_text(encoding="utf-8")
            _make(folder / name, text.encode())
            yield name, storage
            yield f"{name}.gz", storage


def one_sheet(path: Path) -> str:
    """The style sheet with each `@import` replaced by what it names, in its layer, and without comments."""

    def imported(found: re.Match[str]) -> str:
        return f"@layer {found[2]} {{\n{one_sheet(path.parent / found[1])}}}\n"

    return _IMPORT.sub(imported, _COMMENT.sub("", path.read_text(encoding="utf-8")))


def _sources() -> Iterator[tuple[str, Path]]:
    """What Django's own finders have that is text, by the names under which it is served."""
    for finder in finders.get_finders():
        if isinstance(finder, Made):
            continue
        for name, storage in finder.list(None):
            if Path(name).suffix in _TEXT and not name.startswith(("admin/", "samples/")):
                yield name, Path(storage.path(name))


def _make(path: Path, content: bytes) -> None:
    """The file and its `.gz`, unless an earlier start has made them: the `.gz` first, so it is never older."""
    zipped = path.with_name(f"{path.name}.gz")
    if not (zipped.is_file() and path.is_file() and path.read_bytes() == content):
        _write(zipped, gzip.compress(content, 9, mtime=0))
        _write(path, content)


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all: several processes of one server may do so at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(made, path)
