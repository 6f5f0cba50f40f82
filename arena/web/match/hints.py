"""Hints against built-in players: what the strongest of them would play, computed on request."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils.translation import gettext as _

from arena.bots.builtin.thinkers import ThinkersBusy, ThinkersClosed
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import GiveHint, Refusal
from arena.match.decide import decide
from arena.play.thinking import BUDGET_S

LEVEL = "best"


async def give_hint(host: Host, live: LiveMatch, seat: int, ply: int, actor: str) -> None:
    """Put a hint into the log. Raises Refusal if no hint may be given; nothing is computed that would be refused."""
    state = live.state
    moves = state.position.legal_moves()
    if moves and not decide(state, GiveHint(seat, ply, moves[0], actor), datetime.now(UTC)):
        return  # the hint has been given already
    try:
        move = await host.thinkers.think(state.setup.variant, str(state.position), LEVEL, 0, BUDGET_S)
    except (ThinkersBusy, ThinkersClosed):
        raise Refusal("busy", _("The built-in players have too much to think about. Ask again in a moment.")) from None
    await host.referee.act(live, GiveHint(seat, ply, move, actor))
