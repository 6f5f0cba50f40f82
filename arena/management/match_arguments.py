"""The words of `manage.py match`: its options, and what they ask to be played."""

from __future__ import annotations

import argparse
import os
import sys

import games
from arena.common.numbers import whole_number
from arena.management.arguments import whole
from arena.match.clock import parse_clock
from arena.play.seat_texts import parse_seat
from arena.play.spec import BuiltinSeat, CommandSeat, SocketSeat, Spec
from arena.protocols import protocol, protocols
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from arena.match.sprt import Sprt
    from arena.play.spec import SeatSpec

CONNECT_S = 60.0
# How many matches one command plays: it keeps a list of those that are left.
MOST = 1_000_000
# How many a test plays, if it finds no decision before and nothing else is asked for.
MOST_OF_TEST = 10_000
# Openings are moves for each side, so their number is even. After the last one they are used again from the first.
MOST_PLIES, MOST_OPENINGS = 40, 500
# Hypotheses of a test lie between this many Elo points and its negative.
MOST_ELO = 1_000.0


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="manage.py match",
        description="Play matches between bots and built-in players, without a server.",
        formatter_class=_formatter,
        allow_abbrev=False,  # `console` looks for words as they are written here
    )
    seat = "builtin:LEVEL, PROTOCOL:COMMAND LINE or tcp:PROTOCOL:PORT[:COMMAND LINE]; for workers bot:NAME"
    parser.add_argument("variant", help="for example connect-four-7x6")
    parser.add_argument("seats", nargs=2, metavar="SEAT", help=seat)
    count = whole(1, MOST)
    parser.add_argument("--rounds", type=count, help="matches to play; seats swap every round (1, with --sprt 10 000)")
    parser.add_argument("--clock", help="5s (a move), 2m (in total), 1m+1s or none; default: the protocol's")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the variant")
    parser.add_argument("--concurrency", type=count, default=1, help="matches at a time, on as many cores (1)")
    parser.add_argument(
        "--wait", type=seconds, default=CONNECT_S, metavar="SECONDS", help="for a bot to connect to its port (60)"
    )
    parser.add_argument("--keep", action="store_true", help="one process per bot for all its matches: fiar and native")
    parser.add_argument("--no-pty", action="store_true", help="give bots a pipe for their output, not a terminal")
    parser.add_argument(
        "--seed", type=int, help="makes the built-in players' choices repeatable, and draws other openings"
    )
    parser.add_argument(
        "--openings",
        type=plies,
        default=0,
        metavar="PLIES",
        help="moves of an opening, another for each pair of rounds",
    )
    parser.add_argument(
        "--sprt",
        nargs=2,
        type=elo,
        metavar=("ELO0", "ELO1"),
        help="play until the results decide between two differences in Elo points, for example 0 10",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="print moves and positions too")
    parser.add_argument(
        "--progress", action="store_true", help="show the progress even if the output is not a terminal"
    )
    engine = "who plays: processes of this command (local), or workers on other machines, as in docs/cluster.md"
    parser.add_argument("--engine", choices=["local", "procrastinate"], default="local", help=engine)
    parser.add_argument("--json", action="store_true", help="print one line per match: its log")
    parser.add_argument("--save", action="store_true", help="store each match in the database after its end")
    return parser


def _formatter(prog: str) -> argparse.HelpFormatter:
    """As wide as the terminal: argparse would load `shutil` for that, with all its archive modules."""
    said = os.environ.get("COLUMNS", "")
    try:
        columns = whole_number(said) or os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        columns = 80
    return argparse.HelpFormatter(prog, width=columns - 2)


def read_spec(options: argparse.Namespace) -> Spec:
    """Raises KeyError or ValueError that says what was received and what was expected."""
    return _spec(options, *(_seats(options) if options.engine == "local" else _seats_elsewhere(options)))


def read_test(options: argparse.Namespace) -> Sprt | None:
    """The test that was asked for. Raises ValueError."""
    if options.sprt is None:
        return None
    from arena.match.sprt import Hypotheses, Sprt

    found = Hypotheses(*options.sprt)
    if found.low >= found.high:
        raise ValueError(f"--sprt {found.low:g} {found.high:g}: expected the smaller difference first, such as 0 10")
    return Sprt(found)


def _seats(options: argparse.Namespace) -> tuple[SeatSpec, SeatSpec]:
    """Raises KeyError or ValueError that says what was received and what was expected."""
    variant = games.variant(options.variant).slug
    first, second = (parse_seat(text, variant, os.getcwd()) for text in options.seats)
    return first, second


