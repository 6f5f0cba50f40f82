"""Whether a program says a name before it is asked for anything, where its protocol leaves that open.

A program that is still starting is not silent, and a start takes seconds on a busy machine. But one that waits for its
input has started. A program that cannot be seen waiting has the protocol's whole time for the handshake.
"""

from __future__ import annotations

import asyncio

from arena.protocols.adapter import Adapter
from arena.transports.process import ChildTransport

# Every look walks through /proc, so those at a program that takes long to start become rare.
SOON_S, SELDOM_S = 0.01, 0.2
# One of two processes may sleep for a moment, while the other has long been waiting for what the first will say.
LOOKS = 2


async def says_no_name(adapter: Adapter, process: ChildTransport) -> bool:
    """Whether the program waits for input and has not said a word; False once it is known otherwise, or has ended."""
    pause_s, waits = SOON_S, 0
    while adapter.listens and process.exit_status is None:
        await asyncio.sleep(pause_s)
        waits = waits + 1 if process.waits_for_input() and adapter.listens else 0
        if waits == LOOKS:
            return True
        pause_s = SOON_S if waits else min(2 * pause_s, SELDOM_S)
    return False
