"""`manage.py match`: play matches here and now by the rules of the server, and print how they ended. Django is loaded
only if matches are stored or workers play them.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # without its enumerations, which take long to import
import os
import sys

from arena.management import failing
from arena.management.arguments import INTERRUPTED
from arena.management.match_arguments import make_parser, read_spec, read_test
from arena.management.match_tally import EnoughPlayed, MatchTally
from arena.match.endings import result
from arena.match.series import side_of
from arena.play import early
from arena.play.driver import Log, Watcher, play
from arena.play.progress import ProgressLine
from arena.play.spec import SocketSeat, Spec
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from arena.match.sprt import Sprt

GOOD_ENDINGS = ("normal", "resign")


def main(words: list[str]) -> int:
    """Play what the words ask for. Returns the exit status: 0 if everything was played and ended well."""
    parser = make_parser()
    options = parser.parse_args(words)
    is_ours = options.engine == "local"
    try:
        spec, sprt = read_spec(options), read_test(options)
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
    report = MatchReport(spec, options.json, options.verbose, store, options.progress, sprt)
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
        report.table()
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
        self,
        spec: Spec,
        as_json: bool,
        verbose: bool,
        store: Any = None,
        wants_progress: bool = False,
        sprt: Sprt | None = None,
    ) -> None:
        self.spec = spec
        self.json, self.verbose = as_json, verbose
        self.tally = MatchTally(sprt)
        self.played = self.before = 0
        self.workers = _processes(spec)
        self.all_good = True
        self._store = store
        self._progress = ProgressLine(sys.stderr, wants_progress)

    @property
    def is_good(self) -> bool:
        """Whether everything was played, ended well and, if requested, was stored."""
        return self.all_good and (self.played == self.spec.rounds or self.is_decided)

    @property
    def is_decided(self) -> bool:
        return self.tally.is_decided

    def play(self) -> None:
        """Play, print, and return when all is stored. Raises OSError if a port is taken or a process has died."""
        try:
            if self.workers == 1 and self._store is None:
                play(self.spec, self)
            else:  # what stores has a thread, and a process with threads starts no bots
                from arena.play.pool import play_on

                play_on(self.workers, self.spec, self)
        except EnoughPlayed:
            pass
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
        """Report the match. Raises EnoughPlayed if it was the last one that the test needs."""
        state, round = log.state, log.state.setup.round
        assert state.termination is not None, "an ended match has a termination"
        self.played += 1
        self.all_good = self.all_good and state.termination in GOOD_ENDINGS
        names = _names(log)
        self.tally.add(log, names)
        if self._store is not None:
            self._store.add(log)
        if self.json:
            import json

            from arena.match.export import to_json

            self._progress.clear()
            print(json.dumps(to_json(log.match, state, log.events)), flush=True)
        else:
            score = result(state.winner, state.termination)
            self._say(f"Finished match {round} ({' vs '.join(names)}): {score} {{{state.reason}}}")
            self._explain(log)
        self.tell_progress()
        if self.is_decided:
            raise EnoughPlayed

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
            self._progress.show(self.played, self.spec.rounds, self.workers, self.before, self.tally.so_far)

    def _explain(self, log: Log) -> None:
        """Print what a bot's author needs after a failure; every move with `-v`."""
        if log.state.termination not in GOOD_ENDINGS:
            for line in failing.lines_of(log):
                self._say(f"  {line}")
        if self.verbose:
            moves = " ".join(event.move for event in log.events if event.kind == "move")
            self._say(f"  moves: {moves}\n  position: {log.state.position}")

    def table(self) -> None:
        """With `--json`, what the test says goes to standard error."""
        self._progress.clear()
        if not self.played:
            return
        if self.json:
            for line in self.tally.verdict():
                self.note(line.lstrip("\n"))
            return
        for line in (*self.tally.table(), *self.tally.verdict()):
            self._say(line)

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
