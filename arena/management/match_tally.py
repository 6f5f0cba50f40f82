"""What the matches of one `manage.py match` add up to: the table at its end, and the test that may end it earlier."""

from __future__ import annotations

from arena.match.series import Score, side_of
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.match.sprt import Sprt
    from arena.play.driver import Log

# Fewer matches than this may be alike by chance.
MANY = 6
# What the two matches of a pair may add up to, in the order of SCORES.
POINTS = ("0", "½", "1", "1½", "2")


class EnoughPlayed(Exception):
    """The test has a decision: the rest need not be played."""


class MatchTally:
    """The results so far. `sprt` is the test that was asked for, if any."""

    def __init__(self, sprt: Sprt | None) -> None:
        self.score = Score()
        self.names = ["", ""]
        self.sprt = sprt
        self._courses: set[int] = set()

    @property
    def is_decided(self) -> bool:
        return self.sprt is not None and bool(self.sprt.accepted)

    @property
    def so_far(self) -> str:
        """The test, for a line that shows the progress."""
        return f", LLR {self.sprt.llr:.2f}" if self.sprt is not None else ""

    def add(self, log: Log, names: Sequence[str]) -> None:
        """`names` are those of both seats."""
        state, before = log.state, self.score
        assert state.termination is not None, "an ended match has a termination"
        round = state.setup.round
        for seat, name in enumerate(names):
            self.names[side_of(seat, round)] = name
        self.score = before.after(round, state.winner, state.termination)
        if self.score != before:
            self._courses.add(hash(" ".join(event.move for event in log.events if event.kind == "move")))
        if self.sprt is not None:
            self.sprt.add(round, None if self.score == before else self.score.points[0] - before.points[0])

    def table(self) -> Iterator[str]:
        from arena.match.elo import elo

        first, second = (name or "?" for name in self.names)
        won, drawn, lost = self.score.won, self.score.drawn, self.score.lost
        points = self.score.points
        width = max(len(first), len(second), 6)
        yield f"\n{'Player':{width}}  Points   Won Drawn  Lost  Elo"
        for name, mine, wins, losses in ((first, points[0], won, lost), (second, points[1], lost, won)):
            yield f"{name:{width}}  {mine:6g} {wins:5} {drawn:5} {losses:5}  {elo(wins, drawn, losses)}"
        played, different = won + drawn + lost, len(self._courses)
        if played >= MANY and 2 * different < played:
            yield f"\nOnly {different} of {played} matches differ, so the intervals are narrower than they should be."
            yield "--openings begins each pair of rounds with another opening."

    def verdict(self) -> Iterator[str]:
        """What the test says; nothing if none was asked for."""
        if self.sprt is None:
            return
        from arena.match.sprt import BOUND, TIMES

        sprt, (low, high) = self.sprt, self.sprt.hypotheses
        yield f"\nSPRT, H0 {low:g} and H1 {high:g} Elo: LLR {sprt.llr:.2f}, bounds -{BOUND:.2f} and {BOUND:.2f}"
        points = ", ".join(f"{count} × {said}" for count, said in zip(sprt.pairs, POINTS, strict=True))
        yield f"Pairs by the points of {self.names[0] or '?'}: {points}"
        by, other = (f"{high:g}", f"{low:g}") if sprt.accepted == "H1" else (f"{low:g}", f"{high:g}")
        if sprt.accepted:
            times = f"more than {TIMES:g} times as well"
            yield f"{sprt.accepted} accepted: {by} Elo points explain these results {times} as {other}."
        else:
            yield "No decision: more rounds may bring one."
