"""A language of the tests: every sentence that can be translated stands in ⟦ and ⟧, and is 1.4 times as long.

It takes the place of German. What a page says outside of the marks is a name, a number, a code, or was forgotten.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import django

from arena.catalogues import PO, EnglishWords, Sentence, compiled, read
from tools.catalogue import sentences

OPEN, CLOSE = "⟦", "⟧"
# Formats of dates, and what is made of values only.
_BARE = re.compile(r"[jFYM. ]+|3D|[^A-Za-z]*")
_UNSEEN = re.compile(r"<(style|script|code|pre|noscript|title)\b.*?</\1>|<!--.*?-->|<head>.*?</head>", re.DOTALL)
_ALOUD = re.compile(r'\b(?:aria-label|title|placeholder|alt)="([^"]*)"')
_TAG = re.compile(r"<[^>]*>")
_WORD = re.compile(r"[^\W\d_]{2,}")


def marked(text: str) -> str:
    """Each of several words with commas between them, as `yesno` takes them, has marks of its own."""
    if _BARE.fullmatch(text):
        return text
    if re.fullmatch(r"[\w ]+,[\w ]+", text):
        return ",".join(map(marked, text.split(",")))
    more = round(0.4 * len(_TAG.sub("", text)) - 2)
    longer = " ".join("~" * min(8, more - at) for at in range(0, more, 9))  # lines may break in it as between words
    return f"{OPEN}{text}{longer}{CLOSE}"


def catalogue() -> bytes:
    """All that is said in the project, and in Django's forms."""
    english = Path(django.__file__).parent / "conf/locale/en" / PO
    keys = {*sentences(), *(key for key in read(english) if key.one)}
    made = {key: Sentence(key, [marked(key.one), *([marked(key.many)] if key.many else [])]) for key in keys}
    head = EnglishWords("", "")
    made[head] = Sentence(
        head, ["Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"]
    )
    return compiled(made)


def locale_in(folder: Path) -> Path:
    """A folder for LOCALE_PATHS in which German is this language."""
    place = (folder / "de" / PO).with_suffix(".mo")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(catalogue())
    return folder


def unmarked(page: str) -> Iterator[str]:
    """The words of a page, seen or read aloud, that stand outside of all marks."""
    page = _UNSEEN.sub(" ", page)
    aloud = [html.unescape(said) for said in _ALOUD.findall(page)]
    for said in [*aloud, html.unescape(_TAG.sub(" ", _ALOUD.sub("", page)))]:
        depth, outside = 0, []
        for sign in said:
            depth += (sign == OPEN) - (sign == CLOSE)
            outside.append(sign if depth <= 0 and sign != CLOSE else " ")
        yield from _WORD.findall("".join(outside))
