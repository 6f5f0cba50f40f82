"""Starts child processes from a process without threads: `posix_spawn`, or where that cannot do it, `fork`.

It imports next to nothing, so that a runner's bots start up while the runner itself is still loading.

A child dies with us even at `kill -9`. The keeper, a fork of ours, reads a pipe whose other end we hold: when the pipe
ends, it kills every child that it was told of, with all descendants. The keeper knows of each child from the first
moment: a fork reports itself before it becomes a bot, and before a child is spawned the keeper is told of its input, a
pipe that nobody else has. PDEATHSIG would not help: it kills the bot alone, and a process that has left the bot's
session is then nobody's child and out of the keeper's reach.
"""

from __future__ import annotations

# The functions below `signal`. That module wraps the numbers in enumerations, and importing it takes half of a start.
import _signal as signal  # type: ignore[import-not-found]
import _thread
import os
import termios
import time
from io import FileIO

from arena.transports.programs import takes_terminal, which

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# A shell's exit codes for a missing command, and for one that cannot be run.
_NOT_FOUND, _NOT_RUN = 127, 126
# The signals that Python ignores. Without this, a bot would ignore them as well.
_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)
# A process that is just becoming a bot has its input by the next look.
_LOOKS, _LOOK_S = 3, 0.02
# How often the keeper reads what it was told, and how much at once. A pipe holds 64 KiB, which is thousands of lines.
_READ_ON_MS, _AT_ONCE = 500, 64 * 1024


class Keeper:
    """Outlives us briefly and kills what our children would leave behind. Started with the first child."""

    def __init__(self) -> None:
        self.pid = self._ours = 0
        self._pipe = -1
        self._told: dict[int, bytes] = {}  # the children that run, which another keeper has to know
        self._lock = _thread.allocate_lock()  # two threads that start their first bots at once share one keeper

    @property
    def files(self) -> tuple[int, ...]:
        """The files that a fork of ours needs to report itself to the keeper."""
        return (self._pipe,) if self.pid else ()

    def tell(self, line: bytes) -> None:
        """`+12`: child 12 is about to begin; `-12`: it is about to be reaped. `?34`: a child whose number nobody knows
        yet has the input 34; `.34`: its number is known, or there is no such child.

        `!12`: process 12 has its own keeper, so it is killed alone, and its keeper ends what it leaves behind. A keeper
        that somebody has killed is replaced, but not by a fork of ours, which is no parent of it.
        """
        pid = self.pid
        try:
            os.write(self._pipe, line)
        except BrokenPipeError:
            if os.getpid() == self._ours:
                self._replace(pid)
                os.write(self._pipe, line)

    def guard(self, child: int, kind: bytes = b"+") -> None:
        """This child runs from now on."""
        self._told[child] = b"%b%d\n" % (kind, child)
        self.tell(self._told[child])

    def begin(self) -> None:
        """Fork the keeper, once."""
        with self._lock:
            if not self.pid:
                self._fork()

    def _replace(self, pid: int) -> None:
        """Fork another one for the keeper that had this number."""
        with self._lock:
            if self.pid == pid:
                os.close(self._pipe)
                os.waitpid(pid, 0)
                self._fork()
                os.write(self._pipe, b"".join(self._told.values()))

    def _fork(self) -> None:
        theirs, self._pipe = os.pipe()
        pid = os.fork()
        if not pid:
            try:
                os.close(self._pipe)
                _keep(theirs)
            finally:
                os._exit(0)
        os.close(theirs)
        self.pid, self._ours = pid, os.getpid()

    def release(self, leader: int) -> None:
        """Call this before reaping `leader`: afterwards its number may be reused."""
        self._told.pop(leader, None)
        self.tell(b"-%d\n" % leader)

    def forget(self) -> None:
        """In a fork of ours: drop the parent's keeper."""
        if self.pid:
            os.close(self._pipe)
            self.pid = 0
            self._told.clear()

    def close(self) -> None:
        """End the keeper, which has no children left. The next child starts another."""
        with self._lock:
            if self.pid:
                os.close(self._pipe)
                os.waitpid(self.pid, 0)
                self.pid = 0
                self._told.clear()


def _keep(pipe: int) -> None:
    """The keeper itself: it ends only with the pipe, and keeps no other file of ours open."""
    os.setsid()
    os.chdir("/")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.dup2(pipe, 3)
    os.closerange(4, max(map(int, os.listdir("/proc/self/fd"))) + 1)
    leaders: set[int] = set()
    keepers: set[int] = set()
    inputs: set[int] = set()
    for line in _lines(3):
        kind, number = line[:1], int(line[1:])
        if kind in b"?.":
            (inputs.add if kind == b"?" else inputs.discard)(number)
            continue
        leaders.discard(number)
        keepers.discard(number)
        if kind != b"-":
            (leaders if kind == b"+" else keepers).add(number)
    for pid in keepers:
        try:  # not `suppress`, to avoid importing contextlib
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    if inputs:
        leaders |= _who_reads(inputs)
    if leaders:
        from arena.transports.supervisor import end_all

        end_all(leaders)


def _lines(pipe: int) -> Iterator[bytes]:
    """The lines in this pipe, until nobody can write to it any more. What is in it before is read now and then, to keep
    it from filling up: a keeper that woke for each line would slow the start and the end of every bot.
    """
    from select import poll

    os.set_blocking(pipe, False)
    end, source, begun, over = poll(), FileIO(pipe), b"", False
    end.register(pipe, 0)  # it is told of the end in any case
    while not over:
        over = bool(end.poll(_READ_ON_MS))
        while data := source.read(_AT_ONCE):
            *lines, begun = (begun + data).split(b"\n")
            yield from lines


