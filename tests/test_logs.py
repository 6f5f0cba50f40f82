from __future__ import annotations

import json
import logging
import sys

import pytest

from arena.logs import JsonLines, RecentErrors, recent_errors


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


def test_errors_of_the_last_hour_are_counted_and_no_more_than_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    errors, now = RecentErrors(), [1000.0]
    monkeypatch.setattr("arena.logs.time.monotonic", lambda: now[0])
    logger = logging.Logger("a test")
    logger.addHandler(errors)
    logger.error("a fault")
    logger.warning("no fault")
    assert errors.count() == 1
    now[0] += 3599
    logger.error("another")
    assert errors.count() == 2
    now[0] += 2
    assert errors.count() == 1
    for _ in range(RecentErrors.MOST + 1):
        logger.error("many")
    assert errors.count() == RecentErrors.MOST


def test_the_settings_count_what_any_logger_says() -> None:
    before = recent_errors.count()
    logging.getLogger("arena.anything").error("a fault")
    assert recent_errors.count() == before + 1
