"""`arena` and `manage.py`: every command, `serve`, `match`, `help` …"""

from __future__ import annotations

import errno
import gc
import os
import sys
from io import TextIOWrapper

TYPE_CHECKING = False  # as `typing` has it, whose import takes longer than that of a runner
if TYPE_CHECKING:
    from collections.abc import Callable

INTERRUPTED = 130
# A disk, or what a user may have of it, to which the output or the database was written.
FULL = (errno.ENOSPC, errno.EDQUOT)


def play_alone(words: list[str]) -> None:
    """Run a command that plays without a server, before Django is loaded, and exit. Others return."""
    run: Callable[[list[str]], int]
    try:
        os.getcwd()  # bots are started there
    except OSError as why:
        sys.exit(f"arena: the folder you are in is gone or closed to you ({why.strerror}): change to another one")
    if words[0] == "runner":
        gc.disable()  # of so short a life, sweeping would take a quarter
        run = _run
    elif words[0] == "match":
        from arena.play import early, later

        later.load("inspect")

        early.open_ports(words[1:])
        from arena.management import matches

        run = matches.main
        gc.freeze()
    else:
        from arena.play import later

        later.load("inspect")
        from arena.management import bot_checks

        run = bot_checks.main
    try:
        status = run(words[1:])
    except SystemExit as why:
        status = why.code if isinstance(why.code, int) else 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # nothing is taken down for that


def _run(words: list[str]) -> int:
    from arena.management import failing
    from arena.play import runner

    return runner.main(words, failing.lines_of)


def _open_standard_streams() -> None:
    """Open those that were closed for us, as by `arena serve >&-`: otherwise Python has none to write to, and the next
    file or socket that is opened would be written to in their place.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while os.open(os.devnull, os.O_RDWR) < 3:
            pass
        sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
        sys.stdout, sys.stderr = (
            stream or os.fdopen(number, "w", closefd=False) for number, stream in ((1, sys.stdout), (2, sys.stderr))
        )
    # Bots have names in any script: where the output has no letters for one, it is escaped, as in what goes to stderr.
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def write_no_more() -> None:
    """What is left of the output would fail again at the end of the process."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def needs_rows(words: list[str]) -> bool:
    """Whether this command uses the database, or is not known here."""
    match words:
        case ["runner", *_]:
            return False
        case ["match", *rest]:
            return "--save" in rest or any(word.endswith("procrastinate") for word in rest)
        case ["check_bot", *rest]:
            own = rest[: rest.index("--")] if "--" in rest else rest
            return any(word.startswith(("--reenable", "--record")) for word in own)
    return True


def asks_for_help(words: list[str]) -> bool:
    """Whether only the usage of a command is printed, or the list of all."""
    own = words[: words.index("--")] if "--" in words else words
    return own[:1] in ([], ["help"], ["version"], ["--version"]) or not {"-h", "--help"}.isdisjoint(own)


def main() -> None:
    _open_standard_streams()
    try:
        try:
            _main()
        finally:  # also of a command that ends with its own status
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # who read it, such as `head`, has gone
        write_no_more()
        sys.exit(1)
    except OSError as error:
        if error.errno not in FULL:
            raise
        write_no_more()
        sys.exit(f"arena: {error.strerror}")


def _main() -> None:
    if sys.platform != "linux":
        sys.exit(f"arena: runs on Linux, and this is {sys.platform}. Docker runs it elsewhere: docker compose up")
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        sys.argv[1] = sys.argv[1].replace("-", "_")  # `replay-room` is `replay_room`
    if not needs_rows(sys.argv[1:]):
        play_alone(sys.argv[1:])
    gc.set_threshold(100_000, 20, 20)  # what a start loads stays: walking it again and again was a sixth of the start
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import Error, OperationalError, ProgrammingError

    from arena import environment
    from arena.core.storage_trouble import cause_of
    from arena.management.tables import why_no_tables

    environment.only_helps = asks_for_help(sys.argv[1:])
    try:
        assert settings.SECRET_KEY  # reads the settings now: some commands would stumble over something else first
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"arena: {error}")
    except Error as error:
        if (cause := cause_of(error)) is None:
            asks_for_tables = isinstance(error, OperationalError | ProgrammingError) and sys.argv[1] != "migrate"
            if asks_for_tables and (why_not := why_no_tables()):
                sys.exit(f"arena: {why_not}")
            raise
        sys.exit(f"arena: {error}. {cause.words} {cause.remedy}")
