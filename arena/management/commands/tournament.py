"""`manage.py tournament`: play an event from a file, resume it, print and export its table.

If a server runs on this database, it plays the event and this command watches; otherwise the command takes the lease
and is the host. Everything that counts is in the rows: it may be stopped or killed at any moment, and `resume`
continues.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from arena import paths
from arena.cluster.lease import lease_of_host
from arena.management import arguments
from arena.management.arguments import INTERRUPTED, WRONG_USAGE
from arena.management.hosted import ENGINES, Hosted, Waits, lends
from arena.management.tables import check_tables
from arena.match.commands import Refusal
from arena.models import Bot, Entry, Pairing, Player, Tournament
from arena.play.pool import PoolBroke
from arena.protocols import protocol
from arena.tournaments import actions, needed, setting_pairs, toml_file
from arena.tournaments.encounters import is_elsewhere
from arena.tournaments.export import WrongExport, from_json, pairings_csv, to_csv, to_json
from arena.tournaments.local_event import Elsewhere, play_here, waits_for_organiser
from arena.tournaments.report import TournamentReport
from arena.tournaments.sheet import Sheet, read
from arena.tournaments.spec import MOST_CONCURRENT
from arena.tournaments.words import table, tie_break_order, winner_of
from arena.work.machine_class import own_class

PAIR_ACTS = {
    "pair": "set a pairing of the next round of a Swiss event, the first player moving first",
    "unpair": "take such a pairing back",
    "apart": "keep two players of a Swiss event apart",
    "together": "let them meet again",
}
AWARDS = ("a", "b", "draw", "both", "drop")
UNFINISHED = ("draft", "waiting", "running", "paused")


class Command(BaseCommand):
    help = "Play a tournament from a file, continue one, print or export its table."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parsers = parser.add_subparsers(dest="act", required=True, metavar="ACT")
        run = parsers.add_parser("run", help="play the event of a file")
        run.add_argument("file", type=Path, help="a TOML file as in docs/tournaments.md")
        resume = parsers.add_parser("resume", help="continue an event that was stopped or paused")
        for one in (run, resume):
            one.add_argument("--json", action="store_true", help="print the export at the end and nothing else")
            one.add_argument("--bots-host", default="127.0.0.1", metavar="HOST", help="where bots connect (127.0.0.1)")
            arguments.add_pairs(one, "--door", arguments.door, "PROTOCOL=PORT", "default: as for serve")
            slots = "processes that each play one match of programs at a time; default: as many as the event says"
            count = arguments.whole(1, MOST_CONCURRENT)
            one.add_argument("--slots", "--concurrency", dest="concurrency", type=count, metavar="N", help=slots)
            engine = "who plays matches of programs: processes of this command, or workers; default: ARENA_ENGINE"
            one.add_argument("--engine", choices=ENGINES, help=engine)
            one.add_argument(
                "--progress", action="store_true", help="show the progress even if the output is not a terminal"
            )
        pause = parsers.add_parser("pause", help="begin no more matches of an event that a server plays")
        pause.add_argument(
            "--at-once", action="store_true", help="end what processes of ours play; resume plays it again"
        )
        shown = parsers.add_parser("table", help="print the table, also of an export")
        export = parsers.add_parser("export", help="print the whole event")
        export.add_argument("--csv", choices=["table", "pairings"], help="not as JSON but as a table for spreadsheets")
        award = parsers.add_parser("award", help="decide a pairing that could not be played")
        pairs = [parsers.add_parser(name, help=words) for name, words in PAIR_ACTS.items()]
        for one in (resume, pause, shown, export, award, *pairs):
            what = "its slug, or the file of an export" if one in (shown, export) else "its slug"
            one.add_argument("slug", help=what)
        award.add_argument("pairing", help="ROUND.NUMBER.LEG, as it was printed")
        award.add_argument("to", choices=AWARDS, help="a or b wins, draw, both lose, drop: not played")
        for one in pairs:
            one.add_argument("first", help="the name of a player, as in the table")
            one.add_argument("second", help="the name of another one")
        for one in (award, *pairs):
            one.add_argument("reason", help="everyone will read it")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            ACTS[options["act"]](options)
            sys.stdout.flush()
        except BrokenPipeError:  # `table | head` has read what it wanted
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except Refusal as refusal:
            raise CommandError(refusal.sentence, returncode=WRONG_USAGE) from None
        except (toml_file.WrongFile, WrongExport) as why:
            raise CommandError(str(why), returncode=WRONG_USAGE) from None


# -- run and resume ----------------------------------------------------------------------------------------------------


def _run(options: dict[str, Any]) -> None:
    check_tables()
    spec = toml_file.read(options["file"], find)
    before = Tournament.objects.filter(name=spec.name, state__in=UNFINISHED).order_by("-created").first()
    if before is not None:
        played, total, *_ = _sheet(before.slug).progress
        raise Refusal(
            "there_already",
            f"{spec.name} is there already, {played} of {total} matches are played: go on with "
            f"{paths.PROGRAM} tournament resume {before.slug}, or give the new one another name.",
        )
    must_be_playable([entry.kind for entry in spec.entries], spec.machines, lends=lends(options["engine"]))
    tournament = actions.create(spec)
    actions.start(tournament)
    _play(
        tournament.slug,
        options,
        TournamentReport(sys.stdout, sys.stderr, quiet=options["json"], progress=options["progress"]),
    )


def _resume(options: dict[str, Any]) -> None:
    check_tables()
    sheet = _sheet(options["slug"])
    kinds = [entry.kind for entry in sheet.entries.values()]
    must_be_playable(kinds, needed.machines(sheet), lends=lends(options["engine"]))
    state = sheet.tournament.state
    if state in ("draft", "waiting"):
        actions.start(sheet.tournament)
    elif state == "paused":
        actions.resume(sheet.tournament)
    report = TournamentReport(sys.stdout, sys.stderr, quiet=options["json"], progress=options["progress"])
    report.go_on(sheet)
    _play(options["slug"], options, report)


def _pause(options: dict[str, Any]) -> None:
    check_tables()
    sheet = _sheet(options["slug"])
    actions.pause(sheet.tournament, "the command line", at_once=options["at_once"])
    print(f"{sheet.tournament.name} is paused. Go on with: {paths.PROGRAM} tournament resume {sheet.tournament.slug}")


def must_be_playable(kinds: list[str], machines: str = "", *, lends: bool = False) -> None:
    """Raises Refusal if somebody cannot come while this command is the host, or no machine of the class can play."""
    if "person" in kinds and not _host_is_there():
        raise Refusal("no_pages", f"People take part, who need pages: start {paths.PROGRAM} serve, which plays it too.")
    if is_elsewhere(machines) and not lends and not _host_is_there():
        raise Refusal(
            "no_machine",
            f"Only machines of the class {machines} may play it, and this one is {own_class()}: have workers play it "
            "(docs/cluster.md).",
        )


def _host_is_there() -> bool:
    return lease_of_host("").holder() != ""


def _play(slug: str, options: dict[str, Any], report: TournamentReport) -> None:
    """Become the host or watch the existing one, until the event is over or needs its organiser."""
    try:
        code = _play_here(slug, options, report)
        if code is None:
            code = asyncio.run(Playing(slug, options, report).hosted().play())
    except PoolBroke as why:
        raise CommandError(f"{why}. Go on with: {paths.PROGRAM} tournament resume {slug}") from None
    except OSError as why:
        raise CommandError(str(why)) from None
    if code == INTERRUPTED:
        report.note(f"Stopped. Go on with: {paths.PROGRAM} tournament resume {slug}")
        sys.exit(code)
    sheet = _sheet(slug)
    if options["json"]:
        print(json.dumps(to_json(sheet)))
    else:
        _print_table(sheet)
    sys.exit(code)


def _play_here(slug: str, options: dict[str, Any], report: TournamentReport) -> int | None:
    """Play without an event loop, if no player has to connect and no worker plays; None if a host has to play it."""
    if options["door"] or lends(options["engine"]):
        return None
    try:
        return play_here(_sheet(slug), report, options["concurrency"])
    except Elsewhere:
        return None
    except KeyboardInterrupt:  # before anything was played
        return INTERRUPTED


class Playing:
    """What the command looks at while a host plays the event, and what it says about it."""

    def __init__(self, slug: str, options: dict[str, Any], report: TournamentReport) -> None:
        self._slug, self._options, self._report = slug, options, report
        self._lends = lends(options["engine"])
        self._waits = Waits(report.note)

    def hosted(self) -> Hosted:
        where = self._options["bots_host"]
        return Hosted("the event", self.look, self._report.note, self._lends, where, self.doors)

    def doors(self) -> dict[str, int]:
        """Registered bots connect to the doors of their protocols; without them nobody needs one."""
        spoken = {entry.protocol for entry in _sheet(self._slug).entries.values() if entry.kind == "bot"}
        return {slug: protocol(slug).port for slug in sorted(spoken)} | dict(self._options["door"])

    def look(self) -> int | None:
        """0 when everything was played, 1 when something waits for the organiser."""
        sheet = _sheet(self._slug)
        self._report.show(sheet)
        if sheet.tournament.state == "finished":
            return 0
        if waits_for_organiser(sheet):
            return 1
        if self._lends:
            self._waits.look(sheet.tournament.pk)
        return None


# -- tables and files --------------------------------------------------------------------------------------------------


def _table(options: dict[str, Any]) -> None:
    _print_table(_anywhere(options["slug"]))


def _print_table(sheet: Sheet) -> None:
    played, total, running, handed = sheet.progress
    print(f"\n{sheet.tournament.name}: {played} of {total} matches played")
    print(table(sheet))
    print(tie_break_order(sheet))
    for line in sheet.lines:
        if line.status == "handed":
            place = f"{line.round}.{line.number}.{line.leg}"
            names = f"{sheet.names[line.a]} - {sheet.names[line.b or 0]}"
            award = f"{paths.PROGRAM} tournament award {sheet.tournament.slug} {place}"
            print(f"Decide {names}: {award} {'|'.join(AWARDS)} REASON")
    for sentence in (sheet.tournament.why, winner_of(sheet)):
        if sentence:
            print(sentence if sentence.endswith(".") else f"{sentence}.")


def _export(options: dict[str, Any]) -> None:
    sheet = _anywhere(options["slug"])
    if options["csv"]:
        sys.stdout.write(to_csv(sheet) if options["csv"] == "table" else pairings_csv(sheet))
    else:
        print(json.dumps(to_json(sheet)))


def _award(options: dict[str, Any]) -> None:
    check_tables()
    sheet = _sheet(options["slug"])
    places = {f"{line.round}.{line.number}.{line.leg}": line.pk for line in sheet.lines}
    if options["pairing"] not in places:
        theirs = [*places] or ["none yet"]
        words = f"{options['pairing']!r}: expected ROUND.NUMBER.LEG of one of its pairings, {theirs[0]} to {theirs[-1]}"
        raise Refusal("unknown_pairing", words)
    pairing = Pairing.objects.select_related("tournament", "a", "b").get(pk=places[options["pairing"]])
    actions.award(pairing, options["to"], options["reason"], "the command line")


def _set_pair(options: dict[str, Any]) -> None:
    check_tables()
    sheet = _sheet(options["slug"])
    first, second = (_entry(sheet, options[which]) for which in ("first", "second"))
    setting_pairs.change(sheet.tournament, options["act"], first, second, options["reason"], "the command line")


def _entry(sheet: Sheet, name: str) -> Entry:
    """The player with this name. Raises Refusal."""
    names = {entry.name.casefold(): entry for entry in sheet.entries.values()}
    if (entry := names.get(name.casefold())) is None:
        known = ", ".join(sorted(each.name for each in names.values())[:20]) or "nobody"
        raise Refusal("unknown_player", f"{name!r}: expected the name of one of its players: {known}.")
    return entry


def _anywhere(text: str) -> Sheet:
    """An event of the database, or one of an exported file."""
    file = Path(text)
    if file.suffix == ".json":
        try:
            return from_json(json.loads(file.read_text(encoding="utf-8-sig")))
        except (OSError, RecursionError, ValueError) as why:
            raise WrongExport(f"{text}: {why}") from None
    check_tables()
    return _sheet(text)


def _sheet(slug: str) -> Sheet:
    sheet = read(slug)
    if sheet is None:
        known = list(Tournament.objects.order_by("-created").values_list("slug", flat=True)[:20])
        raise Refusal("unknown", f"There is no tournament {slug!r}; known: {', '.join(known) or 'none'}.")
    return sheet


def find(kind: str, name: str) -> toml_file.RegisteredPlayer | None:
    """A bot or a person by its name in addresses."""
    player = Player.objects.filter(kind=kind, slug=Player.slug_of(name)).first()
    if player is None:
        return None
    bot = Bot.objects.filter(player=player).first()
    return toml_file.RegisteredPlayer(player.pk, player.name, bot.protocol if bot else "", bot.variant if bot else "")


ACTS = {"run": _run, "resume": _resume, "pause": _pause, "table": _table, "export": _export, "award": _award}
ACTS |= dict.fromkeys(PAIR_ACTS, _set_pair)
