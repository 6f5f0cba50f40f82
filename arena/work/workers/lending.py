"""The work of a desk is lent to workers elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from arena.cluster.lease import Fence
from arena.work.desk import Desk
from arena.work.rows import Kind, WorkRun
from arena.work.showing import Screen


def lend(
    desk: Desk,
    kinds: Mapping[str, Kind],
    fence: Fence | None,
    done: Callable[[WorkRun], None],
    screen: Screen | None = None,
) -> None:
    """Have workers compute this desk's work, except what only this machine can do. `screen` shows their reports."""
    from arena.work.workers.lender import Lender  # what it needs is not installed everywhere

    desk.lender = Lender(kinds, fence, done, desk.call, screen)
