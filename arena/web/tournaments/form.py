"""The form of a new tournament: its values, what is wrong with them, and a summary. Queries no database.

Everything has a default, so that ticking two players is enough.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext

import games
from arena.common.names import can_be_seen
from arena.common.numbers import whole_number
from arena.tournaments.spec import MOST_ENTRIES, MOST_RATING, Conditions, EntrySpec, TournamentSpec, expected_matches
from arena.tournaments.tiebreaks import DEFAULT_TIE_BREAKS, TIE_BREAKS
from arena.tournaments.words import FORMATS as FORMAT_WORDS
from arena.tournaments.words import FORMATS_SAY, in_a_sentence, order_of
from arena.web.asked import moment_in
from arena.web.entries import called
from arena.web.options import options
from arena.web.room.form import CLOCKS as ROOM_CLOCKS
from arena.web.room.form import HELD
from arena.web.tournaments.entrants import EntrantChoice
from arena.web.words import capital, clock_title, number, spoken, title
from arena.work.machine_class import LONGEST_CLASS, own_class

LEGS = ("1", "2", "4", "6", "8", "10", "20")
CLOCKS = ("10s", *(clock for clock in ROOM_CLOCKS if clock != "none"))
PACES = {"full": (gettext_noop("Full speed"), 0), "watchable": (gettext_noop("Watchable, 0.7 s a move"), 700)}
CONCURRENT = ("1", "2", "4", "8")
OPENINGS = ("0", "2", "4", "6")
DEFAULTS = {
    "name": "",
    "variant": "",
    "format": "round-robin",
    "legs": "2",
    "rounds": "0",
    "clock": CLOCKS[0],
    "pace": "full",
    "concurrency": "2",
    "opening_plies": "0",
    "adjudicate": "0",
    "machines": "",
    "rating_from": "",
    "rating_to": "",
    "starts": "",
}
PLACES = (
    gettext_noop("First"),
    gettext_noop("Second"),
    gettext_noop("Third"),
    gettext_noop("Fourth"),
    gettext_noop("Fifth"),
    gettext_noop("Sixth"),
)
# The duration of a match, for the summary: bots answer at once, and a match of any of our games is about this long.
USUAL_PLIES, USUAL_REPLY_S = 30, 0.1
LONGEST = 80


@dataclass(frozen=True)
class TournamentForm:
    """The form with a value for every field; `chosen` are the ticked players by their seeds, `seeds` the typed numbers,
    by player; others follow in the order of the list. `classes` are those of machines. `typed` is shown again as it
    was sent, by the name of its input: seeds, and what could not be read.
    """

    said: Mapping[str, str]
    ticked: frozenset[str]
    tie_breaks: tuple[str, ...]
    rated: bool
    chosen: tuple[EntrantChoice, ...] = ()
    me: EntrySpec | None = None
    third_place: bool = False
    offers: bool = False
    checked: bool = False
    seeds: Mapping[str, int] = dataclasses.field(default_factory=dict)
    classes: tuple[str, ...] = ()
    typed: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def entries(self) -> tuple[EntrySpec, ...]:
        """The best first."""
        listed = [(choice.value, choice.spec()) for choice in self.chosen]
        listed += [("me", self.me)] if self.me else []
        return tuple(spec for _, spec in sorted(listed, key=lambda each: self.seeds.get(each[0], MOST_ENTRIES)))

    def chose(self, value: str) -> tuple[bool, str]:
        """Whether this player is ticked, and the seed that was typed."""
        return value in self.ticked, self.typed.get(f"seed-{value}", "")

    @property
    def name(self) -> str:
        """The typed name, or `Connect Four 7 × 6 round robin`."""
        typed = " ".join(self.said["name"].split())
        game = title(games.variant(self.said["variant"])).replace("\N{NO-BREAK SPACE}", " ")
        return typed or f"{game} {spoken(in_a_sentence(FORMAT_WORDS[self.said['format']]))}"

    def spec(self) -> TournamentSpec:
        said = self.said
        return TournamentSpec(
            self.name,
            said["variant"],
            said["format"],
            self.entries,
            legs=int(said["legs"]),
            rounds=int(said["rounds"]),
            clock=said["clock"],
            pace_ms=PACES[said["pace"]][1],
            rated=self.rated,
            concurrency=int(said["concurrency"]),
            tie_breaks=self.tie_breaks,
            opening_plies=int(said["opening_plies"]),
            third_place=self.third_place,
            offers=self.offers,
            adjudicate=int(said["adjudicate"]),
            machines=said["machines"],
            conditions=Conditions(self.checked, int(said["rating_from"] or 0), int(said["rating_to"] or 0)),
        )


def read(
    sent: QueryDict,
    choices: Sequence[EntrantChoice] = (),
    me: EntrySpec | None = None,
    classes: Sequence[str] = (),
) -> tuple[TournamentForm, dict[str, str]]:
    """The form, and the errors of fields that could not be read; for such a field its default holds meanwhile."""
    said, wrong = dict(DEFAULTS), dict[str, str]()
    shown = {name: sent.get(name, "")[:LONGEST] for name in sent if name.startswith("seed-")}
    said["variant"] = games.variants()[0].slug
    chosen_from = labels()
    known: dict[str, Collection[str]] = {**chosen_from, "rounds": [str(n) for n in range(51)]}
    for field in said:
        if field in sent and (typed := sent.get(field, "")[:LONGEST].strip()) != "":
            if sentence := _unreadable(field, typed, known, classes):
                wrong[field] = sentence
                shown |= {} if field in chosen_from else {field: typed}
            else:
                said[field] = typed
    if said["format"] != "swiss":
        said["rounds"] = "0"
    ticked = frozenset(sent.getlist("entry"))
    order, said_wrong = _tie_breaks(sent, said["format"])
    seeds, seeds_wrong = _seeds(sent, ticked)
    wrong |= said_wrong | seeds_wrong
    chosen = tuple(choice for choice in choices if choice.value in ticked)
    mine = me if "me" in ticked else None
    third_place = said["format"] == "knockout" and sent.get("third_place") == "on"
    rated, offers, checked = (sent.get(name) == "on" for name in ("rated", "offers", "checked"))
    boxes = (third_place, offers, checked)
    return TournamentForm(said, ticked, order, rated, chosen, mine, *boxes, seeds, (*classes,), shown), wrong


def _tie_breaks(sent: QueryDict, format: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """The chosen tie-breaks, in their order; none if another kind of event was chosen since they were shown."""
    if sent.get("breaks_of", format) != format or format == "knockout":
        return (), {}
    chosen = [slug for slug in sent.getlist("tie_breaks") if slug]
    if unknown := [slug[:40] for slug in chosen if slug not in TIE_BREAKS]:
        said = _("Received the tie-break {what}, expected {known}.")
        return (), {"tie_breaks": said.format(what=repr(unknown[0]), known=", ".join(TIE_BREAKS))}
    if twice := [slug for n, slug in enumerate(chosen) if slug in chosen[:n]]:
        said = _("{title} is chosen twice: choose each tie-break once.")
        return tuple(dict.fromkeys(chosen)), {"tie_breaks": said.format(title=spoken(TIE_BREAKS[twice[0]].title))}
    return tuple(chosen), {}


def _seeds(sent: QueryDict, ticked: Collection[str]) -> tuple[dict[str, int], dict[str, str]]:
    """The numbers of the ticked players; others do not matter."""
    found: dict[str, int] = {}
    for value in sorted(ticked):
        typed = sent.get(f"seed-{value}", "").strip()
        if not typed:
            continue
        number = whole_number(typed, 1, MOST_ENTRIES)
        if number is None:
            said = _("Received the seed {what}, expected a number from 1 to {most}.")
            return found, {"entry": said.format(what=repr(typed[:20]), most=MOST_ENTRIES)}
        if number in found.values():
            said = _("Two players have the seed {n}: give each a number of its own.")
            return found, {"entry": said.format(n=number)}
        found[value] = number
    return found, {}


def _unreadable(field: str, typed: str, known: Mapping[str, Collection[str]], classes: Sequence[str]) -> str:
    if field == "machines":
        if typed in classes:
            return ""
        said = _("No machine of the class {what} is known, expected one of {known}.")
        return said.format(what=repr(typed[:LONGEST_CLASS]), known=", ".join(classes))
    if field in known and typed not in known[field]:
        expected = _("0 to 50") if field == "rounds" else ", ".join(known[field])
        said = _("Received {what} for {field}, expected {known}.")
        return said.format(what=repr(typed[:20]), field=_(WORDS[field]), known=expected)
    if field in ("rating_from", "rating_to") and whole_number(typed, 0, MOST_RATING) is None:
        said = _("Received {what} for {field}, expected a number from 0 to {most}.")
        return said.format(what=repr(typed[:20]), field=_(WORDS[field]), most=MOST_RATING)
    if field == "name" and not can_be_seen(" ".join(typed.split())):
        said = _("Received {what} for the name, which contains invisible characters; expected letters and signs.")
        return said.format(what=repr(typed[:20]))
    if field == "starts" and moment_in(typed) is None:
        said = _("Received the time {what}, expected a day and a time such as 2026-11-21T18:00.")
        return said.format(what=repr(typed[:20]))
    return ""


WORDS = {
    "name": gettext_noop("the name"),
    "variant": gettext_noop("the game"),
    "format": gettext_noop("the kind of event"),
    "legs": gettext_noop("matches per pairing"),
    "rounds": gettext_noop("the rounds of a Swiss event"),
    "clock": gettext_noop("the clock"),
    "pace": gettext_noop("the speed"),
    "concurrency": gettext_noop("matches at a time"),
    "opening_plies": gettext_noop("the openings"),
    "adjudicate": gettext_noop("the moves after which a proof ends a match"),
    "machines": gettext_noop("the class of machines"),
    "entries": gettext_noop("the players"),
    "entry": gettext_noop("the players"),
    "tie_breaks": gettext_noop("tie-breaks"),
    "starts": gettext_noop("the start"),
    "rating_from": gettext_noop("the lowest rating"),
    "rating_to": gettext_noop("the highest rating"),
}
# Problems of a spec by the field of the page that they are about.
FIELDS = {"pace_ms": "pace", "entries": "entry", "player": "entry", "protocol": "entry", "level": "entry"}


def problems(form: TournamentForm, now: datetime, *, begins: bool) -> dict[str, str]:
    """What is wrong, by field. `begins`: the event starts at once, so it needs two players."""
    found: dict[str, str] = {}
    for problem in form.spec().problems():
        field = "entry" if problem.entry is not None else FIELDS.get(problem.key, problem.key)
        if field == "entry" and problem.key == "entries":
            if len(form.entries) < 2 and not begins:
                continue
            said = ngettext(
                "{n} is ticked: a tournament needs two to start.",
                "{n} are ticked: a tournament needs two to start.",
                len(form.entries),
            )
            found.setdefault(field, said.format(n=len(form.entries)))
        else:
            found.setdefault(field, f"{capital(spoken(problem.sentence))}.")
    starts = moment_in(form.said["starts"])
    if starts is not None and starts <= now:
        said = _("{time} UTC has passed: expected a time in the future.")
        found["starts"] = said.format(time=form.said["starts"][:16])
    return found


def summary(form: TournamentForm) -> str:
    """`Connect Four 7 × 6, round robin: 28 pairings, 56 rounds, about 4 minutes at full speed.`"""
    said, count = form.said, len(form.entries)
    what = f"{title(games.variant(said['variant']))}, {spoken(in_a_sentence(FORMAT_WORDS[said['format']]))}"
    if count < 2:
        return _("{what}: {n} ticked, two are needed to start.").format(what=what, n=count)
    legs = int(said["legs"])
    matches = expected_matches(said["format"], count, legs, int(said["rounds"]), third_place=form.third_place)
    pairings = ngettext("{n} pairing", "{n} pairings", matches // legs).format(n=matches // legs)
    rounds = ngettext("{n} round", "{n} rounds", matches).format(n=matches)
    return f"{what}: {pairings}, {rounds}, {_minutes(form, matches)}."


def seeded(form: TournamentForm) -> str:
    """`Seeds: 1 gravity-9, 2 delta3.`"""
    names = [f"{n} {called(entry)}" for n, entry in enumerate(form.entries, 1)]
    return _("Seeds: {names}.").format(names=", ".join(names)) if len(names) > 1 else ""


def ordered(form: TournamentForm) -> str:
    """The tie-breaks between equal points."""
    if form.said["format"] == "knockout":
        return _("Ranked by the round reached.")
    return spoken(order_of(form.spec().breaks))


def _minutes(form: TournamentForm, matches: int) -> str:
    pace_ms = PACES[form.said["pace"]][1]
    seconds = matches * USUAL_PLIES * max(USUAL_REPLY_S, pace_ms / 1000) / int(form.said["concurrency"])
    minutes = max(1, round(seconds / 60))
    if minutes >= 120:
        time = _("{n} hours").format(n=round(minutes / 60))
    else:
        time = ngettext("{n} minute", "{n} minutes", minutes).format(n=minutes)
    if not pace_ms:
        return _("about {time} at full speed").format(time=time)
    return _("about {time}, {seconds} s a move").format(time=time, seconds=number(pace_ms / 1000))


def labels(classes: Iterable[str] = ()) -> dict[str, dict[str, str]]:
    """The fields that are chosen from a list: the values of each, in words. `classes` are those of machines."""
    return {
        "variant": {variant.slug: title(variant) for variant in games.variants()},
        "format": {name: spoken(words) for name, words in FORMAT_WORDS.items()},
        "legs": {n: n for n in LEGS},
        "clock": {clock: clock_title(clock) for clock in CLOCKS},
        "pace": {name: _(words) for name, (words, pace_ms) in PACES.items()},
        "concurrency": {n: n for n in CONCURRENT},
        "opening_plies": {plies: _opening(plies) for plies in OPENINGS},
        "adjudicate": {moves: _held(moves) for moves in HELD},
        "machines": {"": _("Any class"), **{name: _class(name) for name in classes}},
    }


def _opening(plies: str) -> str:
    if plies == "0":
        return _("None: every match begins with the first position")
    return _("{n} random moves").format(n=plies)


def _held(moves: str) -> str:
    return _("{n} moves").format(n=moves) if moves != "0" else _("Never: every match is played to its end")


def _class(machine_class: str) -> str:
    return _("{name}, as this server").format(name=machine_class) if machine_class == own_class() else machine_class


def context(form: TournamentForm, wrong: Mapping[str, str]) -> dict[str, Any]:
    """The form for the template; `wrong` is what is wrong with it, by field."""
    said = form.said
    titles = {"": pgettext("tie-break", "None"), **{each.slug: spoken(each.title) for each in TIE_BREAKS.values()}}
    breaks = [*(form.tie_breaks or DEFAULT_TIE_BREAKS[said["format"]]), *[""] * len(PLACES)]
    return {
        "said": {**said, **form.typed},
        "fields": {
            name: {"name": name, "options": options(words, said[name]), "wrong": wrong.get(name, "")}
            for name, words in labels(form.classes).items()
        },
        "format_says": spoken(FORMATS_SAY[said["format"]]),
        "breaks": [(_(place), options(titles, slug)) for place, slug in zip(PLACES, breaks, strict=False)],
        "break_words": [(spoken(each.title), spoken(each.says)) for each in TIE_BREAKS.values()],
        "rated": form.rated,
        "offers": form.offers,
        "checked": form.checked,
        "third_place": form.third_place,
        "summary": summary(form),
        "seeded": seeded(form),
        "ordered": ordered(form),
        "wrong": wrong,
    }
