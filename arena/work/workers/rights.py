"""The rights of the workers' role in the database, and how they are checked from the workers' side.

The role takes and finishes jobs of Procrastinate and calls three functions. It cannot add a job, or read a table of the
arena.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from django.db import Error, connection, transaction

from arena import paths

ROLE = "arena_worker"
# Only what taking and finishing a job touches: Procrastinate's functions run with the caller's rights.
_JOBS = (
    "GRANT USAGE ON SCHEMA {schema} TO {role}",
    "GRANT SELECT ON procrastinate_jobs TO {role}",
    "GRANT UPDATE (status, worker_id, attempts, abort_requested) ON procrastinate_jobs TO {role}",
    "GRANT INSERT ON procrastinate_events TO {role}",
    "GRANT USAGE ON SEQUENCE procrastinate_events_id_seq TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON procrastinate_workers TO {role}",
)
FUNCTIONS = (
    "arena_claim(jsonb, bigint, integer, text)",
    "arena_slice(text, bigint, integer, text, text)",
    "arena_answer(text, bigint, integer, text, text)",
)
_OURS = tuple(f"GRANT EXECUTE ON FUNCTION {signature} TO {{role}}" for signature in FUNCTIONS)

# Of a role that there is: whether it is the host's own, or more.
HAS_MORE = """
SELECT rolsuper OR rolname IN (current_user, session_user) OR EXISTS (
    SELECT 1 FROM pg_class WHERE relowner = pg_roles.oid
) FROM pg_roles WHERE rolname = %s
"""

READ = frozenset({"procrastinate_jobs", "procrastinate_workers"})
NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


class NoSuchRole(Exception):
    """The role cannot be created here. The message says why, and what to do."""


def statements(role: str, schema: str) -> list[str]:
    """Statements that give an existing role its rights, and revoke whatever it was given before."""
    taken = [f"REVOKE ALL ON ALL {things} IN SCHEMA {{schema}} FROM {{role}}" for things in ("TABLES", "SEQUENCES")]
    return [line.format(role=role, schema=schema) for line in (*taken, *_JOBS, *_OURS)]


def bounds(role: str) -> list[str]:
    """How long a worker may hold a row: one that is stopped inside a transaction loses its connection."""
    limits = (("idle_in_transaction_session_timeout", "2s"), ("lock_timeout", "10s"), ("statement_timeout", "60s"))
    return [f"ALTER ROLE {role} SET {name} = '{limit}'" for name, limit in limits]


def make_role(role: str, password: str) -> None:
    """Create the role, or give the existing one this password, with exactly these rights. Raises NoSuchRole."""
    if not NAME.fullmatch(role):
        raise NoSuchRole(f"received {role[:80]!r}: expected a name of small letters, digits and _")
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT quote_ident(current_schema()), to_regclass('procrastinate_jobs') IS NULL")
            schema, missing = cursor.fetchone()
            if missing:
                raise NoSuchRole(
                    f"this database has no jobs yet: set ARENA_ENGINE=procrastinate and run {paths.PROGRAM} migrate"
                )
            cursor.execute(HAS_MORE, [role])
            known = cursor.fetchone()
            if known is not None and known[0]:
                raise NoSuchRole(
                    f"{role} owns tables here or rules this server, and would lose that: name a role for workers alone"
                )
            verb = "CREATE" if known is None else "ALTER"
            rest = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION LOGIN PASSWORD"
            cursor.execute(f"{verb} ROLE {role} {rest} %s", [password])
            for statement in (*statements(role, schema), *bounds(role)):
                cursor.execute(statement)
    except Error as why:
        raise NoSuchRole(f"{why}. Ask somebody who may create roles, or log in as the owner of the database.") from None


def login(role: str, password: str, place: Mapping[str, Any]) -> str:
    """The address with which workers log in to a database with these settings. HOST stands in it for a place that only
    this machine knows.
    """
    host = "HOST" if _is_local(place) else place["HOST"]
    return f"postgres://{role}:{quote(password, safe='')}@{host}:{place['PORT'] or 5432}/{place['NAME']}"


# -- from the worker's side --------------------------------------------------------------------------------------------


def too_much() -> Iterator[str]:
    """Rights that the role of this connection has and should not have, in words."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT rolsuper, rolcreaterole, rolcreatedb, rolname FROM pg_roles WHERE rolname = current_user"
        )
        *powers, name = cursor.fetchone()
        for may, words in zip(powers, ("is a superuser", "makes roles", "makes databases"), strict=True):
            if may:
                yield f"{name} {words}"
        for right, verb in (("SELECT", "read"), ("INSERT", "add to"), ("UPDATE", "change"), ("DELETE", "delete from")):
            cursor.execute(
                "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace"
                " WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND nspname NOT LIKE 'pg\\_%%'"
                " AND nspname <> 'information_schema' AND has_table_privilege(pg_class.oid, %s) ORDER BY relname",
                [right],
            )
            found = [table for (table,) in cursor.fetchall() if table not in _allowed(right)]
            if found:
                rest = f" and {len(found) - 3} more" if len(found) > 3 else ""
                yield f"{name} may {verb} {', '.join(found[:3])}{rest}"
    if _can_submit():
        yield f"{name} may submit jobs"


def _allowed(right: str) -> frozenset[str]:
    if right == "INSERT":
        return frozenset({"procrastinate_events", "procrastinate_workers"})
    return READ if right == "SELECT" else frozenset({"procrastinate_workers"})


def _can_submit() -> bool:
    """Whether it can submit work: tried, and rolled back."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("INSERT INTO procrastinate_jobs (queue_name, task_name) VALUES ('none', 'none')")
            transaction.set_rollback(True)
    except Error:
        return False
    return True


def too_little() -> Iterator[str]:
    """Rights that it needs and does not have, in words."""
    needed = [("has_function_privilege", signature, "EXECUTE", "call") for signature in FUNCTIONS]
    needed += [("has_table_privilege", table, "SELECT", "read") for table in sorted(READ)]
    with connection.cursor() as cursor:
        for question, thing, right, verb in needed:
            cursor.execute(f"SELECT {question}(%s, %s)", [thing, right])
            if not cursor.fetchone()[0]:
                yield f"it may not {verb} {thing.partition('(')[0]}"


def is_encrypted() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        row = cursor.fetchone()
    return bool(row and row[0])


def is_verified() -> bool:
    """Whether the database has shown a certificate for its name. Otherwise a machine on the way may be in its place."""
    return bool(connection.connection.info.get_parameters().get("sslmode") == "verify-full")


def is_local() -> bool:
    """Whether traffic to the database stays on this machine."""
    return _is_local(connection.settings_dict)


def _is_local(place: Mapping[str, Any]) -> bool:
    host = str(place.get("HOST") or "")
    return not host or host.startswith("/") or host in ("localhost", "::1") or host.startswith("127.")
