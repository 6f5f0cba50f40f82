#!/usr/bin/env python3
"""Connects a bot that was never made for this arena to a door or a seat of it, on any machine.

    arena-bridge.py HOST PORT -- python3 my_bot.py              a bot that reads its input and prints its moves
    arena-bridge.py HOST PORT --listen 50008 -- ./my_bot        a bot that connects to a port of this machine
    arena-bridge.py --forever HOST PORT -- python3 my_bot.py    the same for match after match, until it is stopped

Bytes go both ways as they are. The bot's output is a terminal where there are terminals, so that a bot that never
flushes still answers; what it writes to stderr appears here. Python 3.8 or newer, nothing else.

exit codes:
  0         the arena has closed the connection: the match or the series is over
  1         the bot has ended before that; its exit code or signal is told
  2         wrong usage
  3         the arena cannot be reached, or was lost and did not come back within the grace
  4         the arena lets nobody in with this token: it is wrong, used up or expired
  5         the bot cannot be started, or the port to --listen on is taken
  130, 143  stopped by Ctrl-C, by SIGTERM
With --forever only 2, 4, 5, 130 and 143 end it, 3 where the arena was never reached or PORT is that of its pages, and 1
where the bot has ended too early three times in a row.
"""

import argparse
import os
import queue
import select
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from itertools import chain, repeat

try:
    import pty
    import tty
except ImportError:  # Windows has no terminals of this kind
    pty = tty = None

# What a terminal harms: JavaScript's readline repeats everything that it reads there, Tcl ends its lines in \r\n, and
# nohup writes to a file instead.
PIPED = {"node", "nodejs", "deno", "bun", "npm", "npx", "pnpm", "yarn", "tsx", "ts-node"}
PIPED |= {"tclsh", "tclsh8.6", "tclsh9.0", "nohup"}
# What runs the program that is named behind it.
RUNS = {"env", "exec", "command", "time", "timeout", "nice", "ionice", "setsid", "stdbuf", "taskset"}
SHELLS = {"sh", "bash", "dash", "ash", "zsh"}

