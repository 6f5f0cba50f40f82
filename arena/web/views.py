"""What every view shares: the host, the allowed methods, the visitor's bars, and refusals as pages in words."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import sys
from collections.abc import Callable, Coroutine
from datetime import timedelta
from functools import wraps
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from django.core.exceptions import DisallowedHost
from django.db import Error as DatabaseError
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.http import escape_leading_slashes
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from arena import host as hosting
from arena.cluster.front import FOR_THE_HOST, MAY_PASS_ON, MAYBE_DONE, NOT_DONE, NOT_PASSED_ON
from arena.common.logs import caused_by, speak_of
from arena.core import storage_watch
from arena.core.storage_trouble import COLLIDED, StorageTrouble
from arena.match.commands import Refusal
from arena.models import Match, Seat
from arena.rooms.room_quota import TooManyRooms
from arena.web import notices
from arena.web.frame import frame
from arena.web.guests import visitor_of
from arena.web.host_names import why_not_let_in
from arena.web.limits import TooMany
from arena.web.words import seat_name, spoken

log = logging.getLogger("arena.web")

# By the code of a refusal; any other is a conflict with the state of the match.
STATUS = {
    "not_seated": 403,
    "private": 403,
    "not_yours": 403,
    "wrong_scope": 403,
    "not_found": 404,
    "closed": 410,
    "invalid_move": 422,
    "illegal_move": 422,
    "invalid_form": 422,
    "invalid_command": 422,
    "too_many": 429,
    "busy": 503,
    "closing": 503,
    "changing_over": 503,
    "no_room": 503,
    "no_start": 503,
    "server_abort": 500,
}
TITLES = {
    400: gettext_lazy("This request cannot be read"),
    403: gettext_lazy("You don't have permission to do this"),
    404: gettext_lazy("There is no such page"),
    405: gettext_lazy("This address does not accept that"),
    409: gettext_lazy("That is not possible now"),
    410: gettext_lazy("This room is closed"),
    413: gettext_lazy("That is too large to send"),
    422: gettext_lazy("Something in this form is not right"),
    429: gettext_lazy("Too many at once"),
    500: gettext_lazy("Something broke on our side"),
    503: gettext_lazy("The arena is not ready"),
}

# The pages that other addresses belong to: those of a match, of a room and of a tournament.
_ABOUT = re.compile(r"/([mrt])/[A-Za-z0-9._-]+/(?=.)")

# How often somebody who waits for the effect of an act is told that it cannot be stored.
PATIENCE_S = 1.0
# A match without a clock waits for days: its bar leaves the pages after this.
BAR_KEPT = timedelta(hours=1)

_BACK = {
    "m": gettext_lazy("Back to the match"),
    "r": gettext_lazy("Back to the room"),
    "t": gettext_lazy("Back to the tournament"),
}

MAYBE_DONE_WORDS = gettext_noop(
    "The server did not answer. Your action may have been carried out: check before you repeat it."
)
LOOKS_AGAIN = gettext_noop("This page tries again every few seconds.")
# The delay until a page that could not be shown, or whose act got no answer, looks again.
LOOK_S = 5

View = Callable[..., Coroutine[Any, Any, HttpResponse]]


class Running(NamedTuple):
    """The visitor's own match, for the bar on top of every other page; `opponent` is "" at one screen."""

    opponent: str
    address: str


