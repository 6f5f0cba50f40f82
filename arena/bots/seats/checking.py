"""Checks of registered bots that their owners have begun: each is a process that runs `check_bot --record`.

That process stores the pass by itself, from what it saw of the bot; here is only what a page shows of it.
"""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from arena.bots.seats.ports import Pool
from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Bot
from arena.transports import own_process

# A check needs a process and, for some moves, a processor.
MOST_AT_ONCE, NICE = 1, 10
# The command gives up sooner by itself: after a bot that does not come, or three answers that do not.
LONGEST_S = 900.0
# Then it has this long to end: the next check waits for that, and so does a server that stops.
ENDS_S = 5.0
# The results that are kept for their pages, until the server stops.
MOST_KEPT = 50
LONGEST_LINE = 16 << 20
WORDS = ("check_bot", "--json", "--record")


@dataclass(slots=True, eq=False)
class BotCheck:
    """`port` is where a bot that connects is awaited, None for one that this server runs; `steps` are the results as
    `check_bot --json` prints them. Once it is `over`, it `passed`, or `why` says in the words of the command what kept
    it from being stored, "" if that was a step.
    """

    port: int | None
    steps: list[dict[str, Any]] = field(default_factory=list)
    over: bool = False
    passed: bool = False
    why: str = ""


class Checks:
    """One after the other: two would wait for each other's processor, and time out."""

    def __init__(self, pool: Pool, command: Sequence[str] = ()) -> None:
        self._pool = pool
        self._command = command or (*own_process.command("arena.management.console", os.getpid()), *WORDS)
        self._kept: dict[int, BotCheck] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def of(self, player: int) -> BotCheck | None:
        """The newest check of this bot since the server began."""
        return self._kept.get(player)

    async def begin(self, bot: Bot) -> BotCheck:
        """Raises Refusal if that cannot be done now."""
        if len(self._tasks) >= MOST_AT_ONCE:
            raise Refusal("busy", "Another bot is being checked. Try again in a few minutes.")
        if bot.command is None and bot.token_sha256 is None:
            why = said("{name} has no token, by which the check would know it. Make one first.", name=bot.player.name)
            raise Refusal("no_token", why)
        check = BotCheck(self._pool.lend() if bot.command is None else None)
        self._kept.pop(bot.pk, None)
        self._kept[bot.pk] = check
        if len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        task = asyncio.get_running_loop().create_task(self._run(check, bot.player.slug))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return check

    async def close(self) -> None:
        """End them: nothing is stored."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, check: BotCheck, slug: str) -> None:
        where = [] if check.port is None else ["--port", str(check.port), "--bots-host", self._pool.host]
        try:
            async with asyncio.timeout(LONGEST_S):
                await self._follow(check, [*self._command, slug, *where])
        except TimeoutError:
            check.why = f"it took longer than {LONGEST_S / 60:g} minutes"
        except (OSError, ValueError) as why:
            check.why = str(why)
        finally:
            check.over = True
            if check.port is not None:
                self._pool.give_back(check.port)

    async def _follow(self, check: BotCheck, words: Sequence[str]) -> None:
        process = await asyncio.create_subprocess_exec(
            *words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, limit=LONGEST_LINE, start_new_session=True
        )
        try:
            with suppress(ProcessLookupError):  # it has ended
                os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
            errors, _ = await asyncio.gather(_all_of(process.stderr), _each_line(process, check))
            check.passed = await process.wait() == 0
            if not check.passed and all(step["ok"] for step in check.steps):
                check.why = (errors.strip().splitlines() or ["it ended"])[-1].removeprefix("check_bot: ")
        finally:
            await _end(process)


async def _end(process: Process) -> None:
    """Its bots end with it, whichever way it ends."""
    with suppress(ProcessLookupError):
        process.terminate()
    ends = asyncio.ensure_future(process.wait())
    # Not `asyncio.timeout`: in a task that is being cancelled, Python 3.11.2 lets its cancellation through.
    try:
        await asyncio.wait([ends], timeout=ENDS_S)
    finally:  # also of a server that stops meanwhile
        with suppress(ProcessLookupError):
            process.kill()
    await ends


async def _all_of(stream: asyncio.StreamReader | None) -> str:
    assert stream is not None, "it is a pipe"
    return (await stream.read()).decode(errors="replace")


async def _each_line(process: Process, check: BotCheck) -> None:
    assert process.stdout is not None, "it is a pipe"
    async for line in process.stdout:
        result = json.loads(line)
        if "step" in result:
            check.steps.append({name: result[name] for name in ("step", "ok", "note", "card")})
