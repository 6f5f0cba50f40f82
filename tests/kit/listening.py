"""A port of TCP that takes at once who connects."""

from __future__ import annotations

from collections.abc import Callable

from arena.transports import Gate, Receiver, Transport
from arena.transports.tcp import Listener, reserve


async def listen(
    host: str, port: int, make_receiver: Callable[[Transport], Receiver], gate: Gate | None = None
) -> Listener:
    listener = await reserve(host, port, make_receiver, gate)
    listener.start_serving()
    return listener
