"""Which process answers an address, and websockets: who may open one, and which consumer serves it.

A page of another site could open a socket with the visitor's cookies, so the Origin must be this site, port and all
(RFC 6455 section 10.2): the rule of Django's CSRF check, to the letter. Who sends no Origin is no browser, and refused.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port
from django.urls import Resolver404, resolve

from arena.host import socket_path
from arena.protocols import protocols
from arena.transports.websocket import Receive, Send
from arena.web.host_names import is_let_in
from arena.web.sockets.bot_socket import bot_socket
from arena.web.sockets.check_consumer import CheckConsumer
from arena.web.sockets.consumers import LobbyConsumer, RoomConsumer, Scope
from arena.web.sockets.control_consumer import ControlConsumer
from arena.web.sockets.personal_consumer import PersonalConsumer
from arena.web.sockets.waiting_consumer import WaitingConsumer
from arena.web.sockets.wire_consumer import WireConsumer
from arena.web.system.monitoring import ASKED

_MATCH = re.compile(r"/ws/m/([a-z0-9]{1,10})/")
_WIRE = re.compile(r"/ws/m/([a-z0-9]{1,10})/wire/([01])/")
_ROOM = re.compile(r"/ws/r/([A-Za-z0-9._-]{1,40})/")
_CHECK = re.compile(r"/ws/bots/([^/]{1,100})/check/")
_LOBBY, _CONTROL, _ME = "/ws/lobby/", "/ws/control/", "/ws/me/"
# Of the admin: lists, rows, their histories and the control room are read from the database. Its actions show what the
# host has in memory.
_ADMIN_ROWS = re.compile(r"index|\w+_(changelist|change|history)")


def is_static(scope: Scope) -> bool:
    """Whether a request is for a file that lies in every process."""
    path: str = scope["path"]
    return scope["type"] == "http" and path.startswith(settings.STATIC_URL)


def reads_rows(scope: Scope) -> bool:
    """Whether a request only reads, and committed rows are enough to answer it: then any process can.

    Every other method goes to the host, and so do views that say that they need it, for GET as well.
    """
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or scope["path"] in ASKED:
        return False
    try:
        found = resolve(scope["path"])
    except Resolver404:
        return True  # the words for that need no host
    if found.app_name == "admin":
        return bool(_ADMIN_ROWS.fullmatch(found.url_name or "")) and b"_action" not in scope["query_string"]
    return bool(getattr(found.func, "reads_rows", False))


def stays(scope: Scope) -> bool:
    """Whether a front answers by itself: files, what rows can answer, the websockets of matches, which it follows, and
    those of the administration, which read rows.
    """
    if scope["type"] == "websocket":
        return scope["path"] == _CONTROL or _MATCH.fullmatch(scope["path"]) is not None
    return is_static(scope) or reads_rows(scope)


async def websockets(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application of all websockets. A request that is refused here gets 403 before it becomes a websocket."""
    spoken = {socket_path(slug): slug for slug, adapter in protocols().items() if adapter.websocket}
    if slug := spoken.get(scope["path"]):
        await bot_socket(slug, scope, receive, send)
        return
    match, wire = _MATCH.fullmatch(scope["path"]), _WIRE.fullmatch(scope["path"])
    room, check = _ROOM.fullmatch(scope["path"]), _CHECK.fullmatch(scope["path"])
    known = match or wire or room or check or scope["path"] in (_LOBBY, _CONTROL, _ME)
    if not known or not is_ours(scope) or b"%00" in scope["query_string"]:  # PostgreSQL looks up no NUL
        await receive()
        await send({"type": "websocket.close"})
    elif match:
        await RoomConsumer(match[1]).run(scope, receive, send)
    elif wire:
        await WireConsumer(wire[1], int(wire[2])).run(scope, receive, send)
    elif room:
        await WaitingConsumer(room[1]).run(scope, receive, send)
    elif check:
        await CheckConsumer(check[1]).run(scope, receive, send)
    elif scope["path"] == _ME:
        await PersonalConsumer().run(scope, receive, send)
    elif scope["path"] == _CONTROL:
        await ControlConsumer().run(scope, receive, send)
    else:
        await LobbyConsumer().run(scope, receive, send)


def is_ours(scope: Scope) -> bool:
    """Whether the socket was opened by a page of this site, or of one of CSRF_TRUSTED_ORIGINS."""
    headers = dict(scope["headers"])
    origin = headers.get(b"origin", b"").decode("latin1").lower()
    host = headers.get(b"host", b"").decode("latin1").lower()
    domain, _ = split_domain_port(host)
    if not origin or not domain or not is_let_in(domain):
        return False
    trusted = settings.CSRF_TRUSTED_ORIGINS
    scheme = "https" if scope.get("scheme") == "wss" else "http"
    return origin == f"{scheme}://{host}" or any(_is_trusted(origin, each.lower()) for each in trusted)


def _is_trusted(origin: str, trusted: str) -> bool:
    """`https://*.example.org` means every name below example.org, with the same scheme and port."""
    if "*" not in trusted:
        return origin == trusted
    asked, below = urlsplit(origin), urlsplit(trusted.replace("*", "", 1))
    return asked.scheme == below.scheme and asked.netloc.endswith(below.netloc)
