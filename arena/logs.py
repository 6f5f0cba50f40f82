"""Log lines for machines: with `LOG_FORMAT=json` each line is one JSON object.

And how many errors there were lately, for the first page of the admin.
"""

from __future__ import annotations

import json
import logging
import time
from collections import deque
from datetime import UTC, datetime


class JsonLines(logging.Formatter):
    """`{"at", "level", "logger", "message"}`, and `"error"` with the traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


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
