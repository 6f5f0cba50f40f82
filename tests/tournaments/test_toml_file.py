"""The file of a tournament: read whole, and every mistake named by its line."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import games
from arena.tournaments.spec import FORMATS
from arena.tournaments.tiebreaks import TIE_BREAKS
from arena.tournaments.toml_file import ENTRY_KEYS, KEYS, OPENING_KEYS, RegisteredPlayer, WrongFile, parse, read
from games.players import LEVELS

DOCS = Path(__file__).parents[2] / "docs"

GOOD = """\
name = "Nim cup"
variant = "expanding-nim"
format = "swiss"
legs = 2
rounds = 3
clock = "5s"
pace = 0.2
tie-breaks = ["buchholz", "wins"]
seed = 42

[settings]
stones = 40

[openings]
plies = 4

[[entry]]
seat = "builtin:club"

[[entry]]
seat = "builtin:club"
name = "Club 2"

[[entry]]
bot = "nimble"
"""


def find(kind: str, name: str) -> RegisteredPlayer | None:
    known = {
        ("bot", "nimble"): RegisteredPlayer(7, "nimble 1", "nyu-nim", "expanding-nim"),
        ("person", "mira"): RegisteredPlayer(8, "Mira"),
    }
    return known.get((kind, name))


def wrong(text: str) -> list[str]:
    with pytest.raises(WrongFile) as why:
        parse(text, "cup.toml", Path.cwd(), find)
    return str(why.value).splitlines()


def test_a_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(GOOD, encoding="utf-8")
    spec = read(file, find)
    assert (spec.name, spec.format, spec.legs, spec.rounds, spec.pace_ms, spec.seed) == (
        "Nim cup",
        "swiss",
        2,
        3,
        200,
        42,
    )
    assert (spec.tie_breaks, spec.opening_plies, spec.settings) == (("buchholz", "wins"), 4, {"stones": 40})
    assert [(entry.name, entry.kind) for entry in spec.entries] == [
        ("Club", "builtin"),
        ("Club 2", "builtin"),
        ("nimble 1", "bot"),
    ]
    assert spec.entries[2].player == 7


def test_a_file_may_begin_with_the_mark_and_have_the_line_ends_of_windows(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_bytes(GOOD.replace("\n", "\r\n").encode("utf-8-sig"))
    other = tmp_path / "other.toml"
    other.write_text(GOOD, encoding="utf-8")
    assert read(file, find) == read(other, find)


def test_a_command_starts_in_the_folder_of_the_file() -> None:
    text = GOOD.replace('seat = "builtin:club"\nname = "Club 2"', f'seat = "nyu-nim:{sys.executable} bots/nim.py 5"')
    entry = parse(text, "cup.toml", Path("/somewhere"), find).entries[1]
    assert (entry.name, entry.command, entry.cwd) == ("nim", (sys.executable, "bots/nim.py", "5"), "/somewhere")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("legs = 2", "leg = 2", "cup.toml, line 4: there is no key 'leg': did you mean legs?."),
        ("legs = 2", 'legs = "2"', "cup.toml, line 4: legs = '2': expected a whole number."),
        ("legs = 2", "legs = true", "cup.toml, line 4: legs = True: expected a whole number."),
        ("legs = 2", "legs = ", "cup.toml, line 4: this is not TOML: Invalid value."),
        (
            '"expanding-nim"',
            '"expanding-nin"',
            "line 2: variant: 'expanding-nin' is unknown: did you mean expanding-nim?.",
        ),
        ('"swiss"', '"gauntlet"', "line 5: rounds: 3: only a Swiss event"),
        ("stones = 40", "stone = 40", "line 11: settings: expanding-nim has no setting 'stone'"),
        ("plies = 4", "plies = 5", "line 15: plies: 5: expected an even number"),
        ("plies = 4", "ply = 4", "line 15: there is no key 'ply': expected one of plies."),
        ('name = "Club 2"', "", "line 20: name: 'Club' appears twice"),
        ('bot = "nimble"', 'bot = "nimbel"', "line 25: bot = 'nimbel': there is none of this name here."),
        ('bot = "nimble"', 'seat = "builtin:clubs"', "line 25: builtin:clubs: unknown level"),
        ('bot = "nimble"', 'seat = "tcp:nyu-nim:5000"', "takes part by its name: write bot = …"),
        ('bot = "nimble"', 'name = "x"', "line 24: an entry needs one of seat, bot, person."),
        ('bot = "nimble"', 'bott = "x"', "line 25: there is no key 'bott': did you mean bot?."),
        ('["buchholz", "wins"]', "[1]", "line 8: tie-breaks: expected a list of texts."),
        ('["buchholz", "wins"]', "5", "line 8: tie-breaks = 5: expected a list."),
        ('["buchholz", "wins"]', '["wins", "wins"]', "line 8: tie-breaks: wins appears twice."),
        ("pace = 0.2", "pace = nan", "line 7: pace = nan: expected seconds."),
        ("pace = 0.2", "pace = 1e308", "line 7: pace = 1e+308: expected seconds."),
        ("legs = 2", f"legs = {'9' * 5000}", "cup.toml: this is not TOML: "),
        ("legs = 2", f"legs = {'[' * 5000}", "cup.toml: this is not TOML: "),
        ('"Club 2"', r'"Club\u0000"', r"line 22: name = 'Club\x00': expected a text without invisible characters."),
        ('"Club 2"', r'"\u3164"', "expected a text without invisible characters."),
        ('["buchholz", "wins"]', '["buchholtz"]', "did you mean buchholz?."),
        ('name = "Nim cup"\n', "", "line 1: name is missing: expected name = …."),
    ],
)
def test_a_mistake_is_named_by_its_line(old: str, new: str, says: str) -> None:
    assert old in GOOD
    head, _, tail = GOOD.rpartition(old) if old.startswith("bot") else GOOD.partition(old)
    assert says in "\n".join(wrong(head + new + tail))


def test_all_mistakes_are_named_at_once() -> None:
    assert (
        len(wrong(GOOD.replace("legs = 2", "leg = 2").replace("seed", "sead").replace("rounds = 3", "rounds = 1.5")))
        == 3
    )


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(WrongFile, match="cannot be read"):
        read(tmp_path / "none.toml", find)
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(WrongFile, match="cannot be read"):
        read(tmp_path / "latin.toml", find)


def test_people_take_part_by_their_account() -> None:
    entry = parse(GOOD.replace('bot = "nimble"', 'person = "mira"'), "cup.toml", Path.cwd(), find).entries[2]
    assert (entry.kind, entry.player, entry.agrees) == ("person", 8, False)


def test_the_example_of_the_documentation_can_be_played() -> None:
    spec = read(DOCS / "tournament.toml", find)
    assert (spec.problems(), [entry.kind for entry in spec.entries]) == ([], ["builtin", "builtin", "command"])


def test_the_example_explains_every_key_and_every_word() -> None:
    text = (DOCS / "tournament.toml").read_text(encoding="utf-8")
    for word in [*KEYS, *OPENING_KEYS, *ENTRY_KEYS]:
        assert re.search(rf"^(# )?(\[+)?{word}(\]+| =)", text, re.MULTILINE), word
    for words in (FORMATS, TIE_BREAKS, LEVELS, [variant.slug for variant in games.variants()]):
        assert [word for word in words if word not in text] == []


def test_the_page_names_every_format_and_tie_break() -> None:
    text = (DOCS / "tournaments.md").read_text(encoding="utf-8")
    assert [word for word in (*FORMATS, *TIE_BREAKS) if f"| {word} |" not in text] == []


def test_conditions_are_read_and_named_as_in_the_file() -> None:
    asks = "check-passed = true\nrating-from = 1200\nrating-to = 1800\n"
    assert parse(asks + GOOD, "cup.toml", Path(), find).conditions == (True, 1200, 1800)
    with pytest.raises(WrongFile, match="cup.toml, line 3: rating-to: 900: no rating is from 1200 to 900."):
        parse(asks.replace("1800", "900") + GOOD, "cup.toml", Path(), find)


def in_second(pairs: str) -> str:
    """The good file, and this of its second entry."""
    return GOOD.replace('name = "Club 2"\n', f'name = "Club 2"\n{pairs}\n')


def test_an_entry_says_from_whom_it_is_kept_apart_and_whom_it_meets_first() -> None:
    spec = parse(in_second('apart = ["Club"]\nmeets = "nimble 1"'), "cup.toml", Path.cwd(), find)
    assert [(entry.apart, entry.meets) for entry in spec.entries] == [((), ""), (("Club",), "nimble 1"), ((), "")]


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        ('apart = "Club"', "apart = 'Club': expected a list"),
        ("apart = [1]", "apart: expected a list of texts"),
        ('apart = ["Klub"]', "apart: 'Klub': expected the name of another entry"),
        ('meets = "Club 2"', "meets: 'Club 2': expected the name of another entry"),
        ('apart = ["Club"]\nmeets = "Club"', "meets: 'Club' is in apart as well"),
    ],
)
def test_pairs_that_cannot_be_are_named_by_their_line(pairs: str, why: str) -> None:
    line = 23 + pairs.count("\n")
    assert wrong(in_second(pairs)) == [f"cup.toml, line {line}: {why}."]


def test_nobody_meets_two_at_once() -> None:
    text = in_second('meets = "Club"') + 'meets = "Club"\n'
    assert wrong(text) == [
        "cup.toml, line 23: meets: Club 2 has one opponent in a round.",
        "cup.toml, line 27: meets: nimble 1 has one opponent in a round.",
    ]


def test_only_a_swiss_event_has_pairings_to_set() -> None:
    text = in_second('apart = ["Club"]').replace('"swiss"', '"round-robin"').replace("rounds = 3\n", "")
    assert wrong(text) == ["cup.toml, line 22: apart: only a Swiss event pairs its rounds one by one."]
