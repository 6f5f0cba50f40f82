"""The names under which the pages may be asked for.

A name that somebody else owns and leads to this machine would let a page of theirs read our answers to a browser here.
Nobody owns an address, or the name of this machine in its own network, so both are let in without being named, unless
ALLOWED_HOSTS says which names there are.
"""

from __future__ import annotations

import os
import socket
from ipaddress import ip_address
from typing import NamedTuple

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from django.utils.translation import gettext

from arena.common.limits import LOCAL_HOSTS

EVERYWHERE = ("0.0.0.0", "::")
# An address kept for documents (RFC 5737): the way there is the way out of this machine.
ANYWHERE = ("203.0.113.1", 9)
IN_CONTAINERS = ("/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io")


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


def is_asked_here(request: HttpRequest) -> bool:
    """Whether the request names this machine as only a browser on it can, such as `localhost`."""
    return validate_host(split_domain_port(request.META.get("HTTP_HOST", ""))[0], list(LOCAL_HOSTS))


def why_not_let_in(request: HttpRequest) -> str:
    """What to do about the name in this request, "" if it names none that could be allowed."""
    name, _ = split_domain_port(request.META.get("HTTP_HOST", ""))
    said = gettext("This server is not called {name}. Its administrator can allow that: ALLOWED_HOSTS={name} in .env.")
    return said.format(name=name[:100]) if name else ""


class Listening:
    """Where this process listens for browsers; `host` is "" until it does."""

    host = ""


class Origin(NamedTuple):
    """The beginning of the address under which others find a page, and why they find none there, "" if they do."""

    address: str
    trouble: str


def origin_for_others(request: HttpRequest) -> Origin:
    """Somebody who asks for `localhost` must not send others there."""
    _, port = split_domain_port(request.get_host())
    asked = f"{request.scheme}://{request.get_host()}"
    if settings.TRUSTED_PROXY_HOPS or not is_asked_here(request):
        return Origin(asked, "")
    if Listening.host not in EVERYWHERE:
        return Origin(
            asked, gettext("Only this machine can open this link. For others, start Arena with --host 0.0.0.0.")
        )
    if (own := own_address()) and is_let_in(own):
        return Origin(f"http://{own}:{port}", "")
    return Origin(asked, gettext("Only this machine can open this link."))


def own_address() -> str:
    """The address at which its network reaches this machine, "" if nobody can know it, as in a container."""
    if any(map(os.path.exists, IN_CONTAINERS)):
        return ""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
            way.connect(ANYWHERE)  # sends nothing
            found = str(way.getsockname()[0])
    except OSError:
        return ""
    return "" if ip_address(found).is_loopback else found


class Request(ASGIRequest):
    """A request for a page. Django itself lets in nothing but ALLOWED_HOSTS."""

    def get_host(self) -> str:
        """The host that is named, with its port. Raises DisallowedHost."""
        named = self.META.get("HTTP_HOST", "")
        name, _ = split_domain_port(named)
        return named if name and is_let_in(name) else super().get_host()
