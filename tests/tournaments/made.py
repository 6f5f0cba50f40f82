"""Whole events with everything that can happen in one, as rows: results, byes, failures, forfeits, rulings, re-runs."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from arena.match.commands import Refusal
from arena.models import Entry, Match, Pairing, Tournament
from arena.tournaments import actions, leaving
from tests.kit.tournaments import a_spec, begun, sheet
from tests.tournaments.rows import result, rule

KINDS = ("round-robin", "gauntlet", "swiss", "knockout")
MOST_STEPS = 400


def an_event(dice: Random, kind: str) -> str:
    """The slug of one that was played to its end, or stopped in the middle."""
    breaks = ["direct", "wins", "sonneborn-berger", "buchholz", "buchholz-cut-1", "failures"]
    dice.shuffle(breaks)
    more = {"third_place": dice.random() < 0.7} if kind == "knockout" else {"tie_breaks": tuple(breaks)}
    count, legs = dice.randrange(4, 10), dice.choice((1, 2))
    tournament = begun(a_spec(count, name=f"{kind} {dice.random():.6f}", format=kind, legs=legs, **more))
    _play(tournament, dice, dice.randrange(8, MOST_STEPS) if dice.random() < 0.3 else MOST_STEPS)
    _decide(tournament, dice)
    return str(tournament.slug)


def _play(tournament: Tournament, dice: Random, steps: int) -> None:
    for _ in range(steps):
        found = sheet(tournament.slug)
        waiting = [line.pk for line in found.lines if line.status in ("waiting", "handed")]
        if not waiting and actions.go_on(tournament).tournament.state == "finished":
            return
        if waiting:
            pairing = Pairing.objects.select_related("tournament", "a", "b").get(pk=dice.choice(waiting))
            dice.choices(_WHAT, (90, 3, 2, 2, 3))[0](tournament, pairing, dice)


def _result(tournament: Tournament, pairing: Pairing, dice: Random) -> None:
    if pairing.state == Pairing.State.HANDED:
        _award(tournament, pairing, dice)
    elif dice.random() < 0.1:
        result(pairing, "none", "server_abort")
    else:
        text = dice.choice(("1-0", "0-1", "1-0", "0-1", "1/2-1/2"))
        result(pairing, text, "normal" if text == "1/2-1/2" else dice.choice(("normal", "normal", "timeout", "crash")))


def _award(tournament: Tournament, pairing: Pairing, dice: Random) -> None:
    kinds = ("a", "b", "draw", "both") if tournament.format == "knockout" else ("a", "b", "draw", "both", "drop")
    actions.award(pairing, dice.choice(kinds), "as the dice say", "mira")


def _withdraw(tournament: Tournament, pairing: Pairing, dice: Random) -> None:
    there = Entry.objects.filter(tournament=tournament, withdrawn=None)
    if there.count() > 2:
        leaving.withdraw(tournament, dice.choice((pairing.a, pairing.b or pairing.a)), "mira")


def _miss(tournament: Tournament, pairing: Pairing, dice: Random) -> None:
    leaving.count_call(pairing.a_id)


def _fault(tournament: Tournament, pairing: Pairing, dice: Random) -> None:
    actions.count_fault(pairing.pk, hand_over=dice.random() < 0.5)


_WHAT: tuple[Callable[[Tournament, Pairing, Random], None], ...] = (_result, _award, _withdraw, _miss, _fault)


def _decide(tournament: Tournament, dice: Random) -> None:
    """What staff and the organiser do afterwards."""
    ended = list(Match.objects.filter(pairing__tournament=tournament, ended__isnull=False).order_by("pk"))
    for match in dice.sample(ended, min(2, len(ended))):
        verdict = dice.choice(("win", "draw", "void"))
        rule(match, verdict, dice.randrange(2) if verdict == "win" else None)
    pairings = list(Pairing.objects.filter(tournament=tournament).select_related("tournament", "a", "b"))
    for pairing in dice.sample(pairings, min(3, len(pairings))):
        try:
            actions.rerun(pairing, "as the dice say", "mira")
        except Refusal:
            continue
