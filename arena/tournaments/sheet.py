"""A whole tournament, read in a handful of queries: its entries, all pairings with their matches, the table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import TextField
from django.db.models.functions import Cast

from arena.match.elo import Elo, elo
from arena.match.endings import FAILURES, counts, ruled_as, score_that_counts
from arena.models import Entry, Match, Pairing, Ruling, Tournament
from arena.tournaments import knockout
from arena.tournaments.knockout import Bracket
from arena.tournaments.schedule import Encounter
from arena.tournaments.spec import expected_matches, left_of_knockout
from arena.tournaments.standings import CrossResult, Standing, at_the_board, crosstable, failures, ranked_by, standings
from arena.tournaments.tiebreaks import PairingResult

NO_SHOW = "no_show"
# The states that are over, for the schedule, and those that still have to be played.
DONE = frozenset({"played", "void", "bye", "forfeited", "drawn", "dropped"})
TO_PLAY = frozenset({"waiting", "running", "handed"})
# Those of a pairing that has its result without a match.
DECIDED = frozenset({"forfeited", "drawn", "dropped"})


class PairingMatch(NamedTuple):
    """One match of a pairing; `verdict` … `ruled` are the last ruling, "" and None if there is none; an export does not
    say when it was `ruled`. `started_at` and `ended_at` are times as the database or an export writes them: a large
    event is read at every result, and making these into values took a third of that.
    """

    id: str
    started_at: str | None
    ended_at: str | None
    winner: int | None
    termination: str | None
    reason: str
    verdict: str = ""
    ruled_winner: int | None = None
    ruled_reason: str = ""
    actor: str = ""
    ruled: datetime | None = None

    @property
    def started(self) -> datetime | None:
        return _time(self.started_at)

    @property
    def ended(self) -> datetime | None:
        return _time(self.ended_at)

    @property
    def counted_as(self) -> str | None:
        """The termination, or that of the ruling; None while the match runs."""
        return ruled_as(self.verdict) if self.verdict else self.termination

    @property
    def score(self) -> float | None:
        """The points of the side that moved first; None while the match runs and if it does not count."""
        if self.termination is None:
            return None
        ruling = {"verdict": self.verdict, "winner": self.ruled_winner} if self.verdict else None
        return score_that_counts(self.winner, self.termination, ruling)


@dataclass(frozen=True)
class PairingLine:
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
    matches: tuple[PairingMatch, ...]
    by_absence: bool = False

    @cached_property
    def status(self) -> str:
        """waiting, running, played, void, bye, forfeited, drawn, handed, dropped or replaced."""
        match = self.match
        if self.state in DECIDED and match is not None and match.verdict in ("win", "draw"):
            return "played"  # nothing is decided without a match once one of its matches counts: this ruling came later
        if self.state not in ("open", "handed"):
            return self.state
        if match is not None and match.ended_at is None:
            return "running"
        if match is not None and match.score is not None:
            return "played"
        if match is not None and match.verdict == "void":
            return "void"
        return "handed" if self.state == "handed" else "waiting"

    @property
    def match(self) -> PairingMatch | None:
        """The match that is running or counts, else the last one. It need not be the newest by its name: workers name
        theirs, and their clocks may differ from ours.
        """
        if len(self.matches) > 1:
            for match in self.matches:
                if match.termination is None or counts(match.termination):
                    return match
        return self.matches[-1] if self.matches else None

    def result(self, legs: int) -> PairingResult | None:
        """The result that counts; None if there is none yet. A bye is worth a whole encounter."""
        if self.status == "bye":
            return PairingResult(self.round, self.a, None, float(legs), 0.0, played=False, legs=legs)
        if self.status == "forfeited":
            return self._forfeit()
        if self.status == "drawn":
            return PairingResult(self.round, self.a, self.b, 0.5, 0.5, played=False)
        if self.status != "played" or self.match is None or self.match.score is None:
            return None
        score, failed = self.match.score, self._failed(self.match)
        return PairingResult(self.round, self.a, self.b, score, 1 - score, True, failed, self.match.termination or "")

    def _forfeit(self) -> PairingResult:
        missing = {"a": (self.a,), "b": (self.b or 0,), "both": (self.a, self.b or 0)}[self.forfeited_by]
        scores = {"a": (0.0, 1.0), "b": (1.0, 0.0), "both": (0.0, 0.0)}[self.forfeited_by]
        return PairingResult(self.round, self.a, self.b, *scores, played=False, failed=missing, cause=NO_SHOW)

    def _failed(self, match: PairingMatch) -> tuple[int, ...]:
        """The loser, if it lost by a failure and nobody has decided otherwise."""
        if match.verdict or match.winner is None or match.termination not in FAILURES:
            return ()
        loser = self.b if match.winner == 0 else self.a
        return () if loser is None else (loser,)


class Progress(NamedTuple):
    """The number of matches that are over and of those still to come, as far as is known."""

    played: int
    total: int
    running: int
    handed: int


class Sheet:
    """Everything that a page, a command or the director needs to know of one tournament."""

    def __init__(self, tournament: Tournament, entries: list[Entry], lines: list[PairingLine]) -> None:
        self.tournament = tournament
        self.entries = {entry.pk: entry for entry in entries}
        self.lines = [line for line in lines if line.state != "replaced"]
        self.replaced = [line for line in lines if line.state == "replaced"]
        said: dict[str, Any] = tournament.settings
        self.legs: int = said.get("legs", 1)
        self.rounds: int = said.get("rounds", 0)
        self.is_knockout = tournament.format == Tournament.Format.KNOCKOUT
        self.tie_breaks: list[str] = [] if self.is_knockout else said.get("tie_breaks", [])

    def by(self, tie_break: str) -> Sheet:
        """The same sheet with this tie-break first, as a viewer may wish to see it; "" changes nothing."""
        if tie_break == "" or self.is_knockout:
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

    @property
    def gone(self) -> frozenset[int]:
        """Entries that withdrew or were given up."""
        return frozenset(pk for pk, entry in self.entries.items() if entry.withdrawn or entry.absent)

    @cached_property
    def annulled(self) -> frozenset[int]:
        """Entries that withdrew before half of their matches in an all-play-all; these count for nobody."""
        if self.tournament.format not in ("round-robin", "gauntlet"):
            return frozenset()
        return frozenset(
            pk for pk, entry in self.entries.items() if entry.withdrawn and self._played_less_than_half(pk)
        )

    def _played_less_than_half(self, entry: int) -> bool:
        mine = [line for line in self.lines if entry in (line.a, line.b)]
        return 2 * sum(line.status == "played" for line in mine) < len(mine)

    @cached_property
    def results(self) -> list[PairingResult]:
        """All results that count."""
        found = (line.result(self.legs) for line in self.lines)
        return [each for each in found if each is not None and not self.annulled & {each.a, each.b}]

    @cached_property
    def standings(self) -> list[Standing]:
        """The table, best first, without annulled entries; a knockout is ranked by the round reached."""
        if self.is_knockout:
            levels = self.bracket.levels()
            first = 2 if self.bracket.is_nobodys else 1
            return ranked_by(list(self.entries), self.results, levels, first)
        playing = [pk for pk in self.entries if pk not in self.annulled]
        swiss = self.tournament.format == "swiss"
        unplayed = self._unplayed() if swiss else []
        return standings(playing, [*self.results, *unplayed], self.tie_breaks, swiss=swiss)

    def _unplayed(self) -> list[PairingResult]:
        """The rounds of a Swiss event in which an entry had no opponent, because it came late or was gone, or in which
        nothing counts: byes that are worth no point.
        """
        of_round = {(line.round, pk) for line in self.lines if line.status in TO_PLAY for pk in (line.a, line.b)}
        of_round |= {(result.round, pk) for result in self.results for pk in (result.a, result.b)}
        return [
            PairingResult(n, pk, None, 0.0, 0.0, played=False, legs=self.legs)
            for n in range(1, self.round + 1)
            for pk in self.entries
            if (n, pk) not in of_round
        ]

    @cached_property
    def bracket(self) -> Bracket:
        """The state of a knockout's encounters."""
        seeds = {pk: entry.seed for pk, entry in self.entries.items()}
        found: dict[tuple[int, int], list[PairingLine]] = defaultdict(list)
        for line in self.lines:
            found[line.round, line.number].append(line)
        encounters = {place: (_met(lines), self._verdict(lines, seeds)) for place, lines in found.items()}
        return Bracket(encounters, third_place=self.tournament.settings.get("third_place", False))

    def _verdict(self, lines: list[PairingLine], seeds: Mapping[int, int]) -> knockout.Verdict | None:
        """The verdict on an encounter; None while it is being played."""
        if any(line.status in TO_PLAY for line in lines):
            return None
        points: dict[int, float] = defaultdict(float)
        for result in filter(None, (line.result(self.legs) for line in lines)):
            points[result.a] += result.score_a
            points[result.b or 0] += result.score_b
        last = max(lines, key=lambda line: line.leg)
        forfeited = last.status == "forfeited" and last.forfeited_by == "both"
        return knockout.decide(_met(lines), points, len(lines), self.legs, seeds, forfeited=forfeited)

    @cached_property
    def reached(self) -> dict[int, str]:
        """The round that everybody reached in a knockout, in words: `Final`, `Round 2`."""
        if not self.is_knockout:
            return {}
        return {entry: self.bracket.title(level) for entry, level in self.bracket.levels().items()}

    @cached_property
    def crosstable(self) -> dict[tuple[int, int], CrossResult]:
        """Results by (entry, opponent), for entries that have met, without running pairings."""
        return crosstable(self.results)

    @cached_property
    def strengths(self) -> dict[int, Elo]:
        """How much stronger each entry that has played at the board is than its opponents; a forfeit says nothing."""
        return {entry: elo(*record) for entry, record in self.records.items()}

    @cached_property
    def records(self) -> dict[int, tuple[int, int, int]]:
        """Matches won, drawn and lost at the board, for entries that have played one."""
        return at_the_board(self.results)

    @property
    def failures(self) -> Mapping[int, Counter[str]]:
        """How often each entry failed, by cause."""
        return failures(list(self.entries), self.results)

    @property
    def corrected(self) -> datetime | None:
        """When staff last ruled on a match that counts after the table was published; None if they have not."""
        published = self.tournament.published
        rulings = (line.match.ruled for line in self.lines if line.match is not None)
        later = (ruled for ruled in rulings if ruled and published and ruled > published)
        return max(later, default=None)

    @property
    def progress(self) -> Progress:
        status = Counter(line.status for line in self.lines)
        known = sum(line.status != "bye" for line in self.lines)
        over = sum(status[name] for name in DONE - {"bye"})
        return Progress(over, self._total(known), status["running"], status["handed"])

    def _total(self, known: int) -> int:
        """The number of pairings: those that are `known`, and those still to come as far as can be said."""
        kind, finished = self.tournament.format, self.tournament.state == Tournament.State.FINISHED
        if finished or (self.lines and kind in ("round-robin", "gauntlet")):
            return known
        third = self.is_knockout and self.tournament.settings.get("third_place", False)
        if self.lines and self.is_knockout:
            return known + left_of_knockout(self.bracket.size, self.round, self.legs, third_place=third)
        entries = max(2, len(self.entries))
        return max(known, expected_matches(kind, entries, self.legs, self.rounds, third_place=third))


