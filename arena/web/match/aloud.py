"""What is read aloud on a match page, once: what happened since the reader has heard of it last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.match.state import LogEvent
from arena.rooms.rematch import REMATCH
from arena.web.match import offer_words, sentences
from arena.web.match.result import ResultCard
from arena.web.match.sentences import Told
from arena.web.tongue import gettext


class Aloud(NamedTuple):
    """`say` waits until the reader has been read what is being read; `alert` does not."""

    say: str = ""
    alert: str = ""


def aloud(told: Told, heard: int, last: tuple[int, str, str] | None, card: ResultCard | None, again: str) -> Aloud:
    """What follows the event `heard`: `last` has the seat, move and note; `again` the other's words about a rematch."""
    new = told.events[heard:]
    if card is None:
        return Aloud(_say(told, new, last), offer_words.aloud(told, heard))
    if heard < _end(told.events):
        return Aloud(alert=f"{card.title}. {card.reason}")
    return _of_rematch(told, [event for event in new if event.kind == "note" and REMATCH in event.data], again)


def _of_rematch(told: Told, wishes: Sequence[LogEvent], again: str) -> Aloud:
    if any(event.seat != told.seat for event in wishes):
        return Aloud(alert=again)
    if told.seat is None or not any(event.data[REMATCH] == "asked" for event in wishes):
        return Aloud()
    return Aloud(gettext("Waiting for {name} to answer.").format(name=told.name(1 - told.seat)))


def _say(told: Told, new: Sequence[LogEvent], last: tuple[int, str, str] | None) -> str:
    newest = next((event for event in reversed(new) if event.kind in ("move", "takeback")), None)
    if newest is None or told.state.phase == "ended":
        return ""
    if newest.kind == "move":
        return sentences.say(told, *last) if last is not None else ""
    words = f"{offer_words.aside(newest, (told.name(0), told.name(1)))}."
    return f"{words} {gettext('Your turn.')}" if told.seat == told.state.to_move else words


def _end(events: Sequence[LogEvent]) -> int:
    """The number of the newest event that says who won: rulings and notes may follow the ending."""
    return next((event.seq for event in reversed(events) if event.kind in ("ended", "ruled")), 0)
