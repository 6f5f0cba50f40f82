"""The Swiss system: FIDE's Dutch pairings by the library py4swiss, from the history of an event.

The library knows chess: colours are its first movers. Where an encounter has an even number of legs nobody has moved
first more often, so colours are dealt alike to all and bind no one; so they are as well where they would leave no
pairing. What nothing can help is a round in which everyone has met everyone.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.tournaments.schedule import Encounter, Histories


class NoPairing(Exception):
    """A further round would need a rematch, or a second bye for somebody."""


def pair(histories: Histories, rounds: int, present: Sequence[int], *, seats_matter: bool) -> list[Encounter]:
    """The next round for those who are `present`; all histories are equally long, in the order of the seeds.

    `rounds` is how many rounds the event has. Raises NoPairing.
    """
    from arena.tournaments import dutch  # not before somebody is paired: it takes its time

    for colours in [True, False] if seats_matter else [False]:
        if (found := dutch.encounters(histories, rounds, present, colours)) is not None:
            return found
    raise NoPairing("No further round can be paired: everyone has met everyone that is left.")
