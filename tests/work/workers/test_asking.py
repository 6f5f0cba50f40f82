"""What is asked with each match costs as little however much work there is: real plans of a real PostgreSQL. What comes
of it is told in test_lender.py.
"""

from __future__ import annotations

from typing import Any, LiteralString

import psycopg
import pytest

from arena.work.workers.asking import CAME, NEWS, TO_DO, WAITING
from arena.work.workers.places import TAKEN

pytestmark = pytest.mark.service

QUESTIONS: dict[str, tuple[LiteralString, Any]] = {
    "news": (NEWS, [["play"]] * 2), "to do": (TO_DO, [["play"]] * 4), "places": (TAKEN, [4]),
    "what came": (CAME.replace("{kinds}", "%s"), ["play", 60]),
    "what waits": (WAITING.replace("{kinds}", "%s").replace("{which}", ">="), ["play", 4, "play", 4, 4]),
}  # fmt: skip


@pytest.mark.parametrize("needs", ["", "host"])
def test_what_is_asked_with_each_match_reads_neither_what_is_done_nor_all_that_waits(
    owner: psycopg.Connection, needs: str
) -> None:
    """Also where ten thousand works have just been submitted."""
    owner.execute(
        "INSERT INTO arena_work (kind, key, spec, priority, state, token, worker, faults, voids, late, why, made,"
        " needs, rules, sandbox, secret) SELECT 'play', n, '{}', 0, CASE WHEN n > 9999 THEN 'waiting' ELSE 'done' END,"
        " 0, '', 0, 0, 0, '', now(), %s, '', 0, '' FROM generate_series(1, 20000) AS n",
        [needs],
    )
    for is_counted in (False, True):
        if is_counted:
            owner.execute("VACUUM ANALYZE arena_work")
        for question, (sql, values) in QUESTIONS.items():
            plan = "\n".join(line for (line,) in owner.execute(f"EXPLAIN (ANALYZE) {sql}", values).fetchall())
            assert "Seq Scan on arena_work" not in plan, f"{question}: {plan}"
            assert not is_counted or "Rows Removed" not in plan, f"{question}: {plan}"
