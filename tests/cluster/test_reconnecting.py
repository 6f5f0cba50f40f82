"""A connection that broke is opened again by the next statement: a real PostgreSQL ends it."""

from __future__ import annotations

import ast

import dj_database_url
import psycopg
import pytest
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler

from tests.kit.processes import Postgres
from tests.kit.source import nodes, place, sources


def process_of(connection: BaseDatabaseWrapper) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


@pytest.mark.service
@pytest.mark.django_db
def test_the_statement_after_one_that_failed_connects_again(postgres: Postgres) -> None:
    url = postgres.create("reconnecting")
    connection = ConnectionHandler({"default": dj_database_url.parse(url)})["default"]
    with psycopg.connect(url, autocommit=True) as other:

        def ends(process: int) -> None:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [process])

        ends(before := process_of(connection))
        with pytest.raises(OperationalError):
            process_of(connection)
        assert process_of(connection) != before
    connection.close()


@pytest.mark.long
def test_no_thread_of_a_pool_keeps_a_connection() -> None:
    """Only `database_sync_to_async` closes it: kept ones add up, and break when the database is started again."""
    wrong = []
    for path in sources():
        for node in nodes(path):
            if isinstance(node, ast.Call) and any(each.arg == "thread_sensitive" for each in node.keywords):
                asked = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                if "database_sync_to_async" not in asked:
                    wrong.append(f"{place(path)}:{node.lineno}")
    assert wrong == []
