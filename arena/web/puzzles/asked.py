"""A position in which a move is to be found: its board before and after the answer, and the words about the answer.

The page is whole without a script. The address holds the move that was tried and the strongest reply.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

import games
from arena.analysis.marks import LOST, WON, Judged, keeping, worth
from arena.analysis.matches import judged
from arena.match.commands import Refusal
from arena.web.drawing import Artist, Choice, View, artist
from arena.web.match import analysis, fragments
from arena.web.match.acts import joined
from arena.web.match.analysis import words_of
from arena.web.match.ending_card import CHEER
from arena.web.match.position_values import proved
from arena.web.views import chosen_in
from arena.web.words import capital, title
from games import Position

_WORSE = {
    frozenset({LOST}): gettext_noop("Every other move loses."),
    frozenset({0}): gettext_noop("Every other move draws."),
    frozenset({0, LOST}): gettext_noop("Every other move loses or draws."),
}


class MoveQuestion(NamedTuple):
    """A question: `choice` has the values of the moves at `position`."""

    variant: str
    position: Position
    choice: Judged

    @property
    def draws(self) -> Artist:
        return artist(games.variant(self.variant).game)

    @property
    def right(self) -> tuple[str, ...]:
        """The moves that keep the value of the position, best first."""
        before = worth(self.choice)
        return keeping(self.choice, before.result) if before else ()


class AnswerVerdict(NamedTuple):
    """The words about a move that was tried; `right` is None for an answer that was shown."""

    right: bool | None
    headline: str
    reason: str


class SaidAnswer(NamedTuple):
    """A form's contents: the move that was `tried`, or the right one if `act` asks for the answer."""

    question: MoveQuestion
    act: str
    tried: str

    @property
    def right(self) -> bool:
        """Whether this move keeps the value of the position."""
        return self.tried in self.question.right

    async def query(self) -> str:
        """The query of the page that shows it, with the strongest reply to a wrong move."""
        reply = "" if self.right else await reply_to(self.question, self.tried)
        said = {"tried": self.tried, "reply": reply, "shown": "1" if self.act else ""}
        return urlencode({name: value for name, value in said.items() if value})


def said_in(request: HttpRequest, question: MoveQuestion) -> SaidAnswer:
    """The form's `move` or `act`. Raises Refusal if it has neither, or the move cannot be played."""
    act, move = request.POST.get("act", ""), str(joined(request.POST.getlist("move")))
    if act not in ("", "hint", "answer"):
        raise Refusal(
            "invalid_form",
            _("Received the action {what}, expected hint or answer. Nothing was done.").format(what=repr(act[:20])),
        )
    if not act and move not in question.position.legal_moves():
        raise Refusal(
            "illegal_move",
            _("Received {what}, expected a move of this position. Nothing was done.").format(what=repr(move[:20])),
        )
    return SaidAnswer(question, act, question.right[0] if act else move)


def board_of(request: HttpRequest, question: MoveQuestion, may_see: bool) -> dict[str, Any]:
    """What templates/arena/fragments/asked.html shows: what was tried as the address says it, if they `may_see` it."""
    tried, reply = _tried(request, question) if may_see else ("", "")
    said = verdict(question, tried, reply, "shown" in request.GET) if tried else None
    chosen = chosen_in(request)
    return {
        "task": task(question),
        "verdict": said,
        "cheer": CHEER if said is not None and said.right else "",
        "stage": stage(question, chosen, tried, reply),
        "rows": values(question, tried) if said is not None and said.right is not False else [],
    }


def _tried(request: HttpRequest, question: MoveQuestion) -> tuple[str, str]:
    """The move that was tried and the reply to it; "" for a move that cannot be played."""
    tried, reply = request.GET.get("tried", ""), request.GET.get("reply", "")
    if tried not in question.position.legal_moves():
        return "", ""
    return tried, reply if reply in question.position.play(tried).legal_moves() else ""


def ask(variant: str, position: str, values: Sequence[int | str | None]) -> MoveQuestion:
    """The question at this position. Raises ValueError for one that cannot be read, KeyError for an unknown variant."""
    read = games.variant(variant).parse(position)
    return MoveQuestion(variant, read, judged(read, values))


def stage(asked: MoveQuestion, chosen: tuple[str, ...], tried: str = "", reply: str = "") -> fragments.BoardFragment:
    """The board: with buttons while a move is to be found, without once one was `tried`."""
    position, last = asked.position, None
    for move in filter(None, (tried, reply)):
        position, last = position.play(move), move
    kind = games.variant(asked.variant)
    view = View(position, last, title(kind), chosen=chosen)
    return fragments.stage(kind.game, view, Choice() if tried else Choice(position.ply % 2, True, chosen))


def verdict(asked: MoveQuestion, tried: str, reply: str, shown: bool) -> AnswerVerdict:
    """The words about this move: it is right, or why it is not. `shown`: the player asked for the answer."""
    value = asked.choice.values.get(tried)
    move = capital(asked.draws.subject(tried))
    said = f"{move} {words_of(value)}" if value else _("{move} is not proved to keep it").format(move=move)
    if tried in asked.right:
        headline = _("The answer") if shown else _("Right")
        return AnswerVerdict(None if shown else True, headline, f"{said}. {others(asked)}".strip())
    if reply:
        said = _("{said}: the strongest reply is {move}").format(said=said, move=asked.draws.named(reply))
    return AnswerVerdict(False, _("Not this one"), f"{said}.")


def others(asked: MoveQuestion) -> str:
    """`Every other move loses.`; "" if others are as good, or not all are proved."""
    if len(asked.right) != 1 or len(asked.choice.values) < asked.choice.legal:
        return ""
    results = frozenset(value.result for move, value in asked.choice.values.items() if move not in asked.right)
    return _(_WORSE[results]) if results in _WORSE else ""


def task(asked: MoveQuestion) -> str:
    """`Find the only move that keeps the win.`"""
    before = worth(asked.choice)
    wins = before is not None and before.result == WON
    if len(asked.right) == 1:
        return _("Find the only move that keeps the win.") if wins else _("Find the only move that keeps the draw.")
    return _("Find a move that keeps the win.") if wins else _("Find a move that keeps the draw.")


def hinted(asked: MoveQuestion) -> str:
    """Two moves, the right one and the next best: `It is column 3 or column 5.`"""
    wrong = [move for result in (0, LOST) for move in keeping(asked.choice, result) if move not in asked.right]
    pair = sorted([asked.right[0], *wrong[:1]])
    if len(pair) == 1:
        return _("It is {move}.").format(move=asked.draws.named(pair[0]))
    return _("It is {move} or {other}.").format(move=asked.draws.named(pair[0]), other=asked.draws.named(pair[1]))


async def reply_to(asked: MoveQuestion, tried: str) -> str:
    """How the strongest player answers the move; "" if the match is over, or the server is too busy."""
    position = asked.position.play(tried)
    if position.to_move is None:
        return ""
    try:
        found = judged(position, await asyncio.to_thread(proved, position))
    except Refusal:
        return ""
    result = max((value.result for value in found.values.values()), default=None)
    return "" if result is None else keeping(found, result)[0]


def values(asked: MoveQuestion, tried: str) -> list[analysis.MoveWorth]:
    """The result of each move, for the list under the board."""
    return analysis.worths(asked.choice._replace(played=tried), asked.draws)
