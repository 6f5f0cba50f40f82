"""Lines of the log. What a real server says when every secret comes by: tests/services/test_logs_keep_secrets.py."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.test import RequestFactory

from arena.common.limits import Rate
from arena.common.logs import (
    REFUSALS,
    JsonLines,
    LastingTrouble,
    RecentErrors,
    Repeats,
    TextLines,
    about,
    caused_by,
    masked,
    recent_errors,
    speak_of,
)
from tests.kit.deadline import DEADLINE_S


def record(message: str, *args: object, failed: bool = False, **extra: Any) -> logging.LogRecord:
    error = sys.exc_info() if failed else None
    made = logging.LogRecord("arena.test", logging.ERROR, __file__, 1, message, args, error)
    made.__dict__.update(extra)
    return made


def line(message: str, *args: object, failed: bool = False, **extra: Any) -> dict[str, Any]:
    text = JsonLines().format(record(message, *args, failed=failed, **extra))
    assert "\n" not in text
    return dict(json.loads(text))


def test_a_line_is_one_object() -> None:
    found = line("match %s:\nover, ü", "m1")
    assert found.pop("time").endswith("+00:00")
    assert found == {"level": "ERROR", "logger": "arena.test", "message": "match m1:\nover, ü"}


FORGED = "\n2026-01-31 12:00:00,123 ERROR arena.serve: forged\r\x1b[2K\x9b1A\u2028\u202e\x00\x85\udc80"


def test_a_line_cannot_be_forged() -> None:
    """A name from outside with ends of lines and with what terminals obey."""
    text = TextLines().format(record("hello %s", f"ada{FORGED}"))
    expected = r"\n2026-01-31 12:00:00,123 ERROR arena.serve: forged\r\x1b[2K\x9b1A\u2028\u202e\x00\x85\udc80"
    assert text.endswith(f" ERROR arena.test: hello ada{expected}")
    written = JsonLines().format(record("hello %s", f"ada{FORGED}"))
    assert json.loads(written)["message"] == f"hello ada{FORGED}"
    assert written.isprintable()


def test_an_exception_forges_no_line_either() -> None:
    try:
        raise ValueError(f"received {FORGED}")
    except ValueError:
        text = TextLines().format(record("failed", failed=True))
        written = JsonLines().format(record("failed", failed=True))
    first, *below = text.split("\n")
    assert first.endswith("ERROR arena.test: failed") and below[0] == "    Traceback (most recent call last):"
    assert all(each.startswith("    ") and each.isprintable() for each in below)
    assert "    2026-01-31 12:00:00,123 ERROR arena.serve: forged" in below[-1]
    assert written.isprintable() and json.loads(written)["error"].endswith(FORGED)


class Kept(logging.Handler):
    """What came through its filters, and how many lines it was told of that did not."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._left_out: Counter[str] = Counter()
        self._told = threading.Condition()

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())
        if found := re.fullmatch(r"(\S+): (\d+) more lines were left out within 0\.1 s", self.lines[-1]):
            with self._told:
                self._left_out[found[1]] += int(found[2])
                self._told.notify()

    def is_told_of(self, address: str, lines: int) -> bool:
        """Whether this many lines of an address were left out, in one sum or, on a busy machine, in several."""
        with self._told:
            return self._told.wait_for(lambda: self._left_out[address] == lines, DEADLINE_S)


@pytest.fixture
def kept() -> Iterator[Kept]:
    handler = Kept()
    repeats = Repeats(["192.0.2.0/24"], Rate(3, 0.0), told_after_s=0.1)
    handler.addFilter(repeats)
    logging.getLogger("arena").addHandler(handler)
    yield handler
    repeats.end()
    logging.getLogger("arena").removeHandler(handler)


def test_lines_that_one_address_causes_are_counted_and_summed_up(kept: Kept) -> None:
    log = logging.getLogger("arena.test")
    for number in range(100):
        log.error("error %d", number, extra=caused_by(f"2001:db8::{number}"))
        log.error("ours %d", number)
    log.error("another", extra=caused_by("203.0.113.8"))
    assert kept.is_told_of("2001:db8::/64", 97)
    assert [line for line in kept.lines if line.startswith("error")] == ["error 0", "error 1", "error 2"]
    assert len([line for line in kept.lines if line.startswith("ours")]) == 100 and "another" in kept.lines


