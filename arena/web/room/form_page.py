"""The form of a new room as fragments/room_form.html shows it: its choices, and all of it in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import games
from arena.analysis.verdicts import why_not_adjudicated
from arena.play.thinking import title as level_title
from arena.protocols import protocol, protocols
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
    proposed_for,
    why_no_clock,
    why_no_side,
    why_no_such_clock,
    why_not_rated,
)
from arena.web.words import LEVELS, capital, clock_title, title
from games.players import LEVELS as EVERY_LEVEL


class Option(NamedTuple):
    """One thing to choose; `why` it cannot be chosen here, "" when it can."""

    value: str
    label: str
    why: str
    current: bool


class OptionGroup(NamedTuple):
    label: str
    options: list[Option]


def context(form: RoomForm, wrong: Mapping[str, str]) -> dict[str, Any]:
    """What templates/arena/fragments/room_form.html puts in its places."""
    said = form.said
    return {
        "variants": [Option(each.slug, title(each), "", each == form.variant) for each in games.variants()],
        "sides": [
            {"name": name, "label": label, "groups": groups(form, said[name]), "error": wrong.get(name, "")}
            for name, label in (("side0", "Seat 1, moves first"), ("side1", "Seat 2"))
        ],
        "clocks": [
            *(Option(text, clock_title(text), why_no_clock(form, text), text == said["clock"]) for text in CLOCKS),
            Option(OTHER, "Another clock", "", said["clock"] == OTHER),
        ],
        "clock_text": said["clock_text"] if said["clock"] == OTHER else None,
        "rounds": [Option(text, text, "", text == said["rounds"]) for text in ROUNDS],
        "paces": [Option(name, words, "", name == said["pace"]) for name, (words, _) in PACES.items()],
        "offers": [Option(name, words, "", name == said["offers"]) for name, words in OFFERS.items()],
        "adjudicate": [Option(n, words, "", n == said["adjudicate"]) for n, words in HELD.items()],
        "why_played_out": capital(why_not_adjudicated(form.variant.slug)),
        "rated": Option("on", "Rated", why_not_rated(form), form.is_rated),
        "private": "private" in said,
        "proposed": proposed_for(form),
        "summary": summary(form),
        "wrong": wrong,
    }


def groups(form: RoomForm, current: str, *, me: bool = True, levels: Iterable[str] = LEVELS) -> list[OptionGroup]:
    """Everybody who may sit on a side, impossible ones with the reason."""
    people = [("me", "Me")] if me else []
    found = [
        ("People", [*people, ("anyone", "Anyone with the link")]),
        ("Built-in player", [(f"builtin:{level}", level_title(level)) for level in levels]),
        ("Bots", [(_value(bot), bot.name + (", run by this server" if bot.command else "")) for bot in form.bots]),
        ("Any bot over a socket", [(f"socket:{slug}", adapter.title) for slug, adapter in protocols().items()]),
    ]

    def option(value: str, words: str) -> Option:
        return Option(value, words, why_no_side(form, value) or "", value == current)

    return [OptionGroup(label, [option(*row) for row in rows]) for label, rows in found if rows]


def summary(form: RoomForm) -> str:
    """`Connect Four 7 × 6, you against anyone, 4 rounds, 5 s a move.`"""
    said = form.said
    first, second = (_who(form, side) for side in form.sides)
    rounds = "1 round" if said["rounds"] == "1" else f"{said['rounds']} rounds"
    text = clock_text(said)
    clock = "another clock" if why_no_such_clock(text) else clock_title(text)
    clock = clock.lower() if text == "none" else clock
    return f"{title(form.variant)}, {first} against {second}, {rounds}, {clock}."


def _who(form: RoomForm, side: str) -> str:
    kind, _, what = side.partition(":")
    if kind == "builtin" and what in EVERY_LEVEL:
        return f"built-in {level_title(what)}"
    if kind == "socket" and what in protocols():
        return f"a bot that speaks {protocol(what).title}"
    named = next((bot.name for bot in form.bots if _value(bot) == side), "")
    return named or {"me": "you", "anyone": "anyone"}.get(kind, "nobody yet")


def _value(bot: Named) -> str:
    return f"{'command' if bot.command else 'bot'}:{bot.player}"
