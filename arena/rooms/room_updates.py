"""Who follows rooms by their codes: pages, which outlive the room that they show.

A room is closed and opened again under its code, and a page may wait for one that is not open yet. An update has no
contents: the reader asks for what it shows, so one that is slow misses nothing.
"""

from __future__ import annotations

from collections.abc import Callable


class RoomUpdates:
    """By the code in capitals."""

    def __init__(self) -> None:
        self._followers: dict[str, tuple[Callable[[], None], ...]] = {}

    def follow(self, code: str, call: Callable[[], None]) -> None:
        """Call this whenever the room with this code may look different."""
        self._followers[code] = (*self._followers.get(code, ()), call)

    def unfollow(self, code: str, call: Callable[[], None]) -> None:
        left = tuple(each for each in self._followers.get(code, ()) if each != call)
        if left:
            self._followers[code] = left
        else:
            self._followers.pop(code, None)

    def publish(self, code: str) -> None:
        """The room with this code may look different."""
        for call in self._followers.get(code, ()):
            call()
