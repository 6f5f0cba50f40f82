"""The sandbox of bots that the server runs: finds the level that this machine supports by attacking it.

`best_level` tries the levels from the highest down and takes the first at which all eleven attacks of `probes` are
prevented. Versions and permissions are not checked: in containers they do not tell what works.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from arena import paths
from arena.bots.process.death import Death, why_it_died
from arena.bots.process.launch import LEVELS, BotLimits, Launch, SandboxLevel, Unreachable, wrap
from arena.bots.process.probes import PROBES, Probe, ProbeResult, Target, attack, target
from arena.common import descriptors

__all__ = [
    "ADVICE",
    "LEVELS",
    "Death",
    "BotLimits",
    "Launch",
    "NotSandboxed",
    "Sandbox",
    "SandboxLevel",
    "Trial",
    "Unreachable",
    "best_level",
    "demand",
    "known_level",
    "self_test",
    "why_it_died",
    "wrap",
]

ADVICE: Mapping[SandboxLevel, str] = MappingProxyType(
    {
        SandboxLevel.L3: "allow control groups: run the server as a systemd service with Delegate=yes, or as root",
        SandboxLevel.L2: "apt-get install bubblewrap, and allow user namespaces (in a container: a VM or its options)",
        SandboxLevel.L1: "a kernel from 5.13 on with Landlock, on x86_64 or aarch64, and python3 below /usr",
    }
)


class NotSandboxed(Exception):
    """This machine supports only a lower level than required. The message says which, and what to do."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The sandbox of a bot that the server runs."""

    level: SandboxLevel
    limits: BotLimits = BotLimits()

    def wrap(self, argv: Sequence[str], bot_folder: Path) -> Launch:
        """See `launch.wrap`."""
        return wrap(argv, level=self.level, bot_folder=bot_folder, limits=self.limits)


class Trial(NamedTuple):
    """The result of trying a level: the attacks, or why nothing could be started."""

    level: SandboxLevel
    found: tuple[tuple[Probe, ProbeResult], ...]
    why_not: str

    @property
    def holds(self) -> bool:
        return not self.why_not


def best_level() -> SandboxLevel:
    """The level that this machine supports; determined once in a process, in two seconds. Raises NotSandboxed."""
    last = self_test()[-1]
    return last.level if last.holds else SandboxLevel.L0


def known_level() -> SandboxLevel | None:
    """The same if this process has determined it, else None."""
    return best_level() if self_test.cache_info().currsize else None


@cache
def self_test() -> tuple[Trial, ...]:
    """The levels tried, from the highest down to the one that holds; if none does, down to L1."""
    trials: list[Trial] = []
    for level in (SandboxLevel.L3, SandboxLevel.L2, SandboxLevel.L1):
        trials.append(attempt(level))
        if trials[-1].holds:
            break
    return tuple(trials)


def attempt(level: SandboxLevel) -> Trial:
    """All attacks at one level. Raises NotSandboxed if there is no room for them just now."""
    try:
        with target() as aim:
            found = tuple((probe, _attack(probe, level, aim)) for probe in PROBES)
    except (OSError, NotImplementedError) as error:
        if descriptors.exhausted(error):  # of which nothing follows for the sandbox, and which will pass
            raise NotSandboxed(descriptors.WORDS) from error
        return Trial(level, (), _words(error))
    reached = [f"{probe.name} ({came.words})" for probe, came in found if not came.held]
    return Trial(level, found, f"not held back: {', '.join(reached)}" if reached else "")


def demand(minimum: SandboxLevel | int, found: SandboxLevel | None = None) -> SandboxLevel:
    """The level of this machine, or `found`. Raises NotSandboxed if it is below `minimum`."""
    level = best_level() if found is None else found
    if level >= minimum:
        return level
    asked = SandboxLevel(minimum)
    raise NotSandboxed(
        f"Commands of bots are not run: this machine gives level {level} of the sandbox ({LEVELS[level].made_of}), "
        f"ARENA_SANDBOX_MIN asks for {asked} ({LEVELS[asked].made_of}). To raise it: {ADVICE[asked]}; "
        f"{paths.PROGRAM} sandbox_check shows what is missing."
    )


def _attack(probe: Probe, level: SandboxLevel, aim: Target) -> ProbeResult:
    """Attack once. If the sandbox does not start at all, its own error message is the reason."""
    found = attack(probe, level, aim)
    if not found.held and probe is PROBES[0] and found.words.startswith("the probe did not work"):
        raise OSError(found.words)
    return found


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.strerror}: {error.filename}"
    return str(error)
