"""Checks where a webhook leads: to an https address whose name resolves to networks that everybody can reach."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from arena.match.said import said

LONGEST = 500
_NAME = re.compile(r"(?=.{1,253}\Z)(?!.*-\.)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*\.?")


class WrongAddress(ValueError):
    """The message says what was received and what was expected."""


class HttpsAddress(NamedTuple):
    """`host` is a name, or an address without brackets; `path` begins with a slash and includes the query."""

    host: str
    port: int
    path: str

    @property
    def receiver(self) -> str:
        """Host and port, as in the header `Host`; the default port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == 443 else f"{host}:{self.port}"


def read(url: str) -> HttpsAddress:
    """Parse an address. Raises WrongAddress."""
    if len(url) > LONGEST or not re.fullmatch(r"[!-~]+", url):
        wanted = said("expected at most {most} letters, digits and signs of ASCII", most=LONGEST)
        raise WrongAddress(
            said("Received {n} characters, {wanted}. Write other letters of a name as xn--…", n=len(url), wanted=wanted)
        )
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), 443 if parts.port is None else parts.port
    except ValueError as why:
        raise WrongAddress(said("This address cannot be read: {why}.", why=str(why))) from None
    if parts.scheme != "https":
        raise WrongAddress(said("Received {url}, expected an address that begins with https://", url=url[:40]))
    if "@" in parts.netloc:
        raise WrongAddress(said("Received a user or a password in the address, expected none: messages are signed."))
    if parts.fragment or "#" in url:
        raise WrongAddress(said("Received a part after #, expected none: it is never sent to a server."))
    if not 0 < port < 65536:
        raise WrongAddress(said("Received port {port}, expected one from 1 to 65535.", port=port))
    if literal(host) is None and not (
        _NAME.fullmatch(host) and re.search("[a-z]", host.rstrip(".").rpartition(".")[2])
    ):
        raise WrongAddress(
            said("Received the host {what}, expected a name such as bots.example.org.", what=repr(host[:60]))
        )
    query = f"?{parts.query}" if parts.query else ""
    return HttpsAddress(host, port, f"{parts.path or '/'}{query}")


def literal(host: str) -> IPv4Address | IPv6Address | None:
    """The address that this text is, None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_allowed(address: str, networks: Iterable[IPv4Network | IPv6Network]) -> bool:
    """Whether a message may be sent there: to a public unicast address, or to one of these networks.

    Addresses that look public and lead to something private are refused: IPv4 inside IPv6 in all its forms.
    """
    found = ip_address(address.partition("%")[0])
    inner = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    if any(each in network for each in (found, inner) if each is not None for network in networks):
        return True
    return found.is_global and not (found.is_multicast or found.is_reserved or _leads_elsewhere(found))


def _leads_elsewhere(found: IPv4Address | IPv6Address) -> bool:
    """Whether an IPv6 address leads to an IPv4 one, or only within its site."""
    if isinstance(found, IPv4Address):
        return False
    return bool(found.ipv4_mapped or found.sixtofour or found.teredo or found.is_site_local)
