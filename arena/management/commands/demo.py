"""`manage.py demo`: a few matches of the built-in players, really played, so that a new arena has something to show."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from arena.core.played import enter
from arena.models import Match
from arena.play.driver import play
from arena.play.spec import BuiltinSeat, Spec

# Levels that answer within a tenth of a second, so that the first start is quick.
PAIRINGS = (
    ("expanding-nim", "casual", "club"),
    ("santorini-6x6", "club", "casual"),
    ("connect-four-8x8", "club", "casual"),
    ("connect-four-7x6", "casual", "club"),
)
SEED = 2026


class Command(BaseCommand):
    help = "Play a few matches between built-in players, if there are none yet."

    def handle(self, *args: Any, **options: Any) -> None:
        if Match.objects.exists():
            self.stdout.write("Sample matches: none is added, as there are matches already.")
            return
        for variant, first, second in PAIRINGS:
            [log] = play(Spec(variant, (BuiltinSeat(first), BuiltinSeat(second)), seed=SEED))
            for why in filter(None, enter([(log.match, log.events)])):
                raise CommandError(f"a match could not be stored: {why}")
            self.stdout.write(f"Sample match of {variant}: {log.state.reason}")
