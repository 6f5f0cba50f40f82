"""What the web server needs: options from the settings, the same in `serve` and in its page workers, and threads."""

from __future__ import annotations

import threading
from typing import Any

from django.conf import settings

from arena.common.limits import Rate, networks
from arena.server.guards import PAGE, ServerLimits, SocketLimits
from arena.web import refusal_pages

# As many as a server has with a page worker and a process that computes, when little is played.
THREADS = 32


def why_too_few_threads() -> str:
    """Why a server could not work here, "" if it can: without threads it would answer each page with an error. The
    kernel counts them for the user or the container, together with processes, and tells only who tries.
    """
    over, started = threading.Event(), list[threading.Thread]()
    try:
        for _ in range(THREADS):
            started.append(threading.Thread(target=over.wait))
            started[-1].start()
    except RuntimeError:
        started.pop()
        return (
            f"Only {len(started)} more threads can be started here, and a server needs {THREADS}: raise the limit of "
            "processes (ulimit -u, TasksMax= of systemd, --pids-limit of a container), or end what uses them up."
        )
    finally:
        over.set()
        for thread in started:
            thread.join()
    return ""


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
