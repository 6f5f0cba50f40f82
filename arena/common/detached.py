"""Work that outlives the request that began it, started in a context of its own. Else it would inherit the thread that
Django keeps for the database calls of that request, which is gone once it has been answered.
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
