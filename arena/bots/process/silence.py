"""Finds out whether a program says an optional name before it is asked for anything.

A program that is still starting is not silent, and a start takes seconds on a busy machine. But one that waits for
input has started. A program that cannot be seen waiting has the protocol's full handshake time.
"""

from __future__ import annotations

import asyncio

from arena.play.meaning import Looks
from arena.protocols.adapter import Adapter
from arena.transports.process import ChildTransport


async def says_no_name(adapter: Adapter, process: ChildTransport) -> bool:
    """Whether the program waits for input and has sent nothing; False once it has, or has ended."""
    looks = Looks()
    while adapter.listens and process.exit_status is None:
        await asyncio.sleep(looks.pause_s)
        if looks.waits(process.waits_for_input() and adapter.listens):
            return True
    return False
