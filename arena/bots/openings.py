"""How many rooms one address may open by naming them: so many at once, then one in a while."""

from __future__ import annotations

import time

AT_ONCE, PER_S = 20.0, 1 / 6
MOST_ADDRESSES = 10_000


class Openings:
    """The rooms that bots of each address may still open at one door. `now` is of `time.monotonic`."""

    def __init__(self) -> None:
        self._left: dict[str, tuple[float, float]] = {}

    def may_open(self, address: str, now: float | None = None) -> bool:
        """Whether this address may open one more; if so it is counted."""
        now = time.monotonic() if now is None else now
        left, since = self._left.get(address, (AT_ONCE, now))
        left = min(AT_ONCE, left + (now - since) * PER_S)
        if len(self._left) >= MOST_ADDRESSES:
            self._left.clear()  # what is counted is worth little, memory for every address is not
        self._left[address] = (left - 1 if left >= 1 else left, now)
        return left >= 1
