"""What is said about an offer or a hint: on the board to the players and to watchers, aloud, and in the move list."""

from __future__ import annotations

from collections.abc import Callable

from arena.match.state import LogEvent, OpenOffer
from arena.web.drawing import artist
from arena.web.match.sentences import Told

_WHAT = {"draw": "a draw", "takeback": "a takeback"}


def aside(event: LogEvent, names: tuple[str, str], named: Callable[[str], str] = str) -> str:
    """A hint, its move as `named` calls it, or what became of an offer; "" for other events and an offer still open."""
    who = names[event.seat or 0]
    if event.kind == "hint":
        return f"{who} asked for a hint: {named(event.data['move'])}"
    if event.kind == "takeback":
        return f"{who} took back move {(event.ply or 0) + 1}"
    what = _WHAT.get(str(event.data.get("what")), "")
    return {"declined": f"{who} declined {what}", "withdrew": f"{who} withdrew {what}"}.get(event.kind, "")


def aloud(told: Told, base: int) -> str:
    """What is read once to the one who is asked, or has asked for a hint; "" for everybody else."""
    state, offer = told.state, told.state.offer
    if state.hint and told.events[-1].kind == "hint" and 0 < base < state.seq and told.seat == state.position.to_move:
        return f"Hint: {artist(told.game).named(state.hint)}."
    if offer is None or not 0 < base < offer.seq or told.seat != 1 - offer.seat:
        return ""
    return sentence(offer, told.name(offer.seat), told.seat)


def sentence(offer: OpenOffer, name: str, seat: int | None) -> str:
    """The open offer of `name` for a seat or, with None, for a watcher."""
    if offer.seat == seat:
        return "You offered a draw." if offer.what == "draw" else "You asked to take your move back."
    return f"{name} offers a draw." if offer.what == "draw" else f"{name} asks to take a move back."
