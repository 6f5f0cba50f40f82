"""Lines of the log. What a real server says when every secret comes by: tests/services/test_logs_keep_secrets.py."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from typing import Any

import pytest

from arena.logs import JsonLines, RecentErrors, TextLines, about, masked, recent_errors, speak_of


def record(message: str, *args: object, failed: bool = False, **extra: Any) -> logging.LogRecord:
    error = sys.exc_info() if failed else None
    made = logging.LogRecord("arena.test", logging.ERROR, __file__, 1, message, args, error)
    made.__dict__.update(extra)
    return made


def line(message: str, *args: object, failed: bool = False, **extra: Any) -> dict[str, Any]:
    text = JsonLines().format(record(message, *args, failed=failed, **extra))
    assert "\n" not in text
    return json.loads(text)


def test_a_line_is_one_object() -> None:
    found = line("match %s:\nover, ü", "m1")
    assert found.pop("time").endswith("+00:00")
    assert found == {"level": "ERROR", "logger": "arena.test", "message": "match m1:\nover, ü"}


def test_a_line_says_what_it_is_about() -> None:
    found = line("a fault", **about("7gk3mzrq2x", 0, "droidcon"))
    assert (found["match"], found["seat"], found["protocol"]) == ("7gk3mzrq2x", 0, "droidcon")
    assert about("7gk3mzrq2x") == {"match": "7gk3mzrq2x"}


async def test_a_task_can_say_once_what_all_its_lines_are_about() -> None:
    async def task(match: str) -> dict[str, Any]:
        speak_of(match)
        await asyncio.sleep(0)
        speak_of(seat=1)
        return line("a fault", **about(protocol="fiar"))

    first, second = await asyncio.gather(asyncio.create_task(task("m1")), asyncio.create_task(task("m2")))
    assert (first["match"], first["seat"], first["protocol"]) == ("m1", 1, "fiar")
    assert second["match"] == "m2"
    assert "match" not in line("a fault")


def test_a_traceback_stays_in_its_line() -> None:
    try:
        raise ValueError("seen")
    except ValueError:
        found = line("failed", failed=True)
    assert found["error"].endswith("ValueError: seen")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("hello arn_" + "a2" * 13, "hello arn_…"),
        ("'GET /ws/native/?token=hello&x=1' 403", "'GET /ws/native/?…' 403"),
        ("GET /r/otter-abcdefghjkmn/ and RAVEN-23456789ABCD", "GET /r/otter-…/ and RAVEN-…"),
        ("the code K7QM-2WXR-9ABC was", "the code … was"),
        ("Cookie: sessionid=abc123; csrftoken=x9", "Cookie: sessionid=…; csrftoken=…"),
        ("Authorization: Bearer some-thing.secret", "Authorization: Bearer …"),
        ("SEAT mistyped-token", "SEAT …"),
        ("redis://me:hunter2@db/0", "redis://me:…@db/0"),
        ("SEAT REFUSED seat_taken: no", "SEAT REFUSED seat_taken: no"),
        ("room otter-42, match 7gk3mzrq2x, 2026-11-21 /m/7gk3mzrq2x/ Is it? Yes", None),
    ],
)
def test_what_proves_who_somebody_is_is_not_shown(said: str, kept: str | None) -> None:
    wanted = said if kept is None else kept
    assert masked(said) == wanted
    assert line("%s", said)["message"] == wanted
    assert TextLines().format(record("%s", said)).endswith(f"ERROR arena.test: {wanted}")


def test_a_traceback_shows_no_secret_either() -> None:
    secret = "arn_" + "b3" * 13
    try:
        raise ValueError(f"no seat for {secret}")
    except ValueError:
        assert secret not in line("failed", failed=True)["error"]
        assert secret not in TextLines().format(record("failed", failed=True))


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
