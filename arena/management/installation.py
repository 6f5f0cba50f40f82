"""The checks of `manage.py doctor` around a server: the bus, what restarts it, where its log goes, who can reach it.

As in findings.py, nothing is changed. Facts that only root can see, such as the rules of a firewall, are not guessed:
the advice says how to try.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

from arena.management.findings import Asked, Check, Finding, Severity, size
from arena.management.listening import listened_on, server
from arena.protocols import protocols

UNIT = "arena.service"
# Exists if systemd has started the machine: sd_booted(3).
BOOTED = Path("/run/systemd/system")
ROTATED = Path("/etc/logrotate.d")
PATIENCE_S = 3.0


def bus(asked: Asked) -> Iterator[Finding]:
    """Redis, through which a host and its fronts meet."""
    if not settings.REDIS_URL:
        yield Finding("bus", Severity.OK, "none is needed: REDIS_URL is not set, so one server serves alone")
        return
    if connection.vendor == "sqlite":
        words = "REDIS_URL is set, but a database of SQLite has one server, which does not use it"
        yield Finding("bus", Severity.WARNING, words, "set DATABASE_URL to PostgreSQL, or unset REDIS_URL")
        return
    from redis import Redis, RedisError  # a tenth of a second, which a server alone need not wait

    # Only the host: the address may contain a password.
    parts = urlsplit(settings.REDIS_URL)
    place = f"{parts.hostname or parts.path}:{parts.port or 6379}"
    try:
        with Redis.from_url(settings.REDIS_URL, socket_connect_timeout=PATIENCE_S, socket_timeout=PATIENCE_S) as redis:
            redis.ping()
    except (RedisError, OSError, ValueError) as why:
        yield Finding(
            "bus", Severity.WRONG, f"Redis at {place} does not answer: {why}", "start it, or correct REDIS_URL"
        )
    else:
        yield Finding("bus", Severity.OK, f"Redis answers at {place}")


def unit(asked: Asked) -> Iterator[Finding]:
    """Whether something starts the server with the machine, and restarts it when it dies."""
    systemctl = shutil.which("systemctl")
    if not BOOTED.is_dir() or systemctl is None:
        words = "systemd does not run this machine: the program that starts the server must also restart it"
        yield Finding("unit", Severity.OK, words)
        return
    command = [systemctl, "show", UNIT, "--property=LoadState,UnitFileState,Restart,Delegate,KillMode"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    state = dict(line.split("=", 1) for line in shown.stdout.splitlines() if "=" in line)
    if state.get("LoadState") != "loaded":
        said = shown.stderr.strip() or state.get("LoadState", "unknown")
        yield Finding("unit", Severity.WARNING, f"{UNIT} is not installed ({said})", "docs/deployment.md, One machine")
        return
    faults = (
        ("UnitFileState", "enabled", "does not start with the machine", f"systemctl enable {UNIT}"),
        ("Restart", "always", "is not started again after it has died", "set Restart=always in the unit"),
        ("KillMode", "mixed", "stops bots with the server, which costs them their matches", "set KillMode=mixed there"),
        ("Delegate", "yes", "has no control groups of its own, so no memory limit for bots", "set Delegate=yes there"),
    )
    found = [
        Finding("unit", Severity.WARNING, f"{UNIT} {words} ({name}={state.get(name, '')})", todo)
        for name, wanted, words, todo in faults
        if state.get(name) != wanted
    ]
    yield from found or [Finding("unit", Severity.OK, f"{UNIT} starts with the machine, and again when it has died")]


def log(asked: Asked) -> Iterator[Finding]:
    """Where the standard error of the running server goes."""
    holder = server(asked.ports.get("pages", 0))
    try:
        kept = Path(os.readlink(f"/proc/{holder}/fd/2")) if holder.isdecimal() else None
    except OSError as why:
        yield Finding("log", Severity.OK, f"cannot be seen by this user: {why.strerror}")
        return
    if kept is None:
        yield Finding("log", Severity.OK, "no server is running here that could be looked at")
    elif kept == Path(os.devnull):
        todo = "let systemd or the container keep standard error: docs/logs.md"
        yield Finding("log", Severity.WARNING, "the server writes it to /dev/null: nobody keeps it", todo)
    elif not kept.is_file():
        yield Finding("log", Severity.OK, f"goes to {kept}, kept by the program that started the server")
    elif rotates(kept):
        yield Finding("log", Severity.OK, f"{kept}, {size(kept.stat().st_size)}, is rotated")
    else:
        todo = "let logrotate rotate it, with copytruncate: docs/logs.md"
        yield Finding("log", Severity.WARNING, f"{kept}, {size(kept.stat().st_size)}, grows without end", todo)


def rotates(file: Path) -> bool:
    """Whether logrotate has been told of this file, or of its whole folder."""
    rules = [rule.read_text(errors="replace") for rule in sorted(ROTATED.glob("*")) if os.access(rule, os.R_OK)]
    words = {word.strip('"{') for rule in rules for word in rule.split()}
    return any(file.match(word) for word in words if word.startswith("/"))


def reach(asked: Asked) -> Iterator[Finding]:
    """Whether bots on other machines can connect at all. Only root can see the rules of a firewall."""
    holder = server(asked.ports.get("pages", 0))
    slugs = protocols().keys() & asked.ports.keys()
    doors = {asked.ports[slug] for slug in slugs} & listened_on(holder).keys()
    if not doors:
        yield Finding("reach", Severity.OK, "no server with open doors is running here that could be looked at")
        return
    inside = sorted(door for door in doors if all(address.is_loopback for address in listened_on(holder)[door]))
    if inside:
        words = f"only bots of this machine: the doors are open on its loopback address ({_named(inside)})"
        yield Finding("reach", Severity.OK, f"{words}; `serve --bots-host 0.0.0.0` lets in others")
    else:
        pools = (settings.ARENA_SEAT_PORTS, settings.ARENA_BOT_PORTS)
        needed = ", ".join((_named(sorted(doors)), *(f"{pool[0]}-{pool[-1]}" for pool in pools if pool)))
        words = f"a firewall has to let in TCP {needed}; try `nc -vz HOST {min(doors)}` from another machine"
        yield Finding("reach", Severity.OK, words)


def _named(ports: list[int]) -> str:
    return ", ".join(map(str, ports))


CHECKS: tuple[Check, ...] = (bus, unit, log, reach)
