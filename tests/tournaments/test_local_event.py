"""An event of programs without a server: what is played, and what else the holder of the lease does meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import sqlite3
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from arena.cluster.lease import lease_of_host
from arena.play.crew import GONE, Crew, Done
from arena.play.spec import BuiltinSeat, CommandSeat
from arena.tournaments.encounters import spec_of
from arena.tournaments.local_event import ALL_PLAYED, NEEDS_ORGANISER, LocalEvent, is_playable_here
from arena.tournaments.players import dice
from arena.tournaments.report import TournamentReport
from arena.tournaments.spec import EntrySpec
from tests.kit.commands import finished, manage, processes_of, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.holding import HELD, hold, let_go
from tests.kit.server import migrate
from tests.kit.tournaments import a_spec, begun, sheet

# Plays the leftmost free column; after this many moves it stops with an error. One that stops before it is asked would
# do so a moment before or after its opponent's move.
BOT = """import sys
for turn, line in enumerate(sys.stdin):
    if turn == {moves}:
        sys.exit(3)
    print(next(n for n in range(1, 8) if line.split()[1][n - 1] == "."), flush=True)
"""
CUP = """\
name = "Cup"
variant = "connect-four-7x6"
format = "swiss"
legs = 2
clock = "10m"
concurrency = 3
seed = 3

[openings]
plies = 4

[[entry]]
seat = "builtin:beginner"

[[entry]]
seat = "fiar:python3 left.py"

[[entry]]
seat = "fiar:python3 fails.py"

[[entry]]
seat = "fiar:python3 mute.py"

