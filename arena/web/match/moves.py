"""Acts of a visitor in a match: move, resign, abort, offer. Websocket and form meet in `submit`.

Every act is judged here first (does this visitor have a seat in this match?), then by the referee. A refused act
changes nothing, and is answered in words.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext as _

from arena.common.numbers import whole_number
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import AnswerOffer, Offer, Refusal, Withdraw
from arena.web import guests
from arena.web.match.hints import give_hint
from arena.web.match.matches import answer, live_of
from arena.web.views import view

# The longest move of any game has 11 letters, b2-c1+d2 among them; the log keeps 16.
LONGEST_MOVE = 16


async def submit(host: Host, live: LiveMatch, player: int | None, ply: Any, move: Any) -> None:
    """Play `move` (a text, or its parts) as move number `ply`, both as a form sent them. Raises Refusal."""
    seat, number = seat_of(live, player), _number(ply)
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


def _number(said: Any, name: str = "ply") -> int:
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


# -- forms -------------------------------------------------------------------------------------------------------------


@view("POST")
async def move(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    live, visitor = await live_of(request, host, match)
    return await answer(
        request, host, live, submit(host, live, visitor.player, request.POST.get("ply"), request.POST.getlist("move"))
    )


@view("POST")
async def resign(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    live, visitor = await live_of(request, host, match)
    seat = seat_of(live, visitor.player)
    return await answer(request, host, live, host.referee.resign(live, seat, actor_of(visitor.player)))


@view("POST")
async def offer(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    """`offer` is draw, takeback or hint, looking at the board after `ply` moves; `accept`, `decline` and `withdraw` are
    the number of an offer.
    """
    live, visitor = await live_of(request, host, match)
    seat = seat_of(live, visitor.player)
    if live.state.setup.at_one_screen and live.state.recent:
        seat = live.state.recent[-1][1]  # it is the last move that they take back
    actor = actor_of(visitor.player)
    if request.POST.get("offer") == "hint":
        ply = _number(request.POST.get("ply"))
        return await answer(request, host, live, give_hint(host, live, seat, ply, actor))
    command = _about_offer(request.POST, seat, actor)
    return await answer(request, host, live, host.referee.act(live, command))


def _about_offer(form: QueryDict, seat: int, actor: str) -> Offer | AnswerOffer | Withdraw:
    """Raises Refusal."""
    for name in ("accept", "decline"):
        if name in form:
            return AnswerOffer(seat, _number(form[name], name), name == "accept", actor)
    if "withdraw" in form:
        return Withdraw(seat, _number(form["withdraw"], "withdraw"), actor)
    match form.get("offer", ""):
        case ("draw" | "takeback") as what:
            return Offer(seat, what, _number(form.get("ply")), actor)
        case other:
            words = _(
                "Received offer {what}, expected draw, takeback or hint, or accept, decline or withdraw. "
                "Nothing was done."
            )
            raise Refusal("invalid_form", words.format(what=repr(other[:20])))


@view("POST")
async def abort(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    live, visitor = await live_of(request, host, match)
    seat = seat_of(live, visitor.player)
    reason = f"{live.state.setup.seats[seat].name} left before both sides had moved"
    return await answer(request, host, live, host.referee.abort(live, "abort", reason, seat, actor_of(visitor.player)))
