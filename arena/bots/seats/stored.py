"""What a bot that connects while nothing can be stored is told: no seat, and why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import Error

from arena.core import storage_trouble, storage_watch
from arena.match.commands import Refusal
from arena.match.said import said


@contextmanager
def refused_while_storage_fails(code: str = "no_room") -> Iterator[None]:
    """Wraps code that needs rows for a seat. Turns database errors about storage into Refusal; others stay."""
    try:
        yield
    except Error as error:
        trouble = storage_watch.saw(error)
        if trouble is None:
            raise
        words = said(trouble.words)
        if trouble is storage_trouble.COLLIDED:
            raise Refusal(code, said("{trouble} Try it again.", trouble=words)) from None
        raise Refusal(code, said("{trouble} Try again when this is fixed.", trouble=words)) from None