def _met(lines: list[PairingLine]) -> Encounter:
    """The entry that moved first in the first leg, and its opponent."""
    first = min(lines, key=lambda line: line.leg)
    return Encounter(first.a, first.b)


def read(slug: str) -> Sheet | None:
    """The tournament with this slug as it stands; None if there is none."""
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
    *("opening", "state", "faults", "calls", "forfeited_by", "reason", "by_absence"),
)


def _line(row: tuple[Any, ...], matches: list[PairingMatch]) -> PairingLine:
    values = (*row[:-1], tuple(matches), row[-1])  # in the order of the fields: by their names it takes twice as long
    return PairingLine(*values)


def _matches(tournament: Tournament) -> dict[int, list[PairingMatch]]:
    """The matches by pairing, oldest first: ids grow with time."""
    rulings: dict[str, tuple[Any, ...]] = {}
    ruled = Ruling.objects.filter(match__pairing__tournament=tournament).order_by("n")
    for match, *said in ruled.values_list("match", "verdict", "winner", "reason", "actor", "at"):
        rulings[match] = tuple(said)
    found: dict[int, list[PairingMatch]] = defaultdict(list)
    rows = Match.objects.filter(pairing__tournament=tournament).order_by("id")
    for pairing, pk, *said in rows.values_list("pairing", "id", *_ENDING):
        found[pairing].append(PairingMatch(pk, *said, *rulings.get(pk, ())))
    return found


_ENDING = (Cast("started", TextField()), Cast("ended", TextField()), "winner", "termination", "reason")


def _time(text: str | None) -> datetime | None:
    """SQLite writes UTC without saying so."""
    if text is None:
        return None
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
