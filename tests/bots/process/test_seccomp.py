"""The filter, judged by a machine for its instructions and by the kernel's own list of calls."""

from __future__ import annotations

import errno
import platform
import re
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.process.seccomp import (
    ALLOW,
    ARCHITECTURES,
    CLONE_NEW_ANY,
    ERRNO,
    FORBIDDEN,
    KILL_PROCESS,
    NUMBERS,
    OF_ITSELF,
    OF_SAME_USER,
    TIOCLINUX,
    TIOCSTI,
    program,
)

MACHINES = tuple(ARCHITECTURES)
HEADERS = {
    "x86_64": (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), ()),
    "aarch64": (Path("/usr/include/asm-generic/unistd.h"), ("-D__BITS_PER_LONG=64", "-D__ARCH_WANT_SYS_CLONE3")),
}
THREAD = 0x003D0F00  # what pthread_create asks for
TCGETS = 0x5401


def run(code: bytes, data: bytes) -> int:
    """What a program for classic BPF says about `data`, a struct seccomp_data."""
    at, value = 0, 0
    while True:
        kind, yes, no, k = map(int, struct.unpack_from("=HBBI", code, at * 8))
        at += 1
        if kind == 0x20:
            value = int.from_bytes(data[k : k + 4], sys.byteorder)
        elif kind == 0x06:
            return k
        else:
            holds = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[kind]
            at += yes if holds else no


def verdict(machine: str, number: int | str, *arguments: int, namespaces: bool = True, architecture: int = 0) -> int:
    if isinstance(number, str):
        number = number_of(machine, number) or 0
    given = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("=IIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *given)
    return run(program(machine, namespaces=namespaces), data)


def number_of(machine: str, name: str) -> int | None:
    return NUMBERS[name][MACHINES.index(machine)]


@pytest.mark.parametrize("machine", MACHINES)
def test_what_reaches_beyond_the_bot_is_refused(machine: str) -> None:
    for name in FORBIDDEN:
        if number_of(machine, name) is not None:
            assert verdict(machine, name) == ERRNO | errno.EPERM, name


@pytest.mark.parametrize("machine", MACHINES)
def test_everything_else_is_allowed(machine: str) -> None:
    ours = {number_of(machine, name) for name in NUMBERS.keys() - OF_SAME_USER - OF_ITSELF}
    for number in set(range(480)) - ours:
        assert verdict(machine, number) == ALLOW, number


@pytest.mark.parametrize("machine", MACHINES)
def test_threads_and_children_may_be_made_but_no_namespaces(machine: str) -> None:
    assert verdict(machine, "clone", THREAD) == ALLOW
    assert verdict(machine, "clone", 17) == ALLOW
    for bit in (1 << n for n in range(32) if CLONE_NEW_ANY >> n & 1):
        assert verdict(machine, "clone", 17 | bit) == ERRNO | errno.EPERM
    assert verdict(machine, "clone3", 0) == ERRNO | errno.ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_of_sockets_only_those_of_one_machine(machine: str) -> None:
    assert verdict(machine, "socket", socket.AF_UNIX) == ALLOW
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET, 40):
        assert verdict(machine, "socket", family) == ERRNO | errno.EACCES
    # The kernel reads the low half of the word only.
    assert verdict(machine, "socket", 1 << 32 | socket.AF_INET) == ERRNO | errno.EACCES


@pytest.mark.parametrize("machine", MACHINES)
def test_nobody_types_into_a_terminal(machine: str) -> None:
    assert verdict(machine, "ioctl", 0, TCGETS) == ALLOW
    for order in (TIOCSTI, TIOCLINUX, 1 << 32 | TIOCSTI):
        assert verdict(machine, "ioctl", 0, order) == ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_without_namespaces_no_socket_and_no_session(machine: str) -> None:
    assert verdict(machine, "setsid") == ALLOW
    assert verdict(machine, "setsid", namespaces=False) == ERRNO | errno.EPERM
    assert verdict(machine, "socket", socket.AF_UNIX, namespaces=False) == ERRNO | errno.EACCES


@pytest.mark.parametrize("machine", MACHINES)
def test_without_namespaces_nothing_of_the_same_user_is_changed(machine: str) -> None:
    """Neither the rights of the server's files nor the limits of the opponent; its own limits it may lower."""
    for name in OF_SAME_USER | OF_ITSELF:
        if number_of(machine, name) is not None:
            assert verdict(machine, name, 4711, namespaces=False) == ERRNO | errno.EPERM, name
            own = ALLOW if name in OF_ITSELF else ERRNO | errno.EPERM
            assert verdict(machine, name, 0, namespaces=False) == own, name


def test_calls_of_another_architecture_end_the_process() -> None:
    i386 = 0x40000003
    assert verdict("x86_64", 1, architecture=i386) == KILL_PROCESS
    assert verdict("aarch64", 1, architecture=ARCHITECTURES["x86_64"]) == KILL_PROCESS
    assert verdict("x86_64", 0x40000000 | 1) == ERRNO | errno.ENOSYS


def test_a_machine_without_a_table_is_named() -> None:
    with pytest.raises(NotImplementedError, match="riscv64.*x86_64, aarch64"):
        program("riscv64")


@pytest.mark.parametrize("machine", sorted({"aarch64", platform.machine()}))
def test_the_numbers_are_the_kernel_s(machine: str) -> None:
    """The generic list, which aarch64 follows, is on every machine with headers; the others have their own."""
    header, flags = HEADERS[machine]
    assert header.exists(), f"this test needs {header}: apt-get install libc6-dev"
    said = subprocess.run(["gcc", "-E", "-dM", *flags, str(header)], capture_output=True, text=True, check=True).stdout
    known = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)$", said, re.MULTILINE)}
    newest = max(known.values())  # later calls have one number everywhere, and are not in every header
    for name in NUMBERS:
        number = number_of(machine, name)
        assert number == known.get(name) or (number or 0) > newest, name


def test_the_kernel_takes_it() -> None:
    """A child of ours filters itself, then makes a pipe and no socket."""
    script = """
import ctypes, os, socket, sys
code = bytes.fromhex(sys.argv[1])
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Program(len(code) // 8, code)), 0, 0) == 0, ctypes.get_errno()
os.pipe()
socket.socketpair()
try: socket.socket()
except PermissionError as error: print(error.errno)
"""
    said = subprocess.run([sys.executable, "-c", script, program().hex()], capture_output=True, text=True, check=True)
    assert int(said.stdout) == errno.EACCES
