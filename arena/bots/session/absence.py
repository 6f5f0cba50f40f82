"""A lost connection in the middle of a match: the bot may return for a while, then the match is lost. The session
determines how long it is awaited, and the loss; its `absence` is the timer.
"""

from __future__ import annotations

import asyncio
from typing import cast

from arena.bots.session.finding import Connected
from arena.core.hub import Presence
from arena.core.referee import Referee
from arena.core.retry import retry
from arena.core.waiting import must_wait
from arena.match.commands import Fault
from arena.rooms.plan import Occupant


def begin(session: Connected, referee: Referee) -> None:
    """The bot is gone. Answers that it sent ahead still play for it, and it is awaited when they have run out."""
    if session.live is None or session.live.over or session.absence is not None:
        return
    if session.adapter.ahead:  # a connection that is reset had no end of its input
        session.connection.step(session.adapter.receive_eof)
        return
    loop = asyncio.get_running_loop()
    if not session.grace_s:
        _did_not_return(session, referee)
        return
    until = loop.time() + session.grace_s
    session.absence = loop.call_at(until, _did_not_return, session, referee)
    referee.signal(session.live, session.seat, Presence(False, until, session.why_gone))


def end(session: Connected) -> None:
    """Stop waiting."""
    if session.absence is not None:
        session.absence.cancel()
        session.absence = None


def _did_not_return(session: Connected, referee: Referee) -> None:
    session.absence = None
    if session.live is None or session.live.over:
        return
    if session.grace_s and must_wait(referee, session.live, session.grace_s):
        begin(session, referee)
        if session.room is not None:
            session.room.lose(cast(Occupant, session), session.grace_s)  # its seat is kept as long
        return
    loss = session.why_lost(session.why_gone)
    back = f"{session.setup.name} did not come back within {session.grace_s:g} s"
    reason = back if session.grace_s else loss.reason
    retry(referee, session.live, Fault(session.seat, loss.code, reason, loss.received, loss.expected))
