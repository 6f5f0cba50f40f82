"""What is said about an offer: on the board to the two players and to watchers, aloud, and in the list of moves."""

from __future__ import annotations

from arena.match.state import LogEvent, OpenOffer
from arena.web.match.sentences import Told

_WHAT = {"draw": "a draw", "takeback": "a takeback"}


def aside(event: LogEvent, names: tuple[str, str]) -> str:
    """What became of an offer, for the list of moves; "" for every other event, and for an offer that is still open."""
    who = names[event.seat or 0]
    if event.kind == "takeback":
        return f"{who} took back move {(event.ply or 0) + 1}"
    what = _WHAT.get(str(event.data.get("what")), "")
    return {"declined": f"{who} declined {what}", "withdrew": f"{who} withdrew {what}"}.get(event.kind, "")


def aloud(told: Told, base: int) -> str:
    """What is read to the one who is asked, once; "" for everybody else."""
    offer = told.state.offer
    if offer is None or not 0 < base < offer.seq or told.seat != 1 - offer.seat:
        return ""
    return sentence(offer, told.name(offer.seat), told.seat)


def sentence(offer: OpenOffer, name: str, seat: int | None) -> str:
    """The open offer of `name` for a seat or, with None, for a watcher."""
    if offer.seat == seat:
        return "You offered a draw." if offer.what == "draw" else "You asked to take your move back."
    return f"{name} offers a draw." if offer.what == "draw" else f"{name} asks to take a move back."
