"""The running turn of a match: its start, the time that nobody is charged for, its deadline; on one monotonic clock and
in memory only: the event that ends it logs `elapsed_ms` and `given_back_ms`.
"""

from __future__ import annotations

import math

from arena.match.clock import charged

# A turn keeps at most this many separate stretches; further ones are merged and keep their sum.
MOST_STRETCHES = 8

# So much of a turn, at most, is given back to a person whose line is slow.
MOST_LAG_MS = 500

Stretch = tuple[float, float]


class RunningTurn:
    """`since` is None between two turns. `stands_since` is set while the clock stands because the opponent is away.

    `lost` are the stretches lost through the server's fault, on a person's slow line or while the clock stood, in order
    and without overlap.
    `elsewhere` is set in a match that is played by another machine, which judges its times: here it has no deadline.
    `deadline`, which `allow` sets, is None while no clock runs. `over_at` is when the end of the match was decided, if
    it was in this process.
    """

    __slots__ = ("_allowed_ms", "deadline", "elsewhere", "lost", "over_at", "since", "stands_since")

    def __init__(self) -> None:
        self.since: float | None = None
        self.stands_since: float | None = None
        self.lost: tuple[Stretch, ...] = ()
        self.deadline: float | None = None
        self._allowed_ms: int | None = None
        self.over_at: float | None = None
        self.elsewhere = False

    @property
    def is_timed(self) -> bool:
        """Whether a clock runs."""
        return self.deadline is not None and self.since is not None

    def begin(self, now: float) -> None:
        self.since, self.lost, self.stands_since = now, (), None

    def end(self) -> None:
        self.since = self.deadline = None

    def allow(self, allowed_ms: int | None) -> None:
        """Set how long the turn may last in milliseconds, None without a clock; to be called again when it has lost
        time. While its clock stands it has no deadline.
        """
        self._allowed_ms = allowed_ms
        if allowed_ms is None or self.since is None or self.elsewhere or self.stands_since is not None:
            self.deadline = None
        else:
            self.deadline = self.since + allowed_ms / 1000 + self.lost_s(math.inf)

    def stand(self, stands: bool, now: float) -> None:
        """Stop the clock at `now`, or let it run again."""
        if not stands and self.stands_since is not None:
            self.give_back(self.stands_since, now)
        self.stands_since = (self.stands_since or now) if stands else None

    def give_back(self, began: float, now: float) -> None:
        """Do not charge the time between these two moments. Time already given back is not given twice."""
        if self.since is not None and now > (began := max(began, self.since)):
            self.lost = united(self.lost, (began, now))

    def give_back_lag(self, lag_ms: int) -> None:
        """Do not charge the first moments of the turn, in which it is still on its way to the player. The way of the
        move is counted there too, so that the deadline is known from the beginning.
        """
        if lag_ms and self.since is not None:
            self.give_back(self.since, self.since + min(lag_ms, MOST_LAG_MS) / 1000)

    def charged_s(self, now: float) -> float:
        """The seconds charged by now; less than none while the player of a slow line has not yet used theirs."""
        if self.since is None:
            return 0.0
        return now - self.since - self.lost_s(math.inf if self.stands_since is None else now)

    def lost_s(self, until: float) -> float:
        """The seconds lost until then, in whole milliseconds, because the log has no smaller unit."""
        lost = self.lost if self.stands_since is None else united(self.lost, (self.stands_since, until))
        if not lost:
            return 0.0
        return round(sum(min(end, until) - begin for begin, end in lost if begin < until), 3)

    def elapsed_ms(self, stamp: float) -> tuple[int, int]:
        """How long the turn had lasted at `stamp`, and how much of that is not charged; both in milliseconds.

        A move after the deadline is late by at least 1 ms.
        """
        since, deadline = self.since, self.deadline
        if since is None or stamp <= since:
            return 0, 0
        if not self.lost and deadline is not None and stamp <= deadline:  # hardly ever is a move late
            return round((stamp - since) * 1000), 0
        return charged(since, stamp, None if deadline is None else self._allowed_ms, self.lost_s(stamp))


def united(stretches: tuple[Stretch, ...], new: Stretch) -> tuple[Stretch, ...]:
    """The union of `stretches` and `new`, in order, without overlap, and with at most MOST_STRETCHES stretches.

    If there are too many, the first is moved up to the second, which keeps their sum.
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
