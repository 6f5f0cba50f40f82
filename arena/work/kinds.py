"""What workers run for each kind of work. What the host does with the answers stands beside each kind."""

from __future__ import annotations

from typing import NamedTuple

from arena.play.run import FUNCTION
from arena.work import analyses


class WorkerKind(NamedTuple):
    """`function` is `module:name`; a run takes `longest_s` at most. `has_slices`: what it computes can be watched."""

    function: str
    longest_s: float
    has_slices: bool = False


PLAY = "play"
# A worker runs these, whatever the database says.
WORKER_KINDS = {
    PLAY: WorkerKind(FUNCTION, float("inf"), has_slices=True),
    analyses.KIND: WorkerKind(analyses.ANALYSE.function, analyses.ANALYSE.longest_s),
}
