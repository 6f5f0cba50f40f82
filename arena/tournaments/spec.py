"""What an organiser asks for, and its checks: the same for a file and for a form."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import games
from arena.analysis.verdicts import MOST_HELD, why_not_adjudicated
from arena.match.clock import parse_clock
from arena.match.said import said
from arena.protocols import plays, protocol, protocols
from arena.tournaments.tiebreaks import DEFAULT_TIE_BREAKS, TIE_BREAKS
from arena.work.machine_class import is_class
from games.players import LEVELS

FORMATS = tuple(DEFAULT_TIE_BREAKS)
MOST_ENTRIES, MOST_LEGS, MOST_ROUNDS, MOST_CONCURRENT, MOST_OPENING_PLIES = 200, 100, 50, 64, 40
MOST_PAIRINGS = 5_000
MOST_RATING = 4_000
DEFAULT_CLOCK = "10s"
KINDS = ("builtin", "command", "bot", "person")
# Fields of the spec that the row keeps in its `settings` under the same names.
KEPT = (
    *("legs", "rounds", "clock", "pace_ms", "rated", "offers", "concurrency", "opening_plies", "third_place"),
    *("adjudicate", "pondering", "machines", "seed"),
)


class Problem(NamedTuple):
    """What is wrong with the value of `key`, which is an entry's key if `entry` (from 0) is not None."""

    key: str
    sentence: str
    entry: int | None = None


class Conditions(NamedTuple):
    """What registered bots and people must meet to enter: with `checked` a bot has passed the check of its protocol;
    `rating_from` and `rating_to` bound a rating in the game that is not provisional, 0 for no bound.
    """

    checked: bool = False
    rating_from: int = 0
    rating_to: int = 0

    def problems(self) -> Iterator[Problem]:
        yield from _outside("rating_from", self.rating_from, 0, MOST_RATING)
        yield from _outside("rating_to", self.rating_to, 0, MOST_RATING)
        if 0 < self.rating_to < self.rating_from:
            low, high = self.rating_from, self.rating_to
            yield Problem("rating_to", said("{high}: no rating is from {low} to {high}", low=low, high=high))


@dataclass(frozen=True, slots=True)
class EntrySpec:
    """A participant. `player` is the number of a bot's or person's row; a `command` starts in the folder `cwd`.

    In a Swiss event it is kept `apart` from entries of these names, and `meets` one in the first round, moving first.
    """

    name: str
    kind: str
    level: str = ""
    protocol: str = ""
    command: tuple[str, ...] = ()
    cwd: str = ""
    player: int | None = None
    agrees: bool = False
    variant: str = ""
    apart: tuple[str, ...] = ()
    meets: str = ""


