"""Checks exported tournaments independently: python3 tools/recompute.py FILE.json ...

Every score, rank, tie-break and count of failures is computed from the bare pairings, matches and rulings of the file,
by the definitions of docs/tournaments.md, and compared with the table in the file. It imports only the standard library
and nothing of Arena: it may have errors of its own, but not the same ones.

Exit 0: every number agrees; 1: some do not, and each is named; 2: a file cannot be read.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

NO_RESULT = {"no_start", "abort", "admin_abort", "server_abort"}
FAILURES = {
    *("timeout", "illegal_move", "bad_output", "out_of_turn", "stall"),
    *("disconnect", "left", "crash", "resource_limit"),
}
MOST_FURTHER_PAIRS = 3
ALL_PLAY_ALL = ("round-robin", "gauntlet")
# One side of one match: who, against whom (None: a bye), in which round, points of both, whether it was played, and
# why it failed ("" where it did not). A bye stands for the matches of a whole encounter.
Side = dict[str, Any]


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    wrong = 0
    for name in arguments:
        try:
            said = json.loads(Path(name).read_text(encoding="utf-8"))
            problems = differences(said)
        except (OSError, ValueError, KeyError, TypeError) as why:
            print(f"{name}: cannot be read as an exported tournament: {why!r}", file=sys.stderr)
            return 2
        wrong += bool(problems)
        what = f"{said['type']}, {len(said['entries'])} entries, {len(said['pairings'])} pairings"
        print(f"{name}: {what}: {'every number agrees' if not problems else 'NOT THE SAME'}")
        for problem in problems:
            print(f"  {problem}")
    return int(wrong > 0)


def differences(said: dict[str, Any]) -> list[str]:
    """The differences between the table in an export and this calculation."""
    mine = {row["name"]: row for row in table(said)}
    found = [f"{name} is in one table only" for name in mine.keys() ^ {row["name"] for row in said["standings"]}]
    for row in said["standings"]:
        for key, value in mine.get(row["name"], {}).items():
            theirs = {slug: each["number"] for slug, each in row[key].items()} if key == "tie_breaks" else row[key]
            if not same(theirs, value):
                found.append(f"{row['name']}, {key}: the file says {theirs!r}, counted {value!r}")
    return found


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) < 1e-9
    return bool(a == b)


def table(said: dict[str, Any]) -> list[dict[str, Any]]:
    """The table as it follows from the pairings, one row an entry."""
    legs = said["settings"].get("legs", 1)
    pairings = [pairing for pairing in said["pairings"] if pairing["state"] != "replaced"]
    annulled = withdrawn_early(said, pairings)
    sides: list[Side] = []
    for pairing in pairings:
        if not annulled & {pairing["first"], pairing["second"]}:
            sides += sides_of(pairing, legs)
    names = [entry["name"] for entry in said["entries"] if entry["name"] not in annulled]
    if said["type"] == "swiss":
        sides += rounds_off(names, pairings, sides, legs)
    rows = {name: row_of(name, [side for side in sides if side["me"] == name]) for name in names}
    if said["type"] == "knockout":
        ranks = knockout_ranks(said, pairings, legs)
        for name, row in rows.items():
            row |= {"rank": ranks[name], "tie_breaks": {}}
    else:
        rank(rows, sides, said["settings"].get("tie_breaks", []), said["type"] == "swiss", legs)
    return list(rows.values())


# -- results -----------------------------------------------------------------------------------------------------------


def withdrawn_early(said: dict[str, Any], pairings: list[dict[str, Any]]) -> set[str]:
    """The entries that withdrew from an all-play-all event with less than half of their matches played; these count for
    nobody.
    """
    gone = set()
    for entry in said["entries"] if said["type"] in ALL_PLAY_ALL else ():
        own = [each for each in pairings if entry["name"] in (each["first"], each["second"])]
        played = sum(state_of(each) in ("open", "handed") and score(each) is not None for each in own)
        if entry["withdrawn"] and 2 * played < len(own):
            gone.add(entry["name"])
    return gone


def score(pairing: dict[str, Any]) -> float | None:
    """The points of the side that moved first in the last match: a ruling counts instead of the ending."""
    if not pairing["matches"] or pairing["matches"][-1]["ended"] is None:
        return None
    match = pairing["matches"][-1]
    ruling, winner = match["ruling"], match["winner"]
    if ruling is not None:
        if ruling["verdict"] == "void":
            return None
        winner = ruling["winner"]
    elif match["termination"] in NO_RESULT:
        return None
    return 0.5 if winner is None else float(winner == 0)


def state_of(pairing: dict[str, Any]) -> str:
    """Its state; "open", as of those that are played, if staff have ruled on its last match after it was decided."""
    ruling = pairing["matches"][-1]["ruling"] if pairing["matches"] else None
    if pairing["state"] in ("forfeited", "drawn", "dropped") and ruling and ruling["verdict"] != "void":
        return "open"
    return str(pairing["state"])


def sides_of(pairing: dict[str, Any], legs: int) -> list[Side]:
    """The points of a pairing for each of the two; none if it has no result."""
    first, second, state = pairing["first"], pairing["second"], state_of(pairing)
    failed: dict[str, str] = {}
    if state == "bye":
        return [side(pairing, first, None, float(legs), 0.0, played=False, legs=legs)]
    if state == "forfeited":
        lost = {"a": [first], "b": [second], "both": [first, second]}[pairing["forfeited_by"]]
        points = (float(second in lost and first not in lost), float(first in lost and second not in lost))
        played, failed = False, dict.fromkeys(lost, "no_show")
    elif state == "drawn":
        points, played = (0.5, 0.5), False
    elif state in ("open", "handed") and (result := score(pairing)) is not None:
        points, played = (result, 1 - result), True
        match = pairing["matches"][-1]
        if match["ruling"] is None and match["winner"] is not None and match["termination"] in FAILURES:
            failed = {(first, second)[1 - match["winner"]]: match["termination"]}
    else:
        return []
    a = side(pairing, first, second, *points, played=played, failed=failed.get(first, ""))
    b = side(pairing, second, first, *points[::-1], played=played, failed=failed.get(second, ""))
    return [a, b]


def rounds_off(names: list[str], pairings: list[dict[str, Any]], sides: list[Side], legs: int) -> list[Side]:
    """Of each entry the rounds in which it neither has a result nor awaits one: unplayed, and without a point."""
    last = max((pairing["round"] for pairing in pairings), default=0)
    found = []
    for name in names:
        had = {each["round"] for each in sides if each["me"] == name}
        had |= {each["round"] for each in pairings if is_open(each) and name in (each["first"], each["second"])}
        off = set(range(1, last + 1)) - had
        found += [side({"round": n}, name, None, 0.0, 0.0, played=False, legs=legs) for n in sorted(off)]
    return found


def side(
    pairing: dict[str, Any],
    me: str,
    other: str | None,
    points: float,
    theirs: float,
    *,
    played: bool,
    failed: str = "",
    legs: int = 1,
) -> Side:
    said = {"me": me, "other": other, "round": pairing["round"], "points": points, "theirs": theirs}
    return said | {"played": played, "failed": failed, "legs": legs}


def row_of(name: str, mine: list[Side]) -> dict[str, Any]:
    met = [each for each in mine if each["other"] is not None]
    won = sum(each["points"] > each["theirs"] for each in met)
    drawn = sum(each["points"] == each["theirs"] > 0 for each in met)
    return {
        "name": name,
        "points": sum(each["points"] for each in mine),
        "played": len(met),
        "won": won,
        "drawn": drawn,
        "lost": len(met) - won - drawn,
        "failures": dict(Counter(each["failed"] for each in mine if each["failed"])),
    }


# -- ranks by points ---------------------------------------------------------------------------------------------------


def rank(rows: dict[str, dict[str, Any]], sides: list[Side], order: list[str], swiss: bool, legs: int) -> None:
    """Best first by points, then by each tie-break among those who are still level; who stays level shares a rank."""
    counted = Counting(rows, sides, swiss)
    for row in rows.values():
        row["tie_breaks"] = {}
    level = [list(rows)]
    level = [part for group in level for part in split(group, {name: rows[name]["points"] for name in group})]
    for slug in order:
        further = []
        for group in level:
            values = {name: counted.of(slug, name, group) for name in group}
            for name, value in values.items():
                rows[name]["tie_breaks"][slug] = value
            known = {name: 0.0 if value is None else value for name, value in values.items()}
            further += split(group, {name: -value if slug == "failures" else value for name, value in known.items()})
        level = further
    place = 1
    for group in level:
        for name in group:
            rows[name]["rank"] = place
        place += len(group)


def split(group: list[str], values: dict[str, float]) -> list[list[str]]:
    return [[name for name in group if values[name] == value] for value in sorted(set(values.values()), reverse=True)]


class Counting:
    """The tie-breaks, each from its definition."""

    def __init__(self, rows: dict[str, dict[str, Any]], sides: list[Side], swiss: bool) -> None:
        self.points = {name: row["points"] for name, row in rows.items()}
        self.of_each: dict[str, list[Side]] = defaultdict(list)
        for each in sorted(sides, key=lambda each: each["round"]):
            self.of_each[each["me"]].append(each)
        self.swiss = swiss
        # To its opponents an entry is worth its points, in a Swiss event with a draw for each round it has not played.
        self.worth = dict(self.points)
        for each in sides if swiss else ():
            if not each["played"]:
                self.worth[each["me"]] += each["legs"] / 2 - each["points"]

    def of(self, slug: str, name: str, level: list[str]) -> float | None:
        counts: dict[str, Callable[[str, list[str]], float | None]] = {
            "direct": self.direct,
            "wins": lambda name, level: float(
                sum(each["played"] and each["points"] > each["theirs"] for each in self.of_each[name])
            ),
            "sonneborn-berger": lambda name, level: sum(
                each["points"] * self.value(each) for each in self.of_each[name]
            ),
            "buchholz": lambda name, level: sum(self.opponents(name)),
            "buchholz-cut-1": lambda name, level: sum(sorted(self.opponents(name))[1:]),
            "failures": lambda name, level: float(sum(bool(each["failed"]) for each in self.of_each[name])),
        }
        return counts[slug](name, level)

    def direct(self, name: str, level: list[str]) -> float | None:
        """Points among those who are level; it says nothing of one alone, or where not all of them have met."""
        if len(level) == 1:
            return None
        for one in level:
            if not set(level) - {one} <= {each["other"] for each in self.of_each[one]}:
                return None
        return float(sum(each["points"] for each in self.of_each[name] if each["other"] in level))

    def value(self, each: Side) -> float:
        """The points of an opponent; a bye, and in a Swiss event a round not played, counts as an opponent with one's
        own points.
        """
        if each["other"] is None or (self.swiss and not each["played"]):
            return float(self.points[each["me"]])
        return float(self.worth[each["other"]])

    def opponents(self, name: str) -> list[float]:
        """Each opponent once a round, as the last match of that round has it."""
        met = {(each["round"], each["other"]): self.value(each) for each in self.of_each[name]}
        return list(met.values())


# -- a knockout --------------------------------------------------------------------------------------------------------


def knockout_ranks(said: dict[str, Any], pairings: list[dict[str, Any]], legs: int) -> dict[str, int]:
    """Ranks by the round reached, which is the last one that an entry was paired in: of the newest round those that are
    through are ahead of those that still play, and these ahead of those that went out there.
    """
    seeds = {entry["name"]: entry["seed"] for entry in said["entries"]}
    encounters: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for pairing in sorted(pairings, key=lambda each: each["leg"]):
        encounters[pairing["round"], pairing["number"]].append(pairing)
    last = sum(round == 1 for round, _ in encounters).bit_length()
    newest = max((round for round, _ in encounters), default=0)
    reached: dict[str, tuple[int, int]] = {}
    nobody = False
    for (round, number), games in sorted(encounters.items()):
        state, winner = through(games, legs, seeds)
        for name in (games[0]["first"], games[0]["second"]):
            if name is None:
                continue
            if (round, number) == (last, 2):
                reached[name] = (last - 1, int(winner == name))
            elif round < newest:
                reached[name] = (round, 0)
            elif winner == name:
                reached[name] = (round + 1, 2)
            else:
                reached[name] = (round, 0 if state == "over" else 2)
        nobody |= (round, number) == (last, 1) and state == "over" and winner is None
    if last > 1 and (last, 1) not in encounters:
        paired = [through(games, legs, seeds) for (round, _), games in encounters.items() if round == newest]
        nobody = bool(paired) and all(state == "over" and winner is None for state, winner in paired)
    return {
        name: 1 + nobody + sum(other > mine for other in reached.values()) for name, mine in sorted(reached.items())
    }


def through(games: list[dict[str, Any]], legs: int, seeds: dict[str, int]) -> tuple[str, str | None]:
    """Whether an encounter is over, and who goes on: the one with more points; of a level one after three further pairs
    the higher seed; nobody, where both have forfeited the last match of a level one.
    """
    first, second = games[0]["first"], games[0]["second"]
    if second is None:
        return "over", first
    if any(is_open(game) for game in games) or len(games) < legs:
        return "open", None
    points: Counter[str] = Counter()
    for game in games:
        for each in sides_of(game, legs):
            points[each["me"]] += each["points"]
    if points[first] != points[second]:
        return "over", first if points[first] > points[second] else second
    if state_of(games[-1]) == "forfeited" and games[-1]["forfeited_by"] == "both":
        return "over", None
    if (len(games) - legs) // 2 < MOST_FURTHER_PAIRS:
        return "open", None
    return "over", min(first, second, key=lambda name: seeds[name])


def is_open(game: dict[str, Any]) -> bool:
    """Whether it still has to be played or decided."""
    if game["state"] not in ("open", "handed"):
        return False
    last = game["matches"][-1] if game["matches"] else None
    voided = last is not None and last["ended"] and last["ruling"] is not None and last["ruling"]["verdict"] == "void"
    return score(game) is None and not voided


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
