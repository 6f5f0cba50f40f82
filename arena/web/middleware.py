"""Middleware for requests that are answered on the loop or in a thread: the same code for both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse


class Middleware:
    """Calls the next handler; a subclass does something before or after it."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponse | Awaitable[HttpResponse]:
        if iscoroutinefunction(self.get_response):
            return self._awaited(request)
        self.before(request)
        return self.after(request, self.get_response(request))

    async def _awaited(self, request: HttpRequest) -> HttpResponse:
        await self.before_on_loop(request)
        return self.after(request, await self.get_response(request))

    def before(self, request: HttpRequest) -> None:
        """Runs in a thread, before the request is answered."""

    async def before_on_loop(self, request: HttpRequest) -> None:
        """The same on the loop."""

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """The answer to send instead of `response`."""
        return response


class NoNul(Middleware):
    """Refuses an address with NUL, which PostgreSQL cannot store in text: looking it up would be an error. That of a
    websocket is refused in arena/routing.py, and the API names the parameter.
    """

    def before(self, request: HttpRequest) -> None:
        in_query = "%00" in request.META["QUERY_STRING"] and not request.path.startswith("/api/")
        if "\0" in request.path or in_query:
            raise BadRequest("the address has a NUL")

    async def before_on_loop(self, request: HttpRequest) -> None:
        self.before(request)
