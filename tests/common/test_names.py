"""Names: every script is welcome, and nobody is mistaken for somebody else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.common import names
from arena.common.names import BadName

RTL, ZWJ, BOM = "\u202e", "\u200d", "\ufeff"


@pytest.mark.parametrize(
    "name",
    [
        "Al",
        "\u0394\u03b9\u03b1 9",
        "max \u5c71\u7530",
        "Teal Heron",
        "Mira.K",
        "max_7",
        "Ärger-9",
        "Мира",
        "山田太郎",
        "नीलम",
        "สมชาย",
        "محمد",
        "Ѽ1",
        "x" * 24,
    ],
)
def test_a_person_is_called_in_any_script(name: str) -> None:
    assert names.person(name) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "0 characters. Expected 2 to 24"),
        ("x", "1 characters"),
        ("x" * 300, "300 characters"),
        ("<b>Mira</b>", "not < (U+003C)"),
        (f"Mira{RTL}", "not U+202E"),
        (f"Mi{ZWJ}ra", "not U+200D"),
        (f"{BOM}Mira", "not U+FEFF"),
        ("Mira\x00", "not U+0000"),
        ("Mira\nK", "not U+000A"),
        ("Mira\tK", "not U+0009"),
        ("Mira 🦊", "not 🦊 (U+1F98A)"),
        ("Mira\u00a0K", "not U+00A0"),
        ("Mira & K", "not & (U+0026)"),
        ("...", "at least one letter"),
        ("a" + "\u0316" * 9, "at most 3 marks"),
        ("\u0301\u0301 a", "no mark may stand alone"),
        ("Mira\u3164", "not U+3164"),
        ("Mi\u034fra", "not U+034F"),
        ("Mira\ufe0f", "not U+FE0F"),
        ("\u115f\u115f", "not U+115F"),
        ("\u041cira", "\u041c (U+041C) and i (U+0069) belong to alphabets whose letters look alike"),
        ("Mira \u039a", "(U+039A) belong to alphabets"),
    ],
)
def test_what_is_no_name_is_said_in_words(name: str, says: str) -> None:
    with pytest.raises(BadName) as told:
        names.person(name)
    assert says in str(told.value) and RTL not in str(told.value)


@pytest.mark.parametrize(
    "name",
    [
        *("admin", "Admin 2", "The Admin", "Dieter.Admin", "ADM1N", "Adm\u0131n", "\u00c1dmin", "a d m i n"),
        *("Arena", "ArenaAdmin", "St4ff", "Arena-Staff", "The Staff", "Moderator", "Moderatorin", "mod_3", "Support"),
        *("Staff", "Das Team", "Turnierleitung", "Schiedsrichter 1", "Veranstalter", "Mitarbeiter"),
        *("\u0430\u0434\u043c\u0438\u043d", "\u0410\u0440\u0435\u043d\u0430", "\u0391\u0394\u039c\u0399\u039d"),
    ],
)
def test_nobody_but_staff_is_called_like_an_office(name: str) -> None:
    with pytest.raises(BadName, match="reads like an office of this arena"):
        names.person(name)
    assert names.person(name, may_be_office=True) == name
    if name.isascii():
        with pytest.raises(BadName, match="office"):
            names.bot(name)
        assert names.bot(name, may_be_office=True) == name


@pytest.mark.parametrize(
    "name",
    [
        *("Badminton Bob", "Joe Root", "Staff Sergeant", "Arena Fan", "Team 7", "Modesto", "Theo", "Vonder"),
        *("\u0421\u0435\u0440\u0433\u0435\u0439", "\u041c\u0438\u0440\u0430", "Supporter", "42 7"),
    ],
)
def test_names_in_which_an_office_only_occurs_are_names(name: str) -> None:
    assert names.person(name) == name


def test_names_that_look_alike_in_two_alphabets_are_known() -> None:
    cyrillic, greek, latin = "\u0421\u043e\u0441\u043e", "\u0391\u039d\u039d\u0391", "Coco"
    assert latin in names.alike(cyrillic) and cyrillic in names.alike(latin)
    assert "ANNA" in names.alike(greek) and greek in names.alike("ANNA")
    assert names.alike("Mira") & {"Mira"}


def test_the_name_that_a_bot_gives_itself_can_be_seen() -> None:
    assert names.cleaned("Mi\u3164ra\u034f") == "Mira"
    assert names.cleaned("\u3164\uffa0") == ""
    assert names.cleaned("Mira" + "\u2800" * 28) == "Mira", "what follows a name says that it is unverified"


@pytest.mark.parametrize("name", ["gravity-9", "A", "otter net", "v1.2_b", "x" * 32])
def test_a_bot_is_called_in_ascii(name: str) -> None:
    assert names.bot(name) == name


@pytest.mark.parametrize("name", ["", "x" * 33, "Ärger", "gravity\r", "a/b", "--", "new", "Connect"])
def test_what_is_no_name_of_a_bot(name: str) -> None:
    with pytest.raises(BadName):
        names.bot(name)


def test_blanks_are_single_and_inside() -> None:
    assert names.person("  Teal   Heron ") == "Teal Heron"
    assert names.bot(" otter  net ") == "otter net"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Teal Heron", "teal  heron"),
        ("Mira", "MIRA"),
        ("Mira", "ｍｉｒａ"),
        ("Mira.K", "MiraK"),
        ("Strasse", "Straße"),
        ("A\u030angstrom", "Ångstrom"),
    ],
)
def test_names_that_read_alike_are_one(one: str, other: str) -> None:
    assert names.slug(one) == names.slug(other)


@pytest.mark.parametrize(("one", "other"), [("कि", "का"), ("Mira", "Мira"), ("max_7", "max-7")])
def test_names_that_differ_stay_apart(one: str, other: str) -> None:
    assert names.slug(one) != names.slug(other)


@given(st.text(max_size=60))
def test_whatever_is_typed_is_a_name_or_refused(text: str) -> None:
    try:
        name = names.person(text)
    except BadName:
        return
    assert names.person(name) == name and 2 <= len(name) <= 24 and names.slug(name)
    assert names.slug(names.slug(name)) == names.slug(name)
