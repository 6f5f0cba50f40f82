"""What a bot thinks, read out of its standard error: `#eval 0.3 #pv 4 4 3 #say The middle is mine.` is such a line.

No bot has to say anything, and nothing that it says here is wrong: what cannot be shown is left out.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from typing import NamedTuple

from arena.bots.session.wire import CAME_BACK, FULL
from arena.common.names import printable
from arena.match.wire_messages import Message

# How many lines of a turn are read at most, the newest; and what is shown of a line, of its words and of its moves.
MOST_LINES = 50
MOST_BYTES, MOST_LETTERS, MOST_MOVES = 1000, 200, 20
# Numbers beyond this are no evaluation.
LARGEST = 1e6

_BEGINS = re.compile(rb"#(?:eval|pv|say)[ \t]")
_PARTS = re.compile(r"#(eval|pv|say)[ \t]+(.*?)(?=\s#(?:eval|pv|say)[ \t]|$)", re.DOTALL)
_MOVE = re.compile(r"[A-Za-z0-9,+:-]{1,16}")


class BotThought(NamedTuple):
    """One line, each part "" if it is not said: the number that rates the position for the bot (`+0.30`), the moves
    that it expects, and its words.
    """

    evaluation: str = ""
    moves: str = ""
    words: str = ""


def by_turn(messages: Iterable[Message]) -> dict[int, BotThought]:
    """The last thought of each turn, by the number of its move. A line belongs to the turn in which it begins."""
    begun, of = b"", 0
    lines = defaultdict[int, deque[bytes]](lambda: deque(maxlen=MOST_LINES))
    for _, way, data, ply in messages:
        if way != "err" or data == FULL:
            continue
        if data == CAME_BACK:
            begun = b""
            continue
        of = of if begun else ply
        *whole, begun = (begun + data).split(b"\n")
        for line in whole:
            if _BEGINS.match(line):
                lines[of].append(line)
            of = ply
        begun = begun[:MOST_BYTES]
    found = {ply: next(filter(None, map(thought_of, reversed(said))), None) for ply, said in lines.items()}
    return {ply: thought for ply, thought in found.items() if thought is not None}


def thought_of(line: bytes) -> BotThought | None:
    """The thought in a line of stderr, None if there is nothing in it to show."""
    if not _BEGINS.match(line):
        return None
    said = dict(_PARTS.findall(line[:MOST_BYTES].decode(errors="ignore")))
    thought = BotThought(_evaluation(said.get("eval", "")), _moves(said.get("pv", "")), _words(said.get("say", "")))
    return thought if any(thought) else None


def _evaluation(text: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return ""
    return f"{number:+.2f}" if abs(number) < LARGEST else ""  # which not-a-number is not


def _moves(text: str) -> str:
    moves = text.split()[:MOST_MOVES]
    return " ".join(moves) if all(map(_MOVE.fullmatch, moves)) else ""


def _words(text: str) -> str:
    return printable(text)[:MOST_LETTERS].strip()
