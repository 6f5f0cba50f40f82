"""The parameters of lists: each list declares what its parameters may be; they are read in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, NoReturn, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest

import games
from arena import protocols
from arena.common.numbers import whole_number
from arena.match.commands import Refusal
from arena.web.asked import moment_in

MOST_IN_A_LIST, USUAL_IN_A_LIST = 200, 50
MOST_KEY = 2**63 - 1
M = TypeVar("M", bound=Model)


class WrongQuery(Refusal):
    """A query that cannot be answered. The sentence names what was received and what was expected."""

    def __init__(self, sentence: str) -> None:
        super().__init__("wrong_query", sentence)


@dataclass(frozen=True, slots=True)
class Parameter:
    """The possible values of `?name=`: one of `allowed`, a whole number from `least` to `most`, a time, or any text."""

    words: str
    allowed: Callable[[], Sequence[str]] | None = None
    least: int = 1
    most: int | None = None
    is_time: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The OpenAPI schema."""
        if self.most is not None:
            return {"type": "integer", "minimum": self.least, "maximum": self.most}
        if self.is_time:
            return {"type": "string", "format": "date-time"}
        return {"type": "string", **({"enum": list(self.allowed())} if self.allowed else {"pattern": "^[^\\u0000]*$"})}


Parameters = Mapping[str, Parameter]

VARIANT = Parameter("A variant of a game.", games.slugs)
PROTOCOL = Parameter("A protocol of bots.", protocols.slugs)
LIMIT = Parameter(f"How many; {USUAL_IN_A_LIST} if not given.", most=MOST_IN_A_LIST)


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: the text of each parameter, "" if not given."""

    values: Mapping[str, str]
    limit: int = USUAL_IN_A_LIST

    def __getitem__(self, name: str) -> str:
        return self.values[name]

    def number(self, name: str) -> int | None:
        return int(self.values[name]) if self.values[name] else None

    def time(self, name: str) -> datetime | None:
        return moment_in(self.values[name])


def read(request: HttpRequest, parameters: Parameters) -> Query:
    """The query of a list with its `limit`. Raises WrongQuery for a wrong value, an unknown or repeated parameter."""
    known = {**parameters, "limit": LIMIT}
    for name, values in request.GET.lists():
        if name not in known:
            _wrong(f"There is no parameter {name[:40]!r} here; there are {', '.join(known)}.")
        if len(values) > 1:
            _wrong(f"{name} is given {len(values)} times, expected once.")
    found = {name: _checked(name, request.GET.get(name, ""), known[name]) for name in known}
    limit = found.pop("limit")
    return Query(found, int(limit) if limit else USUAL_IN_A_LIST)


def next_address(request: HttpRequest, name: str, value: object) -> str:
    """The address of the next page: `name` is the parameter that says where it begins."""
    query = request.GET.copy()
    query[name] = str(value)
    return f"{request.path}?{query.urlencode()}"


async def a_page(
    request: HttpRequest, rows: QuerySet[M], wish: Query, name: str, key: Callable[[M], object] = attrgetter("pk")
) -> tuple[list[M], str | None]:
    """The first rows that are wished for, and the address of the next page, None after the last."""
    found = [row async for row in rows[: wish.limit + 1]]
    more = next_address(request, name, key(found[wish.limit - 1])) if len(found) > wish.limit else None
    return found[: wish.limit], more


def _checked(name: str, value: str, parameter: Parameter) -> str:
    allowed, most = parameter.allowed, parameter.most
    if not value:
        return ""
    if "\0" in value:
        _wrong(f"{name} has a NUL, which is in no name and no id.")
    if allowed is not None and value not in (known := allowed()):
        _wrong(f"{name}={value[:40]}: expected one of {', '.join(known)}.")
    if most is not None and whole_number(value, parameter.least, most) is None:
        _wrong(f"{name}={value[:40]}: expected a whole number from {parameter.least} to {most}.")
    if parameter.is_time and moment_in(value) is None:
        _wrong(f"{name}={value[:40]}: expected a time such as 2026-01-31T12:00:00Z.")
    return value


def _wrong(sentence: str) -> NoReturn:
    raise WrongQuery(sentence)
