"""What a front learns from the host: matches as they run, and answers of functions marked with `of_the_host`. With a
host these are simply called; so a page is rendered where it was requested.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from django.utils.safestring import SafeString, mark_safe

from arena.core.hub import Hub, LiveMatch
from arena.host import Host, NoHost

# Around a text that is HTML already.
_SAFE = "\0safe"

Question = Callable[..., Awaitable[Any]]
P = ParamSpec("P")
T = TypeVar("T")


class Matches(Protocol):
    """The matches of this arena, for people who watch and play in a browser."""

    hub: Hub
    host: Host | None

    async def load(self, match: str) -> LiveMatch | None:
        """The match as it stands, None if there is none. Raises NoHost if it cannot be known just now."""
        ...

    async def watch(self, live: LiveMatch) -> LiveMatch:
        """The match as all its readers share it: staff may still rule on one that is over, and readers hear of that."""
        ...

    async def attend(self, live: LiveMatch) -> LiveMatch:
        """A player looks at this match: if it waited in its log, it is played again. Returns it. Raises NoHost."""
        ...

    async def go_on(self, live: LiveMatch) -> None:
        """Begin the rematch that both players want, if the match is over and both are there."""
        ...

    def enter(self, live: LiveMatch, player: int) -> Callable[[], None] | None:
        """A page of this player has connected; returns what to call when it goes. None for somebody without a seat."""
        ...

    async def play(self, live: LiveMatch, player: int | None, ply: Any, move: Any) -> None:
        """Play `move` as number `ply`, both as a form sent them. Raises Refusal, or NoHost."""
        ...


class Mirror(Matches, Protocol):
    """The host as seen by one of its fronts."""

    async def ask(self, question: str, arguments: list[Any]) -> Any:
        """The host's answer. Raises NoHost if there is none in time."""
        ...


# The questions that the host answers, by name.
questions: dict[str, Question] = {}
_mirrors: list[Mirror] = []


def keep(mirror: Mirror | None) -> None:
    """From now on this process knows its host through this mirror, or has none."""
    _mirrors[:] = [mirror] if mirror is not None else []


def mirror_or_none() -> Mirror | None:
    """The host as this front knows it, None in any other process."""
    return _mirrors[-1] if _mirrors else None


def mirror() -> Mirror:
    """The host as this front knows it. Raises NoHost in any other process."""
    if (found := mirror_or_none()) is None:
        raise NoHost("this process serves no matches, and follows no host")
    return found


def of_the_host(
    function: Callable[Concatenate[Host, P], Awaitable[T]],
) -> Callable[Concatenate[Host | None, P], Awaitable[T]]:
    """Mark a question to the host: its arguments and its value consist of strings, numbers, lists and dictionaries."""
    name = f"{function.__module__}.{function.__name__}"
    questions[name] = function

    @wraps(function)
    async def asked(host: Host | None, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if host is not None:
            return await function(host, *args, **kwargs)
        answer: T = await mirror().ask(name, list(args))
        return answer

    return asked


def packed(value: Any) -> Any:
    """A value for the bus, on which HTML remains HTML; tuples arrive as lists."""
    if isinstance(value, SafeString):
        return {_SAFE: str(value)}
    if isinstance(value, dict):
        return {key: packed(each) for key, each in value.items()}
    return [packed(each) for each in value] if isinstance(value, list | tuple) else value


def unpacked(value: Any) -> Any:
    if isinstance(value, dict):
        return mark_safe(value[_SAFE]) if _SAFE in value else {key: unpacked(each) for key, each in value.items()}
    return [unpacked(each) for each in value] if isinstance(value, list) else value
