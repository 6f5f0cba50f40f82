"""A round of a Swiss event as paired by the library py4swiss, in the words of chess. Only swiss.py loads this module,
when a round is paired: with py4swiss's library for types, it would cost every command 0.2 s.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from py4swiss.engines.common import PairingError
from py4swiss.engines.dutch import Engine
from py4swiss.trf import ParsedTrf
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
from py4swiss.trf.sections import PlayerSection, XSection

from arena.tournaments.schedule import Encounter, Histories, Round


def encounters(
    histories: Histories, rounds: int, present: Sequence[int], apart: Collection[tuple[int, int]], colours: bool
) -> list[Encounter] | None:
    """The next round, with `colours` binding or not; None if there is none."""
    try:
        pairings = Engine.generate_pairings(_trf(histories, rounds, present, apart, colours))
    except PairingError:
        return None
    entries = list(histories)
    return [
        Encounter(entries[pairing.white - 1], entries[pairing.black - 1] if pairing.black else None)
        for pairing in pairings
    ]


def _trf(
    histories: Histories, rounds: int, present: Sequence[int], apart: Collection[tuple[int, int]], colours: bool
) -> ParsedTrf:
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
    met |= {(numbers[a], numbers[b]) for a, b in apart}
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
