"""`gettext` and its relatives for texts that are repeated all the time, as in frames: each is looked up once per
language.

Django determines the language for each text, and then searches the catalogues of all applications, which took a third
of the time of a frame. Within `speaking`, a text that was used before in this language is found in a dictionary;
outside, these are Django's own functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from django.utils import formats, translation

# There are a few hundred in the source, and more if words of a bot are looked up.
MOST_KEPT = 5_000


class _Texts(dict[str | tuple[str, str], str]):
    """The translations in one language, by English text, or by context and text."""

    def __missing__(self, text: str | tuple[str, str]) -> str:
        if len(self) >= MOST_KEPT:
            self.clear()
        said: str = translation.gettext(text) if isinstance(text, str) else translation.pgettext(*text)
        self[text] = said
        return said


class _Tongue:
    """One language: its translations so far, and its decimal sign."""

    __slots__ = ("separator", "texts")

    def __init__(self, language: str) -> None:
        self.texts = _Texts()
        self.separator: str = formats.get_format("DECIMAL_SEPARATOR", language)


_tongue = cache(_Tongue)
_spoken: ContextVar[_Tongue | None] = ContextVar("spoken", default=None)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Use this language inside the block, which must not activate another one."""
    with translation.override(language):
        token = _spoken.set(_tongue(language))
        try:
            yield
        finally:
            _spoken.reset(token)


def gettext(text: str) -> str:
    tongue = _spoken.get()
    return translation.gettext(text) if tongue is None else tongue.texts[text]


def pgettext(context: str, text: str) -> str:
    tongue = _spoken.get()
    return translation.pgettext(context, text) if tongue is None else tongue.texts[context, text]


def decimal_separator() -> str:
    tongue = _spoken.get()
    found: str = formats.get_format("DECIMAL_SEPARATOR") if tongue is None else tongue.separator
    return found
