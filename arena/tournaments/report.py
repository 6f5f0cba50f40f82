"""Prints the progress of an event while it is played, and a line for each match, in the form that chess tools use."""

from __future__ import annotations

from collections.abc import Collection
from typing import IO

from arena.match.endings import result
from arena.play.progress import ProgressLine
from arena.tournaments.sheet import PairingLine, Sheet


class TournamentReport:
    """Says each thing once, however often it is shown the tournament. `quiet`: only the progress, on `err`; it is
    printed if that is a terminal, or if `progress` is wanted.
    """

    def __init__(self, out: IO[str], err: IO[str], *, quiet: bool = False, progress: bool = False) -> None:
        self._out = out
        self._err = err
        self._quiet = quiet
        self._said: set[tuple[int, str, int]] = set()
        self._progress = ProgressLine(err, progress)
        self._before: int | None = None

    def note(self, sentence: str) -> None:
        """Print something about the run itself."""
        self._clear()
        print(sentence, file=self._err, flush=True)

    def go_on(self, sheet: Sheet) -> None:
        """Skip what was played before."""
        for line in sheet.lines:
            if line.status != "running":
                self._said |= {(line.pk, "started", len(line.matches)), _key(line)}
        played, total, *_ = sheet.progress
        self.note(f"Going on: {played} of {total} matches are played.")

    def show(self, sheet: Sheet, playing: Collection[int] = ()) -> None:
        """Print what is new; these pairings are being played. A match that began and ended since the last look is also
        reported as begun.
        """
        total = sheet.progress.total
        for n, line in _numbered(sheet):
            if line.status == "bye":
                self._once(_key(line), f"{sheet.names[line.a]} has a bye in round {line.round}")
                continue
            tries = len(line.matches) + (line.status == "waiting" and line.pk in playing)
            if tries:
                self._once((line.pk, "started", tries), f"Started match {n} of {total} ({_names(sheet, line)})")
            if line.status not in ("waiting", "running"):
                self._once(_key(line), _finished(sheet, line, n))
        self._draw(sheet, len(playing))

    def _once(self, key: tuple[int, str, int], sentence: str) -> None:
        if key not in self._said:
            self._said.add(key)
            if not self._quiet:
                self._clear()
                print(sentence, file=self._out, flush=True)

    def _draw(self, sheet: Sheet, playing: int) -> None:
        """Draw the progress without what was played before."""
        played, total, running, _ = sheet.progress
        if self._before is None:
            self._before = played
        self._progress.show(played, total, running + playing, self._before)

    def _clear(self) -> None:
        self._progress.clear()


def _key(line: PairingLine) -> tuple[int, str, int]:
    return line.pk, line.status, len(line.matches)


def _numbered(sheet: Sheet) -> list[tuple[int, PairingLine]]:
    """Each line with its number, in the order of pairing, so that no number ever changes. Byes have none."""
    first: dict[tuple[int, int, int], int] = {}
    for line in sorted([*sheet.lines, *sheet.replaced], key=lambda line: line.pk):
        first.setdefault((line.round, line.number, line.leg), line.pk)
    ordered = sorted(sheet.lines, key=lambda line: first[line.round, line.number, line.leg])
    matches = [line for line in ordered if line.b is not None]
    numbers = {line.pk: n for n, line in enumerate(matches, 1)}
    return [(numbers.get(line.pk, 0), line) for line in ordered]


def _names(sheet: Sheet, line: PairingLine) -> str:
    return f"{sheet.names[line.a]} vs {sheet.names[line.b or 0]}"


def _finished(sheet: Sheet, line: PairingLine, n: int) -> str:
    head, match = f"Finished match {n} ({_names(sheet, line)}):", line.match
    if line.status == "handed":
        faults = "1 fault" if line.faults == 1 else f"{line.faults} faults"
        return f"Handed to the organiser: match {n} ({_names(sheet, line)}), {faults} {{{_why(line)}}}"
    if line.status != "played" or match is None:
        return f"{head} {line.status} {{{line.reason or line.status}}}"
    if match.verdict:
        score = {1.0: "1-0", 0.0: "0-1"}.get(match.score or 0.0, "1/2-1/2")
        return f"{head} {score} {{decided by {match.actor}: {match.ruled_reason}}}"
    return f"{head} {result(match.winner, match.termination)} {{{_why(line)}}}"


def _why(line: PairingLine) -> str:
    return line.match.reason if line.match is not None else line.reason or "no match could begin"
