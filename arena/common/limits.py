"""How much one address may do: token buckets, shares of scarce things, and what counts as one address.

The rules are the same for pages, sockets and doors. Loopback and trusted nets are exempt: only this machine uses the
first, and for the second the administrator knows that many people share an address.
"""

from __future__ import annotations

import time
from collections import Counter

# `ipaddress` and `typing` are loaded once they are needed: a runner of two programs needs neither, and starts sooner.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
    from typing import Self

    Network = str | IPv4Network | IPv6Network
else:
    Network = object

MOST_ADDRESSES = 10_000
LONGEST_WAIT_S = 3600.0
# Nothing that is sent to these leaves this machine.
HERE = frozenset({"127.0.0.1", "::1", "localhost"})
# What a browser on this machine calls it, as Django writes names.
LOCAL_HOSTS = ("localhost", ".localhost", "127.0.0.1", "[::1]")


class Rate(tuple[float, float]):
    """This many at once, then this many a second. For an address, 0 at once means no limit."""

    __slots__ = ()

    def __new__(cls, at_once: float, per_second: float) -> Self:
        return super().__new__(cls, (at_once, per_second))

    @property
    def at_once(self) -> float:
        return self[0]

    @property
    def per_second(self) -> float:
        return self[1]


class Bucket:
    """Holds this many tokens at first and at most, and gains some each second. Times are those of `time.monotonic`."""

    __slots__ = ("_most", "_per_second", "_left", "_since")

    def __init__(self, most: float, per_second: float, now: float | None = None) -> None:
        self._most, self._per_second = most, per_second
        self._left, self._since = most, time.monotonic() if now is None else now

    def take(self, cost: float = 1.0, now: float | None = None) -> bool:
        """Take this many tokens if they are there."""
        now = time.monotonic() if now is None else now
        if now > self._since:
            self._left = min(self._most, self._left + (now - self._since) * self._per_second)
            self._since = now
        if self._left < cost:
            return False
        self._left -= cost
        return True

    def give(self, tokens: float) -> None:
        """Put tokens in, up to the maximum."""
        self._left = min(self._most, self._left + tokens)

    def wait_s(self, cost: float = 1.0) -> float:
        """Seconds from the last `take` until this many are there; infinite if they never will be."""
        if cost <= self._left:
            return 0.0
        return (cost - self._left) / self._per_second if self._per_second and cost <= self._most else float("inf")


class Buckets:
    """A bucket for each address that is not exempt. If there are too many, those seen longest ago are forgotten."""

    def __init__(self, rate: Rate, trusted_nets: Iterable[Network] = ()) -> None:
        self.rate = rate
        self._trusted = networks(trusted_nets)
        self._buckets: dict[str, Bucket] = {}

    def take(self, host: str, cost: float = 1.0, now: float | None = None) -> float:
        """Take this many tokens of the address: 0.0, or the seconds after which to ask again, at most `LONGEST_WAIT_S`:
        where none come after the first, they will never be there.
        """
        bucket = self._bucket(host, now)
        return 0.0 if bucket is None or bucket.take(cost, now) else min(bucket.wait_s(cost), LONGEST_WAIT_S)

    def wait_s(self, host: str, cost: float = 1.0, now: float | None = None) -> float:
        """What `take` would return; nothing is taken."""
        bucket = self._bucket(host, now)
        if bucket is None:
            return 0.0
        bucket.take(0.0, now)  # it has what has come since
        return min(bucket.wait_s(cost), LONGEST_WAIT_S)

    def _bucket(self, host: str, now: float | None) -> Bucket | None:
        """None if this address is exempt."""
        if not self.rate.at_once or is_exempt(host, self._trusted):
            return None
        key = counted_as(host)
        bucket = self._buckets.pop(key, None) or Bucket(*self.rate, now)
        self._buckets[key] = bucket  # the newest comes last
        if len(self._buckets) > MOST_ADDRESSES:
            del self._buckets[next(iter(self._buckets))]
        return bucket

    def __len__(self) -> int:
        return len(self._buckets)


class Shares:
    """Who holds how many of something scarce, such as open connections.

    One address holds at most `each`, and at most three times what is still free: alone it never gets the last quarter,
    many share what there is, and a newcomer finds a place while there is one. 0 is no limit.
    """

    def __init__(self, most: int = 0, each: int = 0, trusted_nets: Iterable[Network] = ()) -> None:
        """Raises ValueError for a net that cannot be read."""
        self.most, self.each = most, each
        self.total = 0
        self.taken: Counter[str] = Counter()
        self._trusted = networks(trusted_nets)

    def take(self, host: str) -> bool:
        """Whether this address may hold one more; if so it is counted."""
        if self.most and self.total >= self.most:
            return False
        if not is_exempt(host, self._trusted):
            key = counted_as(host)
            if not self._may_take(self.taken[key]):
                return False
            self.taken[key] += 1
        self.total += 1
        return True

    def held(self, host: str) -> int:
        """How many this address holds, 0 if it is exempt."""
        return self.taken[counted_as(host)]

    def give_back(self, host: str) -> None:
        """One that had been taken is free again."""
        self.total -= 1
        if is_exempt(host, self._trusted):
            return
        key = counted_as(host)
        self.taken[key] -= 1
        if self.taken[key] <= 0:
            del self.taken[key]

    def _may_take(self, held: int) -> bool:
        if self.each and held >= self.each:
            return False
        return not self.most or is_fair(held, self.total, self.most)


def is_fair(held: int, taken: int, most: int) -> bool:
    """Whether the holder of `held` of the `taken` may take one more of `most`: up to three times what is free."""
    return taken < most and held < 3 * (most - taken)


def counted_as(host: str) -> str:
    """What counts as one address: an IPv4 address, and the /64 of an IPv6 address, all of which one customer usually
    holds. A text that is not an address counts as itself.
    """
    address = _address(host)
    if address is None or address.version == 4:
        return str(address or host)
    from ipaddress import ip_network

    return str(ip_network((address, 64), strict=False))


def is_exempt(host: str, trusted_nets: Iterable[IPv4Network | IPv6Network]) -> bool:
    """Whether limits per address do not apply to this one."""
    address = _address(host)
    return address is not None and (address.is_loopback or any(address in net for net in trusted_nets))


def networks(texts: Iterable[Network]) -> list[IPv4Network | IPv6Network]:
    """Raises ValueError for one that cannot be read."""
    from ipaddress import ip_network

    return [ip_network(str(text)) for text in texts]


def host_of(peer: str) -> str:
    """`192.0.2.1` of `192.0.2.1:5123`, `2001:db8::1` of `[2001:db8::1]:5123`."""
    return peer.rpartition(":")[0].strip("[]")


def _address(host: str) -> IPv4Address | IPv6Address | None:
    from ipaddress import ip_address

    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return address if address.version == 4 else address.ipv4_mapped or address
