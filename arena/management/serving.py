"""The options of the web server from the settings: the same in `serve` and in its page workers."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from arena.common.limits import Rate, networks
from arena.server.guards import PAGE, ServerLimits, SocketLimits
from arena.web import refusal_pages


def server_options(processes: int = 1) -> dict[str, Any]:
    """Options of `arena.server.server.ArenaServer`, for one of this many processes that share the port."""
    return {
        "limits": _limits(processes),
        "static_path": settings.STATIC_URL,
        "error_pages": refusal_pages,
        "proxy_hops": settings.TRUSTED_PROXY_HOPS,
        "trusted_nets": networks(settings.ARENA_TRUSTED_NETS),
    }


def _limits(processes: int) -> ServerLimits:
    """Limits per address are divided among the processes; limits per websocket are not."""
    connections, each = settings.ARENA_LIMIT_CONNECTIONS
    pages = settings.ARENA_LIMIT_PAGES
    return ServerLimits(
        connections=_share(connections, processes),
        connections_per_address=_share(each, processes),
        pages=Rate(pages.at_once and max(PAGE, pages.at_once / processes), pages.per_second / processes),
        socket=SocketLimits(
            frames=settings.ARENA_LIMIT_FRAMES,
            pings=settings.ARENA_LIMIT_PINGS,
            bytes=settings.ARENA_LIMIT_BYTES,
        ),
    )


def _share(most: int, processes: int) -> int:
    """Rounded up, so that a limit never becomes none."""
    return -(-most // processes)
