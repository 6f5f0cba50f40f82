"""What people and programs ask for in words: parameters of addresses, times, reasons."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from arena.common.names import printable
from arena.common.numbers import whole_number
from arena.match.commands import Refusal
from arena.match.said import said


def page_number(request: HttpRequest) -> int:
    """`?page=`, from 1. Raises Http404 for anything else."""
    text = request.GET.get("page", "1")
    number = whole_number(text, 1, 999_999)
    if number is None:
        raise Http404(_("page={page}: expected a whole number from 1.").format(page=text[:20]))
    return number


def one_of(request: HttpRequest, name: str, known: Collection[str], usual: str = "") -> str:
    """The parameter `name`, `usual` without it. Raises Http404 for a value that is not known."""
    asked = request.GET.get(name, usual)
    if asked != usual and asked not in known:
        words = _("{name}={what}: expected one of {known}.")
        raise Http404(words.format(name=name, what=asked[:20], known=", ".join(known)))
    return asked


def moment_in(text: str) -> datetime | None:
    """The time that the text names, in UTC if it names no zone; None if it is not a time."""
    try:
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):  # the last hour of the year 9999 in a zone west of UTC is not in UTC's calendar
        return None


def reason_in(text: str, longest: int) -> str:
    """A reason in one line that a page may show, "" for none. Raises Refusal if it is too long."""
    reason = printable(" ".join(text.split()))
    if len(reason) > longest:
        words = said(
            "Received a reason of {n} characters, expected at most {most}. Nothing was done.",
            n=len(reason),
            most=longest,
        )
        raise Refusal("invalid_form", words)
    return reason
