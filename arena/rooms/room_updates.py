"""Who follows rooms: the owner of the room object itself and, by their codes, pages, which outlive the room they show.
An update has no contents: the reader asks, so a slow one misses nothing.
"""

from __future__ import annotations

from collections.abc import Callable


class Followers:
    """Readers that are told that a room may look different; they ask the room for the difference."""

    __slots__ = ("_calls",)

    def __init__(self) -> None:
        self._calls: tuple[Callable[[], None], ...] = ()

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, call: Callable[[], None]) -> None:
        self._calls += (call,)

    def remove(self, call: Callable[[], None]) -> None:
        self._calls = tuple(each for each in self._calls if each != call)

    def tell(self) -> None:
        for call in self._calls:
            call()


class RoomUpdates:
    """The followers of rooms, by the code in capitals."""

    def __init__(self) -> None:
        self._followers: dict[str, Followers] = {}

    def follow(self, code: str, call: Callable[[], None]) -> None:
        """Call this whenever the room with this code may look different."""
        self._followers.setdefault(code, Followers()).add(call)

    def unfollow(self, code: str, call: Callable[[], None]) -> None:
        if followers := self._followers.get(code):
            followers.remove(call)
            if not followers:
                del self._followers[code]

    def publish(self, code: str) -> None:
        """The room with this code may look different."""
        if followers := self._followers.get(code):
            followers.tell()


class PublicFollowers(Followers):
    """The followers of a room that is found by its code: whoever follows the code is told as well."""

    __slots__ = ("_code", "_updates")

    def __init__(self, updates: RoomUpdates, code: str) -> None:
        super().__init__()
        self._updates, self._code = updates, code

    def tell(self) -> None:
        super().tell()
        self._updates.publish(self._code)
