"""Acts of a visitor in a match, as a websocket or a form sent them. Each is judged here first (is the seat theirs?),
then by the referee; a refused one changes nothing, and is answered in words.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from arena.common.numbers import whole_number
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.web import guests

# The longest move of any game has 11 letters, b2-c1+d2 among them; the log keeps 16.
LONGEST_MOVE = 16


async def submit(host: Host, live: LiveMatch, player: int | None, ply: Any, move: Any) -> None:
    """Play `move` (a text, or its parts) as move number `ply`, both as a form sent them. Raises Refusal."""
    seat, number = seat_of(live, player), number_of(ply)
    if live.state.setup.at_one_screen:  # the seat whose move that was, if it has been played already
        seat = next((seat for played, seat, _ in live.state.recent if played == number), seat)
    await host.referee.play(live, seat, number, _text(joined(move)), actor_of(player))


def seat_of(live: LiveMatch, player: int | None) -> int:
    """The seat of this player, or the seat to move if two share a screen. Raises Refusal for everyone else."""
    audience = guests.audience_of(live, player)
    if not audience:
        raise Refusal("not_seated", _("You are watching. Only the two players of a match can do this."))
    mover = live.state.to_move
    return mover if live.state.setup.at_one_screen and mover is not None else int(audience)


def actor_of(player: int | None) -> str:
    """The actor of an event, as the log stores it."""
    return f"player:{player}"


def joined(move: Any) -> Any:
    """A form may send a move in parts, such as a number of stones and an `r` for the reset beside it."""
    parts = isinstance(move, list) and all(isinstance(part, str) for part in move)
    return "".join(move) if parts else move


def number_of(said: Any, name: str = "ply") -> int:
    """Raises Refusal."""
    text = str(said)
    number = whole_number(text, most=99_999)
    if number is None:
        words = (
            _("Received {name} {what}, expected the number of the move. Nothing was done.")
            if name == "ply"
            else _("Received {name} {what}, expected the number of the offer. Nothing was done.")
        )
        raise Refusal("invalid_form", words.format(name=name, what=repr(text[:20])))
    return number


def _text(move: Any) -> str:
    if not isinstance(move, str) or not 0 < len(move) <= LONGEST_MOVE or not move.isprintable():
        raise Refusal(
            "invalid_move",
            _("Received {what}, expected a move such as those on the board.").format(what=repr(str(move)[:20])),
        )
    return move
