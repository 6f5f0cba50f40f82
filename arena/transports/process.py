"""The life of a child process: its input and output, its end, and the words for that, on whatever loop: asyncio
(`stdio`) or `arena.play`. It imports little, because a runner starts with it.
"""

from __future__ import annotations

import errno
import os
import time
from fcntl import ioctl
from termios import FIONREAD

from arena.transports import CLOSE_S, WRITE_LIMIT
from arena.transports.process_tree import kill_all, kill_family
from arena.transports.reading import waits_for_input

TYPE_CHECKING = False  # as `typing` has it, whose import takes longer than that of a runner
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from arena.transports.shape import Process, ProcessLoop, Receiver, Timer, Transport

READ_SIZE = 64 * 1024
STDERR_TAIL = 64 * 1024
# A bot that writes more to stderr than anybody could read will never stop, and costs everybody's time.
STDERR_AT_ONCE = 4 * 1024 * 1024
STDERR_PER_S = 1024 * 1024
FLOODS_STDERR = "the bot writes to stderr without end"
# How long a process left behind may hold open the output of one that has exited.
LINGER_S = 1.0
# How long a process that has closed its input may take to exit or to end its output, which tell more.
INPUT_GONE_S = 0.5
CLOSED_INPUT = "the bot has closed its input"


class ChildInput:
    """The pipe into a child: unread input waits here. `on_sent` is called when the last waiting input has been sent,
    `on_refused` if the child has closed the pipe or exited, even with unread input in it.
    """

    def __init__(
        self, loop: ProcessLoop, pipe: IO[bytes], on_sent: Callable[[], None], on_refused: Callable[[], None]
    ) -> None:
        os.set_blocking(pipe.fileno(), False)
        self.unsent = bytearray()
        self._fd = pipe.fileno()
        self._loop, self._pipe, self._on_sent, self._on_refused = loop, pipe, on_sent, on_refused
        self._blocked = self._ended = False
        loop.add_reader(pipe.fileno(), self._closed_by_child)  # nothing is read: it wakes when nobody can read any more

    def write(self, data: bytes) -> None:
        if self._ended or self._pipe.closed:
            return
        if not self.unsent:  # hardly ever does anything wait
            try:
                sent = os.write(self._fd, data)
            except OSError:
                sent = 0  # `_send` finds out why
            if sent == len(data):
                return
            data = data[sent:]
        self.unsent += data
        self._send()

    def end(self) -> None:
        """End the input after what was written."""
        self._ended = True
        if not self.unsent:
            self.close()

    @property
    def is_unread(self) -> bool:
        if self._pipe.closed:
            return False
        return bool(self.unsent) or any(ioctl(self._pipe.fileno(), FIONREAD, bytes(4)))

    def close(self) -> None:
        if not self._pipe.closed:
            self._loop.remove_reader(self._pipe.fileno())
            self._loop.remove_writer(self._pipe.fileno())
            self._pipe.close()

    def _send(self) -> None:
        try:
            sent = os.write(self._pipe.fileno(), self.unsent)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._closed_by_child()
        else:
            del self.unsent[:sent]
        if self.unsent:
            self._blocked = True
            self._loop.add_writer(self._pipe.fileno(), self._send)
        else:
            self._sent_all()

    def _closed_by_child(self) -> None:
        self.unsent.clear()
        self.close()
        if not self._ended:
            self._on_refused()

    def _sent_all(self) -> None:
        if self._blocked and not self._pipe.closed:
            self._blocked = False
            self._loop.remove_writer(self._pipe.fileno())
        if self._ended:
            self.close()
        self._on_sent()


class StderrTail:
    """The end of a child's output on stderr, and how much more it may write now."""

    def __init__(self) -> None:
        self.kept = bytearray()
        self._left, self._at = float(STDERR_AT_ONCE), time.monotonic()

    def add(self, data: bytes) -> bool:
        """Add output; whether the child may write this much."""
        self.kept += data
        del self.kept[:-STDERR_TAIL]
        now = time.monotonic()
        saved = self._left + (now - self._at) * STDERR_PER_S
        self._left, self._at = min(STDERR_AT_ONCE, saved) - len(data), now
        return self._left >= 0


