"""A connection to PostgreSQL that fails is closed, so that the next statement opens another. Django looks at
connections when a request begins: those of tasks and threads would stay broken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import InterfaceError, OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created


def install() -> None:
    """Do so from now on, in every thread of this process."""
    connection_created.connect(_watch)


def _watch(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if connection.vendor == "postgresql" and _executed not in connection.execute_wrappers:
        connection.execute_wrappers.insert(0, _executed)  # whoever adds another one takes the last away again


def _executed(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    try:
        return execute(sql, params, many, context)
    except (OperationalError, InterfaceError):
        context["connection"].close_if_unusable_or_obsolete()  # a transaction sees to its own
        raise
