"""The sender of a request, as our own proxies vouch for it in headers that anybody could write."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address

Headers = Iterable[tuple[bytes, bytes]]


def forwarded_address(headers: Headers, hops: int) -> str | None:
    """The client's address as the outermost of our own `hops` proxies saw it; None without proxies or their entry.
    Counted from the right of X-Forwarded-For: a client can forge everything before.
    """
    seen = _values(headers, b"x-forwarded-for")
    if not hops or len(seen) < hops:
        return None
    try:
        return str(ip_address(seen[-hops]))
    except ValueError:
        return None


def forwarded_https(headers: Headers, hops: int) -> bool:
    """Whether the client spoke TLS to our outermost proxy. Proxies may append to X-Forwarded-Proto or replace it."""
    protos = _values(headers, b"x-forwarded-proto")
    return bool(hops and protos) and protos[-min(hops, len(protos))].lower() == "https"


def _values(headers: Headers, name: bytes) -> list[str]:
    """The entries of a header that is a list, in order, over all its lines."""
    return [part.strip() for key, value in headers if key == name for part in value.decode("latin-1").split(",")]
