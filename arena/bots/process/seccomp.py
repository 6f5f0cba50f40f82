"""The system call filter of a bot: a BPF program for seccomp, see `man 2 seccomp` and linux/filter.h.

Bots come in any language, so everything is allowed except calls that reach beyond the bot's own processes, create
namespaces, belong to parts of the kernel with frequent vulnerabilities, or allocate memory that belongs to no process:
System V memory and POSIX queues count towards no limit and outlive their creator. It does not use libseccomp: the
program is only a list of similar tests, and the machine needs one library less.
"""

from __future__ import annotations

import errno
import platform
import socket
import struct
from collections.abc import Iterable, Mapping
from types import MappingProxyType

# linux/audit.h
ARCHITECTURES: Mapping[str, int] = MappingProxyType({"x86_64": 0xC000003E, "aarch64": 0xC00000B7})

# asm/unistd_64.h of x86_64, asm-generic/unistd.h for aarch64; None if the machine has no such call.
NUMBERS: Mapping[str, tuple[int | None, int | None]] = MappingProxyType(
    {
        "acct": (163, 89),
        "add_key": (248, 217),
        "bpf": (321, 280),
        "chmod": (90, None),
        "chown": (92, None),
        "chroot": (161, 51),
        "clone": (56, 220),
        "clone3": (435, 435),
        "delete_module": (176, 106),
        "fanotify_init": (300, 262),
        "fchmod": (91, 52),
        "fchmodat": (268, 53),
        "fchmodat2": (452, 452),
        "fchown": (93, 55),
        "fchownat": (260, 54),
        "file_setattr": (469, 469),
        "finit_module": (313, 273),
        "fremovexattr": (199, 16),
        "fsconfig": (431, 431),
        "fsetxattr": (190, 7),
        "fsmount": (432, 432),
        "fsopen": (430, 430),
        "fspick": (433, 433),
        "futimesat": (261, None),
        "init_module": (175, 105),
        "io_uring_enter": (426, 426),
        "io_uring_register": (427, 427),
        "io_uring_setup": (425, 425),
        "ioctl": (16, 29),
        "ioperm": (173, None),
        "iopl": (172, None),
        "ioprio_set": (251, 30),
        "kcmp": (312, 272),
        "kexec_file_load": (320, 294),
        "kexec_load": (246, 104),
        "keyctl": (250, 219),
        "lchown": (94, None),
        "lremovexattr": (198, 15),
        "lsetxattr": (189, 6),
        "mount": (165, 40),
        "mount_setattr": (442, 442),
        "move_mount": (429, 429),
        "mq_getsetattr": (245, 185),
        "mq_notify": (244, 184),
        "mq_open": (240, 180),
        "mq_timedreceive": (243, 183),
        "mq_timedsend": (242, 182),
        "mq_unlink": (241, 181),
        "msgctl": (71, 187),
        "msgget": (68, 186),
        "msgrcv": (70, 188),
        "msgsnd": (69, 189),
        "name_to_handle_at": (303, 264),
        "open_by_handle_at": (304, 265),
        "open_tree": (428, 428),
        "perf_event_open": (298, 241),
        "personality": (135, 92),
        "pidfd_getfd": (438, 438),
        "pivot_root": (155, 41),
        "prlimit64": (302, 261),
        "process_vm_readv": (310, 270),
        "process_vm_writev": (311, 271),
        "ptrace": (101, 117),
        "quotactl": (179, 60),
        "quotactl_fd": (443, 443),
        "reboot": (169, 142),
        "removexattr": (197, 14),
        "removexattrat": (466, 466),
        "request_key": (249, 218),
        "sched_setaffinity": (203, 122),
        "sched_setattr": (314, 274),
        "sched_setparam": (142, 118),
        "sched_setscheduler": (144, 119),
        "semctl": (66, 191),
        "semget": (64, 190),
        "semop": (65, 193),
        "semtimedop": (220, 192),
        "setns": (308, 268),
        "setpriority": (141, 140),
        "setsid": (112, 157),
        "setxattr": (188, 5),
        "setxattrat": (463, 463),
        "shmat": (30, 196),
        "shmctl": (31, 195),
        "shmdt": (67, 197),
        "shmget": (29, 194),
        "socket": (41, 198),
        "swapoff": (168, 225),
        "swapon": (167, 224),
        "syslog": (103, 116),
        "umount2": (166, 39),
        "unshare": (272, 97),
        "userfaultfd": (323, 282),
        "utime": (132, None),
        "utimensat": (280, 88),
        "utimes": (235, None),
    }
)
# These calls are judged by more than their number.
JUDGED = frozenset({"clone", "clone3", "ioctl", "setsid", "socket"})
# Without namespaces other bots, and often the server, have the bot's user. These calls need no more than that: Landlock
# judges who opens a file or sends a signal, but not who changes a file's rights, times or attributes, and not who slows
# another process down. A bot has no file of its own there.
OF_SAME_USER = frozenset(
    (
        *("chmod", "fchmod", "fchmodat", "fchmodat2"),
        *("chown", "fchown", "fchownat", "lchown"),
        *("fsetxattr", "lsetxattr", "setxattr", "setxattrat"),
        *("fremovexattr", "lremovexattr", "removexattr", "removexattrat"),
        *("futimesat", "utime", "utimensat", "utimes"),
        *("file_setattr", "ioprio_set", "setpriority"),
    )
)
# Nor who limits another process. A bot may do that with itself, which 0 stands for.
OF_ITSELF = frozenset(("prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"))
FORBIDDEN = tuple(name for name in NUMBERS if name not in JUDGED | OF_SAME_USER | OF_ITSELF)

