"""Messages of a connection come to its application once and in order."""

from __future__ import annotations

import asyncio

from arena.server.incoming import Incoming


async def test_messages_come_in_order_whether_they_are_waited_for_or_not() -> None:
    incoming = Incoming()
    for number in range(3):
        incoming.put_nowait({"n": number})
    assert incoming.qsize() == 3
    assert [await incoming.get() for _ in range(3)] == [{"n": 0}, {"n": 1}, {"n": 2}]
    waiting = asyncio.ensure_future(incoming.get())
    await asyncio.sleep(0)
    incoming.put_nowait({"n": 3})
    assert await waiting == {"n": 3} and incoming.qsize() == 0


async def test_of_two_who_wait_each_gets_one_and_who_is_cancelled_takes_none() -> None:
    incoming = Incoming()
    first, second, gone = (asyncio.ensure_future(incoming.get()) for _ in range(3))
    await asyncio.sleep(0)
    gone.cancel()
    incoming.put_nowait({"n": 1})
    incoming.put_nowait({"n": 2})
    assert [await first, await second] == [{"n": 1}, {"n": 2}]
    assert gone.cancelled() or await asyncio.gather(gone, return_exceptions=True)
    assert incoming.qsize() == 0
