"""A page worker writes nothing but sessions, over a connection of their own (`arena.settings`)."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.base_session import AbstractBaseSession


class SessionsElsewhere:
    """A database router for Django: sessions are written through the alias `sessions`, to the same database."""

    def db_for_write(self, model: type[Any], **hints: Any) -> str | None:
        return "sessions" if issubclass(model, AbstractBaseSession) else None

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool:
        """Both aliases are one database."""
        return True
