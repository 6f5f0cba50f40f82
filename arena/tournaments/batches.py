"""The matches of `manage.py match --engine procrastinate` as work: a row for each round, whose answer waits in the row
until the command reads it.

The name of a batch follows from what is to be played. So a command that was killed finds its rows again when it is
started with the same words, and nothing is played twice.
"""

from __future__ import annotations

import hashlib
import json
import time
from itertools import islice
from typing import NamedTuple

from django.db.models import QuerySet

from arena.core.log_store import Append
from arena.models import Work
from arena.play.driver import Log
from arena.play.spec import Spec
from arena.work import rows
from arena.work.kinds import PLAY

# Events come first: people wait for them.
PRIORITY = 0
GIVEN_UP = (Work.State.FAILED, Work.State.CANCELLED)
# Rows are played in about their order, so a look at the first open ones finds what has come.
MOST_AT_ONCE = 1000


class BatchGone(LookupError):
    """Rows of it are gone: another command has ended it, or somebody has removed them."""


class RoundOver(NamedTuple):
    """A round is over: its log, or None and why nobody could play it."""

    round: int
    log: Log | None
    why: str = ""


class Batch:
    """All rounds of a spec, wanted by `name`; with `save` the host stores the matches as well. For a thread."""

    def __init__(self, spec: Spec, save: bool) -> None:
        self._spec, self._save = spec, save
        said = json.dumps([spec.to_data(), save], sort_keys=True)
        self.name = f"match:{hashlib.sha256(said.encode()).hexdigest()[:16]}"
        self._open = {f"{self.name}:{round}": round for round in range(1, spec.rounds + 1)}

    def submit(self, needs: str = "") -> int:
        """Have everything played that has not been, by machines of this class, and try again what nobody could play.
        Returns how many rounds an earlier command has left played.
        """
        self._rows().filter(state__in=GIVEN_UP).delete()
        played = self._rows().filter(state=Work.State.DONE).count()
        spec, since = self._spec, time.time()
        works = (
            (key, {"event": self.name, "since": since, "save": self._save, "spec": spec.alone(round).to_data()})
            for key, round in self._open.items()
        )
        rows.submit(PLAY, works, PRIORITY, needs)
        return played

    def look(self) -> list[RoundOver]:
        """The rounds that are over since the last look. Raises BatchGone."""
        asked = list(islice(self._open, MOST_AT_ONCE))
        states = dict(Work.objects.filter(key__in=asked).values_list("key", "state"))
        if len(states) < len(asked):
            raise BatchGone(self.name)
        over = Work.objects.filter(key__in=[key for key, state in states.items() if state not in rows.OPEN])
        return [self._over(*each) for each in over.order_by("pk").values_list("key", "state", "kept", "why")]

    def _over(self, key: str, state: str, kept: str, why: str) -> RoundOver:
        round = self._open.pop(key)
        if state != Work.State.DONE:
            return RoundOver(round, None, why)
        return RoundOver(round, Log.from_data(json.loads(kept)))

    def withdraw(self) -> None:
        """Nobody wants the rest for now: what waits is not begun, and runs end with their next heartbeat."""
        rows.withdraw([*self._open])

    def forget(self) -> None:
        """All of it has been read."""
        self._rows().delete()

    def _rows(self) -> QuerySet[Work]:
        """All of them, without what they hold: who deletes thousands would read it first."""
        return Work.objects.filter(key__startswith=f"{self.name}:").only("pk")


def in_row(played: Log, append: Append) -> str:
    """The answer as it waits in its row: the log with the place where it was played, without what the host adds."""
    log = played._replace(match=append.match, events=tuple(append.events[: len(played.events)]), wires=None)
    return json.dumps(log.to_data())
