from __future__ import annotations

import json
import logging
import sys

from arena.logs import JsonLines


def line(message: str, *args: object, failed: bool = False) -> dict[str, str]:
    error = sys.exc_info() if failed else None
    record = logging.LogRecord("arena.test", logging.ERROR, __file__, 1, message, args, error)
    text = JsonLines().format(record)
    assert "\n" not in text
    return json.loads(text)


def test_a_line_is_one_object() -> None:
    found = line("match %s:\nover, ü", "m1")
    assert found.pop("at").endswith("+00:00")
    assert found == {"level": "ERROR", "logger": "arena.test", "message": "match m1:\nover, ü"}


def test_a_traceback_stays_in_its_line() -> None:
    try:
        raise ValueError("seen")
    except ValueError:
        found = line("failed", failed=True)
    assert found["error"].endswith("ValueError: seen")