@dataclass(frozen=True, slots=True)
class TournamentSpec:
    """A planned tournament. `legs` are the matches of an encounter, `rounds` those of a Swiss event (0: as many as
    fit).

    `opening_plies`: both sides of each opening are played, so that deterministic bots do not repeat one match. With the
    same `seed` the openings and the built-in players' choices are the same. `third_place`: the losers of a knockout's
    semi-finals play for it. `offers`: takebacks and draw offers are allowed. `adjudicate`: a proved result that has
    held for this many moves ends a match; 0: matches are played to their end. `pondering`: programs of ours may go on
    computing while it is not their turn. `machines`: the class of machines that play the matches of programs, "" for
    any. `conditions` are those of entering it.
    """

    name: str
    variant: str
    format: str
    entries: tuple[EntrySpec, ...]
    legs: int = 2
    rounds: int = 0
    clock: str = DEFAULT_CLOCK
    pace_ms: int = 0
    rated: bool = False
    offers: bool = False
    adjudicate: int = 0
    pondering: bool = False
    machines: str = ""
    concurrency: int = 1
    tie_breaks: tuple[str, ...] = ()
    opening_plies: int = 0
    third_place: bool = False
    seed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    conditions: Conditions = Conditions()

    def problems(self) -> list[Problem]:
        """Everything that is wrong, in the order of the fields; empty if it can be played."""
        return [*self._of_the_event(), *self._of_entries(), *self._of_the_whole()]

    @property
    def breaks(self) -> tuple[str, ...]:
        return self.tie_breaks or DEFAULT_TIE_BREAKS[self.format]

    def to_settings(self) -> dict[str, Any]:
        """What the row keeps in its `settings`."""
        return {name: getattr(self, name) for name in KEPT} | {
            "conditions": self.conditions._asdict(),
            "tie_breaks": list(self.breaks),
            "variant": games.variant(self.variant).complete(self.settings),
        }

    # -- what is wrong -------------------------------------------------------------------------------------------------

    def _of_the_event(self) -> Iterator[Problem]:
        if not self.name.strip() or len(self.name) > 64:
            yield Problem("name", said("{what}: expected 1 to 64 characters", what=repr(self.name[:70])))
        yield from _unknown("variant", self.variant, games.slugs())
        yield from _unknown("format", self.format, FORMATS)
        yield from _outside("legs", self.legs, 1, MOST_LEGS)
        yield from _outside("rounds", self.rounds, 0, MOST_ROUNDS)
        yield from _outside("concurrency", self.concurrency, 1, MOST_CONCURRENT)
        yield from _outside("pace_ms", self.pace_ms, 0, 60_000)
        yield from _outside("opening_plies", self.opening_plies, 0, MOST_OPENING_PLIES)
        yield from _outside("adjudicate", self.adjudicate, 0, MOST_HELD)
        if self.adjudicate and why_not_adjudicated(self.variant):
            game = games.variant(self.variant).title
            why = said("nothing can be proved of {game}: its matches are played to their end", game=game)
            yield Problem("adjudicate", why)
        if self.machines:
            yield from self._of_machines()
        if self.opening_plies % 2:
            yield Problem(
                "opening_plies",
                said(
                    "{opening_plies}: expected an even number, so that the first moves on",
                    opening_plies=self.opening_plies,
                ),
            )
        for slug in self.tie_breaks:
            yield from _unknown("tie_breaks", slug, list(TIE_BREAKS))
        for slug in {slug for slug in self.tie_breaks if self.tie_breaks.count(slug) > 1}:
            yield Problem("tie_breaks", said("{name} appears twice", name=slug))
        yield from self.conditions.problems()
        yield from _said("clock", lambda: parse_clock(self.clock))
        if self.variant in games.slugs():
            yield from _said("settings", lambda: games.variant(self.variant).complete(self.settings))

    def _of_machines(self) -> Iterator[Problem]:
        if not is_class(self.machines):
            what = repr(self.machines[:40])
            yield Problem("machines", said("{what}: expected the class of a worker, such as c5", what=what))
        if self.pace_ms or self.adjudicate:
            why = said("with a pace or an adjudication the host plays all matches: leave out one of the two")
            yield Problem("machines", why)

    def _of_entries(self) -> Iterator[Problem]:
        taken: set[str] = set()
        for n, entry in enumerate(self.entries):
            for problem in _of_entry(entry, self.variant, self.opening_plies):
                yield problem._replace(entry=n)
            if entry.name.casefold() in taken:
                yield Problem(
                    "name", said("{what} appears twice: give each entry a name of its own", what=repr(entry.name)), n
                )
            taken.add(entry.name.casefold())
        players = [entry.player for entry in self.entries if entry.player is not None]
        for n, entry in enumerate(self.entries):
            if entry.player is not None and players.count(entry.player) > 1:
                yield Problem("player", said("{name} appears twice", name=entry.name), n)

    def _of_the_whole(self) -> Iterator[Problem]:
        count = len(self.entries)
        if not 2 <= count <= MOST_ENTRIES:
            yield Problem("entries", said("{count} of them: expected 2 to {most}", count=count, most=MOST_ENTRIES))
        yield from too_long(self.format, count, self.legs)
        if self.rounds and self.format != "swiss":
            yield Problem(
                "rounds",
                said("{rounds}: only a Swiss event has a number of rounds; for matches write legs", rounds=self.rounds),
            )
        yield from self._of_pairs()
        if self.format == "knockout" and self.tie_breaks:
            yield Problem(
                "tie_breaks",
                said("a knockout has none: it is ranked by the round reached, and a tied pairing plays on"),
            )
        if self.third_place and self.format != "knockout":
            yield Problem("third_place", said("only a knockout has a match for third place"))
        if self.clock == "none" and any(entry.kind != "builtin" for entry in self.entries):
            yield Problem(
                "clock", said("none: a bot that hangs would stop the event; expected a clock such as 5s or 1m+1s")
            )

    def _of_pairs(self) -> Iterator[Problem]:
        names = [entry.name for entry in self.entries]
        meeting = [name for entry in self.entries if entry.meets for name in (entry.name, entry.meets)]
        apart = [{entry.name, other} for entry in self.entries for other in entry.apart]
        for n, entry in enumerate(self.entries):
            for key, others in (("apart", entry.apart), ("meets", (entry.meets,) if entry.meets else ())):
                if others and self.format != "swiss":
                    yield Problem(key, said("only a Swiss event pairs its rounds one by one"), n)
                for other in others:
                    if other == entry.name or other not in names:
                        yield Problem(key, said("{what}: expected the name of another entry", what=repr(other)), n)
            if entry.meets not in ("", entry.name) and max(map(meeting.count, (entry.name, entry.meets))) > 1:
                yield Problem("meets", said("{name} has one opponent in a round", name=entry.name), n)
            if entry.meets and {entry.name, entry.meets} in apart:
                yield Problem("meets", said("{what} is in apart as well", what=repr(entry.meets)), n)


