"""Requests of monitoring come before everything else: they are made on the machine itself, past the proxy, and must be
answered without a host name, session, TLS or database.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from asgiref.sync import async_to_sync, iscoroutinefunction
from django.http import HttpRequest, HttpResponse

from arena.web.host_names import is_address, is_let_in
from arena.web.middleware import Middleware
from arena.web.system import health, metrics

Ask = Callable[[HttpRequest], Awaitable[HttpResponse]]

ASKED: Mapping[str, Ask] = MappingProxyType(
    {"/healthz": health.healthz, "/readyz": health.readyz, "/metrics": metrics.metrics}
)


class MonitoringMiddleware(Middleware):
    """The outermost middleware: answers these addresses, and passes on all others."""

    def __call__(self, request: HttpRequest) -> HttpResponse | Awaitable[HttpResponse]:
        if ask := _asked(request):
            return ask(request) if iscoroutinefunction(self) else async_to_sync(ask)(request)
        metrics.asked[request.method or ""] += 1
        return super().__call__(request)


def _asked(request: HttpRequest) -> Ask | None:
    ask = ASKED.get(request.path) if request.method in ("GET", "HEAD") else None
    return ask if ask is None or _is_named_so(request) else None


def _is_named_so(request: HttpRequest) -> bool:
    """Whether the Host header is an address of a machine, or a name of ours.

    A foreign name that resolves to this machine would let a page of its owner read our answers to a browser here.
    """
    try:
        name = urlsplit(f"//{request.META.get('HTTP_HOST', '')}").hostname or "localhost"
        return name == "localhost" or is_let_in(name) or is_address(name)
    except ValueError:
        return False
