"""Token buckets: so many at once, then so many a second."""

from __future__ import annotations

import math
import time
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

from arena.match.commands import Refusal

MOST_ADDRESSES = 10_000


class Bucket:
    """Holds `most` tokens at first and at best, and gains `per_second`."""

    __slots__ = ("_left", "_most", "_per_second", "_since")

    def __init__(self, most: float, per_second: float) -> None:
        self._most, self._per_second = most, per_second
        self._left, self._since = most, time.monotonic()

    def take(self) -> bool:
        """Take one token if there is one."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._since) * self._per_second)
        self._since = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def wait_s(self) -> float:
        """Seconds until there is a token."""
        return max(0.0, (1 - self._left) / self._per_second)


class TooMany(Refusal):
    """This address has done it too often. `retry_s` says when it may again."""

    def __init__(self, what: str, retry_s: int) -> None:
        super().__init__("too_many", f"Too many {what} from here. Try again in {retry_s} s.")
        self.retry_s = retry_s


class Limit:
    """So many of something from one address; loopback and ARENA_TRUSTED_NETS (a classroom) are not counted."""

    def __init__(self, what: str, most: float, per_second: float) -> None:
        self._what, self._most, self._per_second = what, most, per_second
        self._buckets: dict[str, Bucket] = {}

    def check(self, request: HttpRequest) -> None:
        """Count one more. Raises TooMany."""
        key = _counted(request.META.get("REMOTE_ADDR") or "")
        if key is None:
            return
        if len(self._buckets) >= MOST_ADDRESSES:
            self._buckets.clear()  # a bucket is worth little, memory for every address is not
        bucket = self._buckets.setdefault(key, Bucket(self._most, self._per_second))
        if not bucket.take():
            raise TooMany(self._what, math.ceil(bucket.wait_s()))


def network_of(host: str) -> str:
    """What counts as one address: an IPv4 address, and the /64 of an IPv6 one, whose holder has that at least."""
    address = _address(host)
    return str(ip_network((address, 64), strict=False)) if isinstance(address, IPv6Address) else str(address or host)


def _counted(host: str) -> str | None:
    """What is counted for this address, None for the exempt."""
    address = _address(host)
    if address is None:
        return host
    trusted = (ip_network(net) for net in settings.ARENA_TRUSTED_NETS)
    if address.is_loopback or any(address in net for net in trusted):
        return None
    return network_of(host)


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address
