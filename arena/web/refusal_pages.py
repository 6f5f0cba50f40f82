"""What browsers are shown that the server refuses before a view hears of them. It has to stay cheap: a page is rendered
once for each status, language and theme, and only its sentence is put in.
"""

from __future__ import annotations

from functools import lru_cache

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.html import escape

from arena.server.forwarded import Headers
from arena.server.refusals import GuardRefusal
from arena.web import languages, notices, prefs
from arena.web.frame import frame
from arena.web.views import TITLES

# Stands where the sentence belongs; no sentence has it.
_GAP = "\N{REPLACEMENT CHARACTER}"


def page(refusal: GuardRefusal, headers: Headers) -> str:
    headers = list(headers)
    theme = prefs.of_headers(dict(headers))["theme"]
    with translation.override(languages.of_socket(headers, None)):
        made = _prepared(refusal.status, str(translation.get_language()), theme)
        return made.replace(_GAP, escape(_said(refusal)))


def passing(refusal: GuardRefusal, headers: Headers) -> str:
    with translation.override(languages.of_socket(headers, None)):
        return notices.notice(_said(refusal))


def _said(refusal: GuardRefusal) -> str:
    return translation.gettext(refusal.template).format(**refusal.values)


@lru_cache
def _prepared(status: int, language: str, theme: str) -> str:
    request = HttpRequest()
    request.path = "/refused/"  # not the place of any page: none is marked in the bars
    chosen = {**frame(request), "prefs": {**prefs.USUAL, "theme": theme}}
    said = {"code": status, "title": TITLES[status], "words": _GAP, "request": request, "storage": ""}
    return render_to_string("arena/refused.html", {**chosen, **said})
