"""An honest match on a server that is attacked: two bots on this machine that answer at once."""

from __future__ import annotations

import json
import selectors
import socket
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any, NamedTuple

from tests.attacks.elsewhere import Network
from tests.attacks.serving import NATIVE
from tests.kit.deadline import DEADLINE_S

# A hundred stones, of which everybody takes one. Attackers play something else, or they would be met.
VARIANT = "expanding-nim"


class Played(NamedTuple):
    """How matches ended, and the seconds from each answer to the question that it led to."""

    endings: list[str]
    times: list[float]


def play_until(elsewhere: Network, is_over: Callable[[], bool]) -> Played:
    """Match after match, one at least."""
    endings, times = list[str](), list[float]()
    while not endings or not is_over():
        endings.append(_play(elsewhere, times))
    return Played(endings, times)


def _play(elsewhere: Network, times: list[float]) -> str:
    with closing(_Bot(elsewhere, "ada")) as one, closing(_Bot(elsewhere, "bob")) as two, _both(one, two) as waiting:
        answered_at: float | None = None
        while True:
            ready = waiting.select(DEADLINE_S)
            assert ready, "the match stands still"
            for key, _ in ready:
                bot: _Bot = key.data
                for message in bot.messages():
                    if message["type"] == "end":
                        return str(message["termination"])
                    if message["type"] == "turn":
                        now = time.monotonic()
                        if answered_at is not None:
                            times.append(now - answered_at)
                        answered_at = now
                        bot.say(type="move", ply=message["ply"], move=message["legal"][0])


def _both(*bots: _Bot) -> selectors.BaseSelector:
    waiting = selectors.DefaultSelector()
    for bot in bots:
        waiting.register(bot.socket, selectors.EVENT_READ, bot)
    return waiting


class _Bot:
    """One of the two. It waits for any player who wants to play the same."""

    def __init__(self, elsewhere: Network, name: str) -> None:
        self.socket = elsewhere.connect("::1", NATIVE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._begun = b""
        self.say(type="hello", name=name)
        self.say(type="queue", variant=VARIANT)

    def say(self, **message: Any) -> None:
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def messages(self) -> list[dict[str, Any]]:
        """What has come; one that has begun waits for its end."""
        data = self.socket.recv(65536)
        assert data, "the arena has closed the connection of an honest bot"
        *lines, self._begun = (self._begun + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        self.socket.close()
