from __future__ import annotations

import pytest
from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse

from arena.host import Host
from arena.web.middleware import Middleware
from tests.kit.browsing import Person, text


class Marked(Middleware):
    """Marks what goes through it."""

    def before(self, request: HttpRequest) -> None:
        request.path = "/seen-in-a-thread/"

    async def before_on_loop(self, request: HttpRequest) -> None:
        request.path = "/seen-on-the-loop/"

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response["X-After"] = "yes"
        return response


def echo(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.path)


async def echo_later(request: HttpRequest) -> HttpResponse:
    return echo(request)


def test_a_view_in_a_thread_is_answered_there() -> None:
    answered = Marked(echo)(HttpRequest())
    assert isinstance(answered, HttpResponse)
    assert (answered.content, answered["X-After"]) == (b"/seen-in-a-thread/", "yes")


async def test_a_view_on_the_loop_is_awaited() -> None:
    middleware = Marked(echo_later)
    assert iscoroutinefunction(middleware)
    awaited = middleware(HttpRequest())
    assert not isinstance(awaited, HttpResponse)
    answered = await awaited
    assert (answered.content, answered["X-After"]) == (b"/seen-on-the-loop/", "yes")


async def test_by_itself_it_changes_nothing() -> None:
    awaited = Middleware(echo_later)(HttpRequest())
    assert not isinstance(awaited, HttpResponse) and (await awaited).content == b""


@pytest.mark.parametrize("path", ["/r/%00/", "/bots/a%00b/", "/@/%00/", "/t/%00/", "/nowhere%00"])
async def test_no_address_has_a_nul(host: Host, path: str) -> None:
    answer = await Person().get(path)
    assert answer.status_code == 400 and "This request cannot be read" in text(answer)
    answer = await Person().get(f"/api/v1{path}")
    assert answer.status_code == 400 and "This request cannot be read" in text(answer)
    assert answer["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    "path",
    [
        *("/bots/?after=%00", "/puzzles/next/?variant=a%00", "/archive/?player=%00", "/archive/?before=%00"),
        *("/offline/?game=%00", "/t/spring-cup/?round=%00", "/admin/search/?q=%00"),
    ],
)
async def test_no_query_has_a_nul(host: Host, path: str) -> None:
    answer = await Person().get(path)
    assert answer.status_code == 400 and "This request cannot be read" in text(answer)
