"""People for tests: each has a browser with its own cookies, and does what a person can do."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from ipaddress import ip_network
from typing import Any, Protocol

from asgiref.sync import ThreadSensitiveContext
from django.http import HttpResponse
from django.test import AsyncClient

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.rooms.room import LiveRoom
from tests.kit.until import until

HTMX = {"HX-Request": "true"}
_ADDRESSES = ip_network("198.18.0.0/15").hosts()  # nobody's: networks are tested with them


class Answer(Protocol):
    """An answer of Django's handlers or, with more attributes, of its test client."""

    @property
    def content(self) -> bytes: ...


class Person:
    """A browser: `get` and `post` answer as the server does, each request with a thread of its own for the database."""

    def __init__(self, **options: Any) -> None:
        self.client = AsyncClient(**options)

    async def get(self, path: str, **headers: str) -> HttpResponse:
        async with ThreadSensitiveContext():
            return await self.client.get(path, headers=headers)  # type: ignore[return-value]

    async def post(self, path: str, headers: dict[str, str] | None = None, /, **fields: Any) -> HttpResponse:
        async with ThreadSensitiveContext():
            return await self.client.post(path, fields, headers=headers or {})  # type: ignore[return-value]

    async def play(self, live: LiveMatch, move: str, ply: int | None = None, /, **headers: str) -> HttpResponse:
        number = live.state.position.ply + 1 if ply is None else ply
        return await self.post(f"/m/{live.id}/move/", headers, ply=number, move=move)

    @property
    def cookies(self) -> str:
        return "; ".join(f"{name}={morsel.value}" for name, morsel in self.client.cookies.items())


def new_address() -> str:
    """An address that no test of this process has had: what limits count outlives a test."""
    return str(next(_ADDRESSES))


def far_away(address: str = "") -> Person:
    """Somebody at this or at a new address, because limits do not count the machine itself."""
    person = Person()
    person.client = _ClientAt(address or new_address())
    return person


class _ClientAt(AsyncClient):
    """A Django test client at this address."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    def _base_scope(self, **request: Any) -> dict[str, Any]:
        scope: dict[str, Any] = super()._base_scope(**request)  # type: ignore[misc]  # its types leave it out
        return {**scope, "client": [self._address, 0]}


async def two_people(host: Host, **fields: Any) -> tuple[LiveMatch, Person, Person]:
    """A match of two people who met in a room; the first one moves first."""
    first, second = Person(), Person()
    created = await first.post("/r/new/", **{"variant": "connect-four-7x6", "clock": "none", "rounds": "1", **fields})
    seated = await second.post(f"{created['Location']}sit/")
    live = host.hub.get(match_of(seated))
    assert live is not None
    return live, first, second


def shorten_break(room: LiveRoom) -> None:
    """The next round begins soon; people have five seconds to look at the last one."""
    room.plan = replace(room.plan, break_s=0.3)


async def second_round(host: Host) -> tuple[LiveMatch, LiveMatch, Person]:
    """The first round of two, in which the first player has resigned, the second, which has begun, and that player."""
    live, first, _ = await two_people(host, rounds="2")
    room = host.lobby.rooms[live.room_code.upper()]
    shorten_break(room)
    await first.post(f"/m/{live.id}/resign/")
    await until(lambda: room.live is not live)
    assert room.live is not None
    return live, room.live, first


def match_of(response: HttpResponse) -> str:
    """The match to which an answer redirects."""
    found = re.fullmatch(r"/m/([a-z0-9]+)/", response.get("Location", ""))
    assert found, f"{response.status_code} {response.get('Location')}: {text(response)[:2000]}"
    return found[1]


def text(response: Answer) -> str:
    return response.content.decode()


def untied(page: str) -> set[str]:
    """What is said to be wrong on this page without being read with its field, by id."""
    described = {each for ids in re.findall(r'aria-describedby="([^"]*)"', page) for each in ids.split()}
    return {*re.findall(r'class="wrong"(?: id="([^"]*)")?', page)} - described


async def says(person: Person, path: str, **fields: Any) -> tuple[int, str]:
    """The status and the text of the answer to this form."""
    answer = await person.post(path, **fields)
    return answer.status_code, html.unescape(text(answer))


def context(response: HttpResponse) -> dict[str, Any]:
    """The context of its template, which Django's client keeps with the answer."""
    found = vars(response)["context"]
    return dict(found.flatten() if hasattr(found, "flatten") else found[0].flatten())  # several if it was in parts


def flowing(response: Answer) -> str:
    """Its text with line breaks read as blanks, as in a browser."""
    return " ".join(text(response).split())
