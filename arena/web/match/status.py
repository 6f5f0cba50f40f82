"""The line under the board: one table of what it says, one function that knows which row holds.

Words are those that people read; `<b>` is what matters most in the sentence. `{o}` is the other side's name, `{m}` the
last move inside a sentence, `{c}` a colour. Every value is escaped when it is put in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from arena.web.words import capital


class Status(NamedTuple):
    """`tone` is "", "accent", "warn" or "danger": the colour beside the words, never instead of them."""

    tone: str
    words: SafeString


# clock.js puts the seconds that are left in place of the last move, when they are few.
_TURN = '<b class="lead">Your turn</b> <span class="muted">{}</span><span class="num" data-low hidden></span>'
_THINKS = '<span class="soon">{o} is thinking<span data-think="{since}"> …</span></span>'
_THINKS_LONG = (
    '<span class="late" hidden>{o} has been thinking for <span class="num" data-think="{since}"></span>.%s</span>'
)
_BACK_TO_LIVE = '<a href="{address}" data-go="live">Back to live</a> <span id="missed" class="num"></span>'
# clock.js shows these words only when no more time than that is left.
_EXPIRES = (
    ' <span class="expires" data-within="{within}"{hidden}>%s <b class="num" data-until="{until}">{left}</b>%s</span>'
)
_SECONDS = '<b class="num" data-count="{until}">{seconds}</b>'

STATUS: dict[str, tuple[str, str]] = {
    "waiting": ("", "Waiting for {o} to connect."),
    "ready": ("", "Both seats are ready. Starting."),
    "your_turn": ("accent", _TURN.format("{o} played {m}.")),
    "your_first": ("accent", _TURN.format("You move first.")),
    "your_again": ("accent", _TURN.format("You move again.")),
    "first_of_two": ("", '<b class="lead">{o} to move</b>'),
    "turn_of_two": ("", '<b class="lead">{o} to move</b> <span class="muted">{p} played {m}.</span>'),
    "hint": ("", ' <b class="hint">Hint: {m}.</b>'),
    "thinking": ("", "{o} is thinking."),
    # clock.js shows the seconds that are left when they are few: a player who runs out of time loses.
    "thinking_timed": ("", '{o} is thinking. <span class="num" data-low-far hidden></span>'),
    "bot_thinking": ("", _THINKS + _THINKS_LONG % " It loses at 0:00."),
    "bot_thinking_untimed": ("", _THINKS + _THINKS_LONG % ""),
    "expires_unbegun": ("", _EXPIRES % ("The match ends without a result in", " unless {o} makes the first move.")),
    "expires_unbegun_yours": (
        "",
        _EXPIRES % ("The match ends without a result in", " unless you make the first move."),
    ),
    "expires": ("", _EXPIRES % ("{o} loses in", " unless a move is made.")),
    "expires_yours": ("", _EXPIRES % ("You lose in", " unless you move.")),
    "watching": ("", "{c} to move: {o}."),
    "past": ("warn", "You are looking at move {ply} of {plies}."),
    "past_live": ("warn", "You are looking at move {ply} of <span data-total>{plies}</span>. " + _BACK_TO_LIVE),
    "bot_away": (
        "warn",
        '{o} lost its connection. It has <b class="num" data-until="{until}">{back}</b> to come back.',
    ),
    "bot_away_clock": (
        "warn",
        '{o} lost its connection. It has <b class="num" data-until="{until}">{back}</b> to come back; its clock runs.',
    ),
    "person_away": (
        "warn",
        '{o} is offline. <b class="num" data-until="{until}">{back}</b> to come back, or {o} loses.',
    ),
    "person_waited_for": ("warn", "{o} is offline. The match waits: you can leave as well, and go on later."),
    "away": ("warn", "{o} is offline."),
    "paused": ("warn", "A referee has paused this match. Clocks are stopped."),
    "paused_why": ("warn", "A referee has paused this match: {why}. Clocks are stopped."),
    "restarted": ("warn", "The server was restarted. The match continues where it stopped."),
    "break": ("", "Round {round} of {rounds} starts in " + _SECONDS + ". Colours swap: {first} first."),
    "break_again": ("", "Round {round} of {rounds} is played again in " + _SECONDS + ": {first} first."),
}

# By the code of a `Refusal`; any other code says its own sentence.
REFUSED: dict[str, str] = {
    "not_your_turn": "It is {o}'s turn. Your move was not sent.",
    "stale": "The board has changed since your click. Look again, then move.",
    "illegal_move": "{sentence}. Choose another one.",
    "match_over": "The match is over.",
}


def status_line(case: str, **facts: object) -> Status:
    """The row `case` of the table with its facts put in. Raises KeyError for a case or a fact that is missing."""
    tone, words = STATUS[case]
    return Status(tone, _filled(words, facts))


def refusal_line(code: str, sentence: str, opponent: str) -> Status:
    """Why a move was not played: the words of `code`, or the referee's own sentence."""
    facts = {"o": opponent, "sentence": capital(sentence.rstrip("."))}
    return Status("danger", _filled(REFUSED.get(code, "{sentence}."), facts))


def score_words(rounds: tuple[str, str], over: bool, names: tuple[str, str], you: int | None) -> str:
    """How a series stands: `2 to 1.` for a player, their own points first, and names for watchers.

    `rounds` are the letters `w`, `d` and `l` of the rounds as each seat sees them; "" before the first has counted.
    """
    points = [seen.count("w") + seen.count("d") / 2 for seen in rounds]
    if not rounds[0]:
        return ""
    if not over and you is None:
        return f"{names[0]} {points[0]:g}, {names[1]} {points[1]:g}."
    seat = you if you is not None else 0 if points[0] >= points[1] else 1
    mine, theirs = points[seat], points[1 - seat]
    figures = f"{mine:g} to {theirs:g}"
    if not over:
        return f"{figures}."
    if mine == theirs:
        return f"The series is drawn {figures}."
    who = names[seat] if you is None else "You"
    return f"{who} {'won' if mine > theirs else 'lost'} the series {figures}."


def _filled(words: str, facts: Mapping[str, object]) -> SafeString:
    return mark_safe(words.format_map({name: escape(value) for name, value in facts.items()}))
