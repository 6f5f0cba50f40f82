"""Sentences about a tournament: its state, its start, who was given up, its numbers. No database."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from datetime import UTC, datetime

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from arena.match.clock import parse_clock
from arena.models import Entry, Tournament
from arena.tournaments import leaving, words
from arena.tournaments.actions import WHEN_HERE
from arena.tournaments.players import is_here
from arena.tournaments.sheet import Sheet
from arena.web.entries import called, scored
from arena.web.words import clock_words, held_words, spoken, title
from games import variant

State = Tournament.State
# The tag next to the name.
STATES = {
    "draft": gettext_noop("Draft"),
    "waiting": gettext_noop("Open"),
    "running": gettext_noop("Live"),
    "paused": gettext_noop("Paused"),
    "finished": gettext_noop("Finished"),
}


def spoken_sheet(sheet: Sheet) -> Sheet:
    """The same sheet with the names of built-in players in the current language."""
    entries = [_spoken_entry(entry) for entry in sheet.entries.values()]
    if all(entry.name == sheet.entries[entry.pk].name for entry in entries):
        return sheet
    other = Sheet(sheet.tournament, entries, [*sheet.lines, *sheet.replaced])
    other.tie_breaks = sheet.tie_breaks
    return other


def _spoken_entry(entry: Entry) -> Entry:
    other = copy(entry)
    other.name = called(entry)
    return other


def about(sheet: Sheet) -> str:
    """`Connect Four 7 × 6, round robin, 8 players, 2 matches per pairing, 10 s a move`."""
    tournament = sheet.tournament
    there = sum(entry.withdrawn is None for entry in sheet.entries.values())
    said = [
        title(variant(tournament.variant)),
        spoken(words.in_a_sentence(words.FORMATS[tournament.format])),
        ngettext("{n} player", "{n} players", there).format(n=there),
        ngettext("{n} match per pairing", "{n} matches per pairing", sheet.legs).format(n=sheet.legs),
    ]
    clock = clock_words(parse_clock(tournament.settings.get("clock", "none")))
    held = held_words(tournament.settings.get("adjudicate", 0))
    machines = tournament.settings.get("machines", "")
    where = _("on machines of the class {machines}").format(machines=machines) if machines else ""
    return ", ".join(filter(None, [*said, clock, held, where]))


def says(sheet: Sheet, here: Collection[int] = (), lacking: Collection[int] = ()) -> str:
    """The state in a sentence."""
    tournament, progress = sheet.tournament, sheet.progress
    why = f" {spoken(words.why_said(sheet))}" if tournament.why else ""
    match tournament.state:
        case State.DRAFT:
            return _("A draft: only its organiser sees it.") + why
        case State.WAITING:
            there = sum(not why_away(entry, here, lacking) for entry in sheet.entries.values())
            connected = _("{n} of {all} are connected.").format(**{"n": there, "all": len(sheet.entries)})
            return f"{connected} {begins(tournament)}{why}"
        case State.PAUSED:
            paused = _("Paused at {played} of {total}: running matches are played to their end, no others begin.")
            return paused.format(played=progress.played, total=progress.total) + why
        case State.FINISHED:
            won = spoken(words.winner_of(sheet))
            final = f" {_published(sheet, tournament.published)}" if tournament.published else ""
            return (f"{won}." if won else _("Finished.")) + why + final
    return _("{played} of {total} played.").format(played=progress.played, total=progress.total) + why


def why_away(entry: Entry, here: Collection[int], lacking: Collection[int]) -> str:
    """Why it could not play now, in two or three words; "" if it could. `here` are the players of connected bots,
    `lacking` of those that this server cannot start.
    """
    bot = entry.player.bot if entry.kind == Entry.Kind.BOT and entry.player is not None else None
    if bot is not None and not bot.enabled:
        return _("disabled")
    if bot is not None and bot.command is not None and bot.pk in lacking:
        return _("cannot be started")
    return "" if is_here(entry, here) else _("not connected")


def _published(sheet: Sheet, moment: datetime) -> str:
    """Staff may still rule on a match: then nobody should take the table for the one that was published."""
    if corrected := sheet.corrected:
        return _("Final table, published at {when}, corrected by a ruling at {then}.").format(
            when=at(moment), then=at(corrected)
        )
    return _("Final table, published at {when}.").format(when=at(moment))


def begins(tournament: Tournament) -> str:
    """When a waiting tournament begins: `Starts when everyone is here or at 18:00 UTC on 21 Nov.`"""
    starts = at(tournament.starts) if tournament.starts else ""
    if tournament.settings.get(WHEN_HERE):
        if starts:
            return _("Starts when everyone is here or at {when}.").format(when=starts)
        return _("Starts when everyone is here.")
    return _("Starts at {when}.").format(when=starts) if starts else _("The organiser starts it.")


def at(moment: datetime) -> str:
    """`18:00 UTC on 21 Nov`."""
    utc = moment.astimezone(UTC)
    return _("{time} UTC on {day}").format(time=f"{utc:%H:%M}", day=date_format(utc, _("j M")))


def given_up(sheet: Sheet, entry: Entry) -> str:
    """`delta3 missed two calls at 18:04 UTC on 21 Nov: 20 pairings are lost by forfeit. …`"""
    assert entry.absent is not None, "it was given up"
    lost = sum(line.by_absence and entry.pk in (line.a, line.b) for line in sheet.lines)
    said = ngettext(
        "{name} missed two calls by {when}: {n} pairing is lost by forfeit.",
        "{name} missed two calls by {when}: {n} pairings are lost by forfeit.",
        lost,
    ).format(name=entry.name, when=at(entry.absent), n=lost)
    if not leaving.may_be_taken_back(entry):
        return said
    until = _("The organiser can take that back until {when}.").format(when=at(entry.absent + leaving.TAKEN_BACK))
    if entry.kind == Entry.Kind.BOT and entry.player is not None and not entry.player.bot.enabled:
        until += " " + _("{name} is disabled: it can come only when it is enabled.").format(name=entry.name)
    return f"{said} {until}"


def numbers(sheet: Sheet, strength: bool) -> list[tuple[str, str]]:
    """A sentence on what each column counts."""
    if sheet.tournament.format in ("swiss", "knockout"):
        worth = _("a win is worth 1, a draw ½, a bye {n}; a forfeit is a win of the opponent.")
    else:
        worth = _("a win is worth 1, a draw ½; a forfeit is a win of the opponent.")
    said = [
        (_("Points"), worth.format(n=scored(float(sheet.legs)))),
        (
            _("Played, W, D, L"),
            _("matches that count, forfeits among them, byes not. Both can lose a match by forfeit."),
        ),
    ]
    if sheet.is_knockout:
        said.insert(0, (_("Reached"), _("the last round that a player reached; it decides the place.")))
    if strength:
        said += [
            (
                _("Elo (95 %)"),
                _(
                    "how much stronger than its opponents here, by the matches at the board, with the interval that "
                    "holds the true difference 95 times out of 100. One win and one loss are added: a few matches say "
                    "little."
                ),
            ),
            (
                _("By Elo"),
                _("the places that the intervals allow: players whose intervals overlap are tied."),
            ),
            (_("LOS"), _("how likely it is to be stronger than its opponents here. Draws say nothing about it.")),
        ]
    failed = _("matches lost by time, by a crash, by a wrong output or by not coming.")
    return [*said, (_("Failed"), failed)]
