"""The forms of a visitor in a match: move, resign, abort, offer; and hints, which the strongest player computes."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext as _

from arena.bots.builtin.thinkers import ThinkersBusy, ThinkersClosed
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import AnswerOffer, GiveHint, Offer, Refusal, Withdraw
from arena.match.decide import decide
from arena.play.thinking import BUDGET_S
from arena.web.match.acts import actor_of, number_of, seat_of, submit
from arena.web.match.matches import answer, live_of
from arena.web.views import view

ADVISER = "best"


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
    """`offer`: draw, takeback or hint, seen after `ply` moves; `accept`, `decline`, `withdraw`: an offer's number."""
    live, visitor = await live_of(request, host, match)
    seat = seat_of(live, visitor.player)
    if live.state.setup.at_one_screen and live.state.recent:
        seat = live.state.recent[-1][1]  # it is the last move that they take back
    actor = actor_of(visitor.player)
    if request.POST.get("offer") == "hint":
        ply = number_of(request.POST.get("ply"))
        return await answer(request, host, live, give_hint(host, live, seat, ply, actor))
    command = _about_offer(request.POST, seat, actor)
    return await answer(request, host, live, host.referee.act(live, command))


def _about_offer(form: QueryDict, seat: int, actor: str) -> Offer | AnswerOffer | Withdraw:
    """Raises Refusal."""
    for name in ("accept", "decline"):
        if name in form:
            return AnswerOffer(seat, number_of(form[name], name), name == "accept", actor)
    if "withdraw" in form:
        return Withdraw(seat, number_of(form["withdraw"], "withdraw"), actor)
    match form.get("offer", ""):
        case ("draw" | "takeback") as what:
            return Offer(seat, what, number_of(form.get("ply")), actor)
        case other:
            words = _(
                "Received offer {what}, expected draw, takeback or hint, or accept, decline or withdraw. "
                "Nothing was done."
            )
            raise Refusal("invalid_form", words.format(what=repr(other[:20])))


async def give_hint(host: Host, live: LiveMatch, seat: int, ply: int, actor: str) -> None:
    """Put a hint into the log. Raises Refusal if no hint may be given; nothing is computed that would be refused."""
    state = live.state
    moves = state.position.legal_moves()
    if moves and not decide(state, GiveHint(seat, ply, moves[0], actor), datetime.now(UTC)):
        return  # the hint has been given already
    try:
        move = await host.thinkers.think(state.setup.variant, str(state.position), ADVISER, 0, BUDGET_S)
    except (ThinkersBusy, ThinkersClosed):
        raise Refusal("busy", _("The built-in players have too much to think about. Ask again in a moment.")) from None
    await host.referee.act(live, GiveHint(seat, ply, move, actor))


@view("POST")
async def abort(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    live, visitor = await live_of(request, host, match)
    seat = seat_of(live, visitor.player)
    reason = f"{live.state.setup.seats[seat].name} left before both sides had moved"
    return await answer(request, host, live, host.referee.abort(live, "abort", reason, seat, actor_of(visitor.player)))
