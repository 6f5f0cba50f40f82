"""The form of a new room as fragments/room_form.html shows it: its choices, and a summary in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

import games
from arena.match.clock import parse_clock
from arena.protocols import protocol, protocols
from arena.web.options import Option, options
from arena.web.room.form import (
    CLOCKS,
    HELD,
    OFFERS,
    OTHER,
    PACES,
    ROUNDS,
    Named,
    RoomForm,
    clock_text,
    held_title,
    proposed_for,
    why_no_clock,
    why_no_side,
    why_no_such_clock,
    why_not_rated,
    why_played_out,
)
from arena.web.words import LEVELS, clock_title, clock_words, level_name, rounds_words, title
from games.players import LEVELS as EVERY_LEVEL


class OptionGroup(NamedTuple):
    label: str
    options: list[Option]


def context(form: RoomForm, wrong: Mapping[str, str]) -> dict[str, Any]:
    """The context of templates/arena/fragments/room_form.html."""
    said = form.said
    return {
        "variants": options({each.slug: title(each) for each in games.variants()}, form.variant.slug),
        "sides": [
            {"name": name, "label": label, "groups": groups(form, said[name]), "error": wrong.get(name, "")}
            for name, label in (("side0", _("Seat 1, moves first")), ("side1", _("Seat 2")))
        ],
        "clocks": [
            *(Option(text, clock_title(text), why_no_clock(form, text), text == said["clock"]) for text in CLOCKS),
            Option(OTHER, _("Another clock"), "", said["clock"] == OTHER),
        ],
        "clock_text": said["clock_text"] if said["clock"] == OTHER else None,
        "rounds": options({text: text for text in ROUNDS}, said["rounds"]),
        "paces": options({name: _(words) for name, (words, ms) in PACES.items()}, said["pace"]),
        "offers": options({name: _(words) for name, words in OFFERS.items()}, said["offers"]),
        "adjudicate": options({n: held_title(n) for n in HELD}, said["adjudicate"]),
        "why_played_out": why_played_out(form.variant.slug),
        "rated": Option("on", _("Rated"), why_not_rated(form), form.is_rated),
        "private": "private" in said,
        "proposed": proposed_for(form),
        "summary": summary(form),
        "needs_link": form.needs_link,
        "find": form.find,
        "wrong": wrong,
    }


def groups(form: RoomForm, current: str, *, me: bool = True, levels: Iterable[str] = LEVELS) -> list[OptionGroup]:
    """All players for a side, impossible ones with the reason."""
    people = [("me", _("Me"))] if me else []
    found = [
        (_("People"), [*people, ("anyone", _("Anyone with the link"))]),
        (_("Built-in player"), [(f"builtin:{level}", level_name(level)) for level in levels]),
        (_("Bots"), [(_value(bot), _bot(form, bot)) for bot in form.bots]),
        (_("Any bot over a socket"), [(f"socket:{slug}", adapter.title) for slug, adapter in protocols().items()]),
    ]

    def option(value: str, words: str) -> Option:
        return Option(value, words, why_no_side(form, value) or "", value == current)

    return [OptionGroup(label, [option(*row) for row in rows]) for label, rows in found if rows]


def summary(form: RoomForm) -> str:
    """`Connect Four 7 × 6, you against anyone, 4 rounds, 5 s a move.`"""
    said = form.said
    first, second = (_who(form, side) for side in form.sides)
    rounds = rounds_words(int(said["rounds"])) if said["rounds"] in ROUNDS else ""
    text = clock_text(said)
    clock = _("another clock") if why_no_such_clock(text) else clock_words(parse_clock(text)) or _("no clock")
    who = _("{first} against {second}").format(first=first, second=second)
    return f"{', '.join(filter(None, (title(form.variant), who, rounds, clock)))}."


def _bot(form: RoomForm, bot: Named) -> str:
    if bot.player in form.lacking:
        return _("{name} (cannot be started)").format(name=bot.name)
    return _("{name}, run by this server").format(name=bot.name) if bot.command else bot.name


def _who(form: RoomForm, side: str) -> str:
    kind, what = side.partition(":")[::2]
    if kind == "builtin" and what in EVERY_LEVEL:
        return _("built-in {level}").format(level=level_name(what))
    if kind == "socket" and what in protocols():
        return _("a bot that speaks {protocol}").format(protocol=protocol(what).title)
    named = next((bot.name for bot in form.bots if _value(bot) == side), "")
    return named or {"me": _("you"), "anyone": _("anyone")}.get(kind, _("nobody yet"))


def _value(bot: Named) -> str:
    return f"{'command' if bot.command else 'bot'}:{bot.player}"
