"""What is for one reader is kept by nobody on the way, and no page may use what a board game needs not.

The next person at a browser from which somebody has logged out must not find their pages by going back, and a proxy
must not hand them to the next who asks. Addresses that are always somebody's own begin with one of `OWN`; where it
depends on the room or on who asks, the view says `keep_private`.
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
    """What is answered to this request is for the person who asked, and for nobody after them."""
    request.is_private = True  # type: ignore[attr-defined]


def _answered(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    if not request.path.startswith(settings.STATIC_URL):  # what is no document has nothing to permit
        response["Permissions-Policy"] = settings.PERMISSIONS_POLICY
    if getattr(request, "is_private", False) or request.path.startswith(OWN):
        response["Cache-Control"] = PRIVATE
    return response
