"""A tournament as a TOML file. Every mistake is named with its line and, if one is close, the word that was meant.

    name = "Nim cup"
    variant = "expanding-nim"
    format = "round-robin"

    [[entry]]
    seat = "builtin:club"

docs/tournaments.md explains every key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from arena.common.names import can_be_seen
from arena.play.seat_texts import parse_seat
from arena.play.spec import BuiltinSeat, CommandSeat
from arena.play.thinking import title
from arena.tournaments.spec import Conditions, EntrySpec, TournamentSpec, suggestion

KEYS: dict[str, type] = {
    "name": str,
    "variant": str,
    "format": str,
    "legs": int,
    "rounds": int,
    "clock": str,
    "pace": float,
    "rated": bool,
    "offers": bool,
    "adjudicate": int,
    "pondering": bool,
    "machines": str,
    "concurrency": int,
    "tie-breaks": list,
    "third-place": bool,
    "check-passed": bool,
    "rating-from": int,
    "rating-to": int,
    "seed": int,
    "settings": dict,
    "openings": dict,
    "entry": list,
}
OPENING_KEYS: dict[str, type] = {"plies": int}
ENTRY_KEYS: dict[str, type] = {"seat": str, "bot": str, "person": str, "name": str, "apart": list, "meets": str}
WHO = ("seat", "bot", "person")
MOST_SECONDS = 1e9
_TABLE = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_-]+)\s*\]?\]")
_KEY = re.compile(r"\s*\"?([A-Za-z0-9_-]+)\"?\s*=")
# The names that the fields of a problem in the spec have in the file.
_IN_THE_FILE = {
    "pace_ms": "pace",
    "tie_breaks": "tie-breaks",
    "opening_plies": "plies",
    "third_place": "third-place",
    "rating_from": "rating-from",
    "rating_to": "rating-to",
    "entries": "entry",
}
_TABLES = {"opening_plies": ("openings", 0, "plies"), "entries": ("entry", 0, ""), "settings": ("settings", 0, "")}
_OF_ENTRY = {"level": "seat", "protocol": "seat", "kind": "seat", "player": "bot"}


class RegisteredPlayer(NamedTuple):
    """A registered player: its row, its name, and what it plays and speaks ("" for a person)."""

    player: int
    name: str
    protocol: str = ""
    variant: str = ""


# Finds a bot or a person by its slug or name; None if there is none.
Find = Callable[[str, str], RegisteredPlayer | None]


class WrongFile(Exception):
    """What is wrong with a file, one sentence a line: `nim.toml, line 3: …`."""


def read(path: Path, find: Find) -> TournamentSpec:
    """The tournament in a file. Raises WrongFile naming everything that is wrong."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors of Windows begin a file with a mark
    except (OSError, UnicodeDecodeError) as why:
        raise WrongFile(f"{path}: cannot be read ({why}). Expected a TOML file as in docs/tournaments.md.") from None
    return parse(text, path.name, path.parent.resolve(), find)


def parse(text: str, name: str, folder: Path, find: Find) -> TournamentSpec:
    """The tournament in `text`; commands start in `folder`."""
    try:
        said = tomllib.loads(text)
    except (RecursionError, ValueError) as why:  # of TOML, or thousands of brackets or digits
        raise WrongFile(_syntax(name, str(why))) from None
    lines = Lines(text)
    wrong = [*_check_keys(said, KEYS, lines), *_check_parts(said, lines)]
    if not wrong:
        wrong = [each for each in _problems(_spec(said, []), lines) if each.key != "entries"]
    if not wrong:
        entries, wrong = _entries(said, folder, find, lines)
    if not wrong:
        spec = _spec(said, entries)
        wrong = _problems(spec, lines)
    if wrong:
        raise WrongFile("\n".join(f"{name}, line {each.line}: {each.sentence}." for each in sorted(set(wrong))))
    return spec


class Wrong(NamedTuple):
    line: int
    sentence: str
    key: str = ""


class Lines:
    """The lines of the keys in a TOML text, by table, number of the table (from 0) and key."""

    def __init__(self, text: str) -> None:
        self._found: dict[tuple[str, int, str], int] = {}
        self._tables: dict[str, int] = {}
        table, self._tables[""] = "", 0
        for number, line in enumerate(text.splitlines(), 1):
            if head := _TABLE.match(line):
                table = head[1]
                self._tables[table] = self._tables.get(table, -1) + 1
                self._found[table, self._tables[table], ""] = number
            elif key := _KEY.match(line):
                self._found.setdefault((table, self._tables[table], key[1]), number)

    def of(self, table: str, n: int, key: str) -> int:
        """The line of a key, or else of its table, or else 1."""
        for place in ((table, n, key), (table, n, ""), ("", 0, key)):
            if place in self._found:
                return self._found[place]
        return 1


def _syntax(name: str, why: str) -> str:
    where = re.search(r" \(at line (\d+), column (\d+)\)", why)
    place = f"{name}, line {where[1]}" if where else name
    return f"{place}: this is not TOML: {why.replace(where[0], '') if where else why}."


