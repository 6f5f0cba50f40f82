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

# Two syllables at most, so that a code can be called across a classroom; longer when short ones have become few.
SHORT, LONG, MOST_TRIES = 1_000, 10_000_000, 20
_ANIMALS = ("otter", "heron", "lynx", "raven", "tapir", "newt", "egret", "ibis", "wren", "bison", "gecko", "dingo")

# The tail of a private room's code, which is its secret: letters and digits that are not mistaken for each other.
_SECRET, _SECRET_LETTERS = 12, "23456789abcdefghijkmnpqrstuvwxyz"


def key_of(channel: str) -> str:
    """The key by which channels are compared. A channel is the text with which a bot names its room; bytes that are not
    UTF-8 are lone surrogates in it, as with `surrogateescape`.
    """
    return channel.upper()


def is_code(key: str) -> bool:
    """Whether the channel itself is the code of its room; any other channel's room gets a code of its own."""
    return bool(CODE.fullmatch(key)) and key not in NOT_CODES


def check_code(code: str) -> None:
    """Raises Refusal if this cannot be a room's code."""
    if not (CODE.fullmatch(code) and is_code(code.upper())):
        words = said(
            "room code {code}: expected 1 to 40 letters, digits, dots, underscores and hyphens, "
            "not new, sit or connect",
            code=repr(code[:60]),
        )
        raise Refusal("invalid_command", words)


def new_code(private: bool, tried: int) -> str:
    """A random code; this is the attempt number `tried`."""
    animal = random.choice(_ANIMALS)
    if not private:
        return f"{animal}-{random.randrange(10, SHORT if tried < MOST_TRIES else LONG)}"
    return f"{animal}-{''.join(secrets.choice(_SECRET_LETTERS) for _ in range(_SECRET))}"
