"""Control groups, which limit a bot together with all its descendants; versions 1 and 2 of the kernel's interface.

Groups are created below that of this process, so that limits on the server apply to its bots as well. Whether that
works is found out by trying: in containers neither the user nor the paths tell.
Source: the kernel's Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

NEEDED = ("memory", "pids")
# In version 2 a group with limits for its children may hold no process, so the server moves into this one.
OWN_LEAF = "arena"
ONE_CPU = "100000 100000"


class Events(NamedTuple):
    """Events in a group: processes killed for lack of memory, and forks that were refused."""

    killed_for_memory: int = 0
    refused_processes: int = 0


@dataclass(frozen=True, slots=True)
class CgroupFolder:
    """The place of this process's group in the kernel, for one controller."""

    version: int
    folder: Path


@dataclass(frozen=True, slots=True)
class BotGroup:
    """One bot's group: a folder for each controller; in version 2 a single one."""

    version: int
    folders: Mapping[str, Path]

    @property
    def doors(self) -> tuple[str, ...]:
        """The files through which a process enters, by writing its id."""
        return tuple(str(folder / "cgroup.procs") for folder in self._distinct())

    def events(self) -> Events:
        memory = "memory.oom_control" if self.version == 1 else "memory.events"
        return Events(
            _counts(self.folders["memory"] / memory).get("oom_kill", 0),
            _counts(self.folders["pids"] / "pids.events").get("max", 0),
        )

    def kill(self) -> None:
        for folder in self._distinct():
            for pid in _processes(folder):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def remove(self) -> bool:
        """Remove the group. Returns whether it is gone: the kernel keeps it until its last dead process is reaped."""
        gone = True
        for folder in self._distinct():
            gone = _remove(folder) and gone
        return gone

    def _distinct(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(self.folders.values()))


@dataclass(frozen=True, slots=True)
class Groups:
    """Where this process can create groups; made by `find`."""

    version: int
    parents: Mapping[str, Path]

    def make(self, name: str, memory: int, processes: int) -> BotGroup:
        """Create a group `arena-<process>-<name>` of at most `memory` bytes. Raises OSError."""
        group = BotGroup(
            self.version, {control: parent / f"arena-{os.getpid()}-{name}" for control, parent in self.parents.items()}
        )
        try:
            for folder in group._distinct():
                folder.mkdir()
            for controller, file, value in _settings(self.version, memory, processes):
                target = group.folders[controller] / file
                if file in _MUST_EXIST or target.exists():
                    target.write_text(value)
        except OSError:
            group.remove()
            raise
        return group

    def sweep(self) -> None:
        """Remove the groups that a killed server left behind."""
        for parent in set(self.parents.values()):
            for folder in parent.glob("arena-*-*"):
                pid = folder.name.split("-")[1]
                if pid.isdecimal() and not Path("/proc", pid).exists():
                    _remove(folder)


def find() -> Groups:
    """Where groups can be created, after creating and removing one. Raises OSError with the reason."""
    places = locate(Path("/proc/self/cgroup").read_text(), Path("/proc/self/mountinfo").read_text())
    version = places["memory"].version if "memory" in places else 0
    missing = [name for name in NEEDED if name not in places or places[name].version != version]
    if missing:
        raise OSError(f"the kernel offers no control group for {' and '.join(missing)} here")
    parents = {name: places[name].folder for name in NEEDED}
    if version == 2:
        parents = dict.fromkeys(NEEDED, delegate(places["memory"].folder))
    groups = Groups(version, parents)
    groups.sweep()
    groups.make("trial", 1 << 26, 10).remove()
    return groups


def locate(own: str, mounts: str) -> dict[str, CgroupFolder]:
    """The folder of each controller, from the texts of /proc/self/cgroup and /proc/self/mountinfo. The system's own
    mount comes first; later ones may belong to a root that is gone any moment.
    """
    paths: dict[str, str] = {}
    for line in own.splitlines():
        _, controllers, path = line.split(":", 2)
        paths |= dict.fromkeys(controllers.split(","), path)
    places: dict[str, CgroupFolder] = {}
    for root, point, kind, options in _mounted(mounts):
        if kind == "cgroup":
            for name in set(options) & set(NEEDED) & paths.keys():
                places.setdefault(name, CgroupFolder(1, _folder(paths[name], root, point)))
        elif "" in paths:
            folder = _folder(paths[""], root, point)
            for name in set(_words(folder / "cgroup.controllers")) & set(NEEDED):
                places.setdefault(name, CgroupFolder(2, folder))
    return places


def delegate(folder: Path) -> Path:
    """Make the version 2 group `folder` delegate its limits, and return it or its parent. Raises OSError if it contains
    processes of others, which we must not move.
    """
    if folder.name == OWN_LEAF and set(NEEDED) <= set(_words(folder.parent / "cgroup.subtree_control")):
        return folder.parent
    if set(NEEDED) <= set(_words(folder / "cgroup.subtree_control")):
        return folder
    strangers = [pid for pid in _processes(folder) if not _descends_from_us(pid)]
    if strangers:
        raise OSError(f"the control group of the server holds other processes too, for example {strangers[0]}")
    leaf = folder / OWN_LEAF
    leaf.mkdir(exist_ok=True)
    for pid in _processes(folder):
        (leaf / "cgroup.procs").write_text(str(pid))
    offered = set(_words(folder / "cgroup.controllers"))
    (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in (*NEEDED, "cpu") if name in offered))
    return folder


_MUST_EXIST = {"memory.limit_in_bytes", "memory.max", "pids.max"}


def _settings(version: int, memory: int, processes: int) -> Iterator[tuple[str, str, str]]:
    """(controller, file, value); swap counts as memory, or a bot would slow the machine instead of being killed."""
    yield "pids", "pids.max", str(processes)
    if version == 1:
        yield "memory", "memory.limit_in_bytes", str(memory)
        yield "memory", "memory.memsw.limit_in_bytes", str(memory)
        return
    yield "memory", "memory.max", str(memory)
    yield "memory", "memory.swap.max", "0"
    yield "memory", "memory.oom.group", "1"
    yield "memory", "cpu.max", ONE_CPU


def _mounted(mounts: str) -> Iterator[tuple[str, str, str, list[str]]]:
    """(root, mount point, cgroup or cgroup2, options) of each mounted hierarchy."""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            yield before.split()[3], before.split()[4], kind, options.split(",")


def _folder(path: str, root: str, point: str) -> Path:
    """The folder of `path`. A container may see only a part of the hierarchy (`root`), or get paths outside of it."""
    inside = PurePosixPath(path)
    return Path(point) / (inside.relative_to(root) if inside.is_relative_to(root) else ".")


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []


def _processes(folder: Path) -> list[int]:
    return [int(word) for word in _words(folder / "cgroup.procs")]


def _counts(file: Path) -> dict[str, int]:
    words = _words(file)
    return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=False) if value.isdecimal()}


def _descends_from_us(pid: int) -> bool:
    while pid > 1 and pid != os.getpid():
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
        except OSError:
            return True
    return pid == os.getpid()


def _remove(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
