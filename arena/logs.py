"""Log lines: for people, or with `LOG_FORMAT=json` one JSON object each. No line shows what proves who somebody is.

And how many errors there were lately, for the first page of the admin. docs/logs.md is the handbook.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections import deque
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

# What a line may be about, beside its words.
ABOUT = ("match", "seat", "protocol")
_here: ContextVar[dict[str, Any] | None] = ContextVar("what this task is about", default=None)

# The last resort: who writes a line leaves secrets out. In order: tokens of bots and seats; what follows a question
# mark in an address; the tail of a private room's code; codes for passwords; cookies; what shows a token; passwords in
# addresses.
_SECRETS = (
    (re.compile(r"arn_[\w-]+"), "arn_…"),
    (re.compile(r"(/[^\s?\"']*\?)[^\s\"']+"), r"\1…"),
    (re.compile(r"\b([A-Za-z]{3,6}-)[2-9A-Za-z]{12}\b"), r"\1…"),
    (re.compile(r"\b[2-9A-Z]{4}(-[2-9A-Z]{4}){2}\b"), "…"),
    (re.compile(r"((?:sessionid|csrftoken|csrfmiddlewaretoken)\W{1,4})[\w-]+"), r"\1…"),
    (re.compile(r"(\b(?:Bearer|SEAT)\s+)(?!REFUSED\b)[\w.+/=-]{8,}"), r"\1…"),
    (re.compile(r"(://[^\s/@:]*:)[^\s/@]+@"), r"\1…@"),
)


def about(match: str | None = None, seat: int | None = None, protocol: str | None = None) -> dict[str, Any]:
    """For `extra=` of one line: which match, seat and protocol it is about, as far as they are known."""
    return {name: value for name, value in zip(ABOUT, (match, seat, protocol), strict=True) if value is not None}


def speak_of(match: str | None = None, seat: int | None = None, protocol: str | None = None) -> None:
    """From now on every line of this task is about these, unless it says otherwise."""
    _here.set((_here.get() or {}) | about(match, seat, protocol))


def masked(text: str) -> str:
    """The text without secrets."""
    for secret, mask in _SECRETS:
        text = secret.sub(mask, text)
    return text


class TextLines(logging.Formatter):
    """`2026-01-31 12:00:00,123 INFO arena.match: match 7gk3mzrq2x ended: …`"""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        return masked(super().format(record))


class JsonLines(logging.Formatter):
    """`{"time", "level", "logger", "message"}`, what it is about, and `"error"`, the traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": masked(record.getMessage()),
        }
        known = _here.get() or {}
        for name in ABOUT:
            if (value := getattr(record, name, known.get(name))) is not None:
                line[name] = value
        if record.exc_info:
            line["error"] = masked(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


class RecentErrors(logging.Handler):
    """Counts the errors of the last hour in memory, up to `MOST`."""

    MOST = 1000
    KEPT_S = 3600.0

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._times: deque[float] = deque(maxlen=self.MOST)

    def emit(self, record: logging.LogRecord) -> None:
        self._times.append(time.monotonic())

    def count(self) -> int:
        since = time.monotonic() - self.KEPT_S
        return sum(at >= since for at in tuple(self._times))


recent_errors = RecentErrors()


def the_recent_errors() -> RecentErrors:
    """For the settings: every process has one."""
    return recent_errors
