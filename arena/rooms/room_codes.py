"""The codes of rooms: what may be one, and new ones."""

from __future__ import annotations

import random
import re
import secrets

from arena.match.commands import Refusal
from arena.match.said import said

CODE = re.compile(r"[A-Za-z0-9._-]{1,40}")
# Words that are pages below /r/, or will be.
NOT_CODES = frozenset({"NEW", "SIT", "CONNECT"})

# Two syllables at most, so that a code can be called across a classroom; longer where short ones have become few.
SHORT, LONG, MOST_TRIES = 1_000, 10_000_000, 20
_ANIMALS = ("otter", "heron", "lynx", "raven", "tapir", "newt", "egret", "ibis", "wren", "bison", "gecko", "dingo")

# The tail of a private room's code, which is its secret: letters and digits that are not mistaken for each other.
_SECRET, _SECRET_LETTERS = 12, "23456789abcdefghijkmnpqrstuvwxyz"


def key_of(channel: str) -> str:
    """What a channel is compared by. A channel is the text that a bot names its room with; bytes that are no UTF-8 are
    lone surrogates in it, those of `surrogateescape`.
    """
    return channel.upper()


def is_code(key: str) -> bool:
    """Whether the room of this channel has the channel itself for its code; any other one gets a code of its own."""
    return bool(CODE.fullmatch(key)) and key not in NOT_CODES


def check_code(code: str) -> None:
    """Raises Refusal for what cannot be a room's code."""
    if not (CODE.fullmatch(code) and is_code(code.upper())):
        words = said(
            "room code {code}: expected 1 to 40 letters, digits, dots, underscores and hyphens, "
            "not new, sit or connect",
            code=repr(code[:60]),
        )
        raise Refusal("invalid_command", words)


def new_code(private: bool, tried: int) -> str:
    """One by chance, the `tried`-th that is looked for."""
    animal = random.choice(_ANIMALS)
    if not private:
        return f"{animal}-{random.randrange(10, SHORT if tried < MOST_TRIES else LONG)}"
    return f"{animal}-{''.join(secrets.choice(_SECRET_LETTERS) for _ in range(_SECRET))}"
