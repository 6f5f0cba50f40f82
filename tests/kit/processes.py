"""The real servers beside ours: PostgreSQL and Redis, on free ports."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port

# Runs the rest of its words as a command until its input ends.
_WITH_US = '"$@" </dev/null & cat; kill $!; wait'


class Redis:
    """`redis-server`, which ends with us. After `stop`, `start` takes the same port again."""

    def __init__(self) -> None:
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(
            ["sh", "-c", _WITH_US, "sh", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        until_open(self.port)

    def stop(self) -> None:
        assert self._process is not None, "it has been started"
        self._process.communicate(timeout=DEADLINE_S)


# Waits for the end of its input, then ends the server whose `pg_ctl` and folder it is given, and removes that folder.
_AFTER_US = 'cat; "$0" -D "$1/data" -m immediate stop; rm -rf "$1"'


class Postgres:
    """A PostgreSQL server; root runs it as another user, as it demands. Call `remove` at the end.

    It is no child of ours. So that a killed run leaves none behind, another process holds the end of a pipe whose other
    end closes with us, and removes it then.
    """

    def __init__(self) -> None:
        self.port = free_port()
        # Not below the folder of pytest, which nobody else may enter.
        self._folder = folder = Path(tempfile.mkdtemp(prefix="arena-postgres-"))
        self._bin = postgres_programs()
        self._as: dict[str, Any] = {}
        if os.getuid() == 0:
            nobody = pwd.getpwnam("postgres" if _is_user("postgres") else "nobody")
            self._as = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        self._after_us = subprocess.Popen(
            ["sh", "-c", _AFTER_US, str(self._bin / "pg_ctl"), str(folder)], cwd="/", start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self._as,
        )  # fmt: skip
        self._run("initdb", "-D", str(folder / "data"), "-A", "trust", "-U", "arena", "-E", "UTF8", "--no-sync")

    def url(self, name: str) -> str:
        return f"postgres://arena@127.0.0.1:{self.port}/{name}"

    @property
    def pid(self) -> int:
        """Of the first of its processes, which starts the others."""
        return int((self._folder / "data" / "postmaster.pid").read_text().split()[0])

    def kill(self) -> None:
        """Kill it, like a power cut; its children notice, and are gone a moment later."""
        pid = self.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + DEADLINE_S
        while any(Path(f"/proc/{child}").exists() for child in children):
            assert time.monotonic() < end, "children of PostgreSQL are left"
            time.sleep(0.02)

    def start(self) -> None:
        # It waits for no disk: what a killed process has written, the system still has. Half of the computing of a new
        # database, and most of the waiting.
        options = f"-F -p {self.port} -h 127.0.0.1 -k {self._folder}"
        self._control("start", "-o", options, "-l", str(self._folder / "log"))

    def speak_tls(self, openssl: str) -> Path:
        """From its next start on, with a certificate for `localhost`; workers are then admitted in no other way.
        Returns who has signed that.
        """
        data = self._folder / "data"
        made = ("-days", "2", "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
        files = ("-out", str(data / "server.crt"), "-keyout", str(data / "server.key"))
        subprocess.run([openssl, "req", "-new", "-x509", *made, *files], check=True, capture_output=True, **self._as)
        with (data / "postgresql.conf").open("a") as settings:
            settings.write("ssl = on\n")
        hosts = ("host all arena 127.0.0.1/32 trust", "hostssl all arena_worker 127.0.0.1/32 scram-sha-256")
        (data / "pg_hba.conf").write_text("\n".join((*hosts, "")))
        authority = Path(shutil.copy(data / "server.crt", self._folder))
        for place in (self._folder, authority):
            place.chmod(place.stat().st_mode | 0o055)
        return authority

    def stop(self) -> None:
        """Stop it, like a restart of the service: every connection is cut."""
        self._control("stop", "-m", "fast")

    def remove(self) -> None:
        self._after_us.communicate(timeout=DEADLINE_S)
        shutil.rmtree(self._folder, ignore_errors=True)  # that other user may not enter what it lies in

    def create(self, name: str, like: str = "template1") -> str:
        """A new database, a copy of the one called `like`, with which nobody is connected; its address."""
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "arena", "-T", like, name)
        return self.url(name)

    def _control(self, *words: str) -> None:
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-w", "-t", str(DEADLINE_S), *words)

    def _run(self, program: str, *words: str) -> None:
        command = [str(self._bin / program), *words]
        done = subprocess.run(
            command, cwd=self._folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=DEADLINE_S, **self._as,
        )  # fmt: skip
        assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}"


def until_open(port: int) -> None:
    """Wait until somebody listens there."""
    end = time.monotonic() + DEADLINE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < end, f"nobody listens on port {port}"
            time.sleep(0.02)


def until_closed(port: int) -> None:
    """Wait until nobody listens there."""
    end = time.monotonic() + DEADLINE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            return
        assert time.monotonic() < end, f"somebody listens on port {port}"
        time.sleep(0.02)


def postgres_programs() -> Path:
    """The folder of initdb and the like, which Debian keeps out of PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    program = shutil.which("initdb")
    assert program, "PostgreSQL is not installed here: `make test` installs it where that is allowed"
    return Path(program).parent


def _is_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
