"""Django's middleware on the loop: what only computes is not handed to a thread.

Django hands the methods of its own middleware to a thread one by one, because they may read rows: sixteen changes of
thread a request, which took a third of the processor time of most pages. These read none, or say when they do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import sync_to_async
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.middleware.security import SecurityMiddleware
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from arena.web.host_names import is_asked_here

# Whose requests need no token: their form is not read.
_SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")


class OnLoop(MiddlewareMixin):
    """Comes before a class of Django in the bases of a middleware. `process_request` and `process_response` run on the
    loop; the latter runs in a thread where `writes` says that it would wait for the database.
    """

    async def __acall__(self, request: HttpRequest) -> HttpResponseBase:
        answer: Callable[[HttpRequest], Awaitable[HttpResponseBase]] = self.get_response  # type: ignore[assignment]
        before, after = (getattr(self, name, None) for name in ("process_request", "process_response"))
        response: HttpResponseBase = (before(request) if before else None) or await answer(request)
        if after is None:
            return response
        changed: HttpResponseBase = (
            await sync_to_async(after)(request, response) if self.writes(request) else after(request, response)
        )
        return changed

    def writes(self, request: HttpRequest) -> bool:
        """Whether `process_response` stores something."""
        return False


class Security(OnLoop, SecurityMiddleware):
    """Leads to HTTPS, and names what browsers must not guess."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Which windows a page shares with others counts for browsers only over HTTPS and on their own machine. In a
        classroom each page would leave an error in the console.
        """
        response = super().process_response(request, response)
        if not request.is_secure() and not is_asked_here(request):
            del response["Cross-Origin-Opener-Policy"]
        return response


class Sessions(OnLoop, SessionMiddleware):
    """Only what was changed is stored, and only who ends a session takes its cookie away."""

    def writes(self, request: HttpRequest) -> bool:
        return request.session.modified

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Django removes the cookie of a session that it does not find. If a page asks for something while its reader
        signs up, and is answered after that, this would remove the cookie of the new session.
        """
        session = request.session
        if settings.SESSION_COOKIE_NAME in request.COOKIES and session.is_empty() and not session.modified:
            patch_vary_headers(response, ("Cookie",))
            return response
        return super().process_response(request, response)


class Common(OnLoop, CommonMiddleware):
    """Adds the slash that an address lacks."""


class Csrf(OnLoop, CsrfViewMiddleware):
    """A form is read, and the page that refuses it is made, in a thread."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        super().__init__(get_response)
        if self.async_mode:
            self.process_view = self._view  # type: ignore[assignment, method-assign]

    async def _view(self, request: HttpRequest, *view: Any) -> HttpResponse | None:
        check = super().process_view
        return check(request, *view) if request.method in _SAFE else await sync_to_async(check)(request, *view)


class Authentication(OnLoop, AuthenticationMiddleware):
    """The account is looked up when somebody asks for it."""


class Messages(OnLoop, MessageMiddleware):
    """What is said on the next page may be kept in the session, which is read for it."""

    def writes(self, request: HttpRequest) -> bool:
        said = request._messages  # type: ignore[attr-defined]
        return said.added_new or (said.used and len(said) > 0)


class Frames(OnLoop, XFrameOptionsMiddleware):
    """Says which pages may be shown inside of others."""


class ContentPolicy(OnLoop, CSPMiddleware):
    """Says from where a page may load what."""
