"""An event whose pairings are work, with its host's side of it and a worker."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from arena.bots.process import programs
from arena.bots.process.guests import played
from arena.models import Bot, Player, Tournament
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


def a_travelling_bot(folder: Path) -> EntrySpec:
    """A bot that this server runs, whose program is the file in there."""
    files = folder / "files"
    files.mkdir()
    (folder / "left.py").rename(files / "left.py")
    player = Player.objects.create(kind="bot", name="left", slug="left")
    command = ["python3", "left.py"]
    bot = Bot.objects.create(player=player, variant="connect-four-7x6", protocol="fiar", family="left", command=command)
    programs.add(bot, files, "ops")
    return EntrySpec("left", "bot", player=player.pk)


def given_away(event: Tournament) -> list[str]:
    """The keys of all pairings of an event, none of which was given away before."""
    found = sheet(event.slug)
    assert all(encounters.submit(found, line) for line in found.lines)
    return [encounters.key_of(line) for line in found.lines]


class Office:
    """An event of three with its host's side of the work, and a worker. The first is a program, or of a bot that is
    `registered` here and travels.
    """

    def __init__(self, folder: Path, pause_s: float = 0, registered: bool = False) -> None:
        (bot, _) = command_bots(folder, 1, pause_s)
        bot = a_travelling_bot(folder) if registered else bot
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
        """Not void, however busy this machine is."""
        answer = played(self.encounters.kind.job(run))
        answer["logs"][0]["stalled_ms"] = 0
        return answer

    def store(self, run: WorkRun, answer: Any) -> bool:
        return self.encounters.kind.store(run, answer, self.fence)
