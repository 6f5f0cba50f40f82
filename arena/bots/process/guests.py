"""`play` as a job, with programs of registered bots: each in the folder of its hash, in the sandbox of this machine.
Missing programs are fetched from the host with the proof of the run.

For job processes, which have neither Django nor settings: the environment says where programs are kept.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arena.play import run

FUNCTION = f"{__name__}:played"
# The folder of the programs, in that of the data.
KEPT_IN = "programs"
# Environment variables: the folder of the programs, and the level of the sandbox if it is already known.
FOLDER, LEVEL = "ARENA_PROGRAMS", "ARENA_SANDBOX_LEVEL"
# Each job process has users for its bots that no other process has: this many, starting with this id.
FIRST_UID, UIDS_EACH, MOST_PROCESSES = 62_000, 6, 500


def played(job: dict[str, Any], send_slice: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
    """Like `arena.play.run.played`, for a job that may have more fields: `programs`, which maps hashes to their owner
    (`of`) and where to ask for them (`at`), the least `sandbox` level that they need, and the proof that is `shown` to
    the host.
    """
    if not job.get("programs"):
        return run.played(job, send_slice)
    from arena.play.driver import play
    from arena.play.spec import Spec

    guests = Guests(job)
    try:
        logs = play(Spec.from_data(job["spec"]), launch=guests.launch, send_slice=send_slice)
    finally:
        guests.release()
    return {"logs": [log.to_data() for log in logs]}


class NotHere(Exception):
    """This machine cannot run the program, and another may. The message says why."""


class Guests:
    """The programs of one job. Raises NotHere or NotFetched if they cannot be run here."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        from arena.bots.process.sandbox import NotSandboxed, SandboxLevel, demand

        known = os.environ.get(LEVEL, "")
        try:
            self._level = demand(job["sandbox"], SandboxLevel(int(known)) if known else None)
        except NotSandboxed as why:
            raise NotHere(str(why)) from _lacking(why)
        kept = Path(os.environ[FOLDER])
        self._folders = {
            sha256: _folder(kept, sha256, said, job.get("shown", "")) for sha256, said in job["programs"].items()
        }
        self._launches: list[Any] = []
        # On the machine of a worker nobody has tried them before.
        self._tries = "shown" in job
        _take_users()

    def launch(self, seat: Any, pty: bool) -> Any:
        """Start this seat's program. Raises OSError if its file is missing, NotHere for anything else missing here."""
        try:
            return self._launched(seat, pty)
        except OSError as why:
            if "/" in seat.argv[0] and why.filename == seat.argv[0]:
                raise
            raise NotHere(f"{seat.called} cannot be started here: {why}") from _lacking(why)

    def _launched(self, seat: Any, pty: bool) -> Any:
        from arena.bots.process.launch import PATH, wrap
        from arena.play.program import Launched
        from arena.play.start import start
        from arena.transports.programs import missing_interpreter, takes_terminal

        folder = self._folders[seat.program]
        by_path = "/" in seat.argv[0]
        missing = missing_interpreter(str(folder / seat.argv[0]), str(folder), PATH) if by_path else ""
        if missing and " " not in missing:  # such as `guile -s` behind env, which no machine has
            raise FileNotFoundError(errno.ENOENT, f"{seat.argv[0]} asks for an interpreter that is not here", missing)
        if self._tries and (why := _why_not(tuple(seat.argv), folder, self._level)):
            raise NotHere(f"{seat.called} does not start here: {why}") from _lacking(why)
        launch = wrap(seat.argv, level=self._level, bot_folder=folder)
        self._launches.append(launch)
        pty = pty and takes_terminal(seat.argv, str(folder))  # what is started is a sandbox around it
        child = start(launch.argv, str(folder), launch.env, pty, launch.pass_fds)
        launch.started()
        return Launched(child, lambda status, stderr: _why_lost(seat.called, status, launch.events(), stderr))

    def release(self) -> None:
        """Release everything, once no program is running any more."""
        for launch in self._launches:
            launch.release_now()


# The commands that have started on this machine, in the folders of their programs.
_started: set[tuple[tuple[str, ...], Path]] = set()


def _why_not(argv: tuple[str, ...], folder: Path, level: Any) -> str:
    """Why this command does not start here, as it may without a library that it needs; "" once it has."""
    from arena.bots.process.launch import wrap
    from arena.bots.process.trying import tried

    if (argv, folder) in _started:
        return ""
    if not (why := tried(wrap(argv, level=level, bot_folder=folder), folder)):
        _started.add((argv, folder))
    return why


def _lacking(why: object) -> OSError:
    """The cause by which `arena.work.slot` knows that another machine may have what is missing here."""
    return OSError(errno.ENOPKG, str(why))


def _folder(kept: Path, sha256: str, said: Mapping[str, str], shown: str) -> Path:
    folder = kept / said["of"] / sha256
    if not folder.is_dir():
        from arena.bots.process.fetching import fetched
        from arena.bots.process.packing import forget_unused, unpack

        unpack(fetched(said["at"], sha256, shown), folder)
        for place in (kept, folder.parent):
            place.chmod(place.stat().st_mode | 0o111)
        forget_unused(folder.parent, {sha256})
    else:
        os.utime(folder)  # counts as used: forget_unused
    return folder


def _why_lost(name: str, status: int, events: Any, stderr: bytes) -> Any:
    from arena.bots.process.death import why_it_died
    from arena.play.meaning import Loss, shown_stderr

    death = why_it_died(status, events, stderr)
    words = death.reason if death.reason.startswith("killed") else f"stopped with {death.reason}"
    if death.termination == "crash":
        return Loss("crash", f"{name} {'was ' if words.startswith('killed') else ''}{words}", shown_stderr(stderr))
    return Loss(death.termination, death.reason, shown_stderr(stderr))


_users: list[int] = []


def _take_users() -> None:
    """Reserve users for this process alone on this machine: the kernel releases its lock when the process ends."""
    if os.getuid() != 0 or _users:
        return
    from arena.bots.process.launch import use_uids

    for number in range(MOST_PROCESSES):
        held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            held.bind(f"\0arena-users-{number}")
        except OSError:
            held.close()
            continue
        _users.append(held.detach())  # an open file, which nobody is to close
        use_uids(FIRST_UID + UIDS_EACH * number, UIDS_EACH)
        return
    raise OSError(f"{MOST_PROCESSES} processes of this machine play programs already")
