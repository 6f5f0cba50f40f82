"""What authors get wrong: the vocabulary in which a protocol says so in its own `hints.py`, and all general causes too.

A folder's `hints.py` may have `HINTS`, causes with their questions, and `ERRORS`, the words for codes of its own by
their section of the page. `arena.bots.failure` asks the questions and makes the card.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from arena.protocols.framing import CUT
from games import Position


class Timing(NamedTuple):
    """What the last turn took, the clock of the match as it is written, and what the first turn had for starting up."""

    used_ms: int | None = None
    clock: str = "none"
    startup_ms: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one failure; "" and None for what is not.

    `termination` and `reason` are the match's. `received` is what broke the protocol, `expected` what was wanted,
    `asked` the last request; `unfinished` came behind it and became no answer, `unasked` came before it and was
    dropped: all bytes as `framing.shown` writes them. `move` and `moves` (the bot's own so far) are in the notation of
    the rules. `exit` is `exit code 1` or `killed by SIGSEGV`, `reads_input` whether the process is blocked in read.
    `ahead`: what was judged came before the last request, and had been kept for it.
    `heard` is whether anything came at all, `detail` a fact for the sentence, `refusal` why `received` was refused.
    """

    protocol: str
    termination: str
    reason: str = ""
    received: str = ""
    expected: str = ""
    asked: str = ""
    unfinished: str = ""
    unasked: str = ""
    ahead: bool = False
    move: str = ""
    moves: tuple[str, ...] = ()
    position: Position | None = None
    exit: str = ""
    stderr: str = ""
    reads_input: bool | None = None
    timing: Timing = Timing()
    heard: bool = True
    detail: str = ""
    refusal: str = ""

    @property
    def said(self) -> str:
        """What came, whichever of these it is."""
        return self.received or self.unfinished or self.unasked

    def allows(self, move: str) -> bool:
        """Whether this would have been a legal move."""
        try:
            return self.position is not None and self.position.play(move) is not None
        except ValueError:
            return False


class Hint(NamedTuple):
    """A cause: `holds(evidence)` for the endings of `when`, which are terminations. `code` names its card.

    Causes are asked in order. One of a protocol is asked before the general cause of the code `before`.
    """

    code: str
    when: frozenset[str]
    holds: Callable[[Evidence], bool]
    before: str = ""


class BotError(NamedTuple):
    """The words of a card. `{…}` in sentence and advice are the words of `arena.bots.failure.evidence`."""

    code: str
    title: str
    sentence: str
    advice: str


def always(evidence: Evidence) -> bool:
    """The last of its kind: nothing better is known."""
    return True


def as_bytes(text: str) -> bytes:
    """The bytes that `framing.shown` wrote as `text`, but for those that it cut off."""
    return re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), re.sub(CUT, "", text).encode())