def test_a_process_that_ends_says_at_once_how_many_lines_it_left_out() -> None:
    code = """
import logging
from arena.common.limits import Rate
from arena.common.logs import Repeats, caused_by
handler = logging.StreamHandler()
handler.addFilter(Repeats(rate=Rate(3, 0.0), told_after_s=600.0))
logging.getLogger().addHandler(handler)
for number in range(10):
    logging.error("error %d", number, extra=caused_by("203.0.113.8"))
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    told = "203.0.113.8: 7 more lines were left out within 600 s"
    assert ended.stderr.splitlines() == ["error 0", "error 1", "error 2", told]


@pytest.mark.parametrize("address", ["127.0.0.1", "192.0.2.7"])
def test_lines_of_this_machine_and_of_trusted_nets_are_all_written(kept: Kept, address: str) -> None:
    for number in range(100):
        logging.getLogger("arena.test").error("error %d", number, extra=caused_by(address))
    assert len(kept.lines) == 100


def test_what_django_says_of_a_request_counts_for_its_address(kept: Kept) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR="203.0.113.9")
    for _ in range(5):
        logging.getLogger("arena.test").warning("Not Found: /x", extra={"request": request})
    assert len([line for line in kept.lines if line.startswith("Not Found")]) == 3


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
        ("GET /api/arp_" + "a2" * 16, "GET /api/arp_…"),
        ("the secret whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "the secret whsec_…"),
        ("503 for POST /m/7gk3mzrq2x/back/WyI3Z2-_:1vPx:a-B_9/", "503 for POST /m/7gk3mzrq2x/back/…/"),
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
    monkeypatch.setattr("arena.common.logs.time.monotonic", lambda: now[0])
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


def test_what_fails_again_and_again_is_said_once_and_so_is_its_end(caplog: pytest.LogCaptureFixture) -> None:
    failing = LastingTrouble(logging.getLogger("arena.a_test"), "nothing can be read", OSError)
    failing.is_over()
    for number in range(3):
        failing.begins(OSError(f"no answer {number}"))
    assert failing.lasts
    failing.is_over()
    failing.is_over()
    failing.begins(OSError("gone again"))
    assert caplog.messages == [
        "nothing can be read: no answer 0",
        "resolved: nothing can be read",
        "nothing can be read: gone again",
    ]
    failing.begins(LookupError("a bug"))
    failing.begins(LookupError("a bug"))
    assert [bool(record.exc_info) for record in caplog.records] == [False, False, False, True, True]


def test_the_settings_count_what_any_logger_says() -> None:
    before = recent_errors.count()
    logging.getLogger("arena.anything").error("a fault")
    assert recent_errors.count() == before + 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("raised", "status", "traceback"),
    [(PermissionDenied, 403, False), (DisallowedModelAdminLookup, 400, False), (LookupError, 500, True)],
)
def test_what_is_refused_shows_no_traceback(
    raised: type[Exception], status: int, traceback: bool, rf: RequestFactory, caplog: pytest.LogCaptureFixture
) -> None:
    def view(request: HttpRequest) -> HttpResponse:
        raise raised("no")

    answer = convert_exception_to_response(view)(rf.get("/somewhere/"))
    assert isinstance(answer, HttpResponseBase) and answer.status_code == status
    of_django = [record for record in caplog.records if record.name.startswith("django.")]
    assert [bool(record.exc_info) for record in of_django] == [traceback]
    assert [record.levelno < logging.ERROR for record in of_django] == [not traceback]


def test_each_kind_of_request_that_django_refuses_is_known() -> None:
    def kinds(of: type[SuspiciousOperation]) -> Iterator[type[SuspiciousOperation]]:
        yield of
        for narrower in of.__subclasses__():
            yield from kinds(narrower)

    of_django = {kind.__name__ for kind in kinds(SuspiciousOperation) if kind.__module__.startswith("django.")}
    assert of_django <= set(REFUSALS)
