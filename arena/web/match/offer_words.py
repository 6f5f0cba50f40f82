"""The words about an offer, a rematch or a hint: on the board, read aloud, and in the move list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.translation import gettext_noop as _

from arena.common.numbers import LARGEST
from arena.match.state import LogEvent, OpenOffer
from arena.web.drawing import artist
from arena.web.match.sentences import Told
from arena.web.match.status import Status
from arena.web.tongue import gettext

_ANSWERED = {
    ("declined", "draw"): _("{who} declined a draw"),
    ("declined", "takeback"): _("{who} declined a takeback"),
    ("withdrew", "draw"): _("{who} withdrew a draw"),
    ("withdrew", "takeback"): _("{who} withdrew a takeback"),
}


class Aside(NamedTuple):
    """A line between moves of the list: a hint, or what became of an offer. It follows the move `ply`."""

    seq: int
    ply: int
    words: str


def aside(event: LogEvent, names: tuple[str, str], named: Callable[[str], str] = str) -> str:
    """A hint, with its move as `named` calls it, or what became of an offer; "" for other events and an open offer."""
    who = names[event.seat or 0]
    if event.kind == "hint":
        return gettext("{who} asked for a hint: {move}").format(who=who, move=named(event.data["move"]))
    if event.kind == "takeback":
        return gettext("{who} took back move {number}").format(who=who, number=(event.ply or 0) + 1)
    words = _ANSWERED.get((event.kind, str(event.data.get("what"))))
    return gettext(words).format(who=who) if words else ""


def asides(events: Sequence[LogEvent], names: tuple[str, str], named: Callable[[str], str]) -> tuple[Aside, ...]:
    """All of them, in order: what followed moves that were taken back stands where those stood."""
    found, least = list[Aside](), LARGEST
    for event in reversed(events):
        ply = min(event.ply or 0, least)
        if words := aside(event, names, named):
            found.append(Aside(event.seq, ply, words))
        if event.kind == "takeback":
            least = ply
    return tuple(reversed(found))


def with_refusal(told: Told, line: Status) -> Status:
    """The line under the board, in which a player also reads that their offer was declined."""
    words = _refusal(told) if told.state.phase == "running" and told.shown == told.state.position.ply else ""
    return line._replace(words=format_html('{} <b class="told">{}</b>', line.words, words)) if words else line


def _refusal(told: Told, base: int = 0) -> str:
    """What the other player did with the offer, until the one who offered moves or offers something again.

    "" for everybody else, and for an answer that came before the event `base`.
    """
    if told.seat is None:
        return ""
    for event in reversed(told.events):
        if event.kind == "takeback" or event.seat == told.seat and event.kind in ("move", "offered"):
            break
        if event.kind == "declined" and event.seat == 1 - told.seat:
            return f"{aside(event, (told.name(0), told.name(1)))}." if event.seq > base else ""
    return ""


def aloud(told: Told, base: int) -> str:
    """The words read aloud once: an open offer to both players, a hint to the player who asked for it, and a refusal
    to the player who offered; "" for everybody else.
    """
    state, offer = told.state, told.state.offer
    if base and (words := _refusal(told, base)):
        return words
    if state.hint and told.events[-1].kind == "hint" and 0 < base < state.seq and told.seat == state.position.to_move:
        return gettext("Hint: {m}.").format(m=artist(told.game).named(state.hint))
    if offer is None or not 0 < base < offer.seq or told.seat is None:
        return ""
    return sentence(offer, told.name(offer.seat), told.seat)


def again(wants: str, declined: str) -> str:
    """What the other player, whose name stands at what they did, says to a rematch."""
    if wants:
        return gettext("{name} wants a rematch.").format(name=wants)
    return gettext("{name} said no to a rematch.").format(name=declined) if declined else ""


def sentence(offer: OpenOffer, name: str, seat: int | None) -> str:
    """The open offer of `name` for a seat or, with None, for a watcher."""
    is_draw = offer.what == "draw"
    if offer.seat == seat:
        return gettext("You offered a draw.") if is_draw else gettext("You asked to take your move back.")
    words = gettext("{name} offers a draw.") if is_draw else gettext("{name} asks to take a move back.")
    return words.format(name=name)
