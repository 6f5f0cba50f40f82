"""Empties the tables after a test that committed: those that have rows, without asking Django to make its own again.

Django's `flush` empties all thirty tables and has content types and permissions written again: 38 ms of computing after
every test that commits. Here one query finds the tables that have rows. What the migrations left (content types and
permissions) stays if it is what it was; otherwise, and on PostgreSQL, Django's own way is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.test import TransactionTestCase

# Its name in Django, which the types leave out.
TEARDOWN = "_fixture_teardown"

LEFT_BY_MIGRATIONS = ("django_content_type", "auth_permission")
Rows = dict[str, list[tuple[Any, ...]]]


@contextmanager
def only_what_has_rows() -> Iterator[None]:
    """As long as this holds, a test that commits is followed by the cheap way."""
    slowly = getattr(TransactionTestCase, TEARDOWN)
    migrated, others = _left_by_migrations(), _other_tables()

    def empty(case: TransactionTestCase) -> None:
        nonlocal migrated
        if _left_by_migrations() != migrated:
            slowly(case)
            migrated = _left_by_migrations()  # the same with other numbers
        else:
            _empty(others)

    if connection.vendor == "sqlite":
        setattr(TransactionTestCase, TEARDOWN, empty)
    try:
        yield
    finally:
        setattr(TransactionTestCase, TEARDOWN, slowly)


def _other_tables() -> list[str]:
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return sorted(set(names) - set(LEFT_BY_MIGRATIONS))


def _left_by_migrations() -> Rows:
    with connection.cursor() as cursor:
        return {name: cursor.execute(f"SELECT * FROM {name} ORDER BY id").fetchall() for name in LEFT_BY_MIGRATIONS}


def _empty(tables: list[str]) -> None:
    """In one transaction, so that what points at another table is looked at when both are empty."""
    found = " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})" for name in tables)
    with connection.cursor() as cursor:
        used = [name for (name,) in cursor.execute(found).fetchall()]
    with transaction.atomic(), connection.cursor() as cursor:
        for name in used:
            cursor.execute(f"DELETE FROM {name}")
