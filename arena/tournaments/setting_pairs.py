"""An organiser keeps two entries apart, or sets pairings of the next round, and takes that back: an act each."""

from __future__ import annotations

from typing import NamedTuple

from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Entry, Tournament
from arena.tournaments import by_hand
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import swiss_rounds
from arena.tournaments.transactions import locked, update

MOST_APART = 500


class PairAct(NamedTuple):
    """`key` is what it changes in the settings, `adds` whether it adds to it; `noted` is its name in the audit."""

    key: str
    adds: bool
    noted: str


ACTS = {
    "apart": PairAct(by_hand.APART, True, "keep apart"),
    "together": PairAct(by_hand.APART, False, "let meet"),
    "pair": PairAct(by_hand.NEXT, True, "set pairing"),
    "unpair": PairAct(by_hand.NEXT, False, "take back pairing"),
}


def change(
    tournament: Tournament,
    name: str,
    first: Entry,
    second: Entry,
    reason: str,
    actor: str = "",
    round: int | None = None,
) -> None:
    """Do one of `ACTS` with these two, of whom the first moves first; `round` is the next one for whoever asks, if it
    matters to them. Raises Refusal.
    """
    act = ACTS[name]
    if not reason.strip():
        raise Refusal("reason_required", "A decision needs a reason: everyone will read it.")
    pair = f"{first.name} – {second.name}"
    with locked(tournament, actor, act.noted, pair=pair, reason=reason) as sheet:
        _must_be_open(sheet, round)
        a, b = (_named(sheet, each, gone=not act.adds) for each in (first, second))
        kept = [list(each) for each in sheet.tournament.settings.get(act.key, ())]
        same = [each for each in kept if set(each) == {a.name, b.name}]
        if act.adds:
            if why := _why_not(sheet, act, a, b, bool(same)):
                raise Refusal("no_such_pair", why)
            if act.key == by_hand.NEXT:  # whoever was removed before the start may come again, and find two opponents
                kept = [each for each in kept if set(each) <= {*sheet.names.values()}]
            kept.append([a.name, b.name])
        elif not same:
            raise Refusal("no_such_pair", said("Nothing is set for {a} and {b}.", a=a.name, b=b.name))
        else:
            kept = [each for each in kept if each not in same]
        update(sheet, settings={**sheet.tournament.settings, act.key: kept})


def why_none(sheet: Sheet) -> str:
    """Why nothing can be set here, "" if it can."""
    tournament = sheet.tournament
    if tournament.format in ("round-robin", "gauntlet"):
        return said("Who meets whom is settled here from the start: there are no pairings to set.")
    if tournament.format == "knockout":
        return said("The bracket of a knockout says who meets: there are no pairings to set.")
    if tournament.state == Tournament.State.FINISHED or sheet.round >= next_round_most(sheet):
        return said("The last round of {event} is paired: there are no pairings to set.", event=tournament.name)
    return ""


def next_round_most(sheet: Sheet) -> int:
    """The number of rounds; more may enter before the first."""
    return swiss_rounds(len(sheet.entries), sheet.rounds) if sheet.lines else 1


def _must_be_open(sheet: Sheet, round: int | None) -> None:
    if why := why_none(sheet):
        raise Refusal("no_pairings", why)
    if round not in (None, sheet.round + 1):
        why = said("The next round is {n}, not {wanted}. Nothing was done.", n=sheet.round + 1, wanted=round)
        raise Refusal("other_round", why)


def _named(sheet: Sheet, entry: Entry, *, gone: bool) -> Entry:
    """The entry as it stands; one that is `gone` only where that does not matter."""
    if entry.pk not in sheet.entries or (entry.pk in sheet.gone and not gone):
        raise Refusal("not_there", said("{name} no longer takes part.", name=entry.name))
    return sheet.entries[entry.pk]


def _why_not(sheet: Sheet, act: PairAct, a: Entry, b: Entry, there: bool) -> str:
    if a.pk == b.pk:
        return said("Choose two different players.")
    if there:
        return said("That is set already for {a} and {b}.", a=a.name, b=b.name)
    if act.key == by_hand.APART:
        if {a.pk, b.pk} in [set(pair) for pair in by_hand.next_pairs(sheet)]:
            return said("{a} and {b} are to meet in the next round: take that back first.", a=a.name, b=b.name)
        full = len(by_hand.apart(sheet)) >= MOST_APART
        return said("{n} pairs are kept apart, the maximum.", n=MOST_APART) if full else ""
    if {a.pk, b.pk} in [set(pair) for pair in by_hand.apart(sheet)]:
        return said("{a} and {b} are kept apart: take that back first.", a=a.name, b=b.name)
    if busy := next((each for pair in by_hand.next_pairs(sheet) for each in pair if each in (a.pk, b.pk)), None):
        return said("{name} has a pairing in the next round already: take that back first.", name=sheet.names[busy])
    if any({line.a, line.b} == {a.pk, b.pk} for line in sheet.lines):
        return said("{a} and {b} have met already.", a=a.name, b=b.name)
    return ""