class ChildTransport:
    """One running command. `stdout` is our end of its output; `forget` gets its process id before another process may
    get it; `leaving_s` is how long it may take to exit when it is closed.
    """

    def __init__(
        self,
        loop: ProcessLoop,
        process: Process,
        stdout: int,
        peer: str,
        receiver_factory: Callable[[Transport], Receiver],
        forget: Callable[[int], None],
    ) -> None:
        assert process.stdin is not None and process.stderr is not None, "both are pipes"
        self.peer = peer
        self.pid = process.pid
        self._process = process
        self._input = ChildInput(loop, process.stdin, self._sent_all, self._refused)
        self._stdout, self._stderr = stdout, process.stderr
        self._exited = os.pidfd_open(process.pid)
        self._errors = StderrTail()
        self.on_stderr: Callable[[bytes], None] | None = None
        self.leaving_s = 0.0
        self._reason = ""
        self.has_closed_input = False
        self.is_closing = self._paused = self._stdout_ended = self._lost = False
        self._deadline: Timer | None = None
        self._loop, self._forget = loop, forget
        self._receiver = receiver_factory(self)
        self._listen()

    @property
    def is_unread(self) -> bool:
        return self._input.is_unread

    @property
    def exit_status(self) -> int | None:
        """None while it runs, the exit code, or minus the signal that killed it."""
        return self._process.returncode

    @property
    def exit_words(self) -> str:
        """`running`, `exit code 1`, `killed by SIGSEGV`."""
        status = self.exit_status
        return "running" if status is None else words_of(status)

    @property
    def was_ended(self) -> bool:
        """Whether we have ended it, by closing its input or by force."""
        return bool(self._reason)

    @property
    def stderr_tail(self) -> bytes:
        """The last 64 KiB that the bot wrote to stderr."""
        return bytes(self._errors.kept)

    def write(self, data: bytes) -> None:
        if self.is_closing:
            return
        self._input.write(data)
        if (unsent := len(self._input.unsent)) > WRITE_LIMIT:
            self._kill(f"the bot does not read: {unsent} bytes wait unsent")

    def close(self) -> None:
        """Get what was written into the bot's pipe, let it read and exit, then kill: at EOF old bots spin forever."""
        if self.is_closing:
            return
        self.is_closing = True
        self._reason = CLOSED_INPUT if self.has_closed_input else "closed"
        self._resume()
        if self.exit_status is not None:
            return
        self._set_deadline(CLOSE_S, lambda: self._kill("closed"))
        if not self._input.unsent:
            self._sent_all()

    def abort(self) -> None:
        self._kill("aborted")

    def end_input(self) -> None:
        """End the bot's input after what was written, and go on reading: some bots exit then, others spin."""
        self._input.end()

    def pause_reading(self) -> None:
        if not self._paused and not self.is_closing and not self._stdout_ended:
            self._paused = True
            self._loop.remove_reader(self._stdout)

    def resume_reading(self) -> None:
        if not self.is_closing:
            self._resume()

    def waits_for_input(self) -> bool:
        """Whether the program is known to wait for its input, with none of its earlier output still on the way.

        Output to a terminal arrives a moment later, and much later on a busy machine: only a read waits for it.
        """
        return not (self._paused or self._stdout_ended) and waits_for_input(self.pid) and not self._read_stdout()

    # -- called by the loop --------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        for fd in (self._stdout, self._stderr.fileno()):
            os.set_blocking(fd, False)
        self._loop.add_reader(self._stdout, self._read_stdout)
        self._loop.add_reader(self._stderr.fileno(), self._read_stderr)
        self._loop.add_reader(self._exited, self._reap)

    def _read_stdout(self) -> bool:
        """One read for each wake-up, so that no flood starves others. Returns whether there was anything."""
        data = _read(self._stdout)
        if data == b"":
            self._end_of_stdout()
        elif data and not self.is_closing:
            try:
                self._receiver.data_received(data, time.monotonic())
            except Exception:
                self._receiver_failed()
        return data is not None

    def _end_of_stdout(self) -> None:
        self._close_stdout()
        if not self.is_closing:
            self._tell(self._receiver.eof_received)
        if self.exit_status is not None:
            self._finish()

    def _read_stderr(self) -> None:
        data = _read(self._stderr.fileno())
        if data == b"":
            self._close_stderr()
        elif data:
            if not self._errors.add(data):
                self._kill(FLOODS_STDERR)
            if self.on_stderr is not None:
                self._tell(self.on_stderr, data)

    def _refused(self) -> None:
        """The child reads no more; its earlier output is delivered first."""
        self._loop.call_later(INPUT_GONE_S, self._miss_input)

    def _miss_input(self) -> None:
        """The child lives, but input no longer reaches it: as at the end of its output, what it has written is all."""
        if not (self.is_closing or self._stdout_ended or self.exit_status is not None):
            self.has_closed_input = True
            self._tell(self._receiver.eof_received)

    def _sent_all(self) -> None:
        if not self.is_closing:
            return
        if self.leaving_s:
            self._input.close()
            self._set_deadline(self.leaving_s, lambda: self._kill("closed"))
        else:
            self._kill("closed")

    def _reap(self) -> None:
        """The sweep comes first: while the dead process is not reaped, its number and its session's stay its own."""
        self._loop.remove_reader(self._exited)
        os.close(self._exited)
        kill_all(self.pid)
        self._forget(self.pid)
        self._process.poll()
        self._resume()
        if self._stdout_ended:
            self._finish()
        else:
            self._set_deadline(LINGER_S, self._end_of_stdout)

    # -- the end -------------------------------------------------------------------------------------------------------

    def _kill(self, reason: str) -> None:
        if self.exit_status is not None:
            return
        self.is_closing = True
        self._reason = self._reason or reason
        self._resume()
        kill_family(self.pid)

    def _finish(self) -> None:
        """The process is reaped: release what is left, and report the end once."""
        if self._lost:
            return
        self._lost = self.is_closing = True
        if self._deadline is not None:
            self._deadline.cancel()
        self._input.close()
        self._close_stdout()
        self._drain_stderr()
        self._tell(self._receiver.connection_lost, self._reason or self.exit_words)

    def _drain_stderr(self) -> None:
        """Read the rest of the pipe, in which a crashed bot says why; it holds 64 KiB, so a few reads suffice."""
        for _ in range(4):
            if not self._stderr.closed:
                self._read_stderr()
        self._close_stderr()

    def _set_deadline(self, seconds: float, act: Callable[[], None]) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self._loop.call_later(seconds, act)

    def _resume(self) -> None:
        if self._paused and not self._stdout_ended:
            self._loop.add_reader(self._stdout, self._read_stdout)
        self._paused = False

    def _close_stdout(self) -> None:
        if not self._stdout_ended:
            self._stdout_ended = True
            self._loop.remove_reader(self._stdout)
            os.close(self._stdout)

    def _close_stderr(self) -> None:
        if not self._stderr.closed:
            self._loop.remove_reader(self._stderr.fileno())
            self._stderr.close()

    def _tell(self, call: Callable[..., None], *arguments: object) -> None:
        try:
            call(*arguments)
        except Exception:
            self._receiver_failed()

    def _receiver_failed(self) -> None:
        """End only this child after a bug of ours; called while an exception is being handled."""
        import logging  # a third of what a runner starts with, and hardly ever needed

        logging.getLogger(__name__).exception("the receiver of %s failed", self.peer)
        self.abort()


def words_of(status: int) -> str:
    """An exit status, or minus the signal that ended it, in words: `exit code 1`, `killed by SIGSEGV`."""
    return f"exit code {status}" if status >= 0 else f"killed by {_signal_name(-status)}"


def _read(fd: int) -> bytes | None:
    """The available bytes, None if there are none yet, b"" at the end, which a terminal announces as EIO."""
    try:
        return os.read(fd, READ_SIZE)
    except BlockingIOError:
        return None
    except OSError as error:
        if error.errno == errno.EIO:
            return b""
        raise


def _signal_name(number: int) -> str:
    import signal  # wraps its numbers in enumerations, which takes long

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
