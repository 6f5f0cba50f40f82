"""`manage.py match`: play matches here and now with the same referee as the server, and print how they ended."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

import games
from arena.bots.failure.failure import card_of
from arena.bots.local.matches import CONNECT_S, LocalMatches, Order
from arena.bots.local.seat_texts import SeatText, SocketSeat, parse_seat
from arena.bots.session.wire_store import WireStore
from arena.core.hub import Hub, LiveMatch
from arena.core.played import enter
from arena.management.tables import check_tables
from arena.match.clock import parse_clock
from arena.match.elo import elo
from arena.match.endings import result
from arena.match.export import to_json
from arena.match.series import Score, side_of
from arena.play.spec import BuiltinSeat, CommandSeat
from arena.protocols import protocol, protocols

GOOD_ENDINGS = ("normal", "resign")
WRONG_USAGE = 2
INTERRUPTED = 130


class Command(BaseCommand):
    help = "Play matches between bots and built-in players, without a server."
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:
        """Django's own -v takes a number; of `match` it is a plain switch."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **options)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        seat = "builtin:LEVEL, PROTOCOL:COMMAND LINE or tcp:PROTOCOL:PORT[:COMMAND LINE]"
        parser.add_argument("variant", help="for example connect-four-7x6")
        parser.add_argument("seats", nargs=2, metavar="SEAT", help=seat)
        parser.add_argument("--rounds", type=_count, default=1, help="matches to play; seats swap every round (1)")
        parser.add_argument("--clock", help="5s a move, 2m total, 1m+1s or none; default: the protocol's")
        parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the variant")
        parser.add_argument("--concurrency", type=_count, default=1, help="matches at a time (1)")
        parser.add_argument(
            "--wait", type=_seconds, default=CONNECT_S, metavar="SECONDS", help="for a bot to connect to its port (60)"
        )
        parser.add_argument(
            "--keep", action="store_true", help="one process a bot for all its matches: fiar and native"
        )
        parser.add_argument("--no-pty", action="store_true", help="give bots a pipe for their output, not a terminal")
        parser.add_argument("--seed", type=int, help="makes the built-in players' choices repeatable")
        parser.add_argument("-v", "--verbose", action="store_true", help="print moves and positions too")
        parser.add_argument("--json", action="store_true", help="print one line a match: its log")
        parser.add_argument("--save", action="store_true", help="store each match in the database after its end")

    def handle(self, *args: Any, **options: Any) -> None:
        report = MatchReport(_order(options), options)
        if options["save"]:
            check_tables()
        try:
            asyncio.run(report.play())
        except OSError as why:
            raise CommandError(str(why)) from None
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        sys.exit(0 if report.is_good else 1)