CLONE_NEW_ANY = 0x7E020000
TIOCSTI = 0x5412  # types into the terminal as if the user had
TIOCLINUX = 0x541C  # pastes on a console

ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
ERRNO = 0x00050000

# Offsets in struct seccomp_data; of an argument the low half, which is all that the kernel reads of these.
_NUMBER, _ARCHITECTURE, _ARGUMENT_0, _ARGUMENT_1 = 0, 4, 16, 24
_X32_BIT = 0x40000000


def program(machine: str | None = None, *, namespaces: bool = True) -> bytes:
    """The filter as an array of `struct sock_filter` for `machine`, by default this one.

    Without `namespaces` there is no private network, a process that leaves the session cannot be found, and others of
    the same user can be reached: so all sockets, `setsid`, and what Landlock does not judge are refused too. Raises
    NotImplementedError for a machine whose call numbers are not known here.
    """
    machine = machine or platform.machine()
    if machine not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise NotImplementedError(f"no table of system calls for {machine}: the filter knows {known}")
    column = list(ARCHITECTURES).index(machine)
    number = {name: numbers[column] for name, numbers in NUMBERS.items()}
    return b"".join(
        (
            _only_on(ARCHITECTURES[machine]),
            *(_refuse(number[name], errno.EPERM) for name in FORBIDDEN),
            # Its flags are in memory, which a filter cannot read: libraries then fall back to clone.
            _refuse(number["clone3"], errno.ENOSYS),
            _judge(number["clone"], _ARGUMENT_0, _jump_if_any(CLONE_NEW_ANY, 0, 1), errno.EPERM),
            _judge(number["ioctl"], _ARGUMENT_1, _jump_if(TIOCSTI, 1, 0) + _jump_if(TIOCLINUX, 0, 1), errno.EPERM),
            *_sockets(number, namespaces),
            *(() if namespaces else _same_user(number)),
            _return(ALLOW),
        )
    )


def _only_on(architecture: int) -> bytes:
    """Refuse calls of another architecture (32-bit calls on a 64-bit kernel), whose numbers mean something else."""
    return (
        _load(_ARCHITECTURE)
        + _jump_if(architecture, 1, 0)
        + _return(KILL_PROCESS)
        + _load(_NUMBER)
        # The x32 calls of x86_64; no call of aarch64 has such a high number.
        + _jump_if_at_least(_X32_BIT, 0, 1)
        + _return(ERRNO | errno.ENOSYS)
    )


def _sockets(number: Mapping[str, int | None], namespaces: bool) -> Iterable[bytes]:
    if namespaces:
        yield _judge(number["socket"], _ARGUMENT_0, _jump_if(socket.AF_UNIX, 1, 0), errno.EACCES)
    else:
        yield _refuse(number["socket"], errno.EACCES)
        yield _refuse(number["setsid"], errno.EPERM)


def _same_user(number: Mapping[str, int | None]) -> Iterable[bytes]:
    for name in sorted(OF_SAME_USER):
        yield _refuse(number[name], errno.EPERM)
    for name in sorted(OF_ITSELF):
        yield _judge(number[name], _ARGUMENT_0, _jump_if(0, 1, 0), errno.EPERM)


def _refuse(number: int | None, error: int) -> bytes:
    if number is None:
        return b""
    return _jump_if(number, 0, 1) + _return(ERRNO | error)


def _judge(number: int | None, argument: int, test: bytes, error: int) -> bytes:
    """Judge a call: `test` falls through to the refusal or jumps over it."""
    assert number is not None, "every machine has the calls that are judged"
    verdict = _load(argument) + test + _return(ERRNO | error) + _return(ALLOW)
    return _jump_if(number, 0, len(verdict) // 8) + verdict


def _load(offset: int) -> bytes:
    return struct.pack("=HBBI", 0x20, 0, 0, offset)


def _jump_if(value: int, yes: int, no: int) -> bytes:
    return struct.pack("=HBBI", 0x15, yes, no, value)


def _jump_if_at_least(value: int, yes: int, no: int) -> bytes:
    return struct.pack("=HBBI", 0x35, yes, no, value)


def _jump_if_any(bits: int, yes: int, no: int) -> bytes:
    return struct.pack("=HBBI", 0x45, yes, no, bits)


def _return(value: int) -> bytes:
    return struct.pack("=HBBI", 0x06, 0, 0, value)
