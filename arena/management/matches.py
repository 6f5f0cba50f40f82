"""`manage.py match`: play matches here and now by the rules of the server, and print how they ended.

Nothing of Django is loaded unless matches are stored or workers play them. `manage.py` calls `main`, and so does the
command of that name.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # without its enumerations, which take long to import
import argparse
import os
import sys

import games
from arena.common.numbers import whole_number
from arena.management import failing
from arena.management.arguments import INTERRUPTED, whole
from arena.match.clock import parse_clock
from arena.match.endings import result
from arena.match.series import Score, side_of
from arena.play import early
from arena.play.driver import Log, Watcher, play
from arena.play.progress import ProgressLine
from arena.play.seat_texts import parse_seat
from arena.play.spec import BuiltinSeat, CommandSeat, SocketSeat, Spec
from arena.protocols import protocol, protocols
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from arena.play.spec import SeatSpec

GOOD_ENDINGS = ("normal", "resign")
CONNECT_S = 60.0
# How many matches one command plays: it keeps a list of those that are left.
MOST = 1_000_000


def main(words: list[str]) -> int:
    """Play what the words ask for. Returns the exit status: 0 if everything was played and ended well."""
    parser = make_parser()
    options = parser.parse_args(words)
    is_ours = options.engine == "local"
    try:
        spec = _spec(options, *(_seats(options) if is_ours else _seats_elsewhere(options)))
    except (KeyError, ValueError) as why:
        parser.error(str(why.args[0]))
    signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # a closed terminal; `nohup` has it ignored
        signal.signal(signal.SIGHUP, _terminate)
    store = None
    if options.save and is_ours:
        from arena.management.match_store import MatchStore
        from arena.management.tables import why_no_tables

        if why_not := why_no_tables():
            print(f"match: {why_not}", file=sys.stderr)
            return 1
        store = MatchStore()
    report = MatchReport(spec, options.json, options.verbose, store, options.progress)
    try:
        if is_ours:
            report.play()
        else:
            from arena.management import elsewhere

            elsewhere.play(spec, options.save, report)
            report.table()
    except BrokenPipeError:  # the reader of what is printed has gone
        raise
    except OSError as why:
        print(f"match: {why}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0 if report.is_good else 1


def _terminate(number: int, frame: object) -> None:
    """The bots end with us."""
    raise SystemExit(128 + number)


class MatchReport(Watcher):
    """The output: lines while it runs, the table at the end; with `--json` only one log a line.

    `workers` play now, and `before` of the matches were played by an earlier run of the command.
    """

    def __init__(
        self, spec: Spec, as_json: bool, verbose: bool, store: Any = None, wants_progress: bool = False
    ) -> None:
        self.spec = spec
        self.json, self.verbose = as_json, verbose
        self.score = Score()
        self.names = ["", ""]
        self.played = self.before = 0
        self.workers = _processes(spec)
        self.all_good = True
        self._store = store
        self._progress = ProgressLine(sys.stderr, wants_progress)

    @property
    def is_good(self) -> bool:
        """Whether everything was played, ended well and, if requested, was stored."""
        return self.all_good and self.played == self.spec.rounds

    def play(self) -> None:
        """Play, print, and return when all is stored. Raises OSError if a port is taken or a process has died."""
        try:
            if self.workers == 1 and self._store is None:
                play(self.spec, self)
            else:  # what stores has a thread, and a process with threads starts no bots
                from arena.play.pool import play_on

                play_on(self.workers, self.spec, self)
        finally:
            if self._store is not None:
                self.all_good = self._store.close() and self.all_good
        self.table()

    # -- as the watcher of the matches ---------------------------------------------------------------------------------

    def listening(self, seat: SocketSeat) -> None:
        """People who start their bot by hand look for the port here."""
        if seat.port not in early.announced:
            early.announced.add(seat.port)
            print(f"waiting for {seat.protocol} on 127.0.0.1:{seat.port}", file=sys.stderr, flush=True)

    def started(self, log: Log) -> None:
        self._say(f"Started match {log.state.setup.round} of {self.spec.rounds} ({' vs '.join(_names(log))})")

    def ended(self, log: Log) -> None:
        state, round = log.state, log.state.setup.round
        assert state.termination is not None, "an ended match has a termination"
        self.played += 1
        self.all_good = self.all_good and state.termination in GOOD_ENDINGS
        self.score = self.score.after(round, state.winner, state.termination)
        names = _names(log)
        for seat, name in enumerate(names):
            self.names[side_of(seat, round)] = name
        if self._store is not None:
            self._store.add(log)
        if self.json:
            import json

            from arena.match.export import to_json

            self._progress.clear()
            print(json.dumps(to_json(log.match, state, log.events)), flush=True)
            self.tell_progress()
            return
        score = result(state.winner, state.termination)
        self._say(f"Finished match {round} ({' vs '.join(names)}): {score} {{{state.reason}}}")
        self._explain(log)
        self.tell_progress()

    def unplayed(self, count: int, why: str) -> None:
        """Nobody could play so many of them."""
        self.all_good = False
        self.note(f"{'A match' if count == 1 else f'{count} matches'} could not be played: {why}")

    def note(self, sentence: str) -> None:
        """Say something about the run itself."""
        self._progress.clear()
        print(sentence, file=sys.stderr, flush=True)

    def tell_progress(self) -> None:
        if self.spec.rounds > 1:
            self._progress.show(self.played, self.spec.rounds, self.workers, self.before)

    def _explain(self, log: Log) -> None:
        """Print what a bot's author needs after a failure; every move with `-v`."""
        if log.state.termination not in GOOD_ENDINGS:
            for line in failing.lines_of(log):
                self._say(f"  {line}")
        if self.verbose:
            moves = " ".join(event.move for event in log.events if event.kind == "move")
            self._say(f"  moves: {moves}\n  position: {log.state.position}")

    def table(self) -> None:
        self._progress.clear()
        if self.json or not self.played:
            return
        from arena.match.elo import elo

        first, second = (name or "?" for name in self.names)
        won, drawn, lost = self.score.won, self.score.drawn, self.score.lost
        points = self.score.points
        width = max(len(first), len(second), 6)
        self._say(f"\n{'Player':{width}}  Points   Won Drawn  Lost  Elo")
        for name, mine, wins, losses in ((first, points[0], won, lost), (second, points[1], lost, won)):
            self._say(f"{name:{width}}  {mine:6g} {wins:5} {drawn:5} {losses:5}  {elo(wins, drawn, losses)}")

    def _say(self, line: str) -> None:
        if not self.json:
            self._progress.clear()
            print(line, flush=True)


