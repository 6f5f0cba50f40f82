"""The checks of `manage.py worker --check`, from the worker's side: no work is taken, and nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import Error, connection

from arena import paths
from arena.bots.process.sandbox import NotSandboxed, demand
from arena.management.findings import Finding, Severity
from arena.work.rules_version import rules_version
from arena.work.workers import rights

ROLE = f"on the host: {paths.PROGRAM} work role"


def examine_worker(sandbox: int) -> list[Finding]:
    """`sandbox` is the level for other people's programs."""
    return _reached() or [*_way(), *_rights(), *_sandbox(sandbox), _rules()]


def hindrance() -> Finding | None:
    """Why this worker could do nothing at all."""
    try:
        return next(iter(_reached() or _missing()), None)
    finally:
        connection.close()


def _reached() -> list[Finding]:
    try:
        connection.ensure_connection()
    except Error as why:
        todo = "check DATABASE_URL, that the database server runs, and that it accepts this machine"
        return [Finding("database", Severity.WRONG, f"cannot be reached: {str(why).strip()}", todo)]
    return []


def _way() -> Iterator[Finding]:
    if rights.is_encrypted() and not (rights.is_local() or rights.is_verified()):
        todo = "put ?sslmode=verify-full behind DATABASE_URL, as docs/cluster.md says"
        yield Finding("encryption", Severity.WARNING, "TLS, but who answers is not checked: it may be anybody", todo)
    elif rights.is_encrypted():
        yield Finding("encryption", Severity.OK, "traffic to the database goes over TLS")
    elif rights.is_local():
        yield Finding("encryption", Severity.OK, "none, and nothing leaves this machine")
    else:
        todo = "add ?sslmode=verify-full to DATABASE_URL, and a certificate to the database"
        yield Finding("encryption", Severity.WRONG, "none: anybody on the way can read everything", todo)


def _missing() -> list[Finding]:
    return [Finding("rights", Severity.WRONG, words, ROLE) for words in rights.too_little()]


def _rights() -> Iterator[Finding]:
    wrong = [(words, f"{ROLE}; log in as that role") for words in rights.too_much()]
    wrong += rights.may_create()
    for words, mend in wrong:
        yield Finding("rights", Severity.WRONG, f"{words}, which no worker needs", mend)
    missing = _missing()
    yield from missing
    if not wrong and not missing:
        yield Finding(
            "rights", Severity.OK, "takes and finishes jobs, calls claim, slice and answer, and may do nothing else"
        )


def _sandbox(minimum: int) -> Iterator[Finding]:
    try:
        yield Finding("sandbox", Severity.OK, f"level {demand(minimum)}; {minimum} is required")
    except NotSandboxed as why:
        said, _, todo = str(why).partition(" To raise it: ")
        yield Finding("sandbox", Severity.WARNING, said.replace("not run", "not run on this worker"), todo)


def _rules() -> Finding:
    return Finding("rules", Severity.OK, f"version {rules_version()}; a host with another version gives no work")
