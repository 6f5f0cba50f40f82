"""The lease of the host: the row, in the database of the tests, and the lock of a data folder."""

from __future__ import annotations

import fcntl
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models import F
from django.db.models.functions import Now

from arena.cluster import lease as lease_module
from arena.cluster.lease import (
    LASTS,
    Fence,
    HostLease,
    LockLease,
    NotTheHost,
    Patience,
    RowLease,
    by_holder,
    fence_of,
    for_holder,
    lease_of_host,
    who_stays,
)
from arena.models import Lease as Row
from arena.models import Room
from tests.kit.commands import script

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).parents[2]
# Takes the lock, says so, and keeps it until its input ends.
HOLDER = """
import pathlib, sys
from arena.cluster.lease import LockLease
lock = LockLease(pathlib.Path(FOLDER))._locked()
assert lock
print("held", flush=True)
sys.stdin.read()
"""


def expire() -> None:
    Row.objects.update(expires=Now() - timedelta(seconds=1))


@pytest.fixture
def lock(tmp_path: Path) -> Iterator[Callable[[], LockLease]]:
    """The lock of one folder as several processes see it; all of them end with the test."""
    made = list[LockLease]()

    def make() -> LockLease:
        made.append(LockLease(tmp_path))
        return made[-1]

    yield make
    for lease in made:
        lease.release()


@pytest.fixture(params=["row", "lock"])
def lease(request: pytest.FixtureRequest, lock: Callable[[], LockLease]) -> Callable[[str], HostLease]:
    """A lease as a process of this name sees it, in both stores."""
    return RowLease if request.param == "row" else lambda name: lock()


# -- what the holder writes besides the log ---------------------------------------------------------------------------


def test_a_transaction_is_the_holders_or_nothing_of_it_is_done(lease: Callable[[str], HostLease]) -> None:
    holder = lease("first")
    assert holder.take()
    with by_holder(fence_of(holder)):
        Room.objects.create(code="A")
    Row.objects.update(epoch=F("epoch") + 1)
    with pytest.raises(NotTheHost), by_holder(fence_of(holder)):
        Room.objects.create(code="B")
    with by_holder(None):
        Room.objects.create(code="C")
    assert list(Room.objects.order_by("code").values_list("code", flat=True)) == ["A", "C"]


def test_rows_are_there_for_the_holder_and_for_nobody_who_was_it(lease: Callable[[str], HostLease]) -> None:
    holder = lease("first")
    assert holder.take()
    room = Room.objects.create(code="A")
    assert for_holder(Room.objects.all(), fence_of(holder)).update(finished=1) == 1
    Row.objects.update(epoch=F("epoch") + 1)
    assert for_holder(Room.objects.all(), fence_of(holder)).update(finished=2) == 0
    assert for_holder(Room.objects.all(), None).get() == room
    room.refresh_from_db()
    assert room.finished == 1


# -- whichever store it has ------------------------------------------------------------------------------------------


def test_the_first_one_is_the_host_and_the_second_is_not(lease: Callable[[str], HostLease]) -> None:
    first, second = lease("first"), lease("second")
    assert first.holder() == ""
    assert first.take() and not second.take()
    assert first.holder() == second.holder() != ""
    assert first.renew() and not second.renew()
    first.release()
    assert first.holder() == ""


def test_every_taking_has_a_number_of_its_own(lease: Callable[[str], HostLease]) -> None:
    first, second = lease("first"), lease("second")
    first.take()
    first.release()
    assert second.take()
    assert (fence_of(first), fence_of(second)) == (Fence("host", 1), Fence("host", 2))
    first.release()
    assert second.holder() and second.renew(), "nobody gives back what is another's"


def test_who_is_refused_reads_what_to_do(tmp_path: Path) -> None:
    assert LockLease(tmp_path).taken("process 7") == (
        f"another server (process 7) already uses the data in {tmp_path}: stop it, or set ARENA_DATA elsewhere"
    )
    assert "set REDIS_URL for both" in RowLease("me").taken("another")


# -- the row ---------------------------------------------------------------------------------------------------------


def test_it_is_held_as_long_as_it_is_renewed() -> None:
    first = RowLease("first")
    first.take()
    Row.objects.update(expires=Now() + timedelta(seconds=1))
    before = Row.objects.get().expires
    assert first.renew()
    after = Row.objects.get().expires
    assert before is not None and after is not None and after > before


def test_an_expired_one_is_taken_under_a_new_number_and_its_holder_learns_it() -> None:
    first, second = RowLease("first"), RowLease("second")
    first.take()
    expire()
    assert first.holder() == ""
    assert second.take()
    assert (second.epoch, second.holder()) == (2, "second")
    assert not first.renew() and not first.take()


def test_none_outlasts_its_time_although_the_clock_was_set_back() -> None:
    first, second = RowLease("first"), RowLease("second")
    first.take()
    Row.objects.update(expires=Now() + timedelta(hours=1))
    assert not second.take() and Row.objects.filter(expires__lte=Now() + LASTS).exists()
    assert first.renew() and first.holder() == "first"


def test_who_could_not_renew_goes_on_while_nobody_else_took_it() -> None:
    first = RowLease("first")
    first.take()
    expire()
    assert first.renew() and first.holder() == "first"


# -- the lock --------------------------------------------------------------------------------------------------------


def test_on_sqlite_it_is_the_lock_of_the_data_folder() -> None:
    assert isinstance(lease_of_host("me"), LockLease)


def test_the_lock_of_another_process_says_whose_it_is_and_goes_with_it(
    lock: Callable[[], LockLease], tmp_path: Path
) -> None:
    command = script(HOLDER.replace("FOLDER", repr(str(tmp_path))))
    lease = lock()
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        assert not lease.take()
        assert lease.holder() == f"process {holder.pid}"
        holder.kill()
        holder.wait()
        assert lease.take()


def test_who_deletes_the_file_of_the_lock_makes_another_the_host_and_the_first_one_learns_it(
    lock: Callable[[], LockLease], tmp_path: Path
) -> None:
    first, second = lock(), lock()
    assert first.take() and first.renew()
    (tmp_path / "host.lock").unlink()
    assert not first.renew()
    assert second.take() and second.renew() and not first.renew()
    assert second.epoch > first.epoch
    first.release()
    assert not lock().take(), "the lock of the second one is untouched"


def test_a_number_that_cannot_be_had_leaves_the_lock_free(
    lock: Callable[[], LockLease], monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = lock()
    with monkeypatch.context() as broken:
        broken.setattr(Row.objects, "get_or_create", lambda **given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            lease.take()
    assert lock().take()


def test_commands_that_follow_each_other_are_waited_for_and_who_stays_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_module, "PATIENCE_S", 3600.0)
    patience = Patience()
    assert not any(patience.is_over(holder) for holder in ("process 1", "process 2", "", "process 3", "process 3"))
    monkeypatch.setattr(lease_module, "PATIENCE_S", 0.0)
    assert patience.is_over("process 4")


def test_who_stays_is_named_and_nobody_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_module, "PATIENCE_S", 0.0)
    assert who_stays(LockLease(tmp_path)) == ""
    with open(tmp_path / "host.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("17")
        lock.flush()
        assert who_stays(LockLease(tmp_path)) == "process 17"
