"""JSON from untrusted peers: strict values, and values that follow each other without a separator.

Rejected, although Python's reader accepts them: bytes that are not UTF-8, NaN and Infinity, duplicate keys (the last
would win), half of a surrogate pair (fails when written again), NUL (fails in PostgreSQL). Nesting is checked before
reading: a thousand brackets raise RecursionError, which is no ValueError. A cap of 8 KiB bounds the time: 1 MiB of
`[],` takes a quarter of a second.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

VALUE_CAP = 8 * 1024
NESTING_CAP = 16
MOST_DIGITS = 4000
# How many bytes of an invalid value are shown.
WORD_CAP = 128

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
_BLANKS = b" \t\r\n"
_OPENING, _CLOSING = b"[{", b"]}"
_QUOTE, _BACKSLASH = b'"\\'


def read_value(data: bytes) -> object:
    """The value written as `data`. Raises ValueError, which says what is wrong with it."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ValueError("the bytes are not UTF-8") from None
    if _nesting(data) > NESTING_CAP:
        raise ValueError(f"it is nested deeper than {NESTING_CAP}")
    try:
        value: object = json.loads(text, object_pairs_hook=_object, parse_int=_int, parse_constant=_refuse_constant)
    except json.JSONDecodeError as why:
        what, at = why.msg[0].lower() + why.msg[1:].removesuffix(" at"), len(text[: why.pos].encode()) + 1
        raise ValueError(f"{what} at byte {at}") from None
    _check_texts(value)
    return value


def write_value(value: object) -> bytes:
    """`value` as one line without blanks."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


@dataclass(slots=True)
class ValueBuffer:
    """Collects the bytes of one connection and splits them into values, each complete with its last byte.

    Arrays, objects and strings end by themselves; any other word ends with white space. `overlong` holds the first
    bytes of a value that is too long or too deep; from then on all input is dropped.

    `beginnings` are the bytes that a value may begin with. If given, input that begins otherwise is not waited for: it
    is yielded at once, with the rest of its line so far, so that a reader can recognise it.
    """

    beginnings: bytes = b""
    overlong: bytes | None = field(default=None, init=False)
    _partial: bytearray = field(default_factory=bytearray, init=False, repr=False)
    _depth: int = field(default=0, init=False)
    _in_string: bool = field(default=False, init=False)
    _escaped: bool = field(default=False, init=False)

    @property
    def is_empty(self) -> bool:
        """Whether no byte of a value has come yet."""
        return not self._partial

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The bytes of each value that `data` completes, not yet parsed."""
        for index, byte in enumerate(data):
            if self.overlong is not None:
                return
            if byte in _BLANKS and not self._partial:
                continue
            if self.beginnings and byte not in self.beginnings and not self._partial:
                yield data[index : index + WORD_CAP].partition(b"\n")[0].rstrip(_BLANKS)
                continue
            self._partial.append(byte)
            if self._is_complete(byte):
                yield self._take()
            elif len(self._partial) >= VALUE_CAP or self._depth > NESTING_CAP:
                self.overlong = self._take()

    def _is_complete(self, byte: int) -> bool:
        if self._partial[0] not in b'[{"':
            return byte in _BLANKS
        if self._in_string:
            return self._ends_string(byte) and not self._depth
        if byte == _QUOTE:
            self._in_string = True
        elif byte in _OPENING:
            self._depth += 1
        elif byte in _CLOSING:
            self._depth -= 1
            return not self._depth
        return False

    def _ends_string(self, byte: int) -> bool:
        if self._escaped:
            self._escaped = False
        elif byte == _BACKSLASH:
            self._escaped = True
        elif byte == _QUOTE:
            self._in_string = False
        return not self._in_string

    def _take(self) -> bytes:
        value = bytes(self._partial).rstrip(_BLANKS)
        self._partial.clear()
        self._depth = 0
        return value


def _nesting(data: bytes) -> int:
    depth = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub(b"", data)):
        depth += 1 if bracket in _OPENING else -1
        deepest = max(deepest, depth)
    return deepest


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice")
    return found


def _int(digits: str) -> int:
    """Python's own refusal of so many speaks of a setting of Python."""
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number has more than {MOST_DIGITS} digits")
    return int(digits)


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _check_texts(value: object) -> None:
    if isinstance(value, str) and _NOT_TEXT.search(value):
        raise ValueError("a text holds NUL or half of a character")
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list):
        for part in value:
            _check_texts(part)
