"""`manage.py runner`: drop-in for the two runners that start bots as child processes, with their arguments and output.

`runner gamestate BOT0 BOT1` prints what the sample game of protocol text 000 prints, `runner fiar [-v] BOT0 BOT1` what
text 001 shows. A bot is the path of an executable, or a command with arguments in quotes. As in the originals there is
no clock unless one is asked for. What the originals have no words for goes to stderr.
"""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from arena.bots.local.matches import LocalMatches, Order
from arena.bots.local.seat_texts import SeatText, parse_seat
from arena.core.hub import Letter, Live, Turn
from arena.match.clock import parse_clock
from arena.match.endings import counts
from arena.match.state import Event

WRONG_USAGE = 2


class Command(BaseCommand):
    help = "Play one match between two programs, with the output of the original runner."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        runners = parser.add_subparsers(dest="protocol", required=True, metavar="gamestate|fiar")
        for slug in PRINTERS:
            runner = runners.add_parser(slug, help=f"two bots that speak {slug}")
            runner.add_argument("bots", nargs=2, metavar="BOT", help="an executable, or a command in quotes")
            runner.add_argument("--clock", default="none", help="5s a move, 2m in total (none)")
            if slug == "fiar":
                runner.add_argument("-v", "--verbose", action="store_true", help="print boards")

    def handle(self, *args: Any, **options: Any) -> None:
        printer = PRINTERS[options["protocol"]](options.get("verbose", False))
        order = _order(options, printer.variant)
        try:
            asyncio.run(LocalMatches(order, printer.started, printer.ended).play())
        except OSError as why:
            raise CommandError(str(why)) from None
        if printer.broken:
            raise CommandError(printer.broken)


class Printer:
    """Follows a match and prints it; `broken` says why there is no result."""

    variant = ""

    def __init__(self, verbose: bool) -> None:
        self.verbose = verbose
        self.broken = ""

    def started(self, round: int, live: Live) -> None:
        live.followers.append(self.follow)

    def follow(self, live: Live, news: Letter | Turn) -> None:
        if isinstance(news, Letter):
            for event in news.events:
                if event.kind == "move":
                    self.moved(live, event)
            turn = news.turn
        else:
            turn = news
        if turn is not None:
            self.asked(live, turn.seat)

    def ended(self, round: int, live: Live) -> None:
        termination, reason = str(live.state.termination), live.state.reason
        if not counts(termination):
            self.broken = f"{termination}: {reason}"
            return
        if termination != "normal":
            print(f"{termination}: {reason}", file=sys.stderr)
        self.result(live, live.events[-1])

    def asked(self, live: Live, seat: int) -> None:
        """A move is asked for."""

    def moved(self, live: Live, move: Event) -> None:
        """A move has been made."""

    def result(self, live: Live, end: Event) -> None:
        """The match is over and has a result."""


class GameState(Printer):
    """The output that protocol text 000 shows. The last board is not broadcast."""

    variant = "connect-four-8x8"

    def asked(self, live: Live, seat: int) -> None:
        _print(f"requesting move from player{seat}")

    def moved(self, live: Live, move: Event) -> None:
        rows = _rows(live, "-XO")
        column = int(move.move) - 1
        row = next(number for number, places in enumerate(rows) if places[column] != "-")
        _print(f"got reply from player{move.seat}: {column}\n")
        _print(f"player{move.seat} moves to ({row},{column})\n")
        _print("current board:")
        for places in rows:
            _print("".join(f"{place} " for place in places))
        _print("")
        if live.state.position.to_move is not None:
            _print(f"broadcasting: GAMESTATE: {''.join(rows)}")

    def result(self, live: Live, end: Event) -> None:
        winner = live.state.winner
        if live.state.termination == "normal":
            if winner is not None:
                _print(f"player{winner} wins!")
        else:
            _print(f"got reply from player{end.seat}: {_reply(end)}")
            _print(f"player{end.seat} moved illegally! forfeits!")
        _print(f"OUTCOME: {'TIE' if winner is None else winner}")


class Fiar(Printer):
    """The output that protocol text 001 shows: with `-v` the board before each move and at the end."""

    variant = "connect-four-7x6"

    def asked(self, live: Live, seat: int) -> None:
        self._print_board(live)

    def result(self, live: Live, end: Event) -> None:
        winner = live.state.winner
        self._print_board(live)
        if winner is None:
            # The original looks at a full board once more, as before a move, and finds that there is none.
            self._print_board(live)
        _print("Draw." if winner is None else f"Player {'@O'[winner]} wins.")

    def _print_board(self, live: Live) -> None:
        if self.verbose:
            _print("1 2 3 4 5 6 7")
            for places in _rows(live, ".@O"):
                _print(" ".join(places))


PRINTERS: dict[str, Callable[[bool], Printer]] = {"gamestate": GameState, "fiar": Fiar}


def _rows(live: Live, signs: str) -> list[str]:
    """The board from the top, with the protocol's signs for empty, first and second."""
    size, places = str(live.state.position).split(" ")
    columns = int(size.split("x")[0])
    places = places.translate(str.maketrans(".xo", signs))
    return [places[start : start + columns] for start in range(0, len(places), columns)]


def _reply(end: Event) -> str:
    """What the losing player answered, with the end of its line; nothing where there was no answer."""
    if end.data.get("move"):
        return f"{int(end.data['move']) - 1}\n"
    if end.data["termination"] in ("bad_output", "out_of_turn"):
        return f"{end.data.get('received', '')}\n"
    return ""


def _order(options: dict[str, Any], variant: str) -> Order:
    cwd = Path.cwd()
    try:
        first, second = (_seat(options["protocol"], bot, variant, cwd) for bot in options["bots"])
        parse_clock(options["clock"])
    except ValueError as why:
        raise CommandError(str(why), returncode=WRONG_USAGE) from None
    return Order(variant, (first, second), clock=options["clock"], cwd=cwd)


def _seat(slug: str, bot: str, variant: str, cwd: Path) -> SeatText:
    """A path is taken as it is, as the originals did, also where it holds blanks or no slash."""
    if (cwd / bot).is_file():
        bot = shlex.quote(bot if "/" in bot else f"./{bot}")
    return parse_seat(f"{slug}:{bot}", variant, cwd)


def _print(line: str) -> None:
    print(line, flush=True)