def _check_keys(
    said: Mapping[str, Any], known: Mapping[str, type], lines: Lines, table: str = "", n: int = 0
) -> Iterator[Wrong]:
    for key, value in said.items():
        line = lines.of(table, n, key)
        if key not in known:
            yield Wrong(line, f"there is no key {key!r}: {suggestion(key, list(known))}")
        elif not _is_of(value, known[key]):
            yield Wrong(line, f"{key} = {value!r}: expected {_WORDS[known[key]]}")
        elif isinstance(value, str) and not can_be_seen(value):
            yield Wrong(line, f"{key} = {value!r}: expected a text without invisible characters")


_WORDS = {
    str: "a text",
    int: "a whole number",
    float: "seconds",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


def _is_of(value: object, type: type) -> bool:
    if type is float:  # neither nan nor infinite
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MOST_SECONDS
    return isinstance(value, type) and (type is bool or not isinstance(value, bool))


def _check_parts(said: Mapping[str, Any], lines: Lines) -> Iterator[Wrong]:
    for key in ("name", "variant", "format", "entry"):
        if key not in said:
            what = "[[entry]] tables" if key == "entry" else f"{key} = …"
            yield Wrong(1, f"{key} is missing: expected {what}")
    if isinstance(said.get("openings"), dict):
        yield from _check_keys(said["openings"], OPENING_KEYS, lines, "openings")
    for n, entry in enumerate(said["entry"] if isinstance(said.get("entry"), list) else []):
        if not isinstance(entry, dict):
            yield Wrong(lines.of("", 0, "entry"), f"entry = {entry!r}: expected [[entry]] tables")
            continue
        yield from _check_keys(entry, ENTRY_KEYS, lines, "entry", n)
        if sum(word in entry for word in WHO) != 1:
            yield Wrong(lines.of("entry", n, ""), f"an entry needs one of {', '.join(WHO)}")
        if isinstance(apart := entry.get("apart"), list) and not _are_texts(apart):
            yield Wrong(lines.of("entry", n, "apart"), "apart: expected a list of texts")
    breaks = said.get("tie-breaks")
    if isinstance(breaks, list) and not _are_texts(breaks):
        yield Wrong(lines.of("", 0, "tie-breaks"), "tie-breaks: expected a list of texts")


def _are_texts(values: list[Any]) -> bool:
    return all(isinstance(each, str) for each in values)


def _entries(said: Mapping[str, Any], folder: Path, find: Find, lines: Lines) -> tuple[list[EntrySpec], list[Wrong]]:
    found: list[EntrySpec] = []
    wrong: list[Wrong] = []
    for n, entry in enumerate(said["entry"]):
        try:
            pairs = {"apart": tuple(entry.get("apart", ())), "meets": entry.get("meets", "")}
            found.append(replace(_entry(entry, said["variant"], folder, find), **pairs))
        except (ValueError, KeyError) as why:
            key = next(word for word in WHO if word in entry)
            wrong.append(Wrong(lines.of("entry", n, key), str(why.args[0]).rstrip(".")))
    return found, wrong


def _entry(entry: Mapping[str, str], variant: str, folder: Path, find: Find) -> EntrySpec:
    for kind in ("bot", "person"):
        if kind in entry:
            player = find(kind, entry[kind])
            if player is None:
                raise ValueError(f"{kind} = {entry[kind]!r}: there is none of this name here")
            name = entry.get("name", player.name)
            return EntrySpec(name, kind, "", player.protocol, player=player.player, variant=player.variant)
    seat = parse_seat(entry["seat"], variant, str(folder))
    if isinstance(seat, BuiltinSeat):
        return EntrySpec(entry.get("name", title(seat.level)), "builtin", seat.level)
    if isinstance(seat, CommandSeat):
        name = entry.get("name", seat.name)
        return EntrySpec(name, "command", "", seat.protocol, seat.argv, str(folder))
    raise ValueError(f"seat = {entry['seat']!r}: a bot that connects takes part by its name: write bot = …")


def _spec(said: Mapping[str, Any], entries: list[EntrySpec]) -> TournamentSpec:
    names = {"name", "variant", "format", "legs", "rounds", "clock", "rated", "offers", "concurrency", "seed"}
    names |= {"settings", "adjudicate", "pondering", "machines"}
    return TournamentSpec(
        **{key: value for key, value in said.items() if key in names},
        entries=tuple(entries),
        pace_ms=round(said.get("pace", 0) * 1000),
        tie_breaks=tuple(said.get("tie-breaks", ())),
        third_place=said.get("third-place", False),
        opening_plies=said.get("openings", {}).get("plies", 0),
        conditions=Conditions(*(said.get(key, 0) for key in ("check-passed", "rating-from", "rating-to"))),
    )


def _problems(spec: TournamentSpec, lines: Lines) -> list[Wrong]:
    return [
        Wrong(_line_of(lines, key, entry), f"{_called(key)}: {sentence}", key)
        for key, sentence, entry in spec.problems()
    ]


def _called(key: str) -> str:
    return _IN_THE_FILE.get(key, key)


def _line_of(lines: Lines, key: str, entry: int | None) -> int:
    if entry is not None:
        return lines.of("entry", entry, _OF_ENTRY.get(key, key))
    if key in _TABLES:
        return lines.of(*_TABLES[key])
    return lines.of("", 0, _called(key))
