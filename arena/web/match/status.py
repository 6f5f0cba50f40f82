"""The line under the board: one table of its sentences, one function that knows which row applies.

The words are those that people read. `{o}` is the other side's name, `{m}` the last move inside a sentence, `{c}` a
colour, `{time}` a time that clock.js counts down. Every value is escaped when it is put in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext_noop as _

from arena.web.languages import USUAL
from arena.web.tongue import gettext
from arena.web.words import capital, number, spoken


class Status(NamedTuple):
    """`tone` is "", "accent", "warn" or "danger": the colour beside the words, never instead of them."""

    tone: str
    words: SafeString


# When few seconds are left, clock.js shows them instead of the last move.
_TURN = '<b class="lead">%s</b> <span class="muted">%s</span><span class="num" data-low hidden></span>'
_LEAD = '<b class="lead">%s</b>'
_THINKS = '<span class="soon">%s<span data-think="{since}"> …</span></span><span class="late" hidden>%s</span>'
_LOSES = '<span class="soon">%s<span data-think="{since}"> …</span></span><span class="late" hidden>%s %s</span>'
_BACK_TO_LIVE = '%s <a href="{address}" data-go="live">%s</a> <span id="missed" class="num"></span>'
# clock.js shows these words only when this much time is left.
_EXPIRES = ' <span class="expires" data-within="{within}"{hidden}>%s</span>'

_YOUR_TURN, _THINKING = _("Your turn"), _("{o} is thinking")
_THINKING_LONG = _("{o} has been thinking for {time}.")

# Tone, the frame around the sentences, and the sentences.
STATUS: dict[str, tuple[str, ...]] = {
    "waiting": ("", "%s", _("Waiting for {o} to connect.")),
    "ready": ("", "%s", _("Both seats are ready. Starting.")),
    "your_turn": ("accent", _TURN, _YOUR_TURN, _("{o} played {m}.")),
    "your_first": ("accent", _TURN, _YOUR_TURN, _("You move first.")),
    "your_again": ("accent", _TURN, _YOUR_TURN, _("You move again.")),
    "first_of_two": ("", _LEAD, _("{o} to move")),
    "turn_of_two": ("", _LEAD + ' <span class="muted">%s</span>', _("{o} to move"), _("{p} played {m}.")),
    "hint": ("", ' <b class="hint">%s</b>', _("Hint: {m}.")),
    "thinking": ("", "%s", _("{o} is thinking.")),
    # clock.js shows the seconds that are left when they are few: a player who runs out of time loses.
    "thinking_timed": ("", '%s <span class="num" data-low-far hidden></span>', _("{o} is thinking.")),
    "bot_thinking": ("", _LOSES, _THINKING, _THINKING_LONG, _("It loses at 0:00.")),
    "bot_thinking_untimed": ("", _THINKS, _THINKING, _THINKING_LONG),
    "expires_unbegun": (
        "",
        _EXPIRES,
        _("The match ends without a result in {time} unless {o} makes the first move."),
    ),
    "expires_unbegun_yours": (
        "",
        _EXPIRES,
        _("The match ends without a result in {time} unless you make the first move."),
    ),
    "expires": ("", _EXPIRES, _("{o} loses in {time} unless a move is made.")),
    "expires_yours": ("", _EXPIRES, _("You lose in {time} unless you move.")),
    "watching": ("", "%s", _("{c} to move: {o}.")),
    "past": ("warn", "%s", _("You are looking at move {ply} of {plies}.")),
    "past_live": ("warn", _BACK_TO_LIVE, _("You are looking at move {ply} of {plies}."), _("Back to live")),
    "bot_away": ("warn", "%s", _("{o} lost its connection. It has {time} to come back.")),
    "bot_away_clock": ("warn", "%s", _("{o} lost its connection. It has {time} to come back; its clock runs.")),
    "person_away": ("warn", "%s", _("{o} is offline. {time} to come back, or {o} loses.")),
    "person_waited_for": (
        "warn",
        "%s",
        _("{o} is offline. The match waits: you can leave too, and continue later."),
    ),
    "away": ("warn", "%s", _("{o} is offline.")),
    "paused": ("warn", "%s", _("A referee has paused this match. Clocks are stopped.")),
    "paused_why": ("warn", "%s", _("A referee has paused this match: {why}. Clocks are stopped.")),
    "restarted": ("warn", "%s", _("The server was restarted. The match continues where it stopped.")),
    "break": ("", "%s", _("Round {round} of {rounds} starts in {time}. Colours swap: {o} moves first.")),
    "break_yours": ("", "%s", _("Round {round} of {rounds} starts in {time}. Colours swap: you move first.")),
    "break_again": ("", "%s", _("Round {round} of {rounds} is played again in {time}: {o} moves first.")),
    "break_again_yours": ("", "%s", _("Round {round} of {rounds} is played again in {time}: you move first.")),
}

# Words by the code of a `Refusal`; any other code uses the referee's sentence.
REFUSED: dict[str, str] = {
    "not_your_turn": _("It is {o}'s turn. Your move was not sent."),
    "stale": _("The board has changed since your click. Look again, then move."),
    "illegal_move": _("{sentence}. Choose another one."),
    "match_over": _("The match is over."),
}


def until(moment: int, shown: str) -> SafeString:
    """A `{time}`: how long it is until then, in Unix milliseconds; `shown` is that now."""
    return format_html('<b class="num" data-until="{}">{}</b>', moment, shown)


def since(moment: int) -> SafeString:
    """A `{time}` that grows."""
    return format_html('<span class="num" data-think="{}"></span>', moment)


def status_line(case: str, **facts: object) -> Status:
    """The row `case` of the table with its facts put in. Raises KeyError for a case or a fact that is missing."""
    tone, frame, *sentences = STATUS[case]
    return Status(tone, _filled(frame % tuple([gettext(sentence) for sentence in sentences]), facts))


def refusal_line(code: str, sentence: str, opponent: str) -> Status:
    """Why a move was not played: the words of `code`, or the referee's own sentence. The explanations of a game's rules
    are in English, so other languages say only that the rules forbid it.
    """
    if code in ("illegal_move", "invalid_move") and get_language() != USUAL:
        sentence = gettext("This move is against the rules")
    facts = {"o": opponent, "sentence": capital(spoken(sentence).rstrip("."))}
    return Status("danger", _filled(gettext(REFUSED[code]) if code in REFUSED else "{sentence}.", facts))


def score_words(rounds: tuple[str, str], over: bool, names: tuple[str, str], you: int | None) -> str:
    """How a series stands: `2 to 1.` for a player, their own points first, and names for watchers.

    `rounds` are the letters `w`, `d` and `l` of the rounds as each seat sees them; "" before the first has counted.
    """
    points = [seen.count("w") + seen.count("d") / 2 for seen in rounds]
    if not rounds[0]:
        return ""
    if not over and you is None:
        return f"{names[0]} {number(points[0])}, {names[1]} {number(points[1])}."
    seat = you if you is not None else 0 if points[0] >= points[1] else 1
    mine, theirs = points[seat], points[1 - seat]
    score = gettext("{mine} to {theirs}").format(mine=number(mine), theirs=number(theirs))
    if not over:
        return f"{score}."
    if mine == theirs:
        words = gettext("Series drawn {score}.")
    elif you is None:
        words = gettext("{name} won the series {score}.")
    else:
        words = gettext("Series won {score}.") if mine > theirs else gettext("Series lost {score}.")
    return words.format(name=names[seat], score=score)


def _filled(words: str, facts: Mapping[str, Any]) -> SafeString:
    return SafeString(words.format_map({name: conditional_escape(value) for name, value in facts.items()}))
