"""Common mistakes of bot authors: the vocabulary for a protocol's own `hints.py`, and all general causes.

A folder's `hints.py` may define `HINTS`, causes with their conditions, and `ERRORS`, the texts of its own codes by
section of the page. `arena.bots.failure` checks the conditions and makes the card.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from arena.protocols.framing import CUT
from games import Position


class Timing(NamedTuple):
    """The duration of the last turn, the match's clock as text, and the start-up grace of the first turn."""

    used_ms: int | None = None
    clock: str = "none"
    startup_ms: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """The known facts of one failure; "" and None for unknown ones.

    `termination` and `reason` are those of the match. `received` is what broke the protocol, `expected` what was
    expected instead, `asked` the last request; `unfinished` came after it but formed no complete answer, `unasked` came
    before it and was dropped: all bytes as `framing.shown` writes them. `move` and `moves` (the bot's own so far) are
    in the notation of the rules. `exit` is `exit code 1` or `killed by SIGSEGV`; `reads_input` tells whether the
    process is blocked in a read. `ahead`: the judged input came before the last request and had been kept for it.
    `repeats`: it wrote lines that had been sent to it and are no messages of its own. `heard` tells whether anything
    was received at all, `detail` is a fact for the sentence, `refusal` says why `received` was refused, or the
    bot sent away.
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
    repeats: bool = False
    heard: bool = True
    detail: str = ""
    refusal: str = ""

    @property
    def said(self) -> str:
        """What the bot sent, from the first of these fields that has it."""
        return self.received or self.unfinished or self.unasked

    def allows(self, move: str) -> bool:
        """Whether this would have been a legal move."""
        try:
            return self.position is not None and self.position.play(move) is not None
        except ValueError:
            return False


class Hint(NamedTuple):
    """A cause: `holds(evidence)` tests it, for the terminations in `when`. `code` names its card.

    Causes are tested in order. A protocol's cause is tested before the general cause with the code `before`.
    """

    code: str
    when: frozenset[str]
    holds: Callable[[Evidence], bool]
    before: str = ""


class BotError(NamedTuple):
    """The texts of a card. `{…}` in sentence and advice are filled in by `arena.bots.failure.evidence`."""

    code: str
    title: str
    sentence: str
    advice: str


def always(evidence: Evidence) -> bool:
    """The condition of a fallback cause, tested last."""
    return True


def has_never_answered(evidence: Evidence) -> bool:
    """On a socket, where nobody sees what it waits for."""
    return evidence.reads_input is None and not evidence.moves and not evidence.said


def as_bytes(text: str) -> bytes:
    """The bytes that `framing.shown` wrote as `text`, except those that it cut off."""
    return re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), re.sub(CUT, "", text).encode())
