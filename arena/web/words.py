"""Numbers, times, clocks and titles as people say them: every page takes them from here."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache

from django.utils.translation import gettext, ngettext

import games
from arena.match.clock import Clock, parse_clock
from arena.match.said import Said
from games import Variant

# The levels that pages offer, by what people call them.
LEVELS = {"beginner": "Beginner", "club": "Club", "expert": "Expert"}


def spoken(sentence: str) -> str:
    """What a layer below the pages says, in the language that is spoken now."""
    if not isinstance(sentence, Said):
        return gettext(sentence) if sentence else ""
    one, many = sentence.template, sentence.many
    form = ngettext(one, many, sentence.number) if many else gettext(one)
    values = {name: spoken(value) if isinstance(value, Said) else value for name, value in sentence.values.items()}
    return form.format(**values)


@cache
def title(kind: Variant) -> str:
    """`Connect Four 7 × 6`: the variant's title with its size as people write it."""
    return re.sub(r"(\d)x(\d)", "\\1\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}\\2", kind.title)


def title_of(slug: str) -> str:
    """The name of a variant, its slug where the game is gone from this server."""
    try:
        return title(games.variant(slug))
    except KeyError:
        return slug


def capital(sentence: str) -> str:
    """With a capital first letter, and the rest as it was."""
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
        return f"{seconds} second{'' if seconds == 1 else 's'}"
    return f"{whole} minute{'' if whole == 1 else 's'}" + (f" {seconds}" if seconds else "")


def ago(at: datetime, now: datetime) -> str:
    """How long ago, in the largest unit that says it: `3 h ago`."""
    seconds = max(0.0, (now - at).total_seconds())
    if seconds < 60:
        return "just now"
    for unit, length, most in (("min", 60, 60), ("h", 3600, 24), ("days", 86400, 60)):
        if seconds < length * most:
            number = int(seconds / length)
            return "1 day ago" if (unit, number) == ("days", 1) else f"{number} {unit} ago"
    return f"{at.day} {at:%b %Y}"


def clock_words(clock: Clock) -> str:
    """The clock as people say it; "" without one."""
    if clock.kind == "none":
        return ""
    if clock.kind == "move":
        return f"{clock.base_ms / 1000:g} s a move"
    gain = f" and {clock.increment_ms / 1000:g} s a move" if clock.increment_ms else ""
    return f"{minutes(clock.base_ms)} each{gain}"


def clock_title(text: str) -> str:
    return clock_words(parse_clock(text)) or "No clock"


def pace_words(pace_ms: int) -> str:
    """How fast it is to be watched; "" where nothing slows it."""
    return f"Watchable, {pace_ms / 1000:g} s a move" if pace_ms else ""


def held_words(moves: int) -> str:
    """When a proof decides a match: `decided once a proof has held for 8 moves`; "" where it is played to its end."""
    return f"decided once a proof has held for {moves} move{'' if moves == 1 else 's'}" if moves else ""


def rounds_words(rounds: int) -> str:
    return "1 round" if rounds == 1 else f"{rounds} rounds"
