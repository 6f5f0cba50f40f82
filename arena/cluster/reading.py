"""In a page worker nothing is written but sessions, and these over a connection of their own (`arena.settings`)."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.base_session import AbstractBaseSession


class SessionsElsewhere:
    """A router of Django's: what is written of a session goes to the alias `sessions`, on the same database."""

    def db_for_write(self, model: type[Any], **hints: Any) -> str | None:
        return "sessions" if issubclass(model, AbstractBaseSession) else None

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool:
        """Both aliases are one database."""
        return True
