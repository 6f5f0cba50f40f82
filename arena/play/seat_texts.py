"""The texts for seats: `builtin:club`, `fiar:python3 bot.py`, `tcp:droidcon:5300`, or that and a client to start."""

from __future__ import annotations

import os

from arena.common.numbers import whole_number
from arena.play.spec import BuiltinSeat, CommandSeat, SocketSeat
from arena.protocols import folder_of, plays, protocol, slugs
from arena.transports.programs import not_run, which
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.play.spec import SeatSpec


# The kind of a seat for a registered bot, which only workers can be given.
BOT = "bot"


def parse_seat(text: str, variant: str, cwd: str) -> SeatSpec:
    """The seat that `text` describes. Raises ValueError, which says what was received and what to write instead."""
    kind, _, rest = text.partition(":")
    if kind == "builtin":
        return _builtin(rest)
    if kind == "tcp":
        slug, _, rest = rest.partition(":")
        port, sign, command = rest.partition(":")
        _check_plays(slug, variant, text)
        return SocketSeat(slug, _port(port, text), _argv(command, text, cwd) if sign else ())
    if kind == BOT:
        raise ValueError(
            f"seat {text!r}: a registered bot plays here only with --engine procrastinate (docs/cluster.md)"
        )
    _check_plays(kind, variant, text)
    return CommandSeat(kind, _argv(rest, text, cwd))


def _builtin(level: str) -> BuiltinSeat:
    from games.players import LEVELS

    if level not in LEVELS:
        raise ValueError(f"builtin:{level}: unknown level; expected one of {', '.join(LEVELS)}")
    return BuiltinSeat(level)


def _check_plays(slug: str, variant: str, text: str) -> None:
    if folder_of(slug) is None:
        known = ", ".join(slugs())
        raise ValueError(
            f"seat {text!r}: unknown protocol {slug!r}; expected builtin:LEVEL, PROTOCOL:COMMAND or "
            f"tcp:PROTOCOL:PORT[:COMMAND], with one of the protocols {known}"
        )
    if not plays(slug, variant):
        raise ValueError(f"{slug} plays {', '.join(protocol(slug).variants)}, not {variant}")


def _port(port: str, text: str) -> int:
    number = whole_number(port, 1, 65535)
    if number is None:
        raise ValueError(f"seat {text!r}: port {port!r}: expected a number from 1 to 65535, as in tcp:droidcon:5300")
    return number


def _argv(command: str, text: str, cwd: str) -> tuple[str, ...]:
    import shlex

    try:
        argv = tuple(shlex.split(command))
    except ValueError as why:
        raise ValueError(f"seat {text!r}: the command cannot be split into words: {why}") from None
    if not argv:
        raise ValueError(f"seat {text!r}: no command; expected for example fiar:python3 bot.py")
    search = os.environ.get("PATH", os.defpath)
    found = which(os.path.join(cwd, argv[0]) if "/" in argv[0] else argv[0], search)
    if wrong := not_run(found, argv[0], cwd, search) if found else _what_to_write(argv, cwd):
        raise ValueError(f"seat {text!r}: {wrong}")
    return argv


def _what_to_write(argv: tuple[str, ...], cwd: str) -> str:
    """What to write in place of a program that cannot be run."""
    program = argv[0]
    if os.path.isfile(os.path.join(cwd, program)):
        if "/" not in program:
            return f"{program!r} is a file of this folder, and commands are looked for in PATH: write ./{program}"
        return f"{program!r} is not executable: chmod +x it, or put its interpreter before it, as in python3 bot.py"
    paths = (" ".join(argv[:end]) for end in range(2, len(argv) + 1))
    if path := next((path for path in paths if os.path.isfile(os.path.join(cwd, path))), ""):
        return f"put a path with blanks in quotes, '{path}'"
    if which(program.partition(" ")[0], os.environ.get("PATH", os.defpath)):
        return f"no program has the name {program!r}: leave out the quotes around the whole command"
    return f"there is no program {program!r} that can be run here"
