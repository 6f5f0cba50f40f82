"""`/ws/<protocol>/`: a websocket on which a bot speaks this protocol, a line a message. It shows its token in
`Authorization`, which no page of another site can do, so no Origin is required.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.bots.seats.stored import refused_while_storage_fails
from arena.bots.session import tokens
from arena.common.limits import host_of
from arena.host import NoHost, here
from arena.match.commands import Refusal
from arena.transports.websocket import POLICY, Receive, Send, WebSocketTransport
from arena.web.open_sockets import AGAIN

# Unknown identity.
UNKNOWN = 4401
BUSY = "busy"


async def bot_socket(slug: str, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    """The ASGI application of one bot's websocket."""
    await receive()
    await send({"type": "websocket.accept"})
    transport = WebSocketTransport(_peer(scope))
    try:
        host = here()
        with refused_while_storage_fails(BUSY):
            whose = await tokens.find(_token(scope))
        door = host.socket_door(slug)  # only now, because the host may have closed its doors meanwhile
    except NoHost:
        await send({"type": "websocket.close", "code": AGAIN, "reason": "the server is starting"})
        return
    except Refusal as refusal:
        await _refuse(send, refusal)
        return
    try:
        if door.gate.enter(transport) is not None:
            await send({"type": "websocket.close", "code": POLICY, "reason": door.gate.why(host_of(transport.peer))})
        else:
            await transport.serve(door.receive(transport, whose).connection, receive, send)
    except Refusal as refusal:
        await _refuse(send, refusal)
    finally:
        door.gate.leave(transport)


async def _refuse(send: Send, refusal: Refusal) -> None:
    code = AGAIN if refusal.code == BUSY else UNKNOWN
    await send({"type": "websocket.close", "code": code, "reason": f"{refusal.code}: {refusal.sentence}"})


def _token(scope: Mapping[str, Any]) -> str:
    """The token in the Authorization header. Raises Refusal if there is none."""
    found: bytes = dict(scope["headers"]).get(b"authorization", b"")
    scheme, _, token = found.decode("latin1").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Refusal("no_token", "Expected the header Authorization: Bearer and a token")
    return token.strip()


def _peer(scope: Mapping[str, Any]) -> str:
    host, port = (scope.get("client") or ("unknown", 0))[:2]
    return f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}"
