"""How far what a bot sent could still have become an answer: its author is shown the first byte that is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

# The parts of a shape; any other part stands for itself.
_PARTS = {"NUMBER": rb"-?(?:0|[1-9][0-9]*)", "TEXT": rb'"(?:[^"\\]|\\.)*"'}
_WORDS = {"EASTWEST": (b'"EAST"', b'"PUT"', b'"WEST"'), "NORTHSOUTH": (b'"NORTH"', b'"PUT"', b'"SOUTH"')}
_BLANKS = re.compile(rb"[ \t\r\n]*")
# What is said of a text that is no JSON, and was in logs of earlier releases.
_AT, _WAS_AT = re.compile(r" at byte ([0-9]+)"), re.compile(r"\(char ([0-9]+)\)")
_CONSTANT = re.compile(r"(NaN|-?Infinity) is not JSON")


def in_shape(data: bytes, shapes: Sequence[str]) -> int:
    """The number of bytes that begin an answer of one of these shapes: the parts of a JSON value, between blanks."""
    return max(_in_one(data, shape.split()) for shape in shapes)


def _in_one(data: bytes, parts: list[str]) -> int:
    at = 0
    for part in parts:
        begin = at = _behind(_BLANKS, data, at)
        if part in _PARTS:
            at = _behind(re.compile(_PARTS[part]), data, at)
            if at == begin:
                return at
            continue
        words = _WORDS.get(part, (part.encode(),))
        at += max(_alike(data[at:], word) for word in words)
        if data[begin:at] not in words:
            return at
    return _behind(_BLANKS, data, at)


def _behind(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    found = pattern.match(data, at)
    return found.end() if found else at


def _alike(data: bytes, word: bytes) -> int:
    pairs = zip(data, word, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(data), len(word)))


def of_line(data: bytes, begins: bytes) -> int:
    """The number of bytes that begin an answer, by the regular expression for its longest beginning."""
    found = re.match(begins, data)
    return found.end() if found else 0


def of_json(data: bytes, why: str) -> int:
    """The number of bytes that begin a JSON value; `why` says what is wrong with it, and often where."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return error.start
    if found := _AT.search(why):
        return int(found[1]) - 1
    if found := _WAS_AT.search(why):
        return len(text[: int(found[1])].encode())
    if (found := _CONSTANT.search(why)) and found[1] in text:
        return text.encode().index(found[1].encode())
    return len(data)
