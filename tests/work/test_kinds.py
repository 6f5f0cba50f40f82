"""What workers run."""

from __future__ import annotations

from importlib import import_module

from arena.tournaments import encounters
from arena.work import analyses
from arena.work.kinds import WORKER_KINDS


def test_each_kind_of_the_host_is_one_that_workers_can_run() -> None:
    assert set(WORKER_KINDS) == {analyses.KIND, encounters.KIND}
    for kind in WORKER_KINDS.values():
        module, _, name = kind.function.partition(":")
        assert callable(getattr(import_module(module), name))
