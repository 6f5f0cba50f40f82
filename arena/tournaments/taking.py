"""Who may enter an event, and until when."""

from __future__ import annotations

from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Tournament
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import MOST_ENTRIES, EntrySpec, TournamentSpec, swiss_rounds, too_long
from arena.tournaments.words import sentences


def must_take(sheet: Sheet, entry: EntrySpec) -> None:
    """Raises Refusal if this player cannot enter the event as it stands."""
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
