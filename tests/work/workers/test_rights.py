"""The role of the workers: what it may do is tried with a connection of its own."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from django.apps import apps

from arena.work.rules_version import rules_version
from arena.work.workers.rights import NAME, login, statements

pytestmark = pytest.mark.service

SAID = {
    "name": "blade", "sort": "linux", "slots": 1, "speed": 1, "rules": "r1", "version": "1", "sandbox": 2,
    "kinds": ["analyse"],
}  # fmt: skip


class Caller:
    """A worker as the database hears it: three functions."""

    def __init__(self, connection: psycopg.Connection, **about: Any) -> None:
        self._connection, self._about = connection, {**SAID, **about}

    def claim(self, work: int | None = None, token: int | None = None, secret: str | None = None) -> Any:
        values = [json.dumps(self._about), work, token, secret]
        return self._one("SELECT arena_claim(%s::jsonb, %s::bigint, %s::integer, %s::text)", values)

    def answer(self, run: dict[str, Any], answer: str | None, **other: Any) -> Any:
        shown = {**run, **other}
        values = [self._about["name"], shown["work"], shown["token"], shown["secret"], answer]
        return self._one("SELECT arena_answer(%s, %s::bigint, %s::integer, %s::text, %s::text)", values)

    def tell(self, run: dict[str, Any], part: str = "[]", **other: Any) -> Any:
        shown = {**run, **other}
        values = [self._about["name"], shown["work"], shown["token"], shown["secret"], part]
        return self._one("SELECT arena_slice(%s, %s::bigint, %s::integer, %s::text, %s::text)", values)

    def _one(self, sql: str, values: list[Any]) -> Any:
        row = self._connection.execute(sql, values).fetchone()
        assert row is not None
        return row[0]


def lent(owner: psycopg.Connection, **columns: Any) -> int:
    """A row that workers may claim."""
    row = {
        "kind": "analyse", "key": f"k{owner.execute('SELECT count(*) FROM arena_work').fetchone()}", "spec": "{}",
        "priority": 0, "state": "waiting", "token": 0, "worker": "", "faults": 0, "voids": 0, "late": 0, "why": "",
        "needs": "", "lent": "now", "made": "now", "job": '{"n": 1}', "rules": "r1", "sandbox": 0, "secret": "",
    } | columns  # fmt: skip
    names, places = ", ".join(row), ", ".join(["%s"] * len(row))
    found = owner.execute(f"INSERT INTO arena_work ({names}) VALUES ({places}) RETURNING id", list(row.values()))
    return int(found.fetchone()[0])  # type: ignore[index]


def test_it_reads_no_table_and_submits_no_job(worker: psycopg.Connection, owner: psycopg.Connection) -> None:
    tables = [model._meta.db_table for model in apps.get_models()]
    assert len(tables) > 40
    for table in [*tables, "django_migrations"]:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            worker.execute(f"SELECT 1 FROM {table}")
    for statement in (
        "INSERT INTO procrastinate_jobs (queue_name, task_name) VALUES ('q', 't')",
        "SELECT procrastinate_defer_jobs_v1(ARRAY[ROW('q', 't', 0, NULL, NULL, '{}', NULL)]::"
        "procrastinate_job_to_defer_v1[])",
        "UPDATE procrastinate_jobs SET args = '{}'",
        "DELETE FROM procrastinate_jobs",
        "CREATE TABLE mine (n integer)",
        "UPDATE arena_work SET state = 'done'",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            worker.execute(statement)


def test_a_run_is_claimed_once_kept_and_answered_once(worker: psycopg.Connection, owner: psycopg.Connection) -> None:
    work, one, two = lent(owner), Caller(worker), Caller(worker, name="another")
    run = one.claim(work)
    assert run["job"] == {"n": 1} and run["token"] == 1
    assert one.claim(work) is None and two.claim(work) is None
    assert one.claim(work, 1, run["secret"]) == {"kept": True, "watched": False}
    assert two.claim(work, 1, "guessed") == {"kept": False, "watched": False}
    assert two.answer(run, '{"answer": 2}', secret="guessed") is False
    assert one.answer(run, '{"answer": 2}', token=2) is False
    assert one.answer(run, '{"answer": 2}') is True and one.answer(run, '{"answer": 3}') is True
    assert owner.execute("SELECT found, worker FROM arena_returned").fetchall() == [('{"answer": 2}', "blade")]
    assert owner.execute("SELECT late FROM arena_machine ORDER BY name").fetchall() == [(1,), (1,)]


def test_a_worker_that_stands_still_inside_a_transaction_holds_no_row(
    worker: psycopg.Connection, owner: psycopg.Connection
) -> None:
    work = lent(owner)
    worker.autocommit = False
    run = Caller(worker).claim(work)
    owner.execute("SET lock_timeout = '60s'")
    owner.execute("UPDATE arena_work SET why = 'seen' WHERE id = %s", [work])  # waits for the end of its transaction
    assert owner.execute("SELECT state, token FROM arena_work").fetchall() == [("waiting", 0)], "nothing was claimed"
    with pytest.raises(psycopg.errors.IdleInTransactionSessionTimeout):
        Caller(worker).answer(run, "{}")


def test_a_newer_run_makes_the_older_answer_late(worker: psycopg.Connection, owner: psycopg.Connection) -> None:
    work, caller = lent(owner), Caller(worker)
    older = caller.claim(work)
    owner.execute("UPDATE arena_work SET state = 'waiting', lent = now()")
    newer = caller.claim(work)
    assert caller.claim(work, older["token"], older["secret"]) == {"kept": False, "watched": False}
    assert caller.answer(older, "{}") is False and newer["token"] == 2
    assert caller.answer(newer, None) is True
    assert owner.execute("SELECT state, lent, until FROM arena_work").fetchall() == [("waiting", None, None)]


def test_what_the_host_computes_itself_is_nobody_elses_to_answer(
    worker: psycopg.Connection, owner: psycopg.Connection
) -> None:
    work = lent(owner)
    owner.execute("UPDATE arena_work SET state = 'out', token = 1, until = now()")
    run = {"work": work, "token": 1, "secret": ""}
    assert Caller(worker).answer(run, "{}") is False and Caller(worker).claim(work, 1, "") == {
        "kept": False,
        "watched": False,
    }


@pytest.mark.parametrize(
    ("columns", "about"),
    [
        ({"rules": "r2"}, {}),
        ({"needs": "c5"}, {}),
        ({"needs": "host"}, {}),
        ({"sandbox": 3}, {}),
        ({"kind": "play"}, {}),
        ({"lent": None}, {}),
        ({"state": "cancelled"}, {}),
    ],
)
def test_a_worker_is_not_given_what_it_may_not_have(
    worker: psycopg.Connection, owner: psycopg.Connection, columns: dict[str, Any], about: dict[str, Any]
) -> None:
    assert Caller(worker, **about).claim(lent(owner, **columns)) is None


@pytest.mark.parametrize(("column", "value"), [("draining", True), ("distrusted", "it has lied")])
def test_one_that_was_drained_or_has_lied_gets_nothing_and_hears_so(
    worker: psycopg.Connection, owner: psycopg.Connection, column: str, value: Any
) -> None:
    caller = Caller(worker)
    assert caller.claim() == {"draining": False, "distrusted": ""}
    owner.execute(f"UPDATE arena_machine SET {column} = %s", [value])
    assert caller.claim()[column] == value and caller.claim(lent(owner)) is None


def test_one_without_a_name_is_refused_for_no_order_would_reach_it(
    worker: psycopg.Connection, owner: psycopg.Connection
) -> None:
    with pytest.raises(psycopg.errors.CheckViolation, match="machine_has_name"):
        Caller(worker, name="").claim()
    assert owner.execute("SELECT name FROM arena_machine").fetchall() == []


LACKED = "SELECT lacked IS NOT NULL FROM arena_work"
MACHINES = "SELECT name, lacks, lacked IS NOT NULL FROM arena_machine ORDER BY name"


def test_one_that_gives_a_run_back_says_what_its_machine_lacks_until_another_takes_it(
    worker: psycopg.Connection, owner: psycopg.Connection
) -> None:
    work, caller, other = lent(owner), Caller(worker), Caller(worker, name="other")
    run = caller.claim(work)
    lacking = Caller(worker, lacks="no room " * 99)
    assert lacking.claim(work, 1, "guessed")["kept"] is False
    assert owner.execute(LACKED).fetchone() == (False,)
    assert lacking.claim(work, 1, run["secret"])["kept"] is True and caller.answer(run, None) is True
    said = ("blade", ("no room " * 99)[:500], True)
    assert owner.execute(MACHINES).fetchall() == [said] and owner.execute(LACKED).fetchone() == (True,)
    again = "UPDATE arena_work SET state = 'waiting', lent = now()"
    owner.execute(again)
    assert caller.claim(work) and owner.execute(LACKED).fetchone() == (True,), "the same one asks again and again"
    owner.execute(again)
    assert other.claim(work) and owner.execute(LACKED).fetchone() == (False,), "it may have what is needed"
    assert owner.execute(MACHINES).fetchall() == [said, ("other", "", False)], "a heartbeat changes nothing of it"


def test_slices_are_taken_of_a_run_that_is_watched_and_of_no_other(
    worker: psycopg.Connection, owner: psycopg.Connection
) -> None:
    work, caller = lent(owner), Caller(worker)
    run = caller.claim(work)
    assert run["watched"] is False and caller.tell(run) is False, "nobody watches"
    owner.execute("UPDATE arena_work SET watched = true")
    assert caller.claim(work, 1, run["secret"]) == {"kept": True, "watched": True}
    assert caller.tell(run, secret="guessed") is False and caller.tell(run, token=2) is False
    assert caller.tell(run, "x" * (2**20 + 1)) is False
    taken = [caller.tell(run) for _ in range(101)]
    assert taken == [True] * 100 + [False], "a host that takes none is not flooded"
    owner.execute("UPDATE arena_work SET state = 'waiting', lent = now(), match = '7gk3mzrq2x'")
    assert caller.tell(run) is False and caller.claim(work) is None, "its match is still open"


def test_an_answer_that_is_too_long_is_refused(worker: psycopg.Connection, owner: psycopg.Connection) -> None:
    caller = Caller(worker)
    run = caller.claim(lent(owner))
    with pytest.raises(psycopg.errors.RaiseException, match="expected at most 16777216"):
        caller.answer(run, "x" * (16 * 2**20 + 1))


@pytest.mark.parametrize("host", ["", "/run/postgresql", "localhost", "127.0.0.1", "::1"])
def test_no_worker_is_told_to_log_in_at_its_own_machine(host: str) -> None:
    assert login("w", "p/w", {"HOST": host, "PORT": "", "NAME": "a"}) == "postgres://w:p%2Fw@HOST:5432/a"
    assert login("w", "pw", {"HOST": "db", "PORT": 5433, "NAME": "a"}) == "postgres://w:pw@db:5433/a"


def test_a_name_of_a_role_is_no_sql() -> None:
    assert NAME.fullmatch("arena_worker") and not NAME.fullmatch("x; DROP TABLE") and not NAME.fullmatch("x\n")
    assert all("arena_worker" in line for line in statements("arena_worker", "public"))
    assert rules_version()
