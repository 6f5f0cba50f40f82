"""`/admin/login/`: Django's page, with the rules of `/login/`: wrong passwords are counted over all names of an
address, and a guest who is playing does not leave their seat by logging in.
"""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import urlsplit

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters

from arena.host import NoHost, here
from arena.match.commands import Refusal
from arena.web.guests import known_visitor
from arena.web.people.accounts import LOGINS, check_not_playing
from arena.web.views import refused

ENDED = "Your session has ended. If you sent a form, nothing of it was done: log in, then send it again."


@sensitive_post_parameters()
def login(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        try:
            LOGINS.check(request)
            with suppress(NoHost):  # nobody plays in a process that serves no matches
                check_not_playing(here(), known_visitor(request))
        except Refusal as refusal:
            return refused(request, refusal)
    elif _was_logged_in(request):
        messages.warning(request, ENDED)
    return admin.site.login(request)


def _was_logged_in(request: HttpRequest) -> bool:
    """Whether somebody without an account comes from a page of the administration: they had one when they opened it."""
    came_from = urlsplit(request.headers.get("Referer", "")).path
    outside = came_from in (reverse("admin:login"), reverse("admin:logout"))
    return not request.user.is_authenticated and came_from.startswith(reverse("admin:index")) and not outside
