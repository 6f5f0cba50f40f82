"""An event whose pairings are work, with its host's side of it and a worker."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from arena.play.run import played
from arena.tournaments import encounters
from arena.tournaments.encounters import Encounters
from arena.tournaments.spec import EntrySpec
from arena.work import rows
from arena.work.rows import WorkRun
from tests.kit.storage import held
from tests.kit.tournaments import a_spec, begun, sheet

# Plays the leftmost free column.
LEFT = """import sys
for line in sys.stdin:
    print(next(n for n in range(1, 8) if line.split()[1][n - 1] == "."), flush=True)
"""


def command_bots(folder: Path, count: int, pause_s: float = 0) -> tuple[EntrySpec, ...]:
    """So many programs that wait so long before each move, and a built-in player."""
    pause = f"    time.sleep({pause_s})\n" if pause_s else ""
    (folder / "left.py").write_text(
        LEFT.replace("import sys", "import sys, time").replace("    print", f"{pause}    print")
    )
    command = (sys.executable, "left.py")
    bots = tuple(EntrySpec(f"left {n}", "command", "", "fiar", command, str(folder)) for n in range(1, count + 1))
    return (*bots, EntrySpec("dice", "builtin", "random"))


class Office:
    """An event of three with its host's side of the work, and a worker."""

    def __init__(self, folder: Path, pause_s: float = 0) -> None:
        (bot, _) = command_bots(folder, 1, pause_s)
        others = tuple(EntrySpec(f"p{n}", "builtin", "random") for n in (1, 2))
        self.event = begun(a_spec(entries=(bot, *others), clock="60s", opening_plies=2))
        self.encounters, self.fence = Encounters(), held()

    def submit(self) -> None:
        found = sheet(self.event.slug)
        for line in found.lines:
            encounters.submit(found, line)

    def take(self, worker: str = "elsewhere") -> WorkRun:
        run = rows.claim(worker, (encounters.KIND,))
        assert run is not None
        return run

    def play(self, run: WorkRun) -> Any:
        return played(self.encounters.kind.job(run))

    def store(self, run: WorkRun, answer: Any) -> bool:
        return self.encounters.kind.store(run, answer, self.fence)