OVER, BOT_ENDED, UNREACHABLE, REFUSED, NO_BOT = 0, 1, 3, 4, 5
CONNECT_S = 10.0
# What the arena says before it closes to somebody whom it does not let in; behind it a code and a sentence.
TURNED_AWAY = b"SEAT REFUSED "
# The codes of what is otherwise a moment later.
TRY_AGAIN = ("seat_taken", "busy", "too_many")
# How long a bot may take to end by itself after the arena has closed, and the arena to close after the bot has ended.
GOODBYE_S = 1.0
BACK_OFF_S = (0.25, 0.5, 1, 2, 4, 5)
# After each of these it is looked whether an arena that has closed still listens.
LOOKS_S = (0.02, 0.05, 0.18)
# With --forever: how long to wait for the next try when the last led to nothing, and when a bot is not tried again.
PAUSES_S = (0.25, 0.5, 1, 2, 4, 8, 15, 30)
MOST_FAILURES = 3
STOPS = (signal.SIGINT, signal.SIGTERM)
# A line that is idle for hours between two matches is asked whether it is still there.
TCP_OPTIONS = (("TCP_NODELAY", 1), ("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 20), ("TCP_KEEPCNT", 3))


class Trouble(Exception):
    """Nothing more can be done: an exit code and why."""


class Hopeless(Trouble):
    """Nor later."""


def say(words):
    print(f"arena-bridge: {words}", file=sys.stderr, flush=True)


class Bot:
    """A bot at work. What it says comes as events `(bot, bytes)`, and its end as `(bot, b"")`.

    `process` is None for a bot that somebody else has started; `hang_up` tells it that nothing more will come.
    """

    def __init__(self, process, said, told, hang_up, events):
        self.process = process
        self._told = told
        self._hang_up = hang_up
        self._reader = threading.Thread(target=read_all, args=(said, events, self), daemon=True)
        self._reader.start()
        if process:
            threading.Thread(target=self._await_exit, args=(events,), daemon=True).start()

    def _await_exit(self, events):
        """Something it has started may hold its output open: its exit is its end as well."""
        self.process.wait()
        self._reader.join(GOODBYE_S)
        events.put((self, b""))

    def tell(self, data):
        with suppress(OSError):  # it reads no more: its end is an event of its own
            self._told.write(data)
            self._told.flush()

    def exit_code(self):
        """None while it runs, and for a bot that somebody else has started."""
        with suppress(subprocess.TimeoutExpired):
            return self.process.wait(GOODBYE_S) if self.process else None

    def end(self):
        """Let it end by itself, then kill it with all it has started: at the end of its input an old bot may spin."""
        with suppress(OSError):
            self._hang_up()
        if self.process:
            self.exit_code()
            kill(self.process)


def takes_terminal(command):
    """Whether the bot may get a terminal for its output, where many flush at each line."""
    words, script = that_run(command), ""
    if words and os.sep in words[0]:
        script = beginning(words[0])
        words = script.partition("\n")[0][2:].split() + words if script.startswith("#!") else words
    if program_of(command) in SHELLS:
        script = said_to_shell(that_run(command)[1:])
    name = program_of(words)
    if name in SHELLS:
        commands = script.replace("&&", "\n").replace(";", "\n").splitlines()
        return not any(program_of(words.split()) in PIPED for words in commands)
    return name not in PIPED


def program_of(words):
    """The name of the program that these words run."""
    return os.path.basename(next(iter(that_run(words)), ""))


def that_run(words):
    """These words from the program on, without what runs it: `timeout -s KILL 60 ./bot 3` runs `./bot 3`."""
    is_run = False
    for at, word in enumerate(words):
        is_value = is_run and (word.isupper() or word[:1].isdigit())
        if os.path.basename(word) in RUNS:
            is_run = True
        elif not (is_value or word.startswith("-") or "=" in word):
            return list(words[at:])
    return []


def said_to_shell(arguments):
    """The commands that a shell gets with these arguments: behind `-c`, or `-lc`, or in a file."""
    options = ""
    for word in arguments:
        if "c" in options:
            return word
        if "o" not in options and not word.startswith("-"):
            return beginning(word)
        options = word if word.startswith("-") and not word.startswith("--") else ""
    return ""


def beginning(path):
    """The beginning of a script; nothing of a file that cannot be read."""
    with suppress(OSError), open(path, "rb") as file:
        return file.read(4096).decode(errors="replace")
    return ""


def stdio_bot(command, events, use_pty):
    """A bot whose input and output are the conversation."""
    ours, theirs = pty.openpty() if use_pty else os.pipe()
    try:
        if use_pty:
            tty.setraw(theirs)  # no echo, and \n stays \n
        process = start(command, stdin=subprocess.PIPE, stdout=theirs)
    finally:
        os.close(theirs)
    return Bot(process, os.fdopen(ours, "rb", 0), process.stdin, process.stdin.close, events)


def socket_bot(command, events, servers):
    """A bot that connects to a port of this machine; without a command somebody else starts it."""
    process = start(command) if command else None  # its input is ours: there are bots that ask how they are to play
    try:
        connection = accept(servers, process)
    except BaseException:
        if process:
            kill(process)
        raise
    said, told = connection.makefile("rb", 0), connection.makefile("wb")
    return Bot(process, said, told, lambda: connection.shutdown(socket.SHUT_WR), events)


def accept(servers, process):
    port = servers[0].getsockname()[1]
    say(f"waiting for the bot on port {port}")
    while not process or process.poll() is None:
        for server in select.select(servers, (), (), 0.2)[0]:
            return server.accept()[0]
    raise Trouble(BOT_ENDED, f"the bot {ending(process.returncode)} and has not connected to port {port}")


def start(command, **streams):
    # A Python bot whose moves have no line end would keep them even on a terminal.
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    try:
        return subprocess.Popen(command, env=environment, start_new_session=True, **streams)
    except OSError as error:
        missing = interpreter(command[0]) if isinstance(error, FileNotFoundError) else ""
        why = f"no {missing!r}, which its first line names" if missing else error.strerror
        raise Hopeless(NO_BOT, f"{shlex.quote(command[0])} cannot be started: {why}") from None


def interpreter(script):
    """What the first line of a script names to run it; nothing where there is no script."""
    with suppress(OSError), open(script, "rb") as file:
        first = file.readline(256).decode(errors="replace")
        return first[2:].strip(" \t\n").split(" ")[0] if first.startswith("#!") else ""
    return ""


def kill(process):
    with suppress(OSError):  # nothing of it is left
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:  # Windows has no groups of processes
            process.kill()
    process.wait()


def ending(code):
    """`ended with exit code 1`, `was killed by SIGSEGV`."""
    if code is None:
        return "closed its connection or its output"
    return f"ended with exit code {code}" if code >= 0 else f"was killed by {signal.Signals(-code).name}"


def connect(host, port):
    """A connection to the arena. Raises OSError."""
    arena = socket.create_connection((host, port), CONNECT_S)
    arena.settimeout(None)
    arena.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in TCP_OPTIONS:
        if hasattr(socket, name):  # not on every system
            arena.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return arena


def why_not(error, host, port):
    """`error` in the words of somebody who wants to reach the arena."""
    if isinstance(error, ConnectionRefusedError):
        return (
            f"nothing listens on {host} port {port} (connection refused). Does the arena run, and is this the port of "
            "a door or of a seat? A seat's port is open until it was used or has expired; other machines can come in "
            "only where the arena was started with --bots-host."
        )
    if isinstance(error, socket.gaierror):
        return f"there is no host {host}: {error.strerror}"
    if isinstance(error, socket.timeout):
        return f"{host} port {port} did not answer within {CONNECT_S:g} s: is there a firewall in between?"
    return f"{host} port {port} cannot be reached: {error.strerror or error}"


def read_all(stream, events, source):
    """Put what comes as events `(source, bytes)`; at the end b"", or the error that was the end."""
    while True:
        try:
            data = stream.read(65536)
        except OSError as error:  # the end of a terminal is an error too
            data = error
        events.put((source, data))
        if is_end(data):
            stream.close()
            return


def is_end(data):
    return not data or isinstance(data, OSError)


class Bridge:
    """One bot and one seat, from the first connection to the end of the last match; with --forever one by one."""

    def __init__(self, options, command):
        self.options, self.command = options, command
        self.address = options.host, options.port
        self.servers = listen(options.listen) if options.listen else []
        self.events = queue.Queue()
        self.bot = self.arena = None
        self.connections = 0
        self.heard = False  # whether the arena has said anything on this connection

    def run_for_ever(self):
        """Each connection has a new bot. Raises Trouble where trying again would be of no use."""
        failures, in_vain, said = 0, 0, ""
        while True:
            code, words = OVER, ""
            try:
                code = self.run()
            except Trouble as trouble:
                code, words = trouble.args
                if isinstance(trouble, Hopeless) or not self.arena:  # which was never reached
                    raise
            if words and words != said:
                say(words)
            said = words
            failures = failures + 1 if code == BOT_ENDED else 0
            if failures == MOST_FAILURES:
                raise Trouble(BOT_ENDED, f"the bot has ended too early {failures} times in a row: look at what it says")
            in_vain = 0 if self.heard else in_vain + 1
            self._hang_up()
            time.sleep(PAUSES_S[min(in_vain, len(PAUSES_S) - 1)])

    def run(self):
        """Returns the exit code. Raises Trouble."""
        self.heard = False
        if not self.bot or self.connections:
            self._start_bot()
        self.connections = 0
        try:
            self._join(connect(*self.address))
        except OSError as error:
            raise Trouble(UNREACHABLE, why_not(error, *self.address)) from None
        while (code := self._carry()) is None:
            self._come_back()
        return code

    def _hang_up(self):
        if self.arena:
            with suppress(OSError):
                self.arena.shutdown(socket.SHUT_RDWR)
            self.arena.close()

    def close(self):
        self._hang_up()
        if self.bot:
            self.bot.end()
        for server in self.servers:
            server.close()

    def _start_bot(self):
        if self.bot:
            self.bot.end()
        if self.servers:
            self.bot = socket_bot(self.command, self.events, self.servers)
        else:
            use_pty = pty and not self.options.no_pty and takes_terminal(self.command)
            self.bot = stdio_bot(self.command, self.events, use_pty)

    def _join(self, arena):
        self.arena, self.heard, self.said = arena, False, False
        self.connections += 1
        say(f"connected to {self.options.host} port {self.options.port}")
        if self.options.seat:
            with suppress(OSError):  # its end is an event
                arena.sendall(f"SEAT {self.options.seat}\n".encode())
        stream = arena.makefile("rb", 0)
        threading.Thread(target=read_all, args=(stream, self.events, arena), daemon=True).start()

    def _carry(self):
        """Carry bytes until one side ends. Returns the exit code, None where the arena is to be found again."""
        while True:
            source, data = self.events.get()
            if source is self.bot:
                if is_end(data):
                    return self._bot_ended()
                self.said = True
                with suppress(OSError):  # the arena's end is an event of its own
                    self.arena.sendall(data)
            elif source is self.arena:
                if is_end(data):
                    return self._arena_ended(data)
                if not self.heard and data.startswith(TURNED_AWAY):
                    words = data[len(TURNED_AWAY) :].decode("ascii", "replace").strip()  # `code: sentence`
                    raise (Trouble if words.startswith(TRY_AGAIN) else Hopeless)(REFUSED, words)
                if not self.heard and data.startswith(b"HTTP/"):
                    raise Hopeless(UNREACHABLE, f"port {self.options.port} is that of the pages, not of a door")
                self.heard = True
                self.bot.tell(data)

    def _bot_ended(self):
        """A bot may know that a match is over before the arena has closed."""
        code = self.bot.exit_code()
        with suppress(queue.Empty):
            while not code:
                source, data = self.events.get(timeout=GOODBYE_S)
                if source is self.arena and is_end(data):
                    say("closed by the arena: it is over")
                    return OVER
        hint = "" if self.said or self.servers else ". If it connects by itself, add --listen PORT"
        say(f"the bot {ending(code)} before the arena had closed: its seat is given up{hint}")
        return BOT_ENDED

    def _arena_ended(self, data):
        """An arena that was killed closes as well, but does not listen any more: then the match goes on later."""
        if self.options.forever:
            say(f"the connection is lost: {data.strerror}" if data else "closed by the arena")
            return OVER
        if isinstance(data, OSError):
            if self.connections > 1 and not self.heard:
                raise Trouble(UNREACHABLE, f"the connection is lost again at once: {data.strerror}")
            say(f"the connection is lost: {data.strerror}")
            return None
        if self.options.seat and self.connections == 1 and not self.heard:
            say("closed by the arena without a word: the token is wrong, used up or expired")
            return REFUSED
        if self.options.grace and not self._arena_is_up():
            say("the arena is gone: waiting for it")
            return None
        say("closed by the arena: it is over")
        return OVER

    def _arena_is_up(self):
        """Of a process that was killed the connections may close before the port, and the next one may listen soon."""
        for wait in LOOKS_S:
            time.sleep(wait)
            try:
                connect(*self.address).close()
            except OSError:
                return False
        return True

    def _come_back(self):
        """Try again, ever slower, until the grace is over. Raises Trouble."""
        deadline = time.monotonic() + self.options.grace
        self.arena.close()
        for wait in chain(BACK_OFF_S, repeat(BACK_OFF_S[-1])):
            time.sleep(max(0.0, min(wait, deadline - time.monotonic())))
            try:
                arena = connect(*self.address)
            except OSError as error:
                if time.monotonic() >= deadline:
                    words = f"not back within {self.options.grace:g} s: {why_not(error, *self.address)}"
                    raise Trouble(UNREACHABLE, words) from None
            else:
                self._forget()
                return self._join(arena)

    def _forget(self):
        """What the bot said while nobody listened answers an old request. With --fresh there is a new bot instead."""
        missed = [self.events.get() for _ in range(self.events.qsize())]
        if self.options.fresh:
            self._start_bot()
        elif any(source is self.bot and is_end(data) for source, data in missed):
            self.events.put((self.bot, b""))


def listen(port):
    """On both addresses that `localhost` may mean to a bot, ::1 where this machine has it."""
    try:
        servers = [socket.create_server(("127.0.0.1", port))]
    except OSError as error:
        raise Hopeless(NO_BOT, f"port {port} of this machine cannot be listened on: {error.strerror}") from None
    with suppress(OSError):
        servers.append(socket.create_server(("::1", servers[0].getsockname()[1]), family=socket.AF_INET6))
    return servers


def read_arguments(words):
    """The options, and the bot's command after `--`."""
    usage = "arena-bridge.py HOST PORT [--seat TOKEN] [options] -- COMMAND [ARGUMENT ...]"
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(usage=usage, description=__doc__, formatter_class=as_written)
    add, token = parser.add_argument, os.environ.get("ARENA_SEAT", "")
    add("host", metavar="HOST", help="where the arena is")
    add("port", metavar="PORT", type=port_number, help="of a door, or of the seat")
    add("--seat", metavar="TOKEN", default=token, help="of the bot or the seat; ARENA_SEAT does the same, unseen by ps")
    add("--listen", metavar="PORT", type=port_number, help="the bot connects to this port of this machine")
    add("--grace", metavar="SECONDS", type=float, default=60.0, help="to wait for a lost arena (60), without --forever")
    add("--forever", action="store_true", help="play match after match, each with a new bot and a new connection")
    add("--fresh", action="store_true", help="a new bot for each connection: for protocols that begin with a greeting")
    add("--no-pty", action="store_true", help="make the bot's output a pipe and not a terminal")
    split = words.index("--") if "--" in words else len(words)
    options, command = parser.parse_args(words[:split]), words[split + 1 :]
    if not command and not options.listen:
        parser.error("no command: expected the bot's command after --, as in: HOST PORT -- python3 my_bot.py")
    return options, command


def port_number(text):
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"received {text!r}, expected a number from 1 to 65535")
    return int(text)


def stop(number, frame):
    """Once: a second signal would keep us from ending the bot, which may run on for ever."""
    for each in STOPS:
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


def main(words):
    options, command = read_arguments(words)
    for each in STOPS:
        if signal.getsignal(each) != signal.SIG_IGN:  # a shell may have put us into the background
            signal.signal(each, stop)
    try:
        with closing(Bridge(options, command)) as bridge:
            return bridge.run_for_ever() if options.forever else bridge.run()
    except Trouble as trouble:
        code, why = trouble.args
        say(why)
        return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
