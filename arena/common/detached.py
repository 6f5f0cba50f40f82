"""Work that outlives the request that began it.

Everything that a view starts (a task, a timer, a listening port and all its connections) inherits the context of its
request, and with it the thread that Django keeps for the database calls of that request alone. When the request has
been answered, that thread is gone, and so is everything that needs it. So work that continues is started in a context
of its own.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def begin(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start `work`, which belongs to no request."""
    return asyncio.get_running_loop().create_task(work, context=contextvars.Context())


async def detached(work: Coroutine[Any, Any, T]) -> T:
    """Do `work` like this, and wait for it. It continues if the caller is gone."""
    return await asyncio.shield(begin(work))
