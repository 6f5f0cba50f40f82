"""What pages say on their websockets: the newest event that they have, and forms as htmx sends them."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from arena.common.numbers import whole_number

MOST_LETTERS = 4096
FIELDS = frozenset({"ply", "move", "csrfmiddlewaretoken", "HEADERS"})


def have_of(query: bytes) -> int:
    """The number of the last event that the page has; 0 (none) for anything unreadable."""
    return whole_number(parse_qs(query.decode("latin1")).get("have", [""])[0]) or 0


def form_of(text: str | None) -> dict[str, Any]:
    """The fields of a form. ValueError says what is wrong with it."""
    if text is None:
        raise ValueError("Received bytes, expected the text of a form.")
    if len(text) > MOST_LETTERS:
        raise ValueError(f"Received {len(text)} letters, expected {MOST_LETTERS} at most.")
    form = None
    with suppress(ValueError, RecursionError):
        form = json.loads(text)
    if not isinstance(form, dict):
        raise ValueError("Received something that is no JSON object, expected the fields ply and move.")
    if unknown := sorted(form.keys() - FIELDS):
        raise ValueError(f"Received the unknown field {unknown[0][:40]!r}, expected ply and move.")
    return form
