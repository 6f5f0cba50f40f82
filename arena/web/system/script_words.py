"""The sentences of scripts in other languages: put into the script when it is built, so that no page loads more.

A script says `_("Copied")`, `_("Move {n}", { n })`, `_n("{n} move", "{n} moves", n)` or `_p("button", "Watch")` from
`static/js/words.js`. Browsers in another language get the same script with other sentences, below `de/`, where it finds
its neighbours under the same names. With DEBUG nothing is built, and scripts are in English.
"""

from __future__ import annotations

import json
import re

from django.conf import settings
from django.utils import translation

from arena.web.languages import USUAL

_TEXT = r'"(?:[^"\\]|\\.)*"'
_SAID = re.compile(rf"(?<![\w.])(_[np]?\()({_TEXT})(?:(, *)({_TEXT}))?")

OTHERS = [code for code, _ in settings.LANGUAGES if code != USUAL]


def speaks(script: str) -> bool:
    return _SAID.search(script) is not None


def translated(script: str, language: str) -> str:

    def said(found: re.Match[str]) -> str:
        call, one, comma, many = found.groups()
        if call == "_p(" and many is not None:
            return call + one + comma + _quoted(translation.pgettext(json.loads(one), json.loads(many)))
        if many is None:
            return call + _quoted(translation.gettext(json.loads(one)))
        forms = [translation.ngettext(json.loads(one), json.loads(many), number) for number in (1, 2)]
        return call + comma.join(map(_quoted, forms))

    with translation.override(language):
        return _SAID.sub(said, script)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def of_reader(name: str) -> str:
    """The name of a file for readers of the current language."""
    language = translation.get_language()
    return f"{language}/{name}" if language in OTHERS and name.startswith("js/") and name.endswith(".js") else name
