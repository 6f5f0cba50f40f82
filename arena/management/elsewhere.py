"""`manage.py match … --engine procrastinate`: its matches are work, which workers play, and a host judges what they
answer. What is printed is what `match` prints of matches that it plays itself.
"""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections import Counter
from contextlib import suppress
from typing import Protocol

from django.core.management.base import CommandError
from django.db import DatabaseError

import games
from arena import paths
from arena.bots.process.programs import travels, why_stays
from arena.management.arguments import INTERRUPTED
from arena.management.hosted import Hosted, Waits, lends
from arena.management.match_tally import EnoughPlayed
from arena.management.tables import check_tables
from arena.models import Bot, Player
from arena.play.driver import Log
from arena.play.seat_texts import BOT, parse_seat
from arena.play.spec import BuiltinSeat, CommandSeat, Spec
from arena.tournaments.batches import Batch, BatchGone
from arena.tournaments.encounters import STALL_MS, needs_of, seat_of
from arena.work.kinds import PLAY

# Options for processes of this machine, each with its default.
OURS = {
    "keep": (False, "--keep: workers start every program afresh for each match"),
    "no_pty": (False, "--no-pty: workers give every program what it gets in an event"),
    "concurrency": (1, "--concurrency: workers play as many matches at a time as they have slots"),
}


class Report(Protocol):
    """What the command prints."""

    spec: Spec
    played: int
    before: int
    workers: int

    @property
    def is_decided(self) -> bool: ...

    def ended(self, log: Log) -> None: ...

    def unplayed(self, count: int, why: str) -> None: ...

    def note(self, sentence: str) -> None: ...

    def tell_progress(self) -> None: ...


def seats_of(options: Namespace) -> tuple[BuiltinSeat | CommandSeat, BuiltinSeat | CommandSeat]:
    """Both seats. Raises KeyError or ValueError for what cannot be played elsewhere."""
    try:
        lends(options.engine)
        check_tables()
    except CommandError as why:
        raise ValueError(str(why)) from None
    for name, (usual, words) in OURS.items():
        if getattr(options, name) != usual:
            raise ValueError(words)
    variant = games.variant(options.variant).slug
    first, second = (_seat(text, variant) for text in options.seats)
    return first, second


def _seat(text: str, variant: str) -> BuiltinSeat | CommandSeat:
    kind, _, name = text.partition(":")
    if kind == BOT:
        return seat_of(_bot(name, variant))
    seat = parse_seat(text, variant, ".")
    if isinstance(seat, BuiltinSeat):
        return seat
    if isinstance(seat, CommandSeat):
        pack = f"pack it with {paths.PROGRAM} program add"
        what = f"its files are on this machine only. Register it as a bot, {pack}, and"
    else:
        what = "a bot that connects to a port of this machine plays here only. Leave out --engine, or"
    raise ValueError(f"seat {text!r}: {what} write {BOT}:NAME")


def _bot(name: str, variant: str) -> Bot:
    slug = Player.slug_of(name)
    bot = Bot.objects.select_related("player").filter(player__slug=slug).first()
    if bot is None:
        packed = [
            each.player.slug for each in Bot.objects.select_related("player").exclude(program="") if travels(each)
        ]
        raise ValueError(f"{BOT}:{name}: there is no such bot; those that can travel: {', '.join(packed) or 'none'}")
    if bot.variant != variant:
        raise ValueError(f"{BOT}:{name} plays {bot.variant}, not {variant}")
    if bot.command is None:
        raise ValueError(f"{BOT}:{name} connects by itself, so no worker can start it")
    if not bot.enabled:
        raise ValueError(f"{BOT}:{name} is disabled{': ' if bot.why_disabled else ''}{bot.why_disabled}")
    if stays := why_stays(bot):
        raise ValueError(f"{BOT}:{name} plays on the host only: {stays}")
    return bot


def play(spec: Spec, save: bool, report: Report) -> None:
    """Have all rounds played and reported. Raises KeyboardInterrupt when stopped, OSError if that is impossible."""
    spec = spec._replace(cwd=".", freeze=True, stall_ms=0 if spec.clock == "none" else STALL_MS)
    playing = Playing(Batch(spec, save), report)
    hosted = Hosted("these matches", lambda: playing.look(_needs(spec, hosted)), report.note, True)
    try:
        code = asyncio.run(hosted.play())
    except BatchGone:
        raise OSError("their work is gone: the same command has ended elsewhere, or somebody has removed it") from None
    finally:
        playing.end()
    if code == INTERRUPTED:
        report.note(f"Stopped: {report.played} of {spec.rounds} are played. The same command goes on with the rest.")
        raise KeyboardInterrupt
    if playing.left and not report.is_decided:
        raise OSError("the rest could not be played")


def _needs(spec: Spec, hosted: Hosted) -> str:
    """Which machines may have it. A server knows by its own settings what workers can fetch from it."""
    return "" if hosted.host is None else needs_of(spec)


class Playing:
    """What the command looks at while a host has the matches played. `left` of them are not over."""

    def __init__(self, batch: Batch, report: Report) -> None:
        self._batch, self._report = batch, report
        self.left = report.spec.rounds
        self._is_submitted = False
        self._waits = Waits(report.note)

    def look(self, needs: str) -> int | None:
        """0 when all rounds are over, which machines of this class may play."""
        from arena.work.workers.lender import workers  # what it needs is not installed everywhere

        if not self._is_submitted:
            self._submit(needs)
        report, over = self._report, self._batch.look()
        report.workers = len(workers((PLAY,)))
        self.left -= len(over)
        for log in filter(None, (each.log for each in over)):
            with suppress(EnoughPlayed):
                report.ended(log)
        for why, count in Counter(each.why for each in over if each.log is None).items():
            report.unplayed(count, why)
        report.tell_progress()
        if not over:
            self._waits.look(self._batch.name)
        return None if self.left and not report.is_decided else 0

    def end(self) -> None:
        """What is left is wanted by nobody for now, or after a decision by nobody any more."""
        try:
            if self.left:
                self._batch.withdraw()
            if not self.left or self._report.is_decided:
                self._batch.forget()
        except DatabaseError as why:
            self._report.note(f"What is left could not be called back, so a server goes on with it: {why}")

    def _submit(self, needs: str) -> None:
        self._report.before = before = self._batch.submit(needs)
        self._is_submitted = True
        if before:
            self._report.note(f"Going on: {before} of {self.left} matches are played.")
