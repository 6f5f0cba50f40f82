"""The frame around every page: the bars, the account that is logged in, preferences."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest
from django.urls import Resolver404, resolve
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from arena.web import prefs
from arena.web.guests import Visitor
from arena.web.notices import storage_bar

Words = str | Promise


class NavItem(NamedTuple):
    """A link in the bars. `below` is the first word of the addresses that belong to it, `short` its words on phones."""

    address: str
    words: Words
    icon: str
    below: str
    upper: bool = True
    lower: bool = True
    short: Words = ""


# The upper bar and the one below on phones, in the order of both. A page that this server does not have is not linked.
PLACES = (
    NavItem("/", pgettext_lazy("navigation", "Play"), "home", ""),
    NavItem("/watch/", pgettext_lazy("navigation", "Watch"), "eye", "watch"),
    NavItem("/r/new/", pgettext_lazy("navigation", "New room"), "plus", "r", upper=False),
    NavItem("/bots/", _("Bots"), "bot", "bots"),
    NavItem("/t/", _("Tournaments"), "cup", "t", lower=False),
    NavItem("/rank/", _("Leaderboards"), "cup", "rank", short=pgettext_lazy("navigation", "Rank")),
)


THEMES = {
    "system": _("Theme: follow the system"),
    "light": _("Theme: light"),
    "dark": _("Theme: dark"),
}


def frame(request: HttpRequest) -> dict[str, Any]:
    """A context processor: `prefs`, `visitor`, `me` and the places of the bars are there in every template."""
    visitor = getattr(request, "visitor", Visitor())
    first = request.path.removeprefix("/").partition("/")[0]
    places = [{**place._asdict(), "current": place.below == first} for place in _there(_urlconf(request))]
    return {
        "prefs": prefs.of(request),
        "visitor": visitor,
        "me": visitor.name,
        "storage": storage_bar(visitor.staff),
        "upper": [place for place in places if place["upper"]],
        "lower": [{**place, "words": place["short"] or place["words"]} for place in places if place["lower"]],
        "next_theme": _after(prefs.of(request)["theme"]),
        "theme_words": THEMES[prefs.of(request)["theme"]],
    }


def _urlconf(request: HttpRequest) -> str:
    return getattr(request, "urlconf", None) or settings.ROOT_URLCONF


@lru_cache(maxsize=8)
def _there(urlconf: str) -> tuple[NavItem, ...]:
    return tuple(place for place in PLACES if _leads_somewhere(place.address, urlconf))


def _leads_somewhere(address: str, urlconf: str) -> bool:
    try:
        resolve(address, urlconf)
    except Resolver404:
        return False
    return True


def _after(theme: str) -> str:
    themes = prefs.CHOICES["theme"]
    return themes[(themes.index(theme) + 1) % len(themes)]
