"""What a process that is not the host learns from the host: matches as they run, and answers to questions.

What a page shows of the host's memory is a function marked with `of_the_host`. Called with a host it is just called; in
a front, where there is none, the host is asked for its value. So a page is made where it was asked for.
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
    """The matches of this arena for those who look on and play in a browser."""

    hub: Hub
    host: Host | None

    async def load(self, match: str) -> LiveMatch | None:
        """The match as it stands, None if there is none. Raises NoHost if it cannot be known just now."""
        ...

    async def watch(self, live: LiveMatch) -> LiveMatch:
        """The match as all who look at it share it: one that is over may still be ruled on, which they hear."""
        ...

    async def attend(self, live: LiveMatch) -> LiveMatch:
        """Somebody who sits at this match looks at it: what waited in its log is played again. Returns the match as its
        players share it. Raises NoHost.
        """
        ...

    async def go_on(self, live: LiveMatch) -> None:
        """Begin what both players have asked for, if it is over and both are there."""
        ...

    def enter(self, live: LiveMatch, player: int) -> Callable[[], None] | None:
        """A page of this player's has come; returns what to call when it goes. None for somebody who sits nowhere."""
        ...

    async def play(self, live: LiveMatch, player: int | None, ply: Any, move: Any) -> None:
        """Play `move` as number `ply`, both as they came from a form. Raises Refusal, or NoHost."""
        ...


class Mirror(Matches, Protocol):
    """The host as one of its fronts knows it."""

    async def ask(self, question: str, arguments: list[Any]) -> Any:
        """The host's answer. Raises NoHost if there is none in time."""
        ...


# What the host can be asked, by name.
questions: dict[str, Question] = {}
_mirrors: list[Mirror] = []


def keep(mirror: Mirror | None) -> None:
    """This process knows its host by this mirror from now on, or has none any more."""
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
    """Mark a question to the host: its arguments and its value are made of texts, numbers, lists and dictionaries."""
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
    """A value for the bus, where HTML stays what it is; tuples arrive as lists."""
    if isinstance(value, SafeString):
        return {_SAFE: str(value)}
    if isinstance(value, dict):
        return {key: packed(each) for key, each in value.items()}
    return [packed(each) for each in value] if isinstance(value, list | tuple) else value


def unpacked(value: Any) -> Any:
    if isinstance(value, dict):
        return mark_safe(value[_SAFE]) if _SAFE in value else {key: unpacked(each) for key, each in value.items()}
    return [unpacked(each) for each in value] if isinstance(value, list) else value