def view(*methods: str, hosted: bool = True, rows: bool = False) -> Callable[[View], View]:
    """A view of these methods, called as `(request, host, …)`. A refusal becomes a page.

    `hosted=False`: it needs no host and is called as `(request, …)`. A GET is then answered from committed rows alone,
    so that any process can do it: the page may show nothing from the memory of the host. `rows`: for a GET, `host` is
    None in a process that is not the host; the view raises NoHost if committed rows are not enough.
    """
    allowed = (*methods, "HEAD") if "GET" in methods else methods

    def decorate(function: View) -> View:
        @wraps(function)
        async def guarded(request: HttpRequest, **arguments: Any) -> HttpResponse:
            if request.method not in allowed:
                return _not_allowed(request, allowed)
            speak_of(arguments.get("match"))
            try:
                if NOT_PASSED_ON in getattr(request, "scope", {}):  # what a front asks that is the host by now
                    raise hosting.NoHost
                anywhere = rows and request.method in ("GET", "HEAD")
                host = (hosting.here_or_none() if anywhere else hosting.here(),) if hosted else ()
                doing = function(request, *host, **arguments)
                return await (doing if request.method in ("GET", "HEAD") else while_stored(request, doing))
            except DatabaseError as error:
                if (trouble := storage_watch.saw(error)) is None:
                    raise
                return not_stored(request, trouble)
            except Refusal as refusal:
                return refused(request, refusal)
            except hosting.NoHost:
                return _no_host(request)

        guarded.reads_rows = "GET" in methods and (rows or not hosted)  # type: ignore[attr-defined]
        guarded.needs_host = "GET" in methods and hosted and not rows  # type: ignore[attr-defined]
        return guarded

    return decorate


async def while_stored(request: HttpRequest, doing: Coroutine[Any, Any, HttpResponse]) -> HttpResponse:
    """Do what a form asks for. While nothing can be stored it is not begun, and nobody waits long for its end."""
    if trouble := storage_watch.trouble():
        doing.close()
        return not_stored(request, trouble, gettext("Nothing was done. Try again when this is fixed."))
    task = asyncio.ensure_future(doing)
    try:
        stood = False
        while not (await asyncio.wait([task], timeout=PATIENCE_S))[0]:
            trouble = storage_watch.trouble()
            if stood and trouble:
                return not_stored(
                    request, trouble, gettext("What you asked for may still happen: check again when this is fixed.")
                )
            stood = bool(trouble)
        return task.result()
    finally:
        task.cancel()


