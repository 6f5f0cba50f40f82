"""How many rooms one address may open and hold: some at once, then one now and then, and never the last quarter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from arena.common.limits import Buckets, Network, Rate, counted_as, is_exempt, is_fair, networks
from arena.match.commands import Refusal
from arena.match.said import said

NEW_ROOMS = Rate(60, 1 / 5)


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
    """What each address may do, however it opens rooms. "" is the server itself, for its tournaments."""

    # Somebody may have left a room by then.
    HELD_RETRY_S = 60

    def __init__(self, rate: Rate = NEW_ROOMS, trusted_nets: Iterable[Network] = ()) -> None:
        # Why no room can be opened at all, "" if rooms can be opened.
        self.closed = ""
        self._rate = rate
        self._trusted = networks(trusted_nets)
        self._new = Buckets(rate, self._trusted)

    def check(self, address: str, holders: Sequence[str], most: int) -> str:
        """The address that one more room counts for, "" for none. `holders` are those of all rooms in use, of at most
        `most`. Raises TooManyRooms, and Refusal while no room can be opened.
        """
        if self.closed:
            raise Refusal("closing", self.closed)
        if not address or is_exempt(address, self._trusted):
            return ""
        key = counted_as(address)
        held = holders.count(key)
        if not is_fair(held, len(holders), most) and held:
            words = said(
                "Your address holds {held} of the {most} rooms of this server; the rest is kept for others.",
                held=held,
                most=most,
            )
            raise TooManyRooms(words, self.HELD_RETRY_S)
        if wait_s := self._new.take(address):
            at_once, every = self._rate.at_once, 1 / self._rate.per_second if self._rate.per_second else math.inf
            words = said(
                "Your address has opened {most} rooms at once; after that it is one every {n} s.",
                most=f"{at_once:g}",
                n=f"{every:.3g}",
            )
            raise TooManyRooms(words, math.ceil(wait_s))
        return key