def _seats_elsewhere(options: argparse.Namespace) -> tuple[SeatSpec, SeatSpec]:
    """The same for workers."""
    from arena.management import elsewhere

    return elsewhere.seats_of(options)


def _spec(options: argparse.Namespace, first: SeatSpec, second: SeatSpec) -> Spec:
    """Raises KeyError or ValueError that says what was received and what was expected."""
    cwd = os.getcwd()
    variant = games.variant(options.variant)
    settings = _settings(variant, options.set)
    rounds = options.rounds or (MOST_OF_TEST if options.sprt else 1)
    _check_ports(first, second)
    if options.keep:
        _check_kept(first, second)
    clock = _default_clock(first, second) if options.clock is None else options.clock
    parse_clock(clock)
    return Spec(
        variant.slug,
        (first, second),
        rounds,
        clock,
        settings,
        options.seed,
        _concurrency(options.concurrency, (first, second)),
        options.keep,
        not options.no_pty,
        cwd,
        connect_s=options.wait,
        wires=options.save,
        openings=_openings(options, settings, rounds, first, second) if options.openings else (),
    )


def _openings(options: argparse.Namespace, settings: dict[str, Any], rounds: int, *seats: SeatSpec) -> tuple[str, ...]:
    """The same ones for the same seed. Raises ValueError if there are none, or for a bot that cannot begin with one."""
    from random import Random

    from arena.tournaments.openings import openings

    for seat in seats:
        if not isinstance(seat, BuiltinSeat) and not protocol(seat.protocol).tells_positions:
            raise ValueError(
                f"--openings: {seat.protocol} tells a bot moves and no positions, so it cannot begin there"
            )
    count, dice = min(MOST_OPENINGS, (rounds + 1) // 2), Random(f"openings {options.seed or 0}")
    found = openings(options.variant, settings, options.openings, count, dice)
    if not found:
        raise ValueError(f"--openings {options.openings}: no match is open after so many moves; expected fewer")
    return tuple(found)


def _check_ports(first: SeatSpec, second: SeatSpec) -> None:
    if not (isinstance(first, SocketSeat) and isinstance(second, SocketSeat)) or first.port != second.port:
        return
    if first.protocol != second.protocol:
        raise ValueError(f"both seats wait on port {first.port}, in two protocols: give each a port of its own")


def _check_kept(*seats: SeatSpec) -> None:
    for seat in seats:
        if isinstance(seat, CommandSeat) and not protocol(seat.protocol).keeps:
            kept = " and ".join(slug for slug, adapter in protocols().items() if adapter.keeps)
            raise ValueError(f"--keep: a process that speaks {seat.protocol} plays one match; only {kept} can be kept")


def _default_clock(*seats: SeatSpec) -> str:
    """The protocol's clock; without a bot there is none."""
    for seat in seats:
        if not isinstance(seat, BuiltinSeat):
            return protocol(seat.protocol).clock
    return "none"


def _concurrency(asked: int, seats: tuple[SeatSpec, SeatSpec]) -> int:
    if asked > 1 and any(isinstance(seat, SocketSeat) for seat in seats):
        print("a tcp seat is one bot: its matches are played one after the other", file=sys.stderr)
        return 1
    return asked


def _settings(variant: games.Variant, texts: list[str]) -> dict[str, Any]:
    known = {setting.name: setting for setting in variant.settings}
    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or name not in known:
            expected = ", ".join(f"{name}=…" for name in known) or f"none: {variant.slug} has no settings"
            raise ValueError(f"--set {text}: expected {expected}")
        found[name] = known[name].read(value)
    return variant.complete(found)


def plies(text: str) -> int:
    found = whole_number(text, 2, MOST_PLIES)
    if found is None or found % 2:
        raise argparse.ArgumentTypeError(f"{text!r}: expected an even number of moves from 2 to {MOST_PLIES}")
    return found


def elo(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = MOST_ELO + 1
    if not -MOST_ELO <= found <= MOST_ELO:
        raise argparse.ArgumentTypeError(f"{text!r}: expected Elo points from {-MOST_ELO:g} to {MOST_ELO:g}")
    return found


def seconds(text: str) -> float:
    whole, point, part = text.partition(".")
    digits = whole + (part if point else "0")
    if not (digits.isascii() and digits.isdecimal() and 0 < len(whole) <= 6 and (len(part) in (1, 2, 3) or not point)):
        raise argparse.ArgumentTypeError(f"{text!r}: expected seconds, for example 60 or 2.5")
    return float(text)
