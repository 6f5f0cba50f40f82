"""A tournament read at once, in a handful of queries: who takes part, all pairings with their matches, the table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from arena.match.endings import FAULTS, Termination, score_that_counts
from arena.models import Entry, Match, Pairing, Ruling, Tournament
from arena.tournaments.spec import expected_matches
from arena.tournaments.standings import Cell, Standing, crosstable, failures, standings
from arena.tournaments.tiebreaks import Result

FAILURES = FAULTS | {Termination.TIMEOUT}
NO_SHOW = "no_show"
# What is over, for the schedule, and what still has to be played.
DONE = frozenset({"played", "void", "bye", "forfeited", "dropped"})
TO_PLAY = frozenset({"waiting", "running", "handed"})


class Played(NamedTuple):
    """One match of a pairing; `verdict` … `actor` are the last ruling, "" and None where there is none."""

    id: str
    started: datetime | None
    ended: datetime | None
    winner: int | None
    termination: str | None
    reason: str
    verdict: str = ""
    ruled_winner: int | None = None
    ruled_reason: str = ""
    actor: str = ""

    @property
    def score(self) -> float | None:
        """What counts for the side that moved first; None while it runs and where nothing counts."""
        if self.termination is None:
            return None
        ruling = {"verdict": self.verdict, "winner": self.ruled_winner} if self.verdict else None
        return score_that_counts(self.winner, self.termination, ruling)


@dataclass(frozen=True)
class Line:
    """One pairing: `a` moves first against `b`, both numbers of entries. `matches` oldest first."""

    pk: int
    round: int
    number: int
    leg: int
    attempt: int
    a: int
    b: int | None
    opening: str
    state: str
    faults: int
    calls: int
    forfeited_by: str
    reason: str
    matches: tuple[Played, ...]

    @cached_property
    def status(self) -> str:
        """waiting, running, played, void, bye, forfeited, handed, dropped or replaced."""
        if self.state not in ("open", "handed"):
            return self.state
        last = self.matches[-1] if self.matches else None
        if last is not None and last.ended is None:
            return "running"
        if last is not None and last.score is not None:
            return "played"
        if last is not None and last.verdict == "void":
            return "void"
        return "handed" if self.state == "handed" else "waiting"

    @property
    def match(self) -> Played | None:
        """The match that runs or counts, else the last one."""
        return self.matches[-1] if self.matches else None

    def result(self, legs: int) -> Result | None:
        """What counts of it; None where nothing does yet. A bye is worth a whole encounter."""
        if self.status == "bye":
            return Result(self.round, self.a, None, float(legs), 0.0, played=False, legs=legs)
        if self.status == "forfeited":
            return self._forfeit()
        if self.status != "played" or self.match is None or self.match.score is None:
            return None
        score, failed = self.match.score, self._failed(self.match)
        return Result(self.round, self.a, self.b, score, 1 - score, True, failed, self.match.termination or "")

    def _forfeit(self) -> Result:
        missing = {"a": (self.a,), "b": (self.b or 0,), "both": (self.a, self.b or 0)}[self.forfeited_by]
        scores = {"a": (0.0, 1.0), "b": (1.0, 0.0), "both": (0.0, 0.0)}[self.forfeited_by]
        return Result(self.round, self.a, self.b, *scores, played=False, failed=missing, cause=NO_SHOW)

    def _failed(self, match: Played) -> tuple[int, ...]:
        """The loser, where it lost by a failure and nobody has decided otherwise."""
        if match.verdict or match.winner is None or match.termination not in FAILURES:
            return ()
        loser = self.b if match.winner == 0 else self.a
        return () if loser is None else (loser,)


class Progress(NamedTuple):
    """Matches that are over and those there will be, as far as is known."""

    played: int
    total: int
    running: int
    handed: int


class Sheet:
    """Everything that a page, a command or the director needs to know of one tournament."""

    def __init__(self, tournament: Tournament, entries: list[Entry], lines: list[Line]) -> None:
        self.tournament = tournament
        self.entries = {entry.pk: entry for entry in entries}
        self.lines = [line for line in lines if line.state != "replaced"]
        self.replaced = [line for line in lines if line.state == "replaced"]
        said: dict[str, Any] = tournament.settings
        self.legs: int = said.get("legs", 1)
        self.rounds: int = said.get("rounds", 0)
        self.tie_breaks: list[str] = said.get("tie_breaks", [])

    def by(self, tie_break: str) -> Sheet:
        """The same with this tie-break first, as a viewer may wish to see it; "" leaves it as it is."""
        if tie_break == "":
            return self
        other = Sheet(self.tournament, list(self.entries.values()), [*self.lines, *self.replaced])
        other.tie_breaks = [tie_break, *(slug for slug in self.tie_breaks if slug != tie_break)]
        return other

    @property
    def names(self) -> dict[int, str]:
        return {pk: entry.name for pk, entry in self.entries.items()}

    @property
    def round(self) -> int:
        """The last round that is paired, 0 before the first."""
        return max((line.round for line in self.lines), default=0)

    @cached_property
    def annulled(self) -> frozenset[int]:
        """Entries that withdrew before half of their matches of an all-play-all event: they count for nobody."""
        if self.tournament.format not in ("round-robin", "gauntlet"):
            return frozenset()
        return frozenset(
            pk for pk, entry in self.entries.items() if entry.withdrawn and self._played_less_than_half(pk)
        )

    def _played_less_than_half(self, entry: int) -> bool:
        mine = [line for line in self.lines if entry in (line.a, line.b)]
        return 2 * sum(line.status == "played" for line in mine) < len(mine)

    @cached_property
    def results(self) -> list[Result]:
        """Everything that counts."""
        found = (line.result(self.legs) for line in self.lines)
        return [each for each in found if each is not None and not self.annulled & {each.a, each.b}]

    @cached_property
    def standings(self) -> list[Standing]:
        """The table, the best first; annulled entries are not in it."""
        playing = [pk for pk in self.entries if pk not in self.annulled]
        swiss = self.tournament.format == "swiss"
        return standings(playing, self.results, self.tie_breaks, swiss=swiss)

    @cached_property
    def crosstable(self) -> dict[tuple[int, int], Cell]:
        """By (entry, opponent), for those who have met; running pairings are not in it."""
        return crosstable(self.results)

    @property
    def failures(self) -> Mapping[int, Counter[str]]:
        """By entry, how often it failed by which cause."""
        return failures(list(self.entries), self.results)

    @property
    def progress(self) -> Progress:
        status = Counter(line.status for line in self.lines)
        known = sum(line.status != "bye" for line in self.lines)
        planned = expected_matches(self.tournament.format, max(2, len(self.entries)), self.legs, self.rounds)
        over = sum(status[name] for name in DONE - {"bye"})
        finished = self.tournament.state == Tournament.State.FINISHED
        whole = self.tournament.format in ("round-robin", "gauntlet") and self.lines
        total = known if finished or whole else max(known, planned)
        return Progress(over, total, status["running"], status["handed"])


def read(slug: str) -> Sheet | None:
    """The tournament with this slug as it stands; None where there is none."""
    tournament = Tournament.objects.select_related("organiser").filter(slug=slug).first()
    return None if tournament is None else sheet_of(tournament)


def sheet_of(tournament: Tournament) -> Sheet:
    """The tournament as it stands. Plain values and no model instances: a large event has thousands of pairings."""
    entries = list(Entry.objects.filter(tournament=tournament).select_related("player__bot").order_by("seed"))
    matches = _matches(tournament)
    rows = Pairing.objects.filter(tournament=tournament).order_by("round", "number", "leg", "attempt")
    lines = [_line(row, matches[row[0]]) for row in rows.values_list(*_COLUMNS)]
    return Sheet(tournament, entries, lines)


_COLUMNS = (
    *("pk", "round", "number", "leg", "attempt", "a", "b"),
    *("opening", "state", "faults", "calls", "forfeited_by", "reason"),
)


def _line(row: tuple[Any, ...], matches: list[Played]) -> Line:
    said: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    return Line(**said, matches=tuple(matches))


def _matches(tournament: Tournament) -> dict[int, list[Played]]:
    """By pairing, oldest first: ids grow with time."""
    rulings: dict[str, tuple[Any, ...]] = {}
    ruled = Ruling.objects.filter(match__pairing__tournament=tournament).order_by("n")
    for match, *said in ruled.values_list("match", "verdict", "winner", "reason", "actor"):
        rulings[match] = tuple(said)
    found: dict[int, list[Played]] = defaultdict(list)
    rows = Match.objects.filter(pairing__tournament=tournament).order_by("id")
    for pairing, pk, *said in rows.values_list("pairing", "id", *_ENDING):
        found[pairing].append(Played(pk, *said, *rulings.get(pk, ())))
    return found


_ENDING = ("started", "ended", "winner", "termination", "reason")
