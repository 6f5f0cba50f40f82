"""Requests and answers in the bytes of a wire: what asks, what answers, and what stands behind an answer."""

from __future__ import annotations

import json
import re

from arena.protocols.json_values import ValueBuffer

# No answer is longer, and of a flood the beginning says enough.
LOOKED_AT = 4096

# What asks for an answer, an acknowledgement included.
_REQUESTS = {
    "gamestate": re.compile(rb"REQUEST_MOVE"),
    "nyu-nim": re.compile(rb" 0$"),
    "droidcon": re.compile(rb"YOUR_MOVE"),
    "santorini-json": re.compile(rb'\["(?:place|turn|new_game)"'),
    "native": re.compile(rb'"type":"turn"'),
}
_REFUSED = b'{"type":"refused"'
_ANYTHING = re.compile(rb"")
# One answer with what ends it: two numbers for nyu-nim, a line for all that have lines.
_NIM = re.compile(rb"\s*[0-9]{1,4} [01]\s*")
_LINE = re.compile(rb"[^\n]*\n")


def is_request(slug: str, data: bytes) -> bool:
    """Whether this, written to the bot in one piece, wants an answer."""
    return _REQUESTS.get(slug, _ANYTHING).search(data) is not None


def first_answer(slug: str, data: bytes) -> bytes:
    """The first answer of `data` without what ends it; nothing where there is none."""
    behind = behind_first_answer(slug, data)
    data = data[:LOOKED_AT]
    return data[: len(data) - len(behind)].strip() if behind != data else b""


def behind_first_answer(slug: str, data: bytes) -> bytes:
    """What is left of `data` behind its first answer; all of it when there is none."""
    data = data[:LOOKED_AT]
    if slug == "santorini-json":
        return _behind_first_value(data)
    found = (_NIM if slug == "nyu-nim" else _LINE).match(data)
    return data[found.end() :] if found else data


def first_refusal(slug: str, written: list[bytes]) -> dict[str, str]:
    """The first of the messages in which `native` refused what it was sent."""
    lines = b"".join(written).splitlines(keepends=True) if slug == "native" else []
    return next((json.loads(line) for line in lines if line.startswith(_REFUSED) and line.endswith(b"}\n")), {})


def unasked(slug: str, data: bytes, first: bool) -> bytes:
    """What of `data`, which came between two requests, or before the `first`, answers neither.

    Most protocols keep it for the next request, or answer it at once.
    """
    if slug != "nyu-nim":
        return b""
    return data if first else behind_first_answer(slug, data)


def unfinished(slug: str, data: bytes) -> bytes:
    """What of `data` may still become an answer; where lines are refused and nothing follows, those as well."""
    data = data[:LOOKED_AT]
    if slug in ("droidcon", "native"):
        return data
    while (rest := behind_first_answer(slug, data)) != data:
        data = rest
    return data


def _behind_first_value(data: bytes) -> bytes:
    buffer = ValueBuffer()
    for end in range(1, len(data) + 1):
        if list(buffer.feed(data[end - 1 : end])):
            return data[end:].lstrip()
    return data
