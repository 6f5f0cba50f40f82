"""A network of its own, in which loopback has addresses of documentation nets: strangers, while loopback stays exempt.

A child process lives in a network namespace and hands out sockets that are bound there: a socket belongs to the
namespace where it was made, whoever uses it. Other programs are run in there with `prefix` before their command.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any, Self

from tests.kit.deadline import DEADLINE_S

ROOT = Path(__file__).resolve().parents[2]
# All of the net of IPv4 is here, of IPv6 these addresses of one /64 and one address of another.
IPV4, IPV6, OTHER_IPV6 = "198.51.100.{}", "2001:db8::{:x}", "2001:db8:1::1"
IPV6_ADDRESSES = 64

_SET_ADDRESS, _SET_NETMASK, _SET_FLAGS, _UP = 0x8916, 0x891C, 0x8914, 0x41
_LOOPBACK_INDEX = 1


class NoNamespace(Exception):
    """This machine lets us make no network namespace."""


class Elsewhere:
    """The namespace, for as long as the context lasts. Raises NoNamespace."""

    def __enter__(self) -> Self:
        unshare = _unshare()
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            command = [*unshare, sys.executable, "-m", "tests.attacks.elsewhere", str(its.fileno())]
            self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[its.fileno()])
        self._asking = ours
        self._asking.settimeout(DEADLINE_S)
        self._one_at_a_time = threading.Lock()
        if self._asking.recv(100) != b"ready":
            self.__exit__()
            raise NoNamespace("a network namespace was made, and its loopback could not be given addresses")
        return self

    def __exit__(self, *_: object) -> None:
        self._asking.close()
        self._process.wait(DEADLINE_S)

    @property
    def prefix(self) -> list[str]:
        """Stands before the command of a program that shall run in there."""
        inside = ["nsenter", "-t", str(self._process.pid), "--net"]
        return inside if os.geteuid() == 0 else [*inside, "--user", "--preserve-credentials"]

    def connect(self, source: str, target: tuple[str, int]) -> socket.socket:
        """A connection from this address in there."""
        with self._one_at_a_time:
            self._asking.send(json.dumps(source).encode())
            _, (number, *_), _, _ = socket.recv_fds(self._asking, 100, 1)
        found = socket.socket(fileno=number)
        found.settimeout(DEADLINE_S)
        try:
            found.connect(target)
        except BaseException:
            found.close()
            raise
        return found


class Inside:
    """The same for a program that was started in there."""

    def connect(self, source: str, target: tuple[str, int]) -> socket.socket:
        return socket.create_connection(target, DEADLINE_S, (source, 0))


Network = Elsewhere | Inside


def _unshare() -> list[str]:
    """How a process gets a network of its own here. Raises NoNamespace."""
    if shutil.which("unshare") is None or shutil.which("nsenter") is None:
        raise NoNamespace("unshare and nsenter (util-linux) are not installed")
    for command in (["unshare", "--net"], ["unshare", "--map-root-user", "--net"]):
        if subprocess.run([*command, "true"], capture_output=True).returncode == 0:
            return command
    raise NoNamespace("unshare --net is not permitted, neither to this user nor in a user namespace")


# -- in there ----------------------------------------------------------------------------------------------------------


def main(number: int) -> None:
    with socket.socket(fileno=number) as asked:
        _give_addresses()
        asked.send(b"ready")
        while wanted := asked.recv(100):
            source = json.loads(wanted)
            with socket.socket(socket.AF_INET6 if ":" in source else socket.AF_INET) as made:
                made.bind((source, 0))
                socket.send_fds(asked, [b"socket"], [made.fileno()])


def _give_addresses() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        fcntl.ioctl(asking, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))
        _set(asking, _SET_ADDRESS, IPv4Address(IPV4.format(1)))
        _set(asking, _SET_NETMASK, IPv4Address("255.255.255.0"))
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as asking:
        for address in [*(IPV6.format(n) for n in range(1, IPV6_ADDRESSES + 1)), OTHER_IPV6]:
            wanted = struct.pack("16sIi", IPv6Address(address).packed, 128, _LOOPBACK_INDEX)
            fcntl.ioctl(asking, _SET_ADDRESS, wanted)


def _set(asking: Any, what: int, address: IPv4Address) -> None:
    fcntl.ioctl(asking, what, struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, address.packed))


if __name__ == "__main__":
    main(int(sys.argv[1]))