def _who_reads(inputs: set[int]) -> set[int]:
    """The processes whose input is one of these pipes."""
    names, found = {f"pipe:[{number}]" for number in inputs}, set[int]()
    for _ in range(_LOOKS):
        time.sleep(_LOOK_S)
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/fd/0") in names:
                    found.add(int(pid))
            except OSError:
                continue  # it has ended, or is not ours
    return found


class Child:
    """One running command and our ends of its files, with the interface of `arena.transports.process.Process`."""

    def __init__(self, pid: int, stdin: int, stdout: int, stderr: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdin = FileIO(stdin, "w")
        self.stdout = stdout
        self.stderr = FileIO(stderr)

    def poll(self) -> int | None:
        """Reap it if it has exited. Returns its exit status, or minus the signal that killed it."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


keeper = Keeper()


def start(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], pty: bool = True, keeps: tuple[int, ...] = ()
) -> Child:
    """Start the command in the folder `cwd` with exactly `env`; its output is a raw terminal, or a pipe: without
    `pty`, and for what a terminal would harm. It inherits only the files in `keeps`.

    The caller must check that the command can be run. Raises OSError when the machine has no processes or terminals
    left.
    """
    keeper.begin()
    files: list[int] = []
    try:
        files += os.pipe()
        files += _terminal() if pty and takes_terminal(argv, cwd) else os.pipe()
        files += os.pipe()
        read_stdin, stdin, stdout, write_stdout, stderr, write_stderr = files
        theirs = (read_stdin, write_stdout, write_stderr)
        # Other threads would be in its folder for a moment.
        pid = 0 if keeps or _thread._count() else _spawn(argv, cwd, env, theirs)
        if not pid:
            pid = os.fork()
            if not pid:
                _become(argv, cwd, env, theirs, keeps)
            keeper.guard(pid)
    except BaseException:
        for file in files:
            os.close(file)
        raise
    for file in theirs:
        os.close(file)
    return Child(pid, stdin, stdout, stderr)


def _spawn(argv: Sequence[str], cwd: str, env: Mapping[str, str], files: tuple[int, int, int]) -> int:
    """Start it without a copy of our memory, which is what takes a fork longest. Returns its number, or 0 if it cannot
    be started like this: a fork can then say why on its standard error.
    """
    program = argv[0] if "/" in argv[0] else which(argv[0], env.get("PATH", os.defpath))
    if program is None or not ("/" in argv[0] or program.startswith("/")):
        return 0
    actions: list[tuple[int, ...]] = [(os.POSIX_SPAWN_DUP2, file, number) for number, file in enumerate(files)]
    actions += [(os.POSIX_SPAWN_CLOSE, file) for file in _inherited()]
    its_input = os.fstat(files[0]).st_ino
    here = os.open(".", os.O_PATH)
    keeper.tell(b"?%d\n" % its_input)
    try:
        os.chdir(cwd)
        pid = os.posix_spawn(program, list(argv), dict(env), file_actions=actions, setsid=True, setsigdef=_IGNORED)
        # If an interrupt comes before its number is kept, the keeper finds it by its input and ends it.
        keeper.guard(pid)
        keeper.tell(b".%d\n" % its_input)
    except OSError:
        keeper.tell(b".%d\n" % its_input)
        return 0
    finally:
        os.fchdir(here)
        os.close(here)
    return pid


def _inherited() -> Iterator[int]:
    """The files that a child would inherit from us: those that we inherited from the process that started us."""
    for file in map(int, os.listdir("/proc/self/fd")):
        try:
            if file > 2 and os.get_inheritable(file):
                yield file
        except OSError:
            continue  # the one that this list was read from


def _become(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], files: tuple[int, int, int], keeps: tuple[int, ...]
) -> None:
    """In the child: close all other files, including those inherited from the process that started us."""
    status = _NOT_RUN
    try:
        os.setsid()
        keeper.tell(b"+%d\n" % os.getpid())
        for number, file in enumerate(files):
            os.dup2(file, number)
        for ignored in _IGNORED:
            signal.signal(ignored, signal.SIG_DFL)
        _close_all_but(keeps)
        os.chdir(cwd)
        os.execvpe(argv[0], list(argv), dict(env))
    except OSError as why:
        if isinstance(why, FileNotFoundError):
            status = _NOT_FOUND
        os.write(2, f"{argv[0]}: {why.strerror}\n".encode())
    finally:
        os._exit(status)


def _close_all_but(keeps: tuple[int, ...]) -> None:
    first, last = 3, max(map(int, os.listdir("/proc/self/fd")))
    for file in sorted(keeps):
        os.closerange(first, file)
        os.set_inheritable(file, True)
        first = file + 1
    os.closerange(first, last + 1)


def _terminal() -> tuple[int, int]:
    """Our end and the child's, in raw mode: no echo, no CR. `tty.setraw` would need another import."""
    ours, theirs = os.openpty()
    iflag, oflag, cflag, lflag, ispeed, ospeed, cc = termios.tcgetattr(theirs)
    iflag &= ~(termios.BRKINT | termios.ICRNL | termios.INPCK | termios.ISTRIP | termios.IXON)
    cflag = cflag & ~(termios.CSIZE | termios.PARENB) | termios.CS8
    lflag &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
    cc[termios.VMIN], cc[termios.VTIME] = 1, 0
    termios.tcsetattr(theirs, termios.TCSANOW, [iflag, oflag & ~termios.OPOST, cflag, lflag, ispeed, ospeed, cc])
    return ours, theirs
