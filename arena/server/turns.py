"""A limited number of one kind are worked on at a time; the others wait for their turn."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable

GoOn = Callable[[], None]


class Turns:
    """Lets so many callers in at once for each key, in order. A waiting caller is known by its `go_on`."""

    def __init__(self, most: int) -> None:
        """With `most` 0 everybody may enter at once."""
        self._most = most
        self.working: Counter[str] = Counter()
        self._waiting: dict[str, deque[GoOn]] = {}

    def enter(self, key: str, go_on: GoOn) -> bool:
        """Whether it may continue now; if not, `go_on` is called when it may. A caller that has entered leaves once."""
        if self._most and self.working[key] >= self._most:
            self._waiting.setdefault(key, deque()).append(go_on)
            return False
        self.working[key] += 1
        return True

    def leave(self, key: str, go_on: GoOn) -> None:
        """Its work is done, or it no longer waits."""
        waiting = self._waiting.get(key, deque())
        if go_on in waiting:
            waiting.remove(go_on)
            following = None
        else:
            following = waiting.popleft() if waiting else None
            if following is None:
                self.working[key] -= 1
        if not waiting:
            self._waiting.pop(key, None)
        if not self.working[key]:
            del self.working[key]
        if following is not None:
            following()
