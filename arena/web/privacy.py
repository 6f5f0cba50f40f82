"""Private answers are never cached, and no page may use browser features that a board game does not need.

The next person at a browser from which somebody has logged out must not find their pages by going back, and a proxy
must not hand them to the next who asks. Addresses that are always private begin with one of `OWN`; if it depends on the
room or the visitor, the view calls `keep_private`.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from arena.web.middleware import Middleware

PRIVATE = "private, no-store"
OWN = ("/admin/", "/settings/", "/login/", "/signup/", "/me/", "/bots/new/", "/mistakes/", "/t/new/")


class PrivacyMiddleware(Middleware):
    """Writes these headers, on errors and redirects as well."""

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        return _answered(request, response)


def keep_private(request: HttpRequest) -> None:
    """The answer to this request is only for the person who asked, and must not be stored."""
    request.is_private = True  # type: ignore[attr-defined]


def _answered(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    if not request.path.startswith(settings.STATIC_URL):  # only documents need permissions
        response["Permissions-Policy"] = settings.PERMISSIONS_POLICY
    if getattr(request, "is_private", False) or request.path.startswith(OWN):
        response["Cache-Control"] = PRIVATE
    return response
