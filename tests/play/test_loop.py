from __future__ import annotations

import os
import socket

import pytest

from arena.play.loop import Loop


def test_who_reads_and_writes_is_called_when_they_can() -> None:
    loop, (read, write), said = Loop(), os.pipe(), []

    def written() -> None:
        os.write(write, b"x")
        loop.remove_writer(write)

    loop.add_reader(read, lambda: said.append(os.read(read, 10)))
    loop.add_writer(write, written)
    loop.run(lambda: bool(said))
    loop.remove_reader(read)
    loop.remove_reader(read)  # twice is no error
    assert said == [b"x"]
    os.close(write)
    os.close(read)


def test_an_end_is_found_by_whoever_reads() -> None:
    loop, (read, write), said = Loop(), os.pipe(), []
    os.close(write)
    loop.add_reader(read, lambda: said.append(os.read(read, 10)))
    loop.run(lambda: bool(said))
    loop.remove_reader(read)
    os.close(read)
    assert said == [b""]


def test_alarms_ring_in_order_and_not_when_they_are_cancelled() -> None:
    loop, rung = Loop(), list[str]()
    loop.call_later(0.02, lambda: rung.append("late"))
    cancelled = loop.call_later(0.01, lambda: rung.append("never"))

    def cancel() -> None:
        rung.append("soon")
        cancelled.cancel()

    loop.call_later(0.0, cancel)
    loop.run(lambda: "late" in rung)
    assert rung == ["soon", "late"]


def test_an_error_of_a_callback_goes_to_whoever_runs_it() -> None:
    loop = Loop()
    loop.call_later(0.0, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        loop.run(lambda: False)


def test_it_waits_for_something_and_no_longer_than_it_may() -> None:
    loop, rung = Loop(), []
    loop.call_later(0.01, lambda: rung.append("late"))
    assert not loop.wait(lambda: bool(rung), 0.0)
    assert loop.wait(lambda: bool(rung), 60.0)
    with pytest.raises(TimeoutError), loop.timeout(0.01):
        loop.run(lambda: False)
    with loop.timeout(0.01):
        pass
    loop.sleep(0.02)  # what was left in time does not ring


def test_one_file_is_read_and_written_and_a_new_one_may_have_its_number() -> None:
    loop = Loop()
    assert [answer_over_a_new_pair(loop) for _ in range(2)] == [[b"ask"], [b"ask"]]


def answer_over_a_new_pair(loop: Loop) -> list[bytes]:
    said = list[bytes]()
    ours, theirs = socket.socketpair()

    def write() -> None:
        ours.send(b"ask")
        loop.remove_writer(ours.fileno())

    with ours, theirs:
        loop.add_reader(ours.fileno(), lambda: said.append(ours.recv(10)))
        loop.add_writer(ours.fileno(), write)
        loop.add_reader(theirs.fileno(), lambda: theirs.send(theirs.recv(10)))
        loop.run(lambda: bool(said))
        for end in (ours, theirs):
            loop.remove_reader(end.fileno())
    return said
