"""The rights of the workers' role in the database, and how workers check them: it takes and finishes jobs of
Procrastinate and calls three functions, but adds no job and reads no table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from django.db import Error, connection, transaction

from arena import paths

ROLE = "arena_worker"
# Only what taking and finishing a job touches: Procrastinate's functions run with the caller's rights. The columns, or
# none for whole tables.
_TABLES: dict[tuple[str, str], tuple[str, ...]] = {
    ("SELECT", "procrastinate_jobs"): (),
    ("UPDATE", "procrastinate_jobs"): ("status", "worker_id", "attempts", "abort_requested"),
    ("INSERT", "procrastinate_events"): (),
    **{(right, "procrastinate_workers"): () for right in ("SELECT", "INSERT", "UPDATE", "DELETE")},
}
_SEQUENCE = "procrastinate_events_id_seq"
FUNCTIONS = (
    "arena_claim(jsonb, bigint, integer, text)",
    "arena_slice(text, bigint, integer, text, text)",
    "arena_answer(text, bigint, integer, text, text)",
)
VERBS = {"SELECT": "read", "INSERT": "add to", "UPDATE": "change", "DELETE": "delete from"}

HERE = """
SELECT quote_ident(current_database()), quote_ident(current_schema()), to_regclass('procrastinate_jobs') IS NULL
"""

# Of a role that there is: whether it is the host's own, or more.
HAS_MORE = """
SELECT rolsuper OR rolname IN (current_user, session_user) OR EXISTS (
    SELECT 1 FROM pg_class WHERE relowner = pg_roles.oid
) FROM pg_roles WHERE rolname = %s
"""

# The tables, with the columns, on which the role of this connection has a right; nobody deletes a column.
HELD = """
SELECT relname, array_agg(attname::text) FROM pg_attribute
JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE attnum > 0 AND NOT attisdropped AND relkind IN ('r', 'p', 'v', 'm', 'f')
AND nspname NOT LIKE 'pg\\_%%' AND nspname <> 'information_schema'
AND CASE %s WHEN 'DELETE' THEN has_table_privilege(pg_class.oid, 'DELETE')
    ELSE has_column_privilege(pg_class.oid, attnum, %s) END
GROUP BY relname ORDER BY relname
"""
# The roles that it may take on: the rights of these are none of its own, until it does.
OTHER_ROLES = """
SELECT rolname FROM pg_roles WHERE rolname <> current_user AND pg_has_role(oid, 'MEMBER') ORDER BY rolname
"""
# Where the role of this connection may create something, by itself or as everybody; a superuser may everywhere.
CREATES = """
WITH own AS (SELECT quote_ident(rolname) AS rolname FROM pg_roles WHERE rolname = current_user AND NOT rolsuper)
SELECT 'tables and functions', 'SCHEMA', quote_ident(nspname), rolname FROM pg_namespace, own
WHERE nspname NOT LIKE 'pg\\_%' AND has_schema_privilege(pg_namespace.oid, 'CREATE')
UNION ALL SELECT 'schemas', 'DATABASE', quote_ident(current_database()), rolname FROM own
WHERE has_database_privilege(current_database(), 'CREATE')
"""
MEMBER_OF = """
SELECT quote_ident(pg_roles.rolname) FROM pg_auth_members JOIN pg_roles ON pg_roles.oid = roleid
WHERE member = %s::regrole
"""
NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


class NoSuchRole(Exception):
    """The role cannot be created here. The message says why, and what to do."""


def statements(role: str, schema: str) -> list[str]:
    """Statements that give an existing role its rights, and revoke whatever it was given before."""
    taken = [f"REVOKE ALL ON ALL {things} IN SCHEMA {schema} FROM {role}" for things in ("TABLES", "SEQUENCES")]
    taken.append(f"REVOKE CREATE ON SCHEMA {schema} FROM {role}")
    tables = [f"GRANT {right}{_in(columns)} ON {table} TO {role}" for (right, table), columns in _TABLES.items()]
    given = [f"GRANT USAGE ON SCHEMA {schema} TO {role}", f"GRANT USAGE ON SEQUENCE {_SEQUENCE} TO {role}"]
    return [*taken, *given, *tables, *(f"GRANT EXECUTE ON FUNCTION {signature} TO {role}" for signature in FUNCTIONS)]


def _in(columns: Sequence[str]) -> str:
    return f" ({', '.join(columns)})" if columns else ""


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
            cursor.execute(HERE)
            database, schema, missing = cursor.fetchone()
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
            cursor.execute(MEMBER_OF, [role])
            taken = [f"REVOKE {other} FROM {role}" for (other,) in cursor.fetchall()]
            taken.append(f"REVOKE CREATE ON DATABASE {database} FROM {role}")
            for statement in (*taken, *statements(role, schema), *bounds(role)):
                cursor.execute(statement)
    except Error as why:
        raise NoSuchRole(f"{why}. Ask somebody who may create roles, or log in as the owner of the database.") from None


def login(role: str, password: str, place: Mapping[str, Any]) -> str:
    """The address with which workers log in; HOST in it stands for a place that only this machine knows."""
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
        if not powers[0]:
            cursor.execute(OTHER_ROLES)
            yield from (f"{name} may act as {other}" for (other,) in cursor.fetchall())
        for right, verb in VERBS.items():
            cursor.execute(HELD, [right, right])
            found = [table for table, columns in cursor.fetchall() if not _is_needed(right, table, columns)]
            if found:
                rest = f" and {len(found) - 3} more" if len(found) > 3 else ""
                yield f"{name} may {verb} {', '.join(found[:3])}{rest}"


def may_create() -> Iterator[tuple[str, str]]:
    """What the role of this connection may create, in words, and the statement that ends it. Before PostgreSQL 15
    everybody may create tables in `public`; what else needs that only the owner of the database knows.
    """
    with connection.cursor() as cursor:
        cursor.execute(CREATES)
        for what, kind, place, name in cursor.fetchall():
            yield f"{name} may create {what} in {place}", f"REVOKE CREATE ON {kind} {place} FROM PUBLIC, {name}"


def _is_needed(right: str, table: str, columns: Collection[str]) -> bool:
    needed = _TABLES.get((right, table))
    return needed is not None and (not needed or set(columns) <= set(needed))


def too_little() -> Iterator[str]:
    """Rights that it needs and does not have, in words; also where what they are for is not there."""
    needed = [(f"has_function_privilege(to_regprocedure('{each}'), 'EXECUTE')", "call", each) for each in FUNCTIONS]
    for (right, table), columns in _TABLES.items():
        of = f"to_regclass('{table}')"
        held = " AND ".join(f"has_column_privilege({of}, '{column}', '{right}')" for column in columns)
        needed.append((held or f"has_table_privilege({of}, '{right}')", VERBS[right], table))
    needed.append((f"has_sequence_privilege(to_regclass('{_SEQUENCE}'), 'USAGE')", "use", _SEQUENCE))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(held for held, _, _ in needed)}")
        for may, (_, verb, thing) in zip(cursor.fetchone(), needed, strict=True):
            if not may:
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
