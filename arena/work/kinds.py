"""What workers run for each kind of work. What the host does with the answers stands beside each kind.

A worker imports this: nothing here knows the database.
"""

from __future__ import annotations

from typing import NamedTuple

from arena.play.run import FUNCTION

# Who has a run says so often that it is alive.
BEAT_S = 5.0
# A run that takes longer is given up as lost; the time in which it stands still for others does not count.
LONGEST_S = 600.0


class WorkerKind(NamedTuple):
    """`function` is `module:name`; a run takes `longest_s` at most. `has_slices`: what it computes can be watched."""

    function: str
    longest_s: float
    has_slices: bool = False


class Where(NamedTuple):
    """Where a job may be computed: on machines of this class, "" for any, with this level of the sandbox or more."""

    needs: str = ""
    sandbox: int = 0


PLAY, ANALYSE = "play", "analyse"
# A worker runs these, whatever the database says.
WORKER_KINDS = {
    PLAY: WorkerKind(FUNCTION, float("inf"), has_slices=True),
    ANALYSE: WorkerKind("arena.analysis.matches:analyse", LONGEST_S),
}
