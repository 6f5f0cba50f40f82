"""Numbers, times, clocks and titles as people say them: every page takes them from here."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime

from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_noop, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

import games
from arena.common.names import FORMER, is_former
from arena.match.clock import Clock, parse_clock
from arena.match.said import Said
from arena.match.state import SeatSetup
from arena.models import Seat
from arena.rooms.reservation import bare
from arena.web.languages import USUAL
from arena.web.tongue import decimal_separator, gettext, pgettext
from games import Variant

# The levels that pages offer, by their titles.
LEVELS = {"beginner": _("Beginner"), "club": _("Club"), "expert": _("Expert")}
# All of them, by their slugs.
LEVEL_NAMES = {"random": _("Random"), "casual": _("Casual"), "best": pgettext_lazy("level", "Best"), **LEVELS}
# The titles of games begin those of their variants.
GAMES = (gettext_noop("Connect Four"), gettext_noop("Expanding Nim"), gettext_noop("Santorini"))
# The names of the two seats in logs; pages use `colour`.
COLOURS = ("Orange", "Blue")
_COLOUR_NAMES = (gettext_noop("Orange"), gettext_noop("Blue"))
_PART = re.compile(r"(?<=\w)/(?=\w)")
_BESIDE_A_NUMBER = re.compile(r"(?<=\d) (?=[^\W\d])|(?<=[^\W\d]) (?=\d+(?:[,.]|$))")


def spoken(sentence: str) -> str:
    """A sentence from a lower layer, in the current language."""
    if not isinstance(sentence, Said):
        return gettext(sentence) if sentence else ""
    one, many = sentence.template, sentence.many
    form = ngettext(one, many, sentence.number) if many else gettext(one)
    values = {name: spoken(value) if isinstance(value, Said) else value for name, value in sentence.values.items()}
    return form.format(**values)


def title(kind: Variant) -> str:
    """The variant's title with its size as people write it, in the reader's language."""
    return game_title(kind.printed)


def isolated(name: str) -> str:
    """A name within a sentence, isolated so that right-to-left writing does not reorder the numbers after it."""
    turns = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}" if turns else name


def unbroken(name: str) -> str:
    """A name within a heading: the size of a board in it stays on one line, and its number beside its last word."""
    words, space, number = name.replace(" × ", "\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}").rpartition(" ")
    if words and number.isdecimal():
        space = "\N{NO-BREAK SPACE}"
    return f"{words}{space}{number}"


def together(words: str) -> str:
    """Words with numbers for where a line may end anywhere: `4 players` and `move 10` stay on one."""
    return _BESIDE_A_NUMBER.sub("\N{NO-BREAK SPACE}", words)


def parted(address: str) -> SafeString:
    """An address as HTML: a line that is too short for it is broken before a part of its path, not within one."""
    return SafeString(_PART.sub("/<wbr>", escape(address)))


def game_title(english: str) -> str:
    """The title of a game, or of a variant, which begins with the title of its game."""
    for name in GAMES:
        if english.startswith(name):
            return f"{gettext(name)}{english.removeprefix(name)}"
    return english


def colour(seat: int) -> str:
    """`Orange` or `Blue`, in the current language."""
    return gettext(_COLOUR_NAMES[seat])


def level_name(level: str) -> str:
    """A level of the built-in players as people call it."""
    return str(LEVEL_NAMES.get(level, level.capitalize()))


def seat_name(setup: SeatSetup | Seat, seat: int, at_one_screen: bool = False) -> str:
    """The player's name from the log; names given by the arena itself are in the current language."""
    if at_one_screen:
        return colour(seat)
    if setup.kind != "builtin":
        return marked_name(setup.name)
    if setup.name == f"{setup.level.capitalize()} (built in)":
        return gettext("{level} (built in)").format(level=level_name(setup.level))
    return entry_name(setup.name, setup.level)


def marked_name(name: str) -> str:
    """A name from the log: the mark of a bot that has proven nothing is in the current language."""
    said = bare(name)
    return person_name(name) if said == name else gettext("{name} (unverified)").format(name=said)


