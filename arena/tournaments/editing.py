"""Changes the settings of an existing event. What its first pairing has settled stays as it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Entry, Tournament
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import KEPT, Conditions, EntrySpec, TournamentSpec
from arena.tournaments.taking import conditions_of
from arena.tournaments.transactions import locked, update
from arena.tournaments.words import sentences

State = Tournament.State
# These may change while the event is played: they affect neither the pairings nor what counts.
ALWAYS = frozenset({"name", "pace_ms", "concurrency", *Conditions._fields})


def spec_of(sheet: Sheet) -> TournamentSpec:
    """The event as its organiser would have asked for it."""
    row, kept = sheet.tournament, sheet.tournament.settings
    return TournamentSpec(
        *(row.name, row.variant, row.format, tuple(map(_entry, sheet.entries.values()))),
        tie_breaks=tuple(kept.get("tie_breaks", ())),
        settings=kept.get("variant", {}),
        conditions=conditions_of(row),
        **{name: kept[name] for name in KEPT if name in kept},
    )


def _entry(entry: Entry) -> EntrySpec:
    who: dict[str, Any] = {"player": entry.player_id, "agrees": entry.agrees}
    if entry.kind == Entry.Kind.BOT and entry.player is not None:
        who["variant"] = entry.player.bot.variant
    return EntrySpec(entry.name, entry.kind, entry.level, entry.protocol, **who)


def edit(
    tournament: Tournament,
    wish: TournamentSpec,
    starts: datetime | None,
    actor: str = "",
    reason: str = "",
    changes: str = "",
) -> None:
    """Give the event the settings of `wish`, whose entries do not matter. `changes` says what changes, for the audit.

    Raises Refusal if they are wrong, not for those who have entered, or change what the first pairing has settled.
    """
    with locked(tournament, actor, "settings", changed=changes, reason=reason) as sheet:
        if sheet.tournament.state == State.FINISHED:
            raise Refusal("finished", said("{event} is over: its settings stay as they are.", event=tournament.name))
        before = spec_of(sheet)
        if sheet.lines and (settled := _settled(before, wish)):
            raise Refusal(
                "already_started",
                said("{event} has begun: {settled} can no longer change.", event=tournament.name, settled=settled),
            )
        problems = replace(wish, entries=before.entries).problems()
        if sheet.lines:
            problems = [each for each in problems if each.entry is None]
        if wrong := [each for each in problems if each.key != "entries"]:
            raise Refusal("wrong_spec", sentences(wrong))
        kept = {**sheet.tournament.settings, **wish.to_settings(), "seed": sheet.tournament.settings.get("seed")}
        if sheet.lines:
            kept |= {"tie_breaks": list(before.tie_breaks)}
        update(sheet, name=wish.name, variant=wish.variant, format=wish.format, settings=kept, starts=starts)


def _settled(before: TournamentSpec, wish: TournamentSpec) -> str:
    """The first field that differs and must not, in a word."""
    fields = ("variant", "format", *KEPT)
    changed = [
        name for name in fields if name not in ALWAYS | {"seed"} and getattr(before, name) != getattr(wish, name)
    ]
    changed += ["tie_breaks"] if before.breaks != wish.breaks else []
    return changed[0].replace("_", "-") if changed else ""
