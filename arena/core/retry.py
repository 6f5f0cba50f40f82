"""Acts that must not be lost wait even in a full mailbox, in order, and are posted again while the store is busy."""

from __future__ import annotations

import asyncio
import time

from arena.core.hub import LiveMatch
from arena.core.referee import Referee, Reply
from arena.match.commands import Command, Play, Refusal

AGAIN_S = 0.05


def nobody(refusal: Refusal | None) -> None:
    """A reply callback for acts without a sender; a refusal means the match was over, so there is nothing to do."""


def retry(
    referee: Referee, live: LiveMatch, command: Command, stamp: float | None = None, reply: Reply = nobody
) -> None:
    """Post an act until it is judged. It keeps its `stamp` (monotonic, now if None), so waiting makes nobody late."""
    at = time.monotonic() if stamp is None else stamp
    # An act decided on a state that another process has changed is decided again, but a move was meant for its
    # position.
    again = ("busy",) if type(command) is Play else ("busy", "stale")

    def judged(refusal: Refusal | None) -> None:
        if refusal is not None and refusal.code in again:
            asyncio.get_running_loop().call_later(AGAIN_S, referee.post, live, command, judged, at, True)
        else:
            reply(refusal)

    referee.post(live, command, judged, at, True)
