"""Finds requests and answers in the bytes of a wire, and what follows an answer."""

from __future__ import annotations

import re

from arena.bots.failure.refusals import ENDINGS
from arena.protocols import facts_of, grammars, seat_line

# Only the beginning is examined: no answer is longer, and it tells enough about a flood.
LOOKED_AT = 4096


def is_request(slug: str, data: bytes) -> bool:
    """Whether this piece of output to the bot requires an answer; being sent away requires none."""
    return not data.startswith(seat_line.REFUSED) and re.search(facts_of(slug).asks, data) is not None


def sent_away(slug: str, data: bytes) -> str:
    """The sentence in this piece of output to the bot if it ended the bot's connection; otherwise empty."""
    if data.startswith(seat_line.REFUSED):
        return data.decode(errors="replace").strip().partition(": ")[2]
    refused = facts_of(slug).first_refusal(data)
    return refused["hint"] if refused.get("code") in ENDINGS else ""


def first_answer(slug: str, data: bytes) -> bytes:
    """The first answer in `data` without its end; empty if there is none."""
    behind = behind_first_answer(slug, data)
    data = data[:LOOKED_AT]
    return data[: len(data) - len(behind)].strip() if behind != data else b""


def last_answer(slug: str, data: bytes) -> bytes:
    """The last answer in `data`, without its end; empty if there is none."""
    data, answer = data[-LOOKED_AT:], b""
    while found := first_answer(slug, data):
        answer, data = found, behind_first_answer(slug, data)
    return answer


def asked_again(slug: str, requests: list[bytes], before: bytes) -> bytes:
    """The last answer `before` the last of these requests, if that was sent once more because the answer is illegal."""
    is_again = facts_of(slug).on_illegal == "ask_again" and requests[-2:-1] == requests[-1:]
    return last_answer(slug, before) if is_again else b""


def behind_first_answer(slug: str, data: bytes) -> bytes:
    """The part of `data` after its first answer; all of it if there is none."""
    return facts_of(slug).behind_answer(data[:LOOKED_AT])


def late_answer(slug: str, data: bytes) -> bytes:
    """An answer in `data`, which came after a request that was not answered in time; empty if there is none."""
    if not facts_of(slug).confused:
        return first_answer(slug, data)
    lines = data[:LOOKED_AT].split(b"\n")[:-1]
    return next((line for line in lines if grammars.understands(slug, line)), b"")


def at_least(slug: str, data: bytes, number: int) -> bool:
    """Whether `data` contains at least this many answers."""
    for _ in range(number):
        rest = facts_of(slug).behind_answer(data)
        if rest == data:
            return False
        data = rest
    return True


def unasked(slug: str, data: bytes, first: bool) -> bytes:
    """The part of `data`, received between two requests or before the `first`, that answers neither. Empty for most
    protocols, which keep such input or answer it at once, and for mere white space.
    """
    if not facts_of(slug).drops_unasked:
        return b""
    rest = data if first else behind_first_answer(slug, data)
    return b"" if rest.isspace() else rest


def unfinished(slug: str, data: bytes) -> bytes:
    """The part of `data` that may still become an answer; if lines are refused and nothing follows, those as well."""
    data = data[:LOOKED_AT]
    if facts_of(slug).confused:
        return data
    while (rest := behind_first_answer(slug, data)) != data:
        data = rest
    return data
