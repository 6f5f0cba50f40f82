"""A database of PostgreSQL is dumped and restored by the very commands of docs/deployment.md, and is the same after."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
from pathlib import Path

import psycopg

from tests.kit.deadline import DEADLINE_S
from tests.kit.processes import Postgres
from tests.kit.server import ROOT

STORED = ROOT / "tests" / "data" / "before" / "postgres.sql.gz"
HANDBOOK = (ROOT / "docs" / "deployment.md").read_text()


def test_what_is_restored_is_what_was_dumped(postgres: Postgres, tmp_path: Path) -> None:
    old, new = postgres.create("dumped"), postgres.create("restored")
    # What begins with a backslash is said to psql.
    script = "\n".join(line for line in gzip.decompress(STORED.read_bytes()).decode().splitlines() if line[:1] != "\\")
    with psycopg.connect(old, autocommit=True) as database:
        database.execute(script.encode())
        (matches,) = database.execute("SELECT count(*) FROM public.arena_match").fetchone() or (0,)
    carried_out("pg_dump", tmp_path, old)
    carried_out("pg_restore", tmp_path, new)
    assert matches > 0 and everything(new) == everything(old)


def carried_out(program: str, folder: Path, url: str) -> None:
    """The command that the handbook shows for it."""
    (command,) = re.findall(rf"^{program} .*$", HANDBOOK, re.MULTILINE)
    told = {"PATH": os.environ["PATH"], "DATABASE_URL": url}
    subprocess.run(["sh", "-c", command], cwd=folder, env=told, check=True, timeout=DEADLINE_S)


def everything(url: str) -> list[str]:
    """Every table, index, sequence and row; without the word that is a new one in each dump."""
    done = subprocess.run(["pg_dump", "--no-owner", "--no-acl", url], check=True, capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if "restrict " not in line]
