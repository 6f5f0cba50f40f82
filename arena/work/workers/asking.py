"""What the lender asks and tells the database with each match, in SQL: through the ORM this costs more than judging and
storing the match.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from django.db import connection

from arena.work.rows import WorkRun
from arena.work.workers.places import IS_LENT, IS_TO_LEND, IS_UNCLAIMED

# Two small queries say what there is to do, because queries in vain cost more than storing a match. The first asks for
# the work of what has come; if it joined the tables, PostgreSQL might read all the work for it. Without an order it
# might also expect to meet such a row soon, and read all that is done.
NEWS = """
SELECT EXISTS (SELECT 1 FROM arena_returned WHERE (SELECT kind FROM arena_work WHERE id = work_id) = ANY(%s)),
    EXISTS (SELECT 1 FROM arena_logslice WHERE (SELECT kind FROM arena_work WHERE id = work_id) = ANY(%s))
"""
TO_DO = f"""
SELECT (SELECT id FROM arena_work WHERE kind = ANY(%s) AND match <> '' ORDER BY match LIMIT 1) IS NOT NULL,
    (SELECT id FROM arena_work WHERE kind = ANY(%s) AND {IS_TO_LEND} ORDER BY priority DESC, id LIMIT 1) IS NOT NULL,
    EXISTS (SELECT 1 FROM arena_work WHERE kind = ANY(%s) AND {IS_LENT}),
    EXISTS (SELECT 1 FROM arena_work WHERE kind = ANY(%s) AND {IS_UNCLAIMED} AND priority >= 0)
"""
RUN = "id, kind, key, spec, token, worker, voids, match, watched"
OF_RUN = ", ".join(f"work.{name}" for name in RUN.split(", "))
# The first answers, and then their works: joined before that, for the reason above, all would be read.
CAME = f"""
SELECT came.id, came.found, came.token, came.worker, work.rules, {OF_RUN} FROM (
    SELECT id, work_id, token, worker, found FROM arena_returned
    WHERE (SELECT kind FROM arena_work WHERE id = work_id) IN ({{kinds}}) ORDER BY id LIMIT %s
) AS came JOIN arena_work AS work ON work.id = came.work_id ORDER BY came.id
"""
# What workers have given back comes last: those that are here may all lack the same, and others would wait for ever.
_FIRST_OF = f"""
SELECT * FROM (
    SELECT lacked IS NOT NULL AS back, priority, {RUN} FROM arena_work
    WHERE {IS_TO_LEND} AND kind IN ({{kinds}}) AND priority {{which}} 0 AND lacked IS {{lacked}}
    ORDER BY priority DESC, id LIMIT %s
) AS first
"""
WAITING = f"""
SELECT * FROM (
    {_FIRST_OF.replace("{lacked}", "NULL")} UNION ALL {_FIRST_OF.replace("{lacked}", "NOT NULL")}
    ORDER BY back, priority DESC, id LIMIT %s
) AS waiting
"""
LEND = """
UPDATE arena_work SET lent = CURRENT_TIMESTAMP, job = %s, rules = %s, sandbox = %s, needs = %s
WHERE id = %s AND state = 'waiting' AND lent IS NULL
"""
JUDGED = "DELETE FROM arena_returned WHERE id IN ({rows})"
COUNTED = "UPDATE arena_machine SET answered = answered + %s, late = late + %s WHERE name = %s"


class FromWorkers(NamedTuple):
    """Whether workers have answered, or told something of running matches."""

    answered: bool
    told: bool


class ToDo(NamedTuple):
    """Whether rows have matches that are open or were left open, whether rows may be lent, whether workers have any, or
    will, and whether one that somebody waits for lies ready for them.
    """

    matches: bool
    to_lend: bool
    lent: bool
    ready: bool


class ReturnedRun(NamedTuple):
    """The answer to a run, played by these rules; `row` holds it until it has been judged."""

    row: int
    found: str
    rules: str
    run: WorkRun


class ToLend(NamedTuple):
    """A row that may be lent, as if its next attempt had begun."""

    priority: int
    run: WorkRun


def news(kinds: Collection[str]) -> FromWorkers:
    """What workers have said."""
    return FromWorkers(*_asked(NEWS, [list(kinds)] * 2)[0])


def to_do(kinds: Collection[str]) -> ToDo:
    """What there is to do besides."""
    return ToDo(*_asked(TO_DO, [list(kinds)] * 4)[0])


def first_that_came(kinds: Collection[str], count: int) -> list[ReturnedRun]:
    """The answers that came first for works of these kinds."""
    return [
        ReturnedRun(row, found, rules, _run(columns)._replace(token=token, worker=worker))
        for row, found, token, worker, rules, *columns in _asked(_of(CAME, kinds), [*kinds, count])
    ]


def waiting(kinds: Collection[str], wanted: int, rest: int) -> list[ToLend]:
    """The first rows of these kinds that may be lent: so many that somebody waits for, and so many of the rest."""
    some = [(which, count) for which, count in ((">=", wanted), ("<", rest)) if count > 0]
    if not some:
        return []
    sql = " UNION ALL ".join(_of(WAITING.replace("{which}", which), kinds) for which, _ in some)
    values = [value for _, count in some for value in (*kinds, count, *kinds, count, count)]
    return [ToLend(priority, _run(columns)) for _, priority, *columns in _asked(sql, values)]


def lend(work: int, job: Any, rules: str, sandbox: int, needs: str) -> bool:
    """Note that it is lent with this job; False if it is no longer there to be lent."""
    with connection.cursor() as cursor:
        cursor.execute(LEND, [json.dumps(job), rules, sandbox, needs, work])
        return bool(cursor.rowcount)


def judged(answers: Sequence[int], counts: Iterable[tuple[str, int, int]]) -> None:
    """Forget these answers, and add to what each worker has answered, and answered too late."""
    if answers:
        with connection.cursor() as cursor:
            for worker, answered, late in counts:
                cursor.execute(COUNTED, [answered, late, worker])
            cursor.execute(JUDGED.replace("{rows}", ", ".join(["%s"] * len(answers))), list(answers))


def _of(sql: str, kinds: Collection[str]) -> str:
    return sql.replace("{kinds}", ", ".join(["%s"] * len(kinds)))


def _asked(sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def _run(columns: Sequence[Any]) -> WorkRun:
    """A run from the columns of `RUN`, in which JSON is text."""
    work, kind, key, spec, token, worker, voids, match, watched = columns
    return WorkRun(work, kind, key, json.loads(spec), token, worker, voids, match, bool(watched))
