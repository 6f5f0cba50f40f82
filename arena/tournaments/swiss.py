"""The Swiss system: FIDE's Dutch pairings by the library py4swiss, from the history of an event.

The library knows chess: colours are its first movers. Where an encounter has an even number of legs nobody has moved
first more often, so colours are dealt alike to all and bind no one; so they are as well where they would leave no
pairing. What nothing can help is a round in which everyone has met everyone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from py4swiss.engines.common import PairingError
from py4swiss.engines.dutch import Engine
from py4swiss.trf import ParsedTrf
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
from py4swiss.trf.sections import PlayerSection, XSection

from arena.tournaments.schedule import Encounter


class NoPairing(Exception):
    """A further round would need a rematch, or a second bye for somebody."""


class Round(NamedTuple):
    """What an entry did in a round: against whom, None for a bye or a round without it; points of at most 1.

    `first`: whether it moved first; `played` is False for byes, forfeits and rounds without it.
    """

    opponent: int | None
    points: float
    first: bool = False
    played: bool = True


Histories = Mapping[int, Sequence[Round]]


def pair(histories: Histories, rounds: int, present: Sequence[int], *, seats_matter: bool) -> list[Encounter]:
    """The next round for those who are `present`; all histories are equally long, in the order of the seeds.

    `rounds` is how many rounds the event has. Raises NoPairing.
    """
    attempts = [True, False] if seats_matter else [False]
    for colours in attempts:
        try:
            pairings = Engine.generate_pairings(_trf(histories, rounds, present, colours))
        except PairingError:
            continue
        entries = list(histories)
        return [
            Encounter(entries[pairing.white - 1], entries[pairing.black - 1] if pairing.black else None)
            for pairing in pairings
        ]
    raise NoPairing("No further round can be paired: everyone has met everyone that is left.")


def _trf(histories: Histories, rounds: int, present: Sequence[int], colours: bool) -> ParsedTrf:
    numbers = {entry: number for number, entry in enumerate(histories, 1)}
    sections = [
        PlayerSection(
            code=PlayerCode.PLAYER,
            starting_number=numbers[entry],
            points_times_ten=round(10 * sum(each.points for each in history)),
            rank=numbers[entry],
            results=[_result(each, n, numbers, colours) for n, each in enumerate(history)],
        )
        for entry, history in histories.items()
    ]
    absent = {numbers[entry] for entry in histories} - {numbers[entry] for entry in present}
    met = {
        (numbers[entry], numbers[each.opponent])
        for entry, history in histories.items()
        for each in history
        if each.opponent is not None
    }
    more = XSection(number_of_rounds=rounds, zeroed_ids=absent, forbidden_pairs=met)
    return ParsedTrf(player_sections=sections, x_section=more)


def _result(each: Round, n: int, numbers: Mapping[int, int], colours: bool) -> RoundResult:
    if each.opponent is None:
        token = ResultToken.PAIRING_ALLOCATED_BYE if each.points else ResultToken.ZERO_POINT_BYE
        return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=token)
    first = each.first if colours else n % 2 == 0
    colour = ColorToken.WHITE if first else ColorToken.BLACK
    return RoundResult(id=numbers[each.opponent], color=colour, result=_token(each))


def _token(each: Round) -> ResultToken:
    if not each.played:
        return ResultToken.FORFEIT_WIN if each.points else ResultToken.FORFEIT_LOSS
    if each.points == 0.5:
        return ResultToken.DRAW
    return ResultToken.WIN if each.points > 0.5 else ResultToken.LOSS