def expected_matches(format: str, entries: int, legs: int, rounds: int, *, third_place: bool = False) -> int:
    """How many matches there will be, without the extra pairs of a knockout."""
    encounters = {
        "round-robin": entries * (entries - 1) // 2,
        "gauntlet": entries - 1,
        "knockout": entries - 1 + (third_place and entries > 3),
        "swiss": entries // 2 * swiss_rounds(entries, rounds),
    }
    return encounters[format] * legs


def left_of_knockout(encounters: int, round: int, legs: int, *, third_place: bool) -> int:
    """How many matches the rounds after this one have, if the first round has this many encounters."""
    final = encounters.bit_length()
    left = sum(encounters >> (later - 1) for later in range(round + 1, final + 1))
    return (left + (third_place and final > 1 and round < final)) * legs


def too_long(format: str, entries: int, legs: int) -> Iterator[Problem]:
    """What is wrong if so many entries play in all against all."""
    matches = entries * (entries - 1) // 2 * legs
    if format == "round-robin" and matches > MOST_PAIRINGS:
        yield Problem(
            "legs",
            said(
                "{legs}: {count} entries would play {matches} matches, {most} at most",
                legs=legs,
                count=entries,
                matches=matches,
                most=MOST_PAIRINGS,
            ),
        )


def swiss_rounds(entries: int, rounds: int) -> int:
    """`rounds`, or one more than it takes to find a winner; never more than there are opponents."""
    return min(rounds or (entries - 1).bit_length() + 1, entries - 1 + entries % 2)


def suggestion(word: str, known: Sequence[str]) -> str:
    """`; did you mean club?`, or the known words."""
    close = difflib.get_close_matches(word, known, n=1)
    if close:
        return said("did you mean {word}?", word=close[0])
    return said("expected one of {known}", known=", ".join(known))


def _of_entry(entry: EntrySpec, variant: str, opening_plies: int) -> Iterator[Problem]:
    if not entry.name.strip() or len(entry.name) > 64:
        yield Problem("name", said("{what}: expected 1 to 64 characters", what=repr(entry.name[:70])))
    yield from _unknown("kind", entry.kind, KINDS)
    if entry.kind == "builtin":
        yield from _unknown("level", entry.level, LEVELS)
    if entry.kind in ("bot", "person") and entry.player is None:
        yield Problem(
            "player", said("{what}: there is no {kind} with this name", what=repr(entry.name), kind=entry.kind)
        )
    if entry.protocol and not list(_unknown("protocol", entry.protocol, list(protocols()))):
        yield from _of_protocol(entry, variant, opening_plies)


def _of_protocol(entry: EntrySpec, variant: str, opening_plies: int) -> Iterator[Problem]:
    if not plays(entry.protocol, variant) or (entry.variant and entry.variant != variant):
        what = entry.variant or ", ".join(protocol(entry.protocol).variants)
        yield Problem(
            "protocol", said("{name} plays {what}, not {variant}", name=entry.name, what=what, variant=variant)
        )
    elif opening_plies and not protocol(entry.protocol).tells_positions:
        yield Problem(
            "protocol",
            said(
                "{protocol} tells {name} moves and no positions: no openings with it",
                protocol=entry.protocol,
                name=entry.name,
            ),
        )


def _unknown(key: str, word: str, known: Sequence[str]) -> Iterator[Problem]:
    if word not in known:
        yield Problem(key, said("{what} is unknown: {known}", what=repr(word), known=suggestion(word, known)))


def _outside(key: str, value: int, low: int, high: int) -> Iterator[Problem]:
    if not low <= value <= high:
        yield Problem(key, said("{value}: expected a number from {low} to {high}", value=value, low=low, high=high))


def _said(key: str, check: Any) -> Iterator[Problem]:
    try:
        check()
    except ValueError as why:
        yield Problem(key, why.args[0] if why.args else str(why))
