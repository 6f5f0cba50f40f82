"""Requests and answers in the bytes of a wire: what asks, what answers, and what stands behind an answer."""

from __future__ import annotations

import re

from arena.protocols import facts_of

# No answer is longer, and of a flood the beginning says enough.
LOOKED_AT = 4096


def is_request(slug: str, data: bytes) -> bool:
    """Whether this, written to the bot in one piece, wants an answer."""
    return re.search(facts_of(slug).asks, data) is not None


def first_answer(slug: str, data: bytes) -> bytes:
    """The first answer of `data` without what ends it; nothing where there is none."""
    behind = behind_first_answer(slug, data)
    data = data[:LOOKED_AT]
    return data[: len(data) - len(behind)].strip() if behind != data else b""


def last_answer(slug: str, data: bytes) -> bytes:
    """The last answer of `data`, as `first_answer` gives the first."""
    data, answer = data[-LOOKED_AT:], b""
    while found := first_answer(slug, data):
        answer, data = found, behind_first_answer(slug, data)
    return answer


def behind_first_answer(slug: str, data: bytes) -> bytes:
    """What is left of `data` behind its first answer; all of it when there is none."""
    return facts_of(slug).behind_answer(data[:LOOKED_AT])


def at_least(slug: str, data: bytes, number: int) -> bool:
    """Whether `data` holds so many answers."""
    for _ in range(number):
        rest = facts_of(slug).behind_answer(data)
        if rest == data:
            return False
        data = rest
    return True


def unasked(slug: str, data: bytes, first: bool) -> bytes:
    """What of `data`, which came between two requests, or before the `first`, answers neither.

    Most protocols keep it for the next request, or answer it at once.
    """
    if not facts_of(slug).drops_unasked:
        return b""
    return data if first else behind_first_answer(slug, data)


def unfinished(slug: str, data: bytes) -> bytes:
    """What of `data` may still become an answer; where lines are refused and nothing follows, those as well."""
    data = data[:LOOKED_AT]
    if facts_of(slug).confused:
        return data
    while (rest := behind_first_answer(slug, data)) != data:
        data = rest
    return data
