"""Why a bot failed, in the reader's language, by the words that its card remembers; lines on the wire stay as they
were, and so does a card of an earlier release, which remembers none.
"""

from __future__ import annotations

import re
from dataclasses import replace

from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, pgettext
from django.utils.translation import gettext_lazy as _

from arena.bots.failure.cards import Card, FactLine
from arena.match.said import Said
from arena.web.languages import USUAL
from arena.web.words import number

LABELS = {
    "received": _("received"),
    "counted from 1": _("counted from 1"),
    "expected": _("expected"),
    "asked": _("asked"),
    "board": _("board"),
    "time used": _("time used"),
    "process": _("process"),
    "stderr": _("stderr"),
}
# Words for a sentence if nothing better is known, and how a connection ends.
PHRASES = {
    "the request": _("the request"),
    "more than 4 MiB at once and 1 MiB a second after that": _("more than 4 MiB at once and 1 MiB a second after that"),
    "no exit code": _("no exit code"),
    "no clock": _("no clock"),
    "the arena has closed it": _("the arena has closed it"),
    "the bot has closed it": _("the bot has closed it"),
    "it did not come back in time": _("it did not come back in time"),
}
# What a bot says first: arena.protocols.grammars.first_words.
_FIRST = re.compile(r"(?P<line>.*) and \\n|(?P<first>.*), then (?P<second>.*), each with its \\n")
# What the rules, a protocol or the runner say of the case: it is in English, as it is stored.
ENGLISH = ("reason", "refusal", "detail")
_QUOTED = re.compile("`([^`]*)`")
_EXIT = re.compile(r"(exit code|killed by) (\S+)")
_TIME = re.compile(r"(?P<seconds>[0-9.]+) s(?P<total> in total)?")


def shown(card: Card) -> Card:
    """The card in the current language; its sentences are HTML."""
    facts = card.facts
    if get_language() != USUAL:
        facts = tuple(FactLine(str(LABELS.get(label, label)), _fact(label, text)) for label, text in facts)
    return replace(card, title=gettext(card.title), sentence=told(card.sentence), advice=told(card.advice), facts=facts)


def told(sentence: str) -> SafeString:
    """A sentence of a card as HTML. On a page in another language what is in English is marked, to be read out so."""
    if not isinstance(sentence, Said):
        return _english(sentence)
    values = {name: conditional_escape(_value(name, str(value))) for name, value in sentence.values.items()}
    return SafeString(_QUOTED.sub(r"<code>\1</code>", escape(gettext(sentence.template))).format(**values))


def _english(text: str) -> SafeString:
    if not text or get_language() == USUAL:
        return escape(text)
    return format_html('<span lang="en">{}</span>', text)


def exit_words(text: str) -> str:
    """`exit code 1`, `killed by SIGKILL`."""
    if not (found := _EXIT.fullmatch(text)):
        return text
    words = gettext("exit code {code}") if found[1] == "exit code" else gettext("killed by {code}")
    return words.format(code=found[2])


def _value(name: str, text: str) -> str:
    if name in ("received", "unfinished", "last_error", "last_words"):
        return text
    if text in PHRASES:
        return str(PHRASES[text])
    if name == "exit":
        return exit_words(text)
    if name in ("clock", "startup"):
        return _time(text)
    if name == "expected":
        return _expected(text) if text else ""
    if name in ENGLISH:
        return _english(text)
    if name == "other":
        return f" {pgettext('between two names', 'or')} ".join(text.split(" or "))
    if name == "meant" and text:
        return gettext("Did you mean {word}?").format(word=text.removeprefix("Did you mean ").removesuffix("? ")) + " "
    return text


def _expected(text: str) -> str:
    words = gettext(text)
    if words != text or not (found := _FIRST.fullmatch(text)):
        return words
    if found["line"]:
        return gettext("{line} and \\n").format(line=found["line"])
    return gettext("{first}, then {second}, each with its \\n").format(first=found["first"], second=found["second"])


def _time(text: str) -> str:
    if not (found := _TIME.fullmatch(text)):
        return text
    words = gettext("{seconds} s in total") if found["total"] else gettext("{seconds} s")
    return words.format(seconds=number(float(found["seconds"])))


def _fact(label: str, text: str) -> str:
    if label == "process":
        return exit_words(text)
    if label == "counted from 1":
        return gettext("column {n}").format(n=text.removeprefix("column "))
    used, of, rest = text.partition(" of ")
    if label != "time used":
        return text
    if not of:
        return _time(used)
    clock, starting, startup = rest.partition(" and ")
    values = {"used": _time(used), "clock": _time(clock)}
    if not starting:
        return gettext("{used} of {clock}").format(**values)
    words = gettext("{used} of {clock} and {startup} to start up")
    return words.format(**values, startup=_time(startup.removesuffix(" to start up")))
