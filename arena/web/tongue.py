"""`gettext` and its relatives for what is said again and again, as in frames: each text is looked up once a language.

Django finds out for each text which language is spoken, and then looks through the catalogues of all applications: a
third of what a frame took. Within `speaking` a text that was said before in this language is found in a dictionary;
outside of it these are Django's own functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from django.utils import formats, translation

# There are a few hundred in the source. More come where what a bot has said is looked up.
MOST_KEPT = 5_000


class _Texts(dict[str | tuple[str, str], str]):
    """What was said in one language, by the English text, or by context and text."""

    def __missing__(self, text: str | tuple[str, str]) -> str:
        if len(self) >= MOST_KEPT:
            self.clear()
        said: str = translation.gettext(text) if isinstance(text, str) else translation.pgettext(*text)
        self[text] = said
        return said


class _Tongue:
    """One language: what was said in it, and its sign for decimals."""

    __slots__ = ("separator", "texts")

    def __init__(self, language: str) -> None:
        self.texts = _Texts()
        self.separator: str = formats.get_format("DECIMAL_SEPARATOR", language)


_tongue = cache(_Tongue)
_spoken: ContextVar[_Tongue | None] = ContextVar("spoken", default=None)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Whatever is said inside is said in this language; no other one is activated there."""
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
