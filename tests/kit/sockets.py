"""Clients of websockets that wait as long as a test does. The library's own give up an opening after 10 s, and a
connection whose server has not answered their pings for 20 s, which a busy machine may need.
"""

from __future__ import annotations

from typing import Any

import websockets.asyncio.client
import websockets.sync.client

from tests.kit.deadline import DEADLINE_S

_PATIENT: dict[str, Any] = {"open_timeout": DEADLINE_S, "close_timeout": DEADLINE_S, "ping_interval": None}


def connect(address: str, **how: Any) -> websockets.asyncio.client.connect:
    """As the library's for asyncio, to be awaited or entered."""
    return websockets.asyncio.client.connect(address, **_PATIENT, **how)


def connect_blocking(address: str, **how: Any) -> websockets.sync.client.ClientConnection:
    """As the library's for threads; it is connected when this returns."""
    connection: websockets.sync.client.ClientConnection = websockets.sync.client.connect(address, **_PATIENT, **how)
    return connection
