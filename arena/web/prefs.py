"""A visitor's preferences for every page: theme, board view, keys, sound, language.

Each choice is an attribute of `<html>` (`data-theme="dark"`), written by the server, so that it holds before anything
is painted and without JavaScript. A guest's choices are kept in one cookie. Those of an account are stored with it, so
that they follow its owner from device to device, and the cookie repeats them for static/js/prefs.js.
"""

from __future__ import annotations

from collections.abc import Mapping
from http.cookies import CookieError
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, parse_cookie

COOKIE = "prefs"
COOKIE_AGE_S = 365 * 24 * 3600

# Names and their values; the first value is the default.
CHOICES: dict[str, tuple[str, ...]] = {
    "theme": ("system", "light", "dark"),
    "view": ("auto", "3d", "above"),
    "confirm": ("off", "on"),
    "keys": ("on", "off"),
    "sound": ("off", "on"),
    "aloud": ("off", "on"),
    "heights": ("on", "off"),
    "talk": ("on", "off"),
    "challenges": ("on", "off"),
    "language": ("auto", *(code for code, _ in settings.LANGUAGES)),
}
USUAL = {name: values[0] for name, values in CHOICES.items()}

Prefs = Mapping[str, str]


def of(request: HttpRequest) -> Prefs:
    """Every preference of the person who sent the request."""
    visitor = getattr(request, "visitor", None)
    if visitor is not None and visitor.prefs is not None:
        known: Prefs = visitor.prefs
        return known
    return read(request.COOKIES.get(COOKIE, ""))


def of_headers(headers: Mapping[bytes, bytes]) -> dict[str, str]:
    """The preferences in the cookies of a request that Django has not read."""
    try:
        return read(parse_cookie(headers.get(b"cookie", b"").decode("latin1")).get(COOKIE, ""))
    except CookieError:
        return read("")


def whole(stored: Any) -> dict[str, str]:
    """Every preference, from the stored ones; unknown values become the default."""
    stored = stored if isinstance(stored, dict) else {}
    return {name: stored[name] if stored.get(name) in values else values[0] for name, values in CHOICES.items()}


def chosen(prefs: Prefs) -> dict[str, str]:
    """The preferences that differ from the defaults; only these are stored."""
    return {name: value for name, value in prefs.items() if value != USUAL[name]}


def read(cookie: str) -> dict[str, str]:
    """The preferences in a cookie, `theme:dark.sound:on`. Anything else in it is ignored."""
    return whole(dict(pair.split(":", 1) for pair in cookie[:500].split(".") if ":" in pair))


def write(response: HttpResponse, prefs: Prefs) -> None:
    """Keep the preferences in this browser."""
    text = ".".join(f"{name}:{value}" for name, value in chosen(prefs).items())
    if text:
        response.set_cookie(COOKIE, text, max_age=COOKIE_AGE_S, samesite="Lax")
    else:
        response.delete_cookie(COOKIE, samesite="Lax")


def repeated(request: HttpRequest, response: HttpResponse) -> None:
    """Let the cookie of this browser say what the account says: it may have been changed on another device."""
    visitor = getattr(request, "visitor", None)
    if visitor is None or visitor.prefs is None or COOKIE in response.cookies:
        return
    if read(request.COOKIES.get(COOKIE, "")) != visitor.prefs:
        write(response, visitor.prefs)
