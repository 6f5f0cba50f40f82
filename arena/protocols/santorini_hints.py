"""Common mistakes of authors of both Santorini protocols in JSON values."""

from __future__ import annotations

from arena.protocols.hints import Evidence, Hint


def is_no_json(evidence: Evidence) -> bool:
    """A text in single quotes or none, or a value in Python's or JavaScript's own notation."""
    text = (evidence.received or evidence.unfinished).strip()
    if not text:
        return False
    bare = text.startswith(("'", "(")) or text.upper() == "OK"
    return bare or (evidence.expected.startswith("a JSON value") and text[0] in "[{")


NO_JSON = (
    Hint("not_json", frozenset({"bad_output"}), is_no_json, before="debug_output"),
    Hint("not_json", frozenset({"timeout", "stall"}), is_no_json, before="incomplete_answer"),
)