async def page(request: HttpRequest, template: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
    """A whole page, with the visitor's part of the frame around every page."""
    visitor = await visitor_of(request)
    running = await _running(visitor.player)
    return render(request, template, {"me": visitor.name, "running": running, **context}, status=status)


def chosen_in(request: HttpRequest) -> tuple[str, ...]:
    """What a reader without a script has chosen of a move so far: `?sel=b2,c3`."""
    return tuple(filter(None, request.GET.get("sel", "").split(",")))


def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """A refused act: a fragment for a script that asked in place, a page for a browser that navigated."""
    status = STATUS.get(refusal.code, 409)
    if is_by_htmx(request):
        return HttpResponse(notices.notice(spoken(refusal.sentence)), status=status)
    response = error_page(request, status, spoken(refusal.sentence))
    if isinstance(refusal, TooMany | TooManyRooms):
        response["Retry-After"] = str(refusal.retry_s)
    return response


def error_page(
    request: HttpRequest, status: int, words: str, heading: str = "", back: tuple[str, str] | None = None
) -> HttpResponse:
    """An error in words, with links back and a number under which it is in the server's log. Never raises.

    `back`: an address and words for the first link, if it is not the match, room or tournament that this is about.
    """
    number = secrets.token_hex(4)
    level = logging.ERROR if status == 500 else logging.INFO
    caused = caused_by(request.META.get("REMOTE_ADDR") or "")
    log.log(level, "error page %s: %s for %s %s", number, status, request.method, request.path, extra=caused)
    if request.path.startswith("/api/"):
        return logged(_as_json(status, words, number))
    title, back = heading or TITLES[status], back or _way_back(request, status)
    said = {"code": status, "title": title, "words": words, "id": number, "back": back}
    try:
        return render(request, "arena/error.html", said, status=status)
    except Exception:
        # Django would answer an error page that fails with the next one, once for each middleware.
        log.exception("error page %s could not be made and is sent as plain text", number, extra=caused)
        return HttpResponse(_plain(status, words, number), status=status, content_type="text/plain; charset=utf-8")


def _as_json(status: int, words: str, number: str) -> JsonResponse:
    """The JSON form of Django's own error pages, for programs."""
    code = "server_error" if status == 500 else "bad_request"
    known = {
        400: "This request cannot be read, or it names a host that is not this one. Nothing was done.",
        500: "Something broke on our side. It stands in the log of the server under the number in the hint.",
    }
    said = {"code": code, "sentence": known.get(status, words), "hint": f"Id {number}"}
    return JsonResponse({"error": said}, status=status)


def _plain(status: int, words: str, number: str) -> str:
    return f"{status} {TITLES[status]}\n\n{words}\n\nId {number}\n"


def is_by_htmx(request: HttpRequest) -> bool:
    """Whether a script of the page asks for a part of it, rather than a browser for a whole page."""
    return bool(getattr(request, "htmx", False))


def not_stored(request: HttpRequest, trouble: StorageTrouble, done: str = "") -> HttpResponse:
    """503: the database fails. The page needs nothing from the database; below /admin/ it says what to do."""
    again = gettext("Try it again.") if trouble is COLLIDED else gettext("Try again when this is fixed.")
    done = done or (gettext(LOOKS_AGAIN) if _is_question(request) else again)
    if is_by_htmx(request):
        return HttpResponse(notices.notice(f"{spoken(trouble.words)} {done}"), status=503)
    if request.path.startswith("/api/"):
        said = {"code": f"storage_{trouble.code}", "sentence": trouble.words, "hint": again}
        return logged(JsonResponse({"error": said}, status=503))
    number = secrets.token_hex(4)
    log.info("error page %s: 503 for %s %s: %s", number, request.method, request.path, trouble.words)
    todo = trouble.todo if request.path.startswith("/admin/") else ""
    shown: dict[str, object] = {
        "code": 503,
        "title": gettext("Nothing can be stored now"),
        "words": f"{spoken(trouble.words)} {done} {todo}",
        "id": number,
    }
    response = HttpResponse(
        render_to_string("arena/error.html", {**frame(request), "request": request, "storage": "", **shown}),
        status=503,
        headers={"Retry-After": "10", "Cache-Control": "no-store"},
    )
    return logged(_looking_again(request, response))


def logged(response: HttpResponse) -> HttpResponse:
    """The answer, marked so that Django does not log it as an error again."""
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def _no_host(request: HttpRequest) -> HttpResponse:
    """There is no host. The log names the request that a front could not pass on, not the page that it asks instead."""
    response = _without_host(request)
    if asked := getattr(request, "scope", {}).get(NOT_PASSED_ON):
        log.warning(
            "%s could not be passed on to the host", asked, extra={"address": request.META.get("REMOTE_ADDR", "")}
        )
        return logged(response)
    return response


def _without_host(request: HttpRequest) -> HttpResponse:
    """An act whose answer was lost may have been done: the page that it came from will show it."""
    if passed_on := for_the_host(request):
        return passed_on
    act = _act_without_answer(request)
    if not act:
        then = gettext(LOOKS_AGAIN) if _is_question(request) else gettext("Try again in a moment.")
        words = f"{gettext('This server is starting, has too much to do, or serves no matches.')} {then}"
        return _looking_again(request, error_page(request, 503, words))
    if is_by_htmx(request):
        return HttpResponse(notices.notice(gettext(MAYBE_DONE_WORDS)), status=503)
    if act.startswith("/api/"):
        said = {"code": "maybe_done", "sentence": MAYBE_DONE_WORDS, "hint": "Read how things stand, then decide."}
        return logged(JsonResponse({"error": said}, status=503))
    response = error_page(request, 503, gettext(MAYBE_DONE_WORDS))
    if came_from := _came_from(request):
        response["Refresh"] = f"{LOOK_S}; url={came_from}"
    return response


def _looking_again(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The answer in place of a page that may soon be there: browsers ask again for it, and send no form again."""
    if _is_question(request):
        response["Refresh"] = str(LOOK_S)
    return response


def _is_question(request: HttpRequest) -> bool:
    """Whether asking again does no harm. What a front could not pass on looks like a question even if it was an act."""
    return request.method == "GET" and NOT_DONE not in getattr(request, "scope", {})


def _came_from(request: HttpRequest) -> str:
    """The address of the page on which a form was sent, without its query; "" if it is not one of ours."""
    page = urlsplit(request.headers.get("Referer", ""))
    ours = page.netloc == request.get_host() and page.path.startswith("/")
    return escape_leading_slashes(quote(page.path)) if ours else ""


def for_the_host(request: HttpRequest) -> HttpResponse | None:
    """The answer that makes a front pass the request on to the host; None outside a front."""
    may = getattr(request, "scope", {}).get(MAY_PASS_ON)
    return logged(HttpResponse(status=503, headers={FOR_THE_HOST: "1"})) if may else None


def _act_without_answer(request: HttpRequest) -> str:
    """The address of an act that was passed to a host whose answer was lost; "" for any other request."""
    return str(getattr(request, "scope", {}).get(MAYBE_DONE, ""))


def _way_back(request: HttpRequest, status: int) -> tuple[str, str] | None:
    """The match or room that the address is about, unless it may not exist."""
    found = _ABOUT.match(_act_without_answer(request) or request.path) if status != 404 else None
    return (found[0], str(_BACK[found[1]])) if found else None


def _not_allowed(request: HttpRequest, allowed: tuple[str, ...]) -> HttpResponse:
    words = gettext("Received {method}, expected {allowed}. Nothing was done.")
    words = words.format(method=request.method, allowed=" / ".join(allowed))
    response = error_page(request, 405, words)
    response["Allow"] = HttpResponseNotAllowed(allowed)["Allow"]
    return response


async def _running(player: int | None) -> Running | None:
    """From committed rows, so that it is the same in every process."""
    if player is None:
        return None
    mine = Seat.objects.filter(player=player, kind=Seat.Kind.HUMAN, match__ended=None).order_by("match__opened")
    newly = Q(match__opened__gt=timezone.now() - BAR_KEPT)
    mine = mine.filter(newly | ~Q(match__clock="none"))  # the others wait on "Your matches"
    if (found := await mine.values_list("match", "seat", "match__kind").afirst()) is None:
        return None
    match, seat, kind = found
    if kind == Match.Kind.SCREEN:
        return Running("", f"/m/{match}/")
    opponent = await Seat.objects.filter(match=match, seat=1 - seat).only("kind", "level", "name").afirst()
    return Running(seat_name(opponent, 1 - seat) if opponent else "", f"/m/{match}/")


# -- Django's own errors -----------------------------------------------------------------------------------------------


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    said = why_not_let_in(request) if isinstance(exception, DisallowedHost) else ""
    return error_page(request, 400, said or gettext("Nothing was done. Go back, reload the page and try again."))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, 403, gettext("This page is for others. If a room is private, ask for its link."))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    words = exception.args[0] if isinstance(exception, Http404) and exception.args else ""
    said = str(words) if isinstance(words, str | Promise) and words else ""
    return error_page(request, 404, said or gettext("Check the address, or begin again from the boards."))


def failed(request: HttpRequest) -> HttpResponse:
    """Django has logged the exception; the number on the page stands behind it."""
    if trouble := storage_watch.saw(sys.exc_info()[1]):
        return not_stored(request, trouble)
    if request.path.startswith("/m/"):
        return error_page(request, 500, gettext("Your match is safe; it continues when the page loads again."))
    words = gettext("Load the page again. If that does not help, tell whoever runs this server.")
    again = (request.get_full_path(), gettext("Load it again")) if request.method == "GET" else None
    return error_page(request, 500, words, back=again)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    form, title = _came_from(request), gettext("This form can no longer be sent")
    if reason == REASON_NO_CSRF_COOKIE:  # to load the page again alone would lead here once more
        title = gettext("Your browser sent no cookie")
        words = gettext(
            "It blocks the cookies of this site, or has just deleted them. Without them nobody can play here. "
            "Nothing was done: allow cookies, reload the page and try again."
        )
    else:
        words = gettext(
            "You logged in or out in another tab, the page was open too long, or its form is not from this site. "
            "Nothing was done: reload the page and try again."
        )
    return error_page(request, 403, words, title, back=(form, gettext("Back to the form")) if form else None)
