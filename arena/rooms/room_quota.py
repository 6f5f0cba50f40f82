"""How many rooms one address may open and hold: some at once, then one now and then, and never the last quarter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from arena.common.limits import Buckets, Network, Rate, counted_as, is_exempt, is_fair, networks
from arena.match.commands import Refusal
from arena.match.said import said

NEW_ROOMS = Rate(60, 1 / 5)
# Matches against built-in players, of which a class of thirty may begin one each in half a minute, again and again.
NEW_MATCHES = Rate(60, 1)


def try_again(why: str, retry_s: int) -> str:
    """The end of each refusal to an address: it may be that of a whole class."""
    return said(
        "{why} Try again in {n} s. All who share one address count together, unless whoever runs this server puts it "
        "into ARENA_TRUSTED_NETS.",
        why=why,
        n=retry_s,
    )


class TooManyRooms(Refusal):
    """This address has opened or holds too many. `retry_s` says when it may try again."""

    def __init__(self, sentence: str, retry_s: int) -> None:
        super().__init__("too_many", try_again(sentence, retry_s))
        self.retry_s = retry_s


class RoomQuota:
    """How many rooms, and matches without one, each address may open; "" is the server itself, for its events."""

    # Somebody may have left a room by then.
    HELD_RETRY_S = 60

    def __init__(
        self, rooms: Rate = NEW_ROOMS, trusted_nets: Iterable[Network] = (), matches: Rate = NEW_MATCHES
    ) -> None:
        # Why no room can be opened at all, "" if rooms can be opened.
        self.closed = ""
        self._trusted = networks(trusted_nets)
        self._rooms, self._matches = Buckets(rooms, self._trusted), Buckets(matches, self._trusted)

    def check(self, address: str, holders: Sequence[str], most: int, *, has_code: bool = True) -> None:
        """Raise TooManyRooms if this address may not open one more room now, which without a code is that of a single
        match, and Refusal while nobody may. `holders` are the addresses of all such rooms in use, of at most `most`.
        """
        if self.closed:
            raise Refusal("closing", self.closed)
        if not self._is_free(address):
            self._check_address(address, holders, most, has_code)
        if has_code and len(holders) >= most:
            words = said("There are {most} open rooms, the most this server allows. Try again later.", most=most)
            raise Refusal("no_room", words)

    def _check_address(self, address: str, holders: Sequence[str], most: int, has_code: bool) -> None:
        held = holders.count(counted_as(address))
        if not is_fair(held, len(holders), most) and held:
            words = said(
                "Your address holds {held} of the {most} rooms of this server; the rest is kept for others.",
                held=held,
                most=most,
            )
            raise TooManyRooms(words, self.HELD_RETRY_S)
        new = self._new(has_code)
        if wait_s := new.wait_s(address):
            raise TooManyRooms(_too_often(new.rate, has_code), math.ceil(wait_s))

    def count(self, address: str, *, has_code: bool = True) -> str:
        """Count a room that this address opens after `check`. Returns the address that it counts for, "" for none."""
        if self._is_free(address):
            return ""
        self._new(has_code).take(address)
        return counted_as(address)

    def _is_free(self, address: str) -> bool:
        return not address or is_exempt(address, self._trusted)

    def _new(self, has_code: bool) -> Buckets:
        return self._rooms if has_code else self._matches


def _too_often(rate: Rate, has_code: bool) -> str:
    most, n = f"{rate.at_once:g}", f"{1 / rate.per_second if rate.per_second else math.inf:.3g}"
    if has_code:
        return said("Your address has opened {most} rooms at once; after that it is one every {n} s.", most=most, n=n)
    return said("Your address has begun {most} matches at once; after that it is one every {n} s.", most=most, n=n)
