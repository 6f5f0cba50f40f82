"""The names under which the pages may be asked for.

A name that somebody else owns and leads to this machine would let a page of theirs read our answers to a browser here.
Nobody owns an address, or the name of this machine in its own network, so both are let in without being named, unless
ALLOWED_HOSTS says which names there are.
"""

from __future__ import annotations

import socket
from ipaddress import ip_address

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from django.utils.translation import gettext

from arena.common.limits import LOCAL_HOSTS


def is_let_in(name: str) -> bool:
    """Whether a request may name this host, without its port."""
    if validate_host(name, settings.ALLOWED_HOSTS):
        return True
    if set(settings.ALLOWED_HOSTS) - set(LOCAL_HOSTS):
        return False  # somebody has chosen them
    return is_address(name) or name.lower().removesuffix(".local") == socket.gethostname().lower()


def is_address(name: str) -> bool:
    """Whether this is the address of a machine, and no name."""
    try:
        return bool(ip_address(name.removeprefix("[").removesuffix("]")))
    except ValueError:
        return False


def why_not_let_in(request: HttpRequest) -> str:
    """What to do about the name in this request, "" if it names none that could be allowed."""
    name, _ = split_domain_port(request.META.get("HTTP_HOST", ""))
    said = gettext("This server is not called {name}. Its administrator can allow that: ALLOWED_HOSTS={name} in .env.")
    return said.format(name=name[:100]) if name else ""


class Request(ASGIRequest):
    """A request for a page. Django itself lets in nothing but ALLOWED_HOSTS."""

    def get_host(self) -> str:
        """The host that is named, with its port. Raises DisallowedHost."""
        named = self.META.get("HTTP_HOST", "")
        name, _ = split_domain_port(named)
        return named if name and is_let_in(name) else super().get_host()
