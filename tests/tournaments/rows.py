"""Results as rows, for tests of what follows from them."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.utils import timezone

from arena.match.endings import Termination
from arena.models import Match, Pairing, Ruling

WINNERS = {"1-0": 0, "0-1": 1, "1/2-1/2": None}


def result(pairing: Pairing, text: str, termination: str = Termination.NORMAL, **values: Any) -> Match:
    """A match of this pairing that ended so; `*` runs still."""
    now = timezone.now()
    ended = {} if text == "*" else {"ended": now, "winner": WINNERS.get(text), "termination": termination}
    fields = {"variant": pairing.tournament.variant, "opened": now, "started": now, **ended, **values}
    return Match.objects.create(id=f"m{Match.objects.count():09}", pairing=pairing, **fields)


def results(*texts: str) -> None:
    """The results of the first open pairings, in the order of the schedule."""
    waiting = Pairing.objects.filter(state="open", matches=None).order_by("round", "number", "leg")
    assert len(waiting) >= len(texts)
    for pairing, text in zip(waiting, texts, strict=False):
        result(pairing, text)


def rule(match: Match, verdict: str, winner: int | None = None, reason: str = "seen by staff") -> Ruling:
    n = match.rulings.count() + 1
    return Ruling.objects.create(
        match=match, n=n, verdict=verdict, winner=winner, reason=reason, actor="mira", at=timezone.now()
    )


def one_waits_for_another() -> bool:
    """Whether a transaction of PostgreSQL waits for what another holds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted)")
        return bool(cursor.fetchone()[0])
