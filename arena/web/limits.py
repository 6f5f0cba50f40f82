"""Limits per address on requests to pages: a burst, then a rate per second."""

from __future__ import annotations

import math

from django.conf import settings
from django.http import HttpRequest

from arena.common.limits import Buckets, Rate
from arena.match.commands import Refusal
from arena.match.said import said
from arena.rooms.room_quota import try_again


def address_of(request: HttpRequest) -> str:
    """The client's address, as our own proxies vouch for it."""
    return request.META.get("REMOTE_ADDR") or ""


class TooMany(Refusal):
    """This address has done it too often. `retry_s` says when it may try again."""

    def __init__(self, what: str, rate: Rate, retry_s: int) -> None:
        words = said(
            "Too many {what} from here: {n} at once, then {rate}.",
            what=said(what),
            n=f"{rate.at_once:g}",
            rate=_each(rate.per_second),
        )
        super().__init__("too_many", try_again(words, retry_s))
        self.retry_s = retry_s


class Limit:
    """A limit on something from one address; loopback and ARENA_TRUSTED_NETS (a classroom) are exempt."""

    def __init__(self, what: str, at_once: float, per_second: float) -> None:
        self._what = what
        self._buckets = Buckets(Rate(at_once, per_second), settings.ARENA_TRUSTED_NETS)

    def check(self, request: HttpRequest) -> None:
        """Count one more. Raises TooMany."""
        if wait_s := self._buckets.take(address_of(request)):
            raise TooMany(self._what, self._buckets.rate, math.ceil(wait_s))


def _each(per_second: float) -> str:
    if per_second >= 1:
        return said("{n} a second", n=f"{per_second:g}")
    return said("one every {n} s", n=f"{1 / per_second:.3g}")
