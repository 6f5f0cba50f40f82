"""Where the processor time of a server goes, by stage: the stacks of all threads are sampled at each tick of that time.

A sample counts for as much time as its thread has used since the previous one. So a tick that another thread caused
counts for nothing, and the samples add up to the processor time of the process.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from types import CodeType, FrameType

# The kernel checks its timers of processor time at most 250 times a second.
TICK_S = 0.004

# The innermost function in this table says what a thread is doing, because everything it calls is part of that.
STAGES = {
    "read": ("asyncio/selector_events.py:_read_ready", "arena/transports/tcp.py:buffer_updated"),
    "decide, evolve": ("arena/match/", "games/", "arena/core/referee.py"),
    "ledger": ("arena/core/ledger.py", "arena/core/log_store.py", "arena/core/log_statements.py"),
    "consequences of endings": ("arena/ratings/", "arena/work/analyses.py:after"),
    "tell": ("arena/core/referee.py:_announce", "arena/core/hub.py", "arena/bots/session/telling.py"),
    "wire": ("arena/bots/session/wire",),
    "frames": ("arena/web/", "arena/server/websockets.py", "arena/server/text_frame.py", "twisted/internet/tcp.py"),
    "timers": ("arena/core/turn_timers.py", "arena/play/lost_time.py", "arena/match/turn.py"),
    "rooms": ("arena/rooms/", "arena/bots/seats/"),
    "analysis": ("arena/work/desk.py", "arena/work/engine.py"),
}
RUNS_THE_LOOP = "/arena/server/server.py"
LOOP, REST, OTHERS = "loop", "rest", "other threads"


class Sampler:
    """Samples the threads of this process. `used` is the processor time of each stage so far, in ns."""

    def __init__(self) -> None:
        self.used: Counter[str] = Counter()
        self._before: dict[int, int] = {}
        self._stages: dict[CodeType, str] = {}

    def start(self) -> None:
        """Start to sample; to be called in the main thread."""
        signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, TICK_S, TICK_S)

    def _look(self, number: int, main: FrameType | None) -> None:
        own = threading.get_ident()
        for thread, frame in sys._current_frames().items():
            now = time.clock_gettime_ns(time.pthread_getcpuclockid(thread))
            stage = self._stage(main or frame, LOOP) if thread == own else self._stage(frame, OTHERS)
            self.used[stage] += now - self._before.get(thread, 0)
            self._before[thread] = now

    def _stage(self, frame: FrameType, idle: str) -> str:
        """The stage of a thread: `idle` if nothing of ours runs in it, because what it has done is over."""
        ours = False
        for code in _codes(frame):
            if code not in self._stages:
                self._stages[code] = _stage_of(code)
            if stage := self._stages[code]:
                return stage
            ours = ours or ("/arena/" in code.co_filename and not code.co_filename.endswith(RUNS_THE_LOOP))
        return REST if ours else idle


def _codes(frame: FrameType | None) -> Iterator[CodeType]:
    """The functions on a stack, from the innermost to the outermost."""
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def _stage_of(code: CodeType) -> str:
    """The stage of the longest entry that names this function, "" if there is none."""
    name = f"{code.co_filename}:{code.co_name}"
    found = {place: stage for stage, places in STAGES.items() for place in places if f"/{place}" in name}
    return found[max(found, key=len)] if found else ""
