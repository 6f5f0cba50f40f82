"""The functions that workers run for each kind of work; what the host does with the answers is defined beside each
kind. Workers import this module, so nothing here knows the database.
"""

from __future__ import annotations

from typing import NamedTuple

from arena.play.run import FUNCTION

# The interval at which the holder of a run says that it is alive.
BEAT_S = 5.0
# A run that takes longer is given up as lost; time for which it is frozen does not count.
LONGEST_S = 600.0


class WorkerKind(NamedTuple):
    """`function` is `module:name`; a run takes at most `longest_s`. `has_slices`: its progress can be watched."""

    function: str
    longest_s: float
    has_slices: bool = False


class Where(NamedTuple):
    """Where a job may be computed: on machines of this class ("" for any), at this level of the sandbox or above."""

    needs: str = ""
    sandbox: int = 0


PLAY, ANALYSE = "play", "analyse"
# A worker runs only these, whatever the database says.
WORKER_KINDS = {
    PLAY: WorkerKind(FUNCTION, float("inf"), has_slices=True),
    ANALYSE: WorkerKind("arena.analysis.matches:analyse", LONGEST_S),
}
