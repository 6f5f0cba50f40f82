"""Pages for authors of bots: the protocols, each described exactly, and files to start from.

`/protocols/`, `/protocols/<slug>/`, `/protocols/errors/` and `/samples/<file>`.
"""

from __future__ import annotations

import re
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as later

import games
from arena.bots.failure.errors import every_error
from arena.bots.failure.refusals import REFUSALS
from arena.host import Host
from arena.protocols import choices, protocols
from arena.protocols.hints import BotError
from arena.web.library import connecting
from arena.web.library.protocol_texts import THOUGHTS, ProtocolText, plays, sample_files, text_of
from arena.web.present import present
from arena.web.views import page, view
from arena.web.words import spoken, unbroken
from arena.web.words import title as title_of

_CODE = re.compile("`([^`]+)`")
_GLUED = re.compile(r"\}(?=[\w{])")
# The sections of the page about every code.
SECTIONS = {
    "Bytes and lines": later("Bytes and lines"),
    "Question and answer": later("Question and answer"),
    "Moves": later("Moves"),
    "Time": later("Time"),
    "Connecting": later("Connecting"),
    "The process": later("The process"),
    "Coming in": later("Coming in"),
}


@view("GET", rows=True)
async def index(request: HttpRequest, host: Host | None) -> HttpResponse:
    now = await present(host)
    found = [
        {"slug": slug, "title": unbroken(title), "plays": _plays(slug), "port": now.doors.get(slug)}
        for slug, title in choices()
    ]
    refused = connecting.why_refused(request, now.bots_host)
    context = {"protocols": found, "host": connecting.host_of(request), "refused": refused}
    return await page(request, "arena/protocols.html", context)


@view("GET", rows=True)
async def protocol(request: HttpRequest, host: Host | None, slug: str) -> HttpResponse:
    if slug not in protocols():
        words = _("There is no protocol {slug}. There are: {known}.")
        raise Http404(words.format(slug=repr(slug[:40]), known=", ".join(protocols())))
    others = [{"slug": other, "current": other == slug} for other in protocols()]
    # None if its door is closed on this server.
    now = await present(host)
    context = _context(text_of(slug), connecting.host_of(request), now.doors.get(slug))
    refused = connecting.why_refused(request, now.bots_host)
    return await page(request, "arena/protocol.html", {"protocols": others, "refused": refused, **context})


@view("GET", hosted=False)
async def errors(request: HttpRequest) -> HttpResponse:
    """Every code on the card of a bot that failed; `‹…›` stands for the details of the case."""
    groups = [
        (SECTIONS.get(title, title), [_code_row(each) for each in group])
        for title, group in {**every_error(), "Coming in": REFUSALS}.items()
    ]
    return await page(request, "arena/protocol_errors.html", {"groups": groups})


@view("GET", hosted=False)
async def sample(request: HttpRequest, name: str) -> HttpResponse:
    """A file to start from, as text: a browser shows it, `curl -O` keeps it under its name."""
    there = sample_files()
    if name not in there:
        words = _("There is no sample {name}. There are: {known}.")
        raise Http404(words.format(name=repr(name[:40]), known=", ".join(there)))
    response = HttpResponse(there[name].read_bytes(), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{name}"'
    return response


def _context(text: ProtocolText, name: str, port: int | None) -> dict[str, Any]:
    # If its door is closed, the commands still show the port that it would have.
    shown_port = port or protocols()[text.slug].port
    return {
        "text": text,
        "lead": gettext(text.lead) if text.lead else "",
        "facts": [
            (spoken(name), _plays(text.slug) if value == plays(text.slug) else spoken(value))
            for name, value in text.facts
        ],
        "host": name,
        "port": port,
        "line_ends": marked(text.line_ends),
        "connect": [
            (gettext(way.where), command, connecting.whole_words(command))
            for way in text.connect
            for command in [way.command.format(host=name, port=shown_port)]
        ],
        "lines": [(*line[:2], marked(line.means), [marked(key) for key in line.keys]) for line in text.messages],
        "errors": [(error.name, marked(error.when)) for error in text.errors],
        "traps": [marked(trap) for trap in text.traps],
        "thoughts": [marked(sentence) for sentence in THOUGHTS],
        "failures": [
            (failure.code, marked(gettext(failure.when)), marked(gettext(failure.do))) for failure in text.failures
        ],
        "samples": [(sample.language, sample.name, sample.path.read_text(encoding="utf-8")) for sample in text.samples],
    }


def _plays(slug: str) -> str:
    """The games that it plays, in the current language."""
    return ", ".join(title_of(games.variant(variant)) for variant in protocols()[slug].variants) or _("every game")


def marked(sentence: str) -> SafeString:
    """`sentence` as HTML: text between backticks is code."""
    return SafeString(_CODE.sub(_code, escape(sentence)))


def _code(found: re.Match[str]) -> str:
    return f"<code>{connecting.whole_words(SafeString(found[1]))}</code>"


def _code_row(error: BotError) -> tuple[str, str, SafeString, SafeString]:
    return error.code, gettext(error.title), _template(error.sentence), _template(error.advice)


def _template(sentence: str) -> SafeString:
    """A detail that brings the blank after it is parted from the next word here as well."""
    return marked(_GLUED.sub("} ", gettext(sentence)).replace("{", "‹").replace("}", "›"))