class MatchReport:
    """What is printed: lines while it runs, the table at the end; with `--json` one log a line and nothing else."""

    def __init__(self, order: Order, options: dict[str, Any]) -> None:
        self.order = order
        self.json = options["json"]
        self.verbose = options["verbose"]
        self.save = options["save"]
        self.score = Score()
        self.names = ["", ""]
        self.played = 0
        self.all_good = True
        self._wires: WireStore | None = None
        self._unstored: list[LiveMatch] = []
        self._storing: asyncio.Task[None] | None = None

    @property
    def is_good(self) -> bool:
        """Whether everything was played, ended well and was stored where that was asked for."""
        return self.all_good and self.played == self.order.rounds

    async def play(self) -> None:
        """Play, print, and return when all is stored. Raises OSError where a port is taken."""
        if self.save:
            self._wires = WireStore(Hub())
        try:
            await LocalMatches(self.order, self.started, self.ended, self.listening).play()
        finally:
            await self._close()
        self._table()

    async def _close(self) -> None:
        """Return when everything is stored."""
        if self._storing is not None:
            await self._storing
        if self._wires is not None:
            await self._wires.close()

    def listening(self, seat: SocketSeat) -> None:
        """At once: whoever starts the bot by hand looks for it here."""
        print(f"waiting for {seat.protocol} on 127.0.0.1:{seat.port}", file=sys.stderr, flush=True)

    def started(self, round: int, live: LiveMatch) -> None:
        self._say(f"Started match {round} of {self.order.rounds} ({_names(live)})")

    def ended(self, round: int, live: LiveMatch) -> None:
        state = live.state
        assert state.termination is not None, "an ended match has a termination"
        self.played += 1
        self.all_good = self.all_good and state.termination in GOOD_ENDINGS
        self.score = self.score.after(round, state.winner, state.termination)
        for seat in (0, 1):
            self.names[side_of(seat, round)] = state.setup.seats[seat].name
        if self._wires is not None:
            self._store(live, self._wires)
        if self.json:
            print(json.dumps(to_json(live.id, state, live.events)), flush=True)
            return
        why = state.reason if state.termination == "normal" else f"{state.termination}: {state.reason}"
        self._say(f"Finished match {round} ({_names(live)}): {result(state.winner, state.termination)} {{{why}}}")
        self._explain(live)

    def _store(self, live: LiveMatch, wires: WireStore) -> None:
        """Together with what ends while others are being stored."""
        self._unstored.append(live)
        if self._storing is None or self._storing.done():
            self._storing = asyncio.get_running_loop().create_task(self._store_all(wires))

    async def _store_all(self, wires: WireStore) -> None:
        """What the bots of a match said follows its log."""
        while self._unstored:
            lives, self._unstored = self._unstored, []
            try:
                answers = await asyncio.to_thread(enter, [(live.id, tuple(live.events)) for live in lives])
            except (DatabaseError, OSError) as why:
                answers = [str(why)] * len(lives)
            for why_not in filter(None, answers):
                self.all_good = False
                print(f"error: a match could not be stored: {why_not}", file=sys.stderr)
            await wires.flush([live for live, why_not in zip(lives, answers, strict=True) if not why_not])

    def _explain(self, live: LiveMatch) -> None:
        """What a bot's author needs after a failure; every move with `-v`."""
        for line in _failure(live):
            self._say(f"  {line}")
        if self.verbose:
            moves = " ".join(event.move for event in live.events if event.kind == "move")
            self._say(f"  moves: {moves}\n  position: {live.state.position}")

    def _table(self) -> None:
        if self.json or not self.played:
            return
        first, second = (name or "?" for name in self.names)
        won, drawn, lost = self.score.won, self.score.drawn, self.score.lost
        points = self.score.points
        width = max(len(first), len(second), 6)
        self._say(f"\n{'Player':{width}}  Points   Won Drawn  Lost  Elo")
        for name, mine, wins, losses in ((first, points[0], won, lost), (second, points[1], lost, won)):
            self._say(f"{name:{width}}  {mine:6g} {wins:5} {drawn:5} {losses:5}  {elo(wins, drawn, losses)}")

    def _say(self, line: str) -> None:
        if not self.json:
            print(line, flush=True)


def _failure(live: LiveMatch) -> Iterator[str]:
    """The card of the bot that failed, as lines; nothing where none did."""
    card = card_of(live)
    for line in card.lines() if card else ():
        yield from line.splitlines()


def _names(live: LiveMatch) -> str:
    first, second = live.state.setup.seats
    return f"{first.name} vs {second.name}"


def _order(options: dict[str, Any]) -> Order:
    cwd = Path.cwd()
    try:
        variant = games.variant(options["variant"])
        first, second = (parse_seat(text, variant.slug, cwd) for text in options["seats"])
        _check_ports(first, second)
        if options["keep"]:
            _check_kept(first, second)
        clock = options["clock"] or _default_clock(first, second)
        parse_clock(clock)
        settings = _settings(variant, options["set"])
    except (KeyError, ValueError) as why:
        raise CommandError(str(why.args[0]), returncode=WRONG_USAGE) from None
    return Order(
        variant.slug,
        (first, second),
        options["rounds"],
        clock,
        settings,
        _concurrency(options["concurrency"], (first, second)),
        options["seed"],
        cwd,
        options["wait"],
        options["keep"],
        not options["no_pty"],
    )


def _check_ports(first: SeatText, second: SeatText) -> None:
    if isinstance(first, SocketSeat) and isinstance(second, SocketSeat) and first.port == second.port:
        raise ValueError(f"both seats wait on port {first.port}: give each a port of its own")


def _check_kept(*seats: SeatText) -> None:
    for seat in seats:
        if isinstance(seat, CommandSeat) and not protocol(seat.protocol).keeps:
            kept = " and ".join(slug for slug, adapter in protocols().items() if adapter.keeps)
            raise ValueError(f"--keep: a process that speaks {seat.protocol} plays one match; only {kept} can be kept")


def _default_clock(*seats: SeatText) -> str:
    """The protocol's; without a bot there is none."""
    for seat in seats:
        if not isinstance(seat, BuiltinSeat):
            return protocol(seat.protocol).clock
    return "none"


def _concurrency(asked: int, seats: tuple[SeatText, SeatText]) -> int:
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


def _count(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 1")
    return int(text)


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", text):
        raise argparse.ArgumentTypeError(f"{text!r}: expected seconds, for example 60 or 2.5")
    return float(text)