def _names(log: Log) -> tuple[str, str]:
    """Of both seats. Equal ones, as of bots without a name, are told apart by the side."""
    setup = log.state.setup
    first, second = (seat.name for seat in setup.seats)
    if first != second:
        return first, second
    return f"{first}-{side_of(0, setup.round) + 1}", f"{second}-{side_of(1, setup.round) + 1}"


def _processes(spec: Spec) -> int:
    """One process for each core, if there is enough to play at the same time."""
    if any(isinstance(seat, SocketSeat) for seat in spec.seats):
        return 1
    return min(spec.concurrency, spec.rounds, len(os.sched_getaffinity(0)))


# -- arguments ---------------------------------------------------------------------------------------------------------


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
    parser.add_argument("--rounds", type=count, default=1, help="matches to play; seats swap every round (1)")
    parser.add_argument("--clock", help="5s (a move), 2m (in total), 1m+1s or none; default: the protocol's")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the variant")
    parser.add_argument("--concurrency", type=count, default=1, help="matches at a time, on as many cores (1)")
    parser.add_argument(
        "--wait", type=seconds, default=CONNECT_S, metavar="SECONDS", help="for a bot to connect to its port (60)"
    )
    parser.add_argument("--keep", action="store_true", help="one process per bot for all its matches: fiar and native")
    parser.add_argument("--no-pty", action="store_true", help="give bots a pipe for their output, not a terminal")
    parser.add_argument("--seed", type=int, help="makes the built-in players' choices repeatable")
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
    """As wide as the terminal. Without a width, argparse would load `shutil` at each start, with all its archive
    modules.
    """
    said = os.environ.get("COLUMNS", "")
    try:
        columns = whole_number(said) or os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        columns = 80
    return argparse.HelpFormatter(prog, width=columns - 2)


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
    _check_ports(first, second)
    if options.keep:
        _check_kept(first, second)
    clock = _default_clock(first, second) if options.clock is None else options.clock
    parse_clock(clock)
    return Spec(
        variant.slug,
        (first, second),
        options.rounds,
        clock,
        _settings(variant, options.set),
        options.seed,
        _concurrency(options.concurrency, (first, second)),
        options.keep,
        not options.no_pty,
        cwd,
        connect_s=options.wait,
        wires=options.save,
    )


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


def seconds(text: str) -> float:
    whole, point, part = text.partition(".")
    digits = whole + (part if point else "0")
    if not (digits.isascii() and digits.isdecimal() and 0 < len(whole) <= 6 and (len(part) in (1, 2, 3) or not point)):
        raise argparse.ArgumentTypeError(f"{text!r}: expected seconds, for example 60 or 2.5")
    return float(text)