def person_name(name: str) -> str:
    """A name as it is stored: that of a player who has closed the account is in the current language."""
    if not is_former(name):
        return name
    return gettext("Former player {number}").format(number=name.removeprefix(FORMER))


def stored_name(level: str) -> str:
    """The name of a built-in player of an event in rows and logs, which are in English."""
    return f"Built-in {level.capitalize()}"


def entry_name(name: str, level: str) -> str:
    """The name of a built-in player of an event in the current language, unless somebody has chosen it.

    English pages use the same name as logs and their sentences. In events of earlier versions the level is lower-case.
    """
    if level and name == level.capitalize():  # the name in an event from a file
        return level_name(level)
    usual = stored_name(level)
    if name.casefold() != usual.casefold():
        return name
    return usual if get_language() == USUAL else gettext("Built-in {level}").format(level=level_name(level))


def number(value: float) -> str:
    """`1.5`, `2`, with the sign for decimals of the language."""
    return f"{value:g}".replace(".", decimal_separator())


def decimals(value: float) -> str:
    """`1.0`, always with one decimal place."""
    return f"{value:.1f}".replace(".", decimal_separator())


def title_of(slug: str) -> str:
    """The name of a variant, or its slug if this server no longer has the game."""
    try:
        return title(games.variant(slug))
    except KeyError:
        return slug


def capital(sentence: str) -> str:
    """The text with a capital first letter, otherwise unchanged."""
    return sentence[:1].upper() + sentence[1:]


def minutes(milliseconds: int) -> str:
    """`1:31`, `0:09`; never later than the truth."""
    seconds = max(milliseconds, 0) // 1000
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def minutes_spoken(milliseconds: int) -> str:
    """`1 minute 31`, `9 seconds`: how a clock is read aloud."""
    whole, seconds = divmod(max(milliseconds, 0) // 1000, 60)
    if not whole:
        return ngettext("{n} second", "{n} seconds", seconds).format(n=seconds)
    return ngettext("{n} minute", "{n} minutes", whole).format(n=whole) + (f" {seconds}" if seconds else "")


def ago(at: datetime, now: datetime) -> str:
    """How long ago, in the largest unit that says it: `3 h ago`."""
    seconds = max(0.0, (now - at).total_seconds())
    if seconds < 60:
        return gettext("just now")
    if seconds < 3600:
        return gettext("{n} min ago").format(n=int(seconds / 60))
    if seconds < 24 * 3600:
        return gettext("{n} h ago").format(n=int(seconds / 3600))
    if seconds < 60 * 86400:
        return ngettext("{n} day ago", "{n} days ago", days := int(seconds / 86400)).format(n=days)
    return date_format(at, pgettext("format of a date", "j M Y"))


def clock_words(clock: Clock) -> str:
    """The clock as people say it; "" without one."""
    if clock.kind == "none":
        return ""
    if clock.kind == "move":
        return gettext("{seconds} s a move").format(seconds=number(clock.base_ms / 1000))
    if not clock.increment_ms:
        return gettext("{time} each").format(time=minutes(clock.base_ms))
    gain = number(clock.increment_ms / 1000)
    return gettext("{time} each and {seconds} s a move").format(time=minutes(clock.base_ms), seconds=gain)


def clock_title(text: str) -> str:
    return clock_words(parse_clock(text)) or gettext("No clock")


def pace_words(pace_ms: int) -> str:
    """The pace for watchers; "" if nothing slows the match."""
    return gettext("Watchable, {seconds} s a move").format(seconds=number(pace_ms / 1000)) if pace_ms else ""


def held_words(moves: int) -> str:
    """When a proof decides a match: `decided once a proof has held for 8 moves`; "" if it is played to its end."""
    if not moves:
        return ""
    return ngettext(
        "decided once a proof has held for {n} move", "decided once a proof has held for {n} moves", moves
    ).format(n=moves)


def rounds_words(rounds: int) -> str:
    return ngettext("{n} round", "{n} rounds", rounds).format(n=rounds)
