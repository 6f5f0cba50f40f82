"""What a name may be.

People may have names in any script, bots in ASCII, because most protocols carry nothing else. Two names are the same if
their slugs are: case, blanks and full stops do not distinguish names.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

PERSON_LENGTH = (2, 24)
BOT_LENGTH = (1, 32)
SLUG_LENGTH = 64
# Blank, full stop, underscore and hyphen, besides letters and digits.
SIGNS = " ._-"
# Marks belong to letters in many scripts; without a limit, stacked marks cover the lines around them.
MOST_MARKS = 3
# In the name a bot gives itself: of ASCII, pages, logs and tables repeat letters, digits and these signs; beyond ASCII
# everything visible.
LONGEST_NAME = 32
_NOT_IN_NAMES = re.compile(r"[!-,/:-@\[-^`{-~]+")
# Letters and marks that show nothing (Default_Ignorable_Code_Point): fillers and variation selectors.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
# These look like blanks, which would push the end of a line out of its place.
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
# These join letters of some scripts and parts of emoji.
JOINERS = "\u200c\u200d"
# Alphabets with letters that look like those of another: in a name that mixes them nobody sees who it is.
_LIKE_LATIN = frozenset(("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"))
# Letters that look like Latin ones, which follow them.
_CYRILLIC = "АВЕКМНОРСТХУІЈЅаеорсхуіјѕһԁ", "ABEKMHOPCTXYIJSaeopcxyijshd"
_GREEK = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo"
_TO_LATIN = str.maketrans(dict(zip(_CYRILLIC[0] + _GREEK[0], _CYRILLIC[1] + _GREEK[1], strict=True)))
# What is read as other letters and digits, besides letters that sound like these.
_SOUNDS = str.maketrans("абвгдезиіклмнопрстуфԁαδειμνοπρστıɑ", "abvgdeziiklmnoprstufdadeimnoprstia")
_READ_AS = str.maketrans("013457l", "oieasti")
# Names of offices, refused as a word of any name; together with these words, or these alone; and what goes with them.
_OFFICES = (
    "admin admins administrator administrators administratorin administration sysadmin superuser"
    " moderator moderators moderatorin moderation"
)
_OF_OFFICES = (
    "arena staff mod mods system server support official officials organiser organisers organizer organizers"
    " referee referees arbiter operator webmaster theteam arenateam"
    " dasteam leitung turnierleitung spielleitung veranstalter veranstalterin schiedsrichter schiedsrichterin"
    " betreiber betreiberin mitarbeiter offiziell"
)
_BESIDE = "the team of die der das von vom und and"
# Addresses below /bots/ that are pages.
RESERVED = frozenset({"new", "connect"})
# A number follows: the name of a player who has closed the account.
FORMER = "Former player "


class BadName(ValueError):
    """This is not a name. The message says what was received and what is expected; pages say it in other languages by
    its `template` and `values`.
    """

    def __init__(self, template: str, **values: Any) -> None:
        super().__init__(template.format(**values))
        self.template, self.values = template, values


def person(text: str, *, may_be_office: bool = False) -> str:
    """The name as it is kept: composed (NFC), single blanks inside, none around it. Raises BadName."""
    name = _tidy(text)
    _check_length(name, *PERSON_LENGTH)
    _check_marks(name)
    for letter in name:
        is_seen = letter in SIGNS or unicodedata.category(letter)[0] in "LMN" and not _INVISIBLE.match(letter)
        if not is_seen:
            raise BadName(
                "A name may contain only letters, digits, blanks and . _ -, not {letter}.", letter=described(letter)
            )
    _check_alphabets(name)
    _check_slug(name)
    _check_office(name, may_be_office)
    return name


def bot(text: str, *, may_be_office: bool = False) -> str:
    """The same for a bot. Raises BadName."""
    name = _tidy(text)
    _check_length(name, *BOT_LENGTH)
    for letter in name:
        if not (letter.isascii() and (letter.isalnum() or letter in SIGNS)):
            raise BadName(
                "The name of a bot may contain only a to z, A to Z, 0 to 9, blanks and . _ -, not {letter}.",
                letter=described(letter),
            )
    _check_slug(name)
    if slug(name) in RESERVED:
        raise BadName("{name} is the address of a page. Choose another name.", name=name)
    _check_office(name, may_be_office)
    return name


def is_office(name: str) -> bool:
    """Whether it reads like an office of this arena: players would believe what its holder says."""
    return any(map(_reads_like_office, (name.casefold().translate(_SOUNDS), name.translate(_TO_LATIN).casefold())))


def alike(name: str) -> set[str]:
    """This name, and what looks just like it in other alphabets."""
    latin = name.translate(_TO_LATIN)
    others = (latin.translate(str.maketrans(dict(zip(*reversed(each), strict=True)))) for each in (_CYRILLIC, _GREEK))
    return {name, latin, *others}


def is_former(name: str) -> bool:
    """Whether somebody with this name, or slug, has closed the account. Nobody else may have such a name."""
    return slug(name).startswith(slug(FORMER) + "-")


def printable(text: str) -> str:
    """`text` from the network as a page may show it, composed (NFC).

    Lone surrogates, which were not UTF-8, become U+FFFD; characters that are invisible or blank, change the direction
    of the line or pile up marks are left out.
    """
    kept, run = [], 0
    for letter in unicodedata.normalize("NFC", re.sub("[\ud800-\udfff]", "\ufffd", text)):
        run = run + 1 if unicodedata.category(letter)[0] == "M" else 0
        if letter.isprintable() and letter not in _BLANK and run <= MOST_MARKS:
            kept.append(letter)
    return "".join(kept)


def can_be_seen(text: str) -> bool:
    """Whether nothing in a free text is invisible or turns the line around. Blanks of any width are seen."""
    return not _BLANK.intersection(text) and all(
        letter.isprintable() or letter in JOINERS or unicodedata.category(letter) == "Zs" for letter in text
    )


def cleaned(text: str) -> str:
    """The name a bot gives itself, reduced to what a name may have; bytes that were not UTF-8 become U+FFFD."""
    return _NOT_IN_NAMES.sub("", _INVISIBLE.sub("", printable(text)))[:LONGEST_NAME].strip()


def slug(name: str) -> str:
    """The name in addresses, letters and marks of any script kept: `Teal Heron` is `teal-heron`. May be empty."""
    kept = (_in_slug(letter) for letter in unicodedata.normalize("NFKC", name).casefold())
    return "-".join(filter(None, "".join(kept).split("-")))[:SLUG_LENGTH].strip("-_")


def described(letter: str) -> str:
    """A letter for a sentence about it; by number only if it is invisible or changes the direction of the line."""
    number = f"U+{ord(letter):04X}"
    is_seen = letter.isprintable() and unicodedata.category(letter)[0] not in "MC" and not _INVISIBLE.match(letter)
    return f"{letter} ({number})" if is_seen else number


def _tidy(text: str) -> str:
    """Only the blank is accepted: a line end or a tab in a name is reported as a mistake."""
    return " ".join(filter(None, unicodedata.normalize("NFC", text).split(" ")))


def _check_length(name: str, least: int, most: int) -> None:
    if not least <= len(name) <= most:
        raise BadName("This name has {n} characters. Expected {least} to {most}.", n=len(name), least=least, most=most)


def _check_marks(name: str) -> None:
    run = 0
    for n, letter in enumerate(name):
        run = run + 1 if unicodedata.category(letter)[0] == "M" else 0
        if run > MOST_MARKS or run == n + 1:
            raise BadName("A letter may carry at most {most} marks, and no mark may stand alone.", most=MOST_MARKS)


def _check_alphabets(name: str) -> None:
    first: dict[str, str] = {}
    for letter in name:
        plain = unicodedata.normalize("NFKC", letter)[0]
        alphabet = unicodedata.name(plain, "").partition(" ")[0]
        if alphabet in _LIKE_LATIN and plain.isalpha():
            first.setdefault(alphabet, letter)
    if len(first) > 1:
        one, other, *_ = first.values()
        raise BadName(
            "{one} and {other} belong to alphabets whose letters look alike. Write a name in one of them.",
            one=described(one),
            other=described(other),
        )


def _check_slug(name: str) -> None:
    if not slug(name):
        raise BadName("A name needs at least one letter or digit.")
    if is_former(name):
        raise BadName("{name} says that an account was closed. Choose another name.", name=name)


def _check_office(name: str, may_be: bool) -> None:
    if not may_be and is_office(name):
        raise BadName("{name} reads like an office of this arena. Only staff may have such a name.", name=name)


def _any_of(*words: str) -> str:
    return "|".join(" ".join(words).translate(_READ_AS).split())


_AROUND = f"(?:{_any_of(_OFFICES, _OF_OFFICES, _BESIDE)})*"
_HAS_OFFICE = re.compile(f"{_AROUND}(?:{_any_of(_OFFICES)}){_AROUND}")
_IS_OFFICE = re.compile(f"{_AROUND}(?:{_any_of(_OFFICES, _OF_OFFICES)}){_AROUND}")


def _reads_like_office(name: str) -> bool:
    letters = (each for each in unicodedata.normalize("NFKD", name) if unicodedata.category(each)[0] != "M")
    words = [word.rstrip("0123456789").translate(_READ_AS) for word in re.split(r"[ ._-]+", "".join(letters))]
    return any(map(_HAS_OFFICE.fullmatch, words)) or _IS_OFFICE.fullmatch("".join(words)) is not None


def _in_slug(letter: str) -> str:
    if letter.isspace() or letter == "-":
        return "-"
    return letter if letter == "_" or unicodedata.category(letter)[0] in "LMN" else ""
