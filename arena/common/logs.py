"""Log lines: for people, or with `LOG_FORMAT=json` one JSON object each. No line shows what proves somebody's identity.

Nothing from outside can forge a line: whatever would end a line, move the cursor of a terminal or change the direction
of text is written as its escape. And no address can fill the log: lines that it causes above a rate are counted, and
summed up.

This module also knows the latest errors, for the first page of the admin. docs/logs.md is the handbook.
"""

from __future__ import annotations

import atexit
import json
import logging
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, NamedTuple

from arena.common.limits import Buckets, Network, Rate, counted_as

# What a line may be about, beside its words.
ABOUT = ("match", "seat", "protocol")
_here: ContextVar[dict[str, Any] | None] = ContextVar("what this task is about", default=None)

# The last resort, because code that writes a line leaves secrets out. In order: tokens of bots, seats and programs,
# and secrets of webhooks; a guest's way back to a match; what follows a question mark in an address; the tail of a
# private room's code; codes for passwords; cookies; proofs of a token; passwords in addresses.
_SECRETS = (
    (re.compile(r"(arn_|arp_|whsec_)[\w+/=-]+"), r"\1…"),
    (re.compile(r"(/m/\w+/back/)[\w:-]+"), r"\1…"),
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


# Control characters, Unicode's ends of lines and paragraphs, characters that change the direction of text, lone
# surrogates.
_CONTROLS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")


def caused_by(address: str) -> dict[str, str]:
    """For `extra=` of one line: the address that has caused it, so that it cannot fill the log."""
    return {"address": address}


def escaped(text: str) -> str:
    """The text as one line, without a character that has an effect."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def masked(text: str) -> str:
    """The text without secrets."""
    for secret, mask in _SECRETS:
        text = secret.sub(mask, text)
    return text


class TextLines(logging.Formatter):
    """`2026-01-31 12:00:00,123 INFO arena.match: match 7gk3mzrq2x ended: …`; a traceback follows, indented."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        record.asctime, record.message = self.formatTime(record), escaped(masked(record.getMessage()))
        line = self.formatMessage(record)
        if record.exc_info:
            below = masked(self.formatException(record.exc_info)).split("\n")
            line += "".join(f"\n    {escaped(each)}" for each in below)
        return line


class JsonLines(logging.Formatter):
    """`{"time", "level", "logger", "message"}`, what it is about, and `"error"`, the traceback if there is one."""

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
        # JSON escapes the ends of lines, but not these.
        written = json.dumps(line, ensure_ascii=False, default=str)
        return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


class Repeats(logging.Filter):
    """Lets through a limited number of lines from one address, and logs a little later how many more there were."""

    RATE = Rate(30, 0.5)
    TOLD_AFTER_S = 10.0
    MOST_TOLD = 10

    def __init__(self, trusted_nets: Iterable[Network] = (), rate: Rate = RATE, told_after_s: float = TOLD_AFTER_S):
        super().__init__()
        self._lines = Buckets(rate, trusted_nets)
        self._told_after_s = told_after_s
        self._left_out: Counter[str] = Counter()
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        atexit.register(self.end)

    def filter(self, record: logging.LogRecord) -> bool:
        address = _address_of(record)
        if not address:
            return True
        with self._lock:
            if not self._lines.take(address):
                return True
            if not self._left_out:
                self._timer = threading.Timer(self._told_after_s, self._tell)
                self._timer.daemon = True
                self._timer.start()
            self._left_out[counted_as(address)] += 1
        return False

    def end(self) -> None:
        """Log now what the timer would log, and wait for the timer: nothing is written after this."""
        if (timer := self._timer) is not None:
            timer.cancel()
            timer.join()
        self._tell()

    def _tell(self) -> None:
        with self._lock:
            left_out, self._left_out = self._left_out, Counter()
        log = logging.getLogger(__name__)
        for address, lines in left_out.most_common(self.MOST_TOLD):
            log.warning("%s: %d more lines were left out within %g s", address, lines, self._told_after_s)
        if len(left_out) > self.MOST_TOLD:
            log.warning("lines of %d more addresses were left out", len(left_out) - self.MOST_TOLD)


def _address_of(record: logging.LogRecord) -> str:
    """Who has caused this line, "" if that is unknown. Django's lines carry the request that they are about."""
    meta = getattr(getattr(record, "request", None), "META", None) or {}
    return str(getattr(record, "address", "") or meta.get("REMOTE_ADDR") or "")


# What Django refuses has loggers of its own, `django.security.…`, named after each kind of SuspiciousOperation.
REFUSALS = (
    *("DisallowedHost", "DisallowedModelAdminLookup", "DisallowedModelAdminToField", "DisallowedRedirect"),
    *("InvalidSessionKey", "RequestDataTooBig", "SuspiciousFileOperation", "SuspiciousMultipartForm"),
    *("SuspiciousOperation", "SuspiciousSession", "TooManyFieldsSent", "TooManyFilesSent"),
)


def refused_in_a_line(record: logging.LogRecord) -> bool:
    """For Django's loggers: a refused request is no error of this server; it writes a line without a traceback."""
    if 400 <= getattr(record, "status_code", 0) < 500:
        record.exc_info = None
        if record.levelno > logging.WARNING:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
    return True


class ErrorLine(NamedTuple):
    """One error: when, on the monotonic clock and on the wall; which logger, its words, and the match it is about."""

    heard: float
    at: datetime
    logger: str
    message: str
    match: str


class RecentErrors(logging.Handler):
    """The errors of the last hour in memory, up to `MOST`, each cut to as many letters as identify it."""

    MOST = 1000
    KEPT_S = 3600.0
    LETTERS = 300

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._lines: deque[ErrorLine] = deque(maxlen=self.MOST)

    def emit(self, record: logging.LogRecord) -> None:
        words = escaped(masked(record.getMessage()))[: self.LETTERS]
        match = str(getattr(record, "match", (_here.get() or {}).get("match", "")))
        at = datetime.fromtimestamp(record.created, UTC)
        self._lines.append(ErrorLine(time.monotonic(), at, record.name, words, match))

    def count(self) -> int:
        return len(self.since(time.monotonic() - self.KEPT_S))

    def since(self, heard: float) -> list[ErrorLine]:
        """The lines from this moment of the monotonic clock on, oldest first."""
        return [line for line in tuple(self._lines) if line.heard >= heard]


recent_errors = RecentErrors()


def the_recent_errors() -> RecentErrors:
    """For the settings: every process has one."""
    return recent_errors


class LastingTrouble:
    """Something that is tried again and again: when it begins to fail is logged, and when it works again, but not each
    attempt between. What is not `expected` is a bug, and is logged with its traceback each time.
    """

    def __init__(self, logger: logging.Logger, words: str, expected: type[Exception] = Exception) -> None:
        self._logger, self._words, self._expected = logger, words, expected
        self.lasts = False

    def begins(self, why: BaseException) -> None:
        """An attempt has failed, maybe not the first one."""
        if not isinstance(why, self._expected):
            self._logger.error("%s: %s", self._words, why, exc_info=why)
        elif not self.lasts:
            self._logger.warning("%s: %s", self._words, str(why).strip().partition("\n")[0])
        self.lasts = True

    def is_over(self) -> None:
        """An attempt has succeeded."""
        if self.lasts:
            self._logger.warning("resolved: %s", self._words)
        self.lasts = False
