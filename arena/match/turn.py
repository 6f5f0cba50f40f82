"""The running turn of a match: when it began, how much of it nobody pays for, and when it must end.

Times are seconds of one monotonic clock. A turn lives in memory only: what the log needs of it is part of the event
that ends it (`elapsed_ms`, `given_back_ms`).
"""

from __future__ import annotations

from arena.match.clock import charged

# More stretches of a turn than this are not told apart any more; their sum stays what it is.
MOST_STRETCHES = 8

Stretch = tuple[float, float]


class RunningTurn:
    """`since` is None between two turns. `stands_since` is set while its clock stands because the other side is away.

    `lost` are the stretches that passed through our fault, or while the clock stood: in order, and without an overlap.
    `deadline` is None while no clock runs. `over_at` is when the end of the match was decided, if it was decided here.
    """

    __slots__ = ("deadline", "lost", "over_at", "since", "stands_since")

    def __init__(self) -> None:
        self.since: float | None = None
        self.stands_since: float | None = None
        self.lost: tuple[Stretch, ...] = ()
        self.deadline: float | None = None
        self.over_at: float | None = None

    @property
    def is_timed(self) -> bool:
        """Whether a clock runs."""
        return self.deadline is not None and self.since is not None

    def begin(self, now: float) -> None:
        self.since, self.lost, self.stands_since = now, (), None

    def end(self) -> None:
        self.since = self.deadline = None

    def stand(self, stands: bool, now: float) -> None:
        """The clock stands from now on, or it goes on."""
        if not stands and self.stands_since is not None:
            self.give_back(self.stands_since, now)
        self.stands_since = (self.stands_since or now) if stands else None

    def give_back(self, began: float, now: float) -> None:
        """Nobody pays for what passed between these two moments. What was given back already is not given twice."""
        if self.since is not None and now > (began := max(began, self.since)):
            self.lost = united(self.lost, (began, now))

    def lost_s(self, until: float) -> float:
        """How long the clock stood up to then, in seconds; whole milliseconds only, as the log has no smaller ones."""
        lost = self.lost if self.stands_since is None else united(self.lost, (self.stands_since, until))
        if not lost:
            return 0.0
        return round(sum(min(end, until) - begin for begin, end in lost if begin < until), 3)

    def elapsed_ms(self, stamp: float, allowed_ms: int | None) -> tuple[int, int]:
        """How long the turn had lasted at `stamp`, and how much of that nobody pays for.

        `allowed_ms` is its limit where its clock runs. After the deadline it is late, by however little.
        """
        if self.since is None or stamp <= self.since:
            return 0, 0
        return charged(self.since, stamp, None if self.deadline is None else allowed_ms, self.lost_s(stamp))


def united(stretches: tuple[Stretch, ...], new: Stretch) -> tuple[Stretch, ...]:
    """What lies in one of `stretches` or in `new`: again in order, without an overlap, and at most MOST_STRETCHES.

    Too many are bounded by moving the first one up to the second, which leaves their sum as it is.
    """
    begin, end = new
    before = [stretch for stretch in stretches if stretch[1] < begin]
    after = [stretch for stretch in stretches if stretch[0] > end]
    for first, last in stretches[len(before) : len(stretches) - len(after)]:
        begin, end = min(begin, first), max(end, last)
    joined = [*before, (begin, end), *after]
    if len(joined) > MOST_STRETCHES:
        (first, last), (second, end) = joined[:2]
        joined[:2] = [(second - (last - first), end)]
    return tuple(joined)
