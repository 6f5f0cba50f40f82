"""The sentences of other languages: read from `locale/<subject>/<language>/LC_MESSAGES/django.po`, which people write.

Django reads a compiled form, `.mo`. It is made in the data folder when the first sentence is looked for, so a checkout
and an installed Arena need no step and no program for it, and no file of the repository is made from another one.
"""

from __future__ import annotations

import ast
import hashlib
import os
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

PO = "LC_MESSAGES/django.po"


class EnglishWords(NamedTuple):
    """The key of a translation: the English words, their plural if they count something, and their context."""

    context: str
    one: str
    many: str = ""


@dataclass(slots=True)
class Sentence:
    """One entry of a catalogue. `words` is one text, or one for each form of the plural; "" is not translated yet."""

    key: EnglishWords
    words: list[str]
    fuzzy: bool = False
    places: list[str] = field(default_factory=list)


def read(path: Path) -> dict[EnglishWords, Sentence]:
    """The sentences of a `.po`; its header is the one whose English is empty. Raises ValueError naming a bad line."""
    found: dict[EnglishWords, Sentence] = {}
    for entry in _entries(path):
        texts = {name: text for name, text in entry if name.startswith("msg")}
        forms = sorted(name for name in texts if name.startswith("msgstr"))
        key = EnglishWords(texts.get("msgctxt", ""), texts["msgid"], texts.get("msgid_plural", ""))
        if key in found:
            raise ValueError(f"{path}: {key.one!r} stands there twice")
        places = [text for name, text in entry if name == "#:"]
        fuzzy = any(name == "#," and "fuzzy" in text for name, text in entry)
        found[key] = Sentence(key, [texts[name] for name in forms], fuzzy, places)
    return found


def _entries(path: Path) -> Iterator[list[tuple[str, str]]]:
    """The lines of each entry by their keyword; an entry ends at an empty line."""
    entry: list[tuple[str, str]] = []
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
        word, _, rest = line.partition(" ")
        try:
            if not line.strip():
                if any(name == "msgid" for name, _ in entry):
                    yield entry
                entry = []
            elif word.startswith("#"):
                entry.append((word, rest))
            elif line.startswith('"'):
                name, text = entry.pop()
                entry.append((name, text + ast.literal_eval(line)))
            else:
                entry.append((word, ast.literal_eval(rest)))
        except (SyntaxError, ValueError, IndexError):
            raise ValueError(f"{path}:{number}: received {line[:60]!r}, expected a line of a .po file") from None


def compiled(sentences: dict[EnglishWords, Sentence]) -> bytes:
    """The `.mo` of what is translated, for gettext: two tables of lengths and places, then the texts, each sorted."""
    texts: dict[bytes, bytes] = {}
    for key, sentence in sentences.items():
        if sentence.fuzzy or not all(sentence.words):
            continue
        english = (f"{key.context}\x04" if key.context else "") + "\0".join(filter(None, (key.one, key.many)))
        texts[english.encode()] = "\0".join(sentence.words).encode()
    ordered = sorted(texts.items())
    count, at = len(ordered), 28 + 16 * len(ordered)
    tables, body = [], b""
    for column in (0, 1):
        for pair in ordered:
            tables += [len(pair[column]), at + len(body)]
            body += pair[column] + b"\0"
    return (
        struct.pack(f"<7I{len(tables)}I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 28 + 16 * count, *tables) + body
    )


class Compiled(os.PathLike[str]):
    """A folder for Django's LOCALE_PATHS: `locale/<subject>`, compiled below `data` when it is first looked into."""

    def __init__(self, source: Path, data: Path) -> None:
        self.source, self._data = source, data
        self._made = ""

    def __fspath__(self) -> str:
        if not self._made:
            written = sorted(self.source.glob(f"*/{PO}"))
            texts = b"\0".join(path.read_bytes() for path in (Path(__file__), *written))
            folder = self._data / "locale" / f"{self.source.name}-{hashlib.sha256(texts).hexdigest()[:12]}"
            for path in written:
                _make(folder / path.relative_to(self.source).with_suffix(".mo"), path)
            self._made = str(folder)
        return self._made

    def __str__(self) -> str:
        return self.__fspath__()


def _make(place: Path, source: Path) -> None:
    """Whole or not at all: several processes of one server may do so at once, and make the same."""
    if place.is_file():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=place.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(compiled(read(source)))
    os.replace(made, place)
