"""Events in the rows of a server, half played; nobody plays on."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from arena.models import Bot, Match, Pairing, Player, Ruling, Tournament
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec, TournamentSpec

# More than are shown in one crosstable on the page of the event.
LARGE = 33


def begun(name: str, organiser: str = "", pace_ms: int = 0) -> Tournament:
    """Four built-in players, who have not played yet, and will wait so long after each move."""
    players = ("gravity-9", "otter-net", "delta3", "W" * 40)
    entries = tuple(EntrySpec(player, "builtin", "beginner") for player in players)
    spec = TournamentSpec(name, "connect-four-7x6", "round-robin", entries, legs=1, seed=7, pace_ms=pace_ms)
    cup = actions.create(spec, User.objects.filter(username=organiser).first())
    with transaction.atomic():  # the server does not see it run
        actions.start(cup)
        actions.pause(cup)
    return cup


def bots(many: int, owner: str) -> None:
    """So many bots of this account, where there are none; nobody has seen them."""
    user = User.objects.get(username=owner)
    for name in (f"bot-{n:03}" for n in range(many)):
        player, made = Player.objects.get_or_create(kind="bot", name=name, slug=name)
        if made:
            kept = {"variant": "connect-four-7x6", "protocol": "fiar", "family": name}
            Bot.objects.create(player=player, owner=user, **kept)


def played(name: str) -> None:
    """One that the server plays from now on, slowly, so that four matches stand a while as they are."""
    entries = tuple(EntrySpec(f"player {n}", "builtin", "random") for n in range(1, 9))
    spec = TournamentSpec(name, "connect-four-7x6", "round-robin", entries, legs=1, pace_ms=60_000, concurrency=4)
    actions.start(actions.create(spec))


def called(name: str) -> None:
    """One that the server begins now: of its eight bots, which nobody has started, it calls six at a time."""
    User.objects.get_or_create(username="owner")
    bots(8, "owner")
    players = Player.objects.filter(name__startswith="bot-").order_by("name")[:8]
    entries = tuple(EntrySpec(each.name, "bot", "", "fiar", player=each.pk) for each in players)
    spec = TournamentSpec(name, "connect-four-7x6", "round-robin", entries, legs=1, clock="30s", concurrency=8)
    actions.start(actions.create(spec))


def duel(name: str) -> None:
    """One that the server plays from now on: a single match, in whose game none is drawn."""
    entries = tuple(EntrySpec(f"player {n}", "builtin", "random") for n in (1, 2))
    actions.start(actions.create(TournamentSpec(name, "expanding-nim", "round-robin", entries, legs=1)))


def half(name: str) -> None:
    """The same when three of their six pairings have been played, the last decided again. The first letter of `name`
    begins the ids of its matches.
    """
    cup = begun(name)
    pairings = Pairing.objects.filter(tournament=cup).order_by("round", "number")
    for n, (pairing, winner) in enumerate(zip(pairings, (0, 1, None), strict=False)):
        match = _ended(f"{name[0]}{n}", pairing, cup, winner, "timeout" if winner == 1 else "normal")
    _ruled(match, "win", 1, "seen by staff")


def agree(name: str) -> None:
    """Staff declare the first match of the `half` of this name a draw."""
    _ruled(Match.objects.get(id=f"{name[0]}0"), "draw", None, "by agreement")


def others() -> None:
    """A Swiss event and a knockout with a round played and the next one paired, and a large round robin; once."""
    for form, many in (("swiss", 7), ("knockout", 7), ("round-robin", LARGE)):
        if Tournament.objects.filter(slug=f"cup-{form}").exists():
            continue
        entries = tuple(EntrySpec(f"player {n}", "builtin", "beginner") for n in range(1, many + 1))
        cup = actions.create(TournamentSpec(f"Cup {form}", "connect-four-7x6", form, entries, legs=1, seed=7))
        with transaction.atomic():  # the server does not see it run
            actions.start(cup)
            for n, pairing in enumerate(Pairing.objects.filter(tournament=cup, round=1).exclude(b=None)):
                _ended(f"{form[:2]}{n:08}", pairing, cup, n % 2, "normal")
            actions.go_on(cup)
            actions.pause(cup)


def _ended(name: str, pairing: Pairing, cup: Tournament, winner: int | None, how: str) -> Match:
    now = timezone.now()
    when = {"opened": now, "started": now, "ended": now}
    return Match.objects.create(id=name, pairing=pairing, variant=cup.variant, winner=winner, termination=how, **when)


def _ruled(match: Match, verdict: str, winner: int | None, reason: str) -> None:
    n = match.rulings.count() + 1
    Ruling.objects.create(
        match=match, n=n, verdict=verdict, winner=winner, reason=reason, actor="root", at=timezone.now()
    )
