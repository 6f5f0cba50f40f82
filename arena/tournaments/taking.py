"""Who may enter an event, until when, and what a bot or a person has to meet for it.

A condition is looked at when somebody enters: whoever is in stays in, whatever changes later. Built-in players and
programs of a file, which only organisers enter, have neither a rating nor a stored check, and are asked for none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from django.utils import timezone

from arena.bots.conformance import passes
from arena.match.commands import Refusal
from arena.match.ladder import PROVISIONAL, LadderStanding, deviation_at
from arena.match.said import said, said_of_many
from arena.models import Bot, Entry, Rating, Tournament
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import MOST_ENTRIES, Conditions, EntrySpec, TournamentSpec, swiss_rounds, too_long
from arena.tournaments.words import listed, sentences


def must_take(sheet: Sheet, entry: EntrySpec, files: Mapping[int, str], *, excused: bool = False) -> None:
    """Raises Refusal if this player cannot enter the event as it stands, `excused` from its conditions or not. `files`
    are those of `must_meet`.
    """
    tournament = sheet.tournament
    clock, plies = tournament.settings.get("clock", "none"), tournament.settings.get("opening_plies", 0)
    spec = TournamentSpec(tournament.name, tournament.variant, tournament.format, (entry,), opening_plies=plies)
    wrong = [problem for problem in spec.problems() if problem.entry is not None]
    wrong += too_long(tournament.format, len(sheet.entries) + 1, sheet.legs)
    if clock == "none" and entry.kind != "builtin":
        raise Refusal("clock", "This event has no clock: only built-in players take part.")
    if wrong:
        raise Refusal("wrong_spec", sentences(wrong))
    named = next((each for each in sheet.entries.values() if each.name.casefold() == entry.name.casefold()), None)
    is_same = named is not None and entry.kind == named.kind == "builtin" and named.level == entry.level
    if is_same or (entry.player is not None and entry.player in {each.player_id for each in sheet.entries.values()}):
        raise Refusal("there_already", said("{name} already takes part.", name=entry.name))
    if named is not None:
        raise Refusal("name_taken", said("Somebody else takes part under the name {name}.", name=entry.name))
    if tournament.state == Tournament.State.FINISHED:
        raise Refusal("finished", said("{event} is over.", event=tournament.name))
    if sheet.lines and tournament.format == "knockout":
        raise Refusal("too_late", "Nobody can enter a knockout after it has started: the bracket is drawn.")
    if tournament.format == "swiss" and sheet.round >= swiss_rounds(len(sheet.entries) + 1, sheet.rounds):
        why = said("The last round of {event} is paired: nobody can enter any more.", event=tournament.name)
        raise Refusal("too_late", why)
    if len(sheet.entries) >= MOST_ENTRIES:
        raise Refusal("full", said("{most} take part, the maximum for a tournament.", most=MOST_ENTRIES))
    needs = entry.kind == "person" and not entry.agrees and sheet.lines
    if needs and any(other.kind != "person" for other in sheet.entries.values()):
        raise Refusal("consent", said("Bots play here too: {name} must agree to that first.", name=entry.name))
    if not excused:
        must_meet(tournament, [entry], files)


def must_agree(sheet: Sheet) -> None:
    """Refuse an event of people and bots unless every person has agreed to it."""
    if (n := len(sheet.entries)) < 2:
        why = said_of_many("{n} takes part: a tournament needs two.", "{n} take part: a tournament needs two.", n, n=n)
        raise Refusal("too_few", why)
    people = [entry for entry in sheet.entries.values() if entry.kind == Entry.Kind.PERSON]
    asked = ", ".join(entry.name for entry in people if not entry.agrees)
    if asked and len(people) < len(sheet.entries):
        why = said("Bots play here too, and not everyone has agreed to that yet: {asked}.", asked=asked)
        raise Refusal("consent", why)


# -- conditions --------------------------------------------------------------------------------------------------------


def conditions_of(tournament: Tournament) -> Conditions:
    return Conditions(**tournament.settings.get("conditions", {}))


def asked(conditions: Conditions) -> list[str]:
    """What the event asks for, a sentence each."""
    found: list[str] = []
    if conditions.checked:
        found.append(said("Bots have passed the check of their protocol in their present version."))
    if bounds := _bounds(conditions):
        found.append(said("Players have a rating of {bounds} in this game, not a provisional one.", bounds=bounds))
    return found


def files_of(entries: Iterable[EntrySpec]) -> Mapping[int, str]:
    """What `must_meet` is to know about the files of these, read before the transaction in which it is asked."""
    return passes.files_of({entry.player for entry in entries if entry.player is not None})


def must_meet(tournament: Tournament, entries: Sequence[EntrySpec], files: Mapping[int, str]) -> None:
    """Raises Refusal with everything that one of these bots and people is missing."""
    players = {entry.player: entry.name for entry in entries if entry.player is not None}
    for player, why in unmet(conditions_of(tournament), tournament.variant, players, files).items():
        words = said("{name} cannot enter {event}: {why}.", name=players[player], event=tournament.name, why=why)
        raise Refusal("not_met", words)


def unmet_in(sheet: Sheet, conditions: Conditions | None = None) -> dict[int, str]:
    """What those who take part are missing, by entry: they came before it was asked for, or were let in."""
    there = {entry.player_id: pk for pk, entry in sheet.entries.items() if entry.player_id and not entry.withdrawn}
    found = unmet(conditions or conditions_of(sheet.tournament), sheet.tournament.variant, there)
    return {there[player]: why for player, why in found.items()}


def unmet(
    conditions: Conditions, variant: str, players: Collection[int], files: Mapping[int, str] | None = None
) -> dict[int, str]:
    """What each of these players is missing, in words without a full stop, if anything."""
    lacks: dict[int, list[str]] = {player: [] for player in players}
    if conditions.checked:
        for bot in Bot.objects.filter(pk__in=players).select_related("player"):
            lacks[bot.pk] += _of_check(bot, files)
    if bounds := _bounds(conditions):
        columns = ("player", *LadderStanding._fields)
        rows = Rating.objects.filter(player__in=players, variant=variant).values_list(*columns)
        rated = {player: LadderStanding(*standing) for player, *standing in rows}
        for player, found in lacks.items():
            found += _of_rating(conditions, bounds, rated.get(player))
    return {player: listed(found) for player, found in lacks.items() if found}


def _of_check(bot: Bot, files: Mapping[int, str] | None) -> Iterator[str]:
    if passes.has_passed(bot, files):
        return
    command = passes.command_of(bot)
    if bot.passed is None:
        yield said(
            "it has not passed the check of its protocol (on its page, or on the server: {command})", command=command
        )
    else:
        yield said(
            "it has changed since it passed the check of its protocol (on its page, or on the server: {command})",
            command=command,
        )


def _of_rating(conditions: Conditions, bounds: str, standing: LadderStanding | None) -> Iterator[str]:
    if standing is None:
        yield said("a rating of {bounds} is needed, and there is none yet", bounds=bounds)
        return
    points = round(standing.points)
    if deviation_at(standing, timezone.now()) >= PROVISIONAL:
        yield said("a rating of {bounds} is needed, and {points} is provisional", bounds=bounds, points=points)
    elif points < conditions.rating_from or 0 < conditions.rating_to < points:
        yield said("a rating of {bounds} is needed, and it is {points}", bounds=bounds, points=points)


def _bounds(conditions: Conditions) -> str:
    """`at least 1200`; "" if any rating, or none, will do."""
    low, high = conditions.rating_from, conditions.rating_to
    if low and high:
        return said("{low} to {high}", low=low, high=high)
    return said("at least {low}", low=low) if low else said("at most {high}", high=high) if high else ""
