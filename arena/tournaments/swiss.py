"""The Swiss system: FIDE's Dutch pairings by the library py4swiss, from the history of an event.

The library knows chess: its colours say who moves first. If an encounter has an even number of legs, nobody has moved
first more often, so all have the same colours and these bind no one; nor do colours bind where they would leave no
pairing. Only a round in which everyone has met everyone is beyond help.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from arena.tournaments.schedule import Encounter, Histories


class NoPairing(Exception):
    """A further round would need a rematch, or a second bye for somebody."""


def pair(
    histories: Histories,
    rounds: int,
    present: Sequence[int],
    apart: Collection[tuple[int, int]] = (),
    *,
    seats_matter: bool,
) -> list[Encounter]:
    """The next round for those who are `present`; all histories are equally long, in the order of the seeds.

    `rounds` is the number of rounds of the event, `apart` are those that may not meet. Raises NoPairing.
    """
    from arena.tournaments import dutch  # only when a round is paired: it is slow to load

    for colours in [True, False] if seats_matter else [False]:
        if (found := dutch.encounters(histories, rounds, present, apart, colours)) is not None:
            return found
    raise NoPairing("No further round can be paired: everyone has met everyone that is left.")
