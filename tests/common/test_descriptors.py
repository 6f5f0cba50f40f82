"""File descriptors that run out in this very process: strangers are refused before what the server needs fails."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.bots.builtin.thinkers import Thinkers, ThinkersBusy
from arena.common import descriptors
from tests.kit.deadline import DEADLINE_S
from tests.kit.listening import listen
from tests.kit.recorder import Recorder


@contextmanager
def left(count: int) -> Iterator[None]:
    """This many of all descriptors that the process may have are free."""
    lowest = os.dup(2)
    os.close(lowest)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = [os.dup(2) for _ in range(16)]  # whatever lies in between is taken
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(taken) + 1, hard))
    for number in taken[16 - count :]:
        os.close(number)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for number in taken[: 16 - count]:
            os.close(number)


def test_strangers_are_refused_while_some_are_left_and_the_log_has_one_line(caplog: pytest.LogCaptureFixture) -> None:
    assert descriptors.room()
    with left(3), caplog.at_level(logging.WARNING):
        os.close(os.open("/", os.O_PATH))
        descriptors._Refused.said_at = float("-inf")
        assert not any(descriptors.admit() for _ in range(50))
    assert len([record for record in caplog.records if "file descriptors" in record.getMessage()]) == 1
    with left(0):
        assert not descriptors.room()
    assert descriptors.room()


def test_what_says_that_there_is_none_left() -> None:
    assert descriptors.exhausted(OSError(errno.EMFILE, "Too many open files"))
    assert not descriptors.exhausted(OSError(errno.EADDRINUSE, "taken"))
    assert not descriptors.exhausted(ValueError()) and not descriptors.exhausted(None)


async def test_a_bot_for_whom_there_is_none_is_told_so_and_others_go_on() -> None:
    arrived: list[Recorder] = []

    def make(transport: object) -> Recorder:
        arrived.append(Recorder(transport))  # type: ignore[arg-type]
        return arrived[-1]

    server = await listen("127.0.0.1", 0, make)
    port = server.sockets[0].getsockname()[1]
    early, writing = await asyncio.open_connection("127.0.0.1", port)
    with left(8):
        late, closing = await asyncio.open_connection("127.0.0.1", port)
        async with asyncio.timeout(DEADLINE_S):
            assert await late.read() == f"{descriptors.WORDS}\n".encode()
        closing.close()
        arrived[0].transport.write(b"go on\n")
        assert await early.readline() == b"go on\n"
    assert len(arrived) == 1
    arrived[0].transport.abort()
    await arrived[0].until_lost()
    writing.close()
    server.close()
    await server.wait_closed()


async def test_a_thought_for_which_no_worker_can_be_begun_is_asked_again() -> None:
    thinkers = Thinkers()
    thought = ("connect-four-7x6", "7x6 " + "." * 42, "beginner", 1, 1.0)
    with left(2), pytest.raises(ThinkersBusy, match="file descriptor"):
        await thinkers.think(*thought)
    assert await thinkers.think(*thought) in "1234567"
    await thinkers.close()