[[entry]]
seat = "builtin:random"
name = "Second"
"""
# What both shells have in common: all but names of matches, wall time and durations.
LOGS = """
SELECT m.pairing_id, e.seq, e.kind, e.ply, e.seat, e.move, e.actor, e.data FROM arena_event e
JOIN arena_match m ON m.id = e.match_id ORDER BY m.pairing_id, e.seq
"""
# In how many pieces a wire is stored depends on how long the match takes.
WIRES = """
SELECT DISTINCT m.pairing_id, s.seat FROM arena_wirechunk w JOIN arena_seat s ON s.id = w.seat_id
JOIN arena_match m ON m.id = s.match_id ORDER BY 1, 2
"""
# A door makes it an event for a host with an event loop.
IN_A_LOOP = ("--door", "fiar=0")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("database")
    migrate(folder)
    return folder / "arena.sqlite3"


def an_event(folder: Path, database: Path) -> Path:
    """A folder with the event, its bots and a database. One of the bots can be held."""
    folder.mkdir()
    (folder / "left.py").write_text(HELD + BOT.format(moves=-1))
    (folder / "mute.py").write_text(BOT.format(moves=0))
    (folder / "fails.py").write_text(BOT.format(moves=3))
    (folder / "cup.toml").write_text(CUP)
    shutil.copy(database, folder)
    return folder


def rows(folder: Path, sql: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(folder / "arena.sqlite3") as found:
        return list(found.execute(sql))


def logs(folder: Path) -> list[tuple[object, ...]]:
    """Without the durations: a card says how much time was used."""
    found = []
    for *event, text in rows(folder, LOGS):
        data = json.loads(str(text).replace(str(folder), ""))
        data.pop("given_back_ms", None)
        data.get("failure", {}).get("facts", {}).pop("time used", None)
        found.append((*event, data))
    return found


async def heard(process: asyncio.subprocess.Process, pattern: str) -> None:
    """Until it says this."""
    assert process.stdout is not None and process.stderr is not None
    said = []
    async with asyncio.timeout(DEADLINE_S):
        while line := (await process.stdout.readline()).decode():
            said.append(line)
            if re.search(pattern, line):
                return
        raise AssertionError(f"ended without {pattern}: {said}, {(await process.stderr.read()).decode()}")


@pytest.mark.service
def test_both_shells_keep_the_same_logs_cards_and_wires(tmp_path: Path, database: Path) -> None:
    here, there = an_event(tmp_path / "here", database), an_event(tmp_path / "there", database)
    tables = []
    for folder, more in ((here, ()), (there, IN_A_LOOP)):
        done = manage(folder, "tournament", "run", "cup.toml", *more)
        assert done.returncode == 0, done.stderr
        assert ("fiar on" in done.stderr) == bool(more)
        tables.append(done.stdout.partition("matches played")[2])
        assert processes_of(folder) == []
    assert logs(here) == logs(there)
    assert any(kind == "note" for _, _, kind, *_ in logs(here))
    assert rows(here, WIRES) == rows(there, WIRES) != []
    assert tables[0] == tables[1] != ""


@pytest.mark.service
async def test_what_a_killed_host_has_left_is_ended_and_played_again(tmp_path: Path, database: Path) -> None:
    folder = an_event(tmp_path / "cup", database)
    hold(folder)
    host = await start(folder, "tournament", "run", "cup.toml", *IN_A_LOOP, ARENA_PLAY_SLOTS="0")
    await heard(host, r"^Started match 4 .*\(left vs mute\)")  # in which the bot that is held moves first
    host.send_signal(signal.SIGKILL)
    await host.wait()
    left = [match for (match,) in rows(folder, "SELECT id FROM arena_match WHERE ended IS NULL")]
    assert left
    let_go(folder)
    code, out, err = await finished(await start(folder, "tournament", "resume", "cup"))
    assert code == 0, out + err
    ended = set(rows(folder, "SELECT id, termination FROM arena_match"))
    assert {(match, "server_abort") for match in left} <= ended
    pairings = "SELECT pairing_id FROM arena_match WHERE termination <> 'server_abort'"
    assert set(Counter(rows(folder, pairings)).values()) == {1}
    faulty = rows(folder, "SELECT id, faults, reason FROM arena_pairing WHERE faults > 0")
    assert faulty == [], (
        out + err + str(rows(folder, "SELECT pairing_id, opened, termination, reason FROM arena_match"))
    )


@pytest.mark.service
async def test_matches_of_other_commands_are_taken_in_meanwhile(tmp_path: Path, database: Path) -> None:
    folder = an_event(tmp_path / "cup", database)
    hold(folder)
    event = await start(folder, "tournament", "run", "cup.toml")
    await heard(event, r"^Started match 1")
    other = await start(folder, "match", "connect-four-7x6", "builtin:random", "builtin:random", "--save")
    code, out, err = await finished(other)
    assert code == 0, out + err
    assert rows(folder, "SELECT count(*) FROM arena_match WHERE pairing_id IS NULL AND ended IS NOT NULL") == [(1,)]
    assert event.returncode is None, "it was taken in by the process that plays the event"
    event.send_signal(signal.SIGINT)
    assert (await finished(event))[0] == 130


@pytest.mark.service
async def test_a_process_of_ours_that_is_killed_costs_the_match_that_it_played(tmp_path: Path, database: Path) -> None:
    folder = an_event(tmp_path / "cup", database)
    hold(folder, but=2)
    event = await start(folder, "tournament", "run", "cup.toml", "--slots", "2", "--progress")
    await heard(event, r"^Finished match 2")
    children = Path(f"/proc/{event.pid}/task/{event.pid}/children").read_text().split()
    os.kill(int(children[-1]), signal.SIGKILL)
    let_go(folder)
    code, _, err = await finished(event)
    assert code == 0, err
    assert re.search(r"^\d+ of \d+ done, .+ a second, .*\d workers?$", err, re.MULTILINE), err
    assert {faults for (faults,) in rows(folder, "SELECT faults FROM arena_pairing")} == {0}
    assert rows(folder, "SELECT count(*), count(ended) FROM arena_match WHERE termination = 'server_abort'") == [(0, 0)]
    assert processes_of(folder) == []


class OneName(Crew):
    """Every match that it plays has the name of its first one."""

    name = ""

    def wait(self, seconds: float) -> list[Done]:
        over = super().wait(seconds)
        self.name = self.name or next((done.log.match for done in over if done.log), "")
        return [done._replace(log=done.log and done.log._replace(match=self.name)) for done in over]


@pytest.mark.django_db(transaction=True)
def test_matches_that_begin_in_one_moment_under_one_name_all_count(tmp_path: Path, settings: Any) -> None:
    settings.ARENA_DATA = tmp_path
    event, said = begun(a_spec(count=3)), StringIO()
    connection.close()
    crew, lease = OneName(1), lease_of_host("")
    assert lease.take()
    assert LocalEvent(event.pk, crew, lease, TournamentReport(StringIO(), said)).play() == ALL_PLAYED
    lines = sheet(event.slug).lines
    assert [(line.status, line.faults) for line in lines] == [("played", 0)] * 3, said.getvalue()
    names = {line.match.id for line in lines if line.match}
    assert len(names) == 3 and crew.name in names


@pytest.mark.django_db
def test_a_pairing_is_played_under_the_names_openings_and_dice_of_the_event() -> None:
    program = EntrySpec("anna", "command", protocol="fiar", command=("python3", "anna.py"), cwd="/tmp")
    first = EntrySpec("p1", "builtin", "beginner")
    found = sheet(begun(a_spec(entries=(first, program), opening_plies=4, offers=True, clock="9s")).slug)
    (line,) = found.lines
    spec = spec_of(found, line)
    entries = {entry.name: entry for entry in found.entries.values()}
    builtin = BuiltinSeat("beginner", "p1", dice(entries["p1"], "7 1 1 1"))
    assert spec.seats == (builtin, CommandSeat("fiar", ("python3", "anna.py"), "anna", "/tmp"))
    assert spec.further == {"opening": line.opening, "pairing": line.pk, "offers": True}
    assert (spec.clock, spec.wires, len(line.opening.split())) == ("9s", True, 4)


@pytest.mark.django_db
def test_who_has_to_come_and_a_pace_need_a_host() -> None:
    found = sheet(begun(a_spec(2)).slug)
    assert is_playable_here(found)
    found.tournament.settings["pace_ms"] = 500
    assert not is_playable_here(found)
    found.tournament.settings["pace_ms"] = 0
    next(iter(found.entries.values())).kind = "bot"
    assert not is_playable_here(found)


class Losing(Crew):
    """Every match that it plays is lost with its process."""

    lost = 0

    def wait(self, seconds: float) -> list[Done]:
        over = super().wait(seconds)
        self.lost += len(over)
        return [Done(done.key, None, GONE, lost=True) for done in over]


@pytest.mark.django_db(transaction=True)
def test_a_match_that_costs_three_processes_is_handed_to_the_organiser(tmp_path: Path, settings: Any) -> None:
    settings.ARENA_DATA = tmp_path
    event, said = begun(a_spec(count=2)), StringIO()
    connection.close()
    crew, lease = Losing(1), lease_of_host("")
    assert lease.take()
    assert LocalEvent(event.pk, crew, lease, TournamentReport(StringIO(), said)).play() == NEEDS_ORGANISER
    assert (crew.lost, sheet(event.slug).lines[0].status) == (3, "handed"), said.getvalue()


def test_a_round_that_cannot_be_paired_as_is_set_ends_the_command_and_says_so(tmp_path: Path) -> None:
    migrate(tmp_path)
    seats = "".join(f'[[entry]]\nseat = "builtin:random"\nname = "p{n}"\n' for n in range(1, 5))
    (tmp_path / "cup.toml").write_text(f'{CUP.partition("[openings]")[0]}\n{seats}apart = ["p1", "p2", "p3"]\n')
    run = manage(tmp_path, "tournament", "run", "cup.toml")
    assert run.returncode == NEEDS_ORGANISER, run.stderr
    assert "Round 1 cannot be paired without two who are kept apart." in run.stdout
