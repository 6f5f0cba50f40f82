"""A process that proves positions of running matches with `arena.analysis.verdicts`, one job at a time."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from arena.work.engine import LocalEngine, RunFailed, RunLost

log = logging.getLogger("arena.work")

# Players come first, but a proof is wanted before the match is over.
NICE = 5
# A search that takes longer is given up, and the next move asks again. The exact search of one position ends far
# sooner.
LONGEST_S = 60.0
# The process ends after this long without a job: a slow match starts another one.
IDLE_S = 30.0
VERDICTS = "arena.analysis.verdicts:verdicts"


class ProverProcess:
    """Started by the first job, and ended when there has been none for a while."""

    def __init__(self) -> None:
        self._engine = LocalEngine(1, NICE)
        self._turn = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None

    async def verdicts(self, job: dict[str, Any]) -> dict[str, Any] | None:
        """See `arena.analysis.verdicts.verdicts`; None if nothing could be found out, with a line in the log."""
        async with self._turn:
            self._stay()
            try:
                async with asyncio.timeout(LONGEST_S):
                    found: dict[str, Any] = await self._engine.run(0, VERDICTS, job)
                    return found
            except (RunLost, RunFailed, TimeoutError) as why:
                log.warning("nothing was proved of a position of %s: %s", job.get("variant"), why or "it took too long")
                return None
            finally:
                self._idle = asyncio.get_running_loop().call_later(IDLE_S, self._engine.rest)

    async def close(self) -> None:
        self._stay()
        await self._engine.close()

    def _stay(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
