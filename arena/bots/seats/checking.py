"""Checks of registered bots that their owners have begun: each is a process that runs `check_bot --record`.

That process stores the pass by itself, from what it saw of the bot; here is only what a page shows of it.
"""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from django.utils import timezone

from arena.bots.seats.ports import Pool
from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Bot
from arena.transports import own_process

# A check needs a process and, for some moves, a processor.
NICE = 10
# The command gives up sooner by itself: after a bot that does not come, or three answers that do not.
LONGEST_S = 900.0
# From when on somebody waits, the one that runs has this long: every turn comes, and it can be said when at the latest.
SHARED_S = 300.0
MOST_WAITING = 6
# Then it has this long to end: the next check waits for that, and so does a server that stops.
ENDS_S = 5.0
# The results that are kept for their pages, until the server stops.
MOST_KEPT = 50
LONGEST_LINE = 16 << 20
WORDS = ("check_bot", "--json", "--record")


@dataclass(slots=True, eq=False)
class BotCheck:
    """`by` is the account that began it. `port` is where a bot that connects is awaited, None before its turn and for
    one that this server runs; `steps` are the results as `check_bot --json` prints them. Once it is `over`, it
    `passed`, or `why` says in the words of the command what kept it from being stored, "" if that was a step.
    """

    by: int
    port: int | None = None
    steps: list[dict[str, Any]] = field(default_factory=list)
    over: datetime | None = None
    passed: bool = False
    why: str = ""


class Checks:
    """One after the other: two would wait for each other's processor, and time out. In the line everybody has one
    place, so whoever has many bots holds up others by one of them.
    """

    def __init__(self, pool: Pool, command: Sequence[str] = ()) -> None:
        # They are called when anything has changed.
        self.followers: set[Callable[[], None]] = set()
        self._pool = pool
        self._command = command or (*own_process.command("arena.management.console", os.getpid()), *WORDS)
        self._kept: dict[int, BotCheck] = {}
        # The one that runs, and those that wait.
        self._line: list[BotCheck] = []
        self._turn = asyncio.Lock()
        # When the one that runs is ended.
        self._ends: asyncio.Timeout | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def of(self, player: int) -> BotCheck | None:
        """The newest check of this bot since the server began."""
        return self._kept.get(player)

    def ahead_of(self, check: BotCheck) -> int:
        """How many are before it in the line; 0 once it runs."""
        return self._line.index(check) if check in self._line else 0

    def begin(self, bot: Bot, by: int) -> BotCheck:
        """Put it into the line, unless it stands there. Raises Refusal if that cannot be done now."""
        if (before := self.of(bot.pk)) is not None and not before.over:
            return before
        self._admit(bot, by)
        check = BotCheck(by)
        self._kept.pop(bot.pk, None)
        self._kept[bot.pk] = check
        if len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._line.append(check)
        self._hurry()
        task = asyncio.get_running_loop().create_task(self._run(check, bot))
        self._tasks.add(task)
        task.add_done_callback(partial(self._leave, check))
        self._tell()
        return check

    def _admit(self, bot: Bot, by: int) -> None:
        if self._closed:
            raise Refusal("closing", "The server is stopping.")
        if any(each.by == by for each in self._line):
            raise Refusal("busy", "Another bot of yours is being checked, or waits for that. One at a time.")
        if len(self._line) > MOST_WAITING:
            raise Refusal("busy", "Too many bots wait for their check. Try again in a few minutes.")
        if bot.command is None and bot.token_sha256 is None:
            why = said("{name} has no token, by which the check would know it. Make one first.", name=bot.player.name)
            raise Refusal("no_token", why)

    def _hurry(self) -> None:
        """Somebody waits: the one that runs has less time from now on."""
        if self._ends is not None and not self._ends.expired():
            soon = asyncio.get_running_loop().time() + SHARED_S
            self._ends.reschedule(min(self._ends.when() or soon, soon))

    async def close(self) -> None:
        """End them, and those that wait: nothing is stored."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _leave(self, check: BotCheck, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._line.remove(check)
        check.over = timezone.now()
        self._tell()

    def _tell(self) -> None:
        for follower in list(self.followers):
            follower()

    async def _run(self, check: BotCheck, bot: Bot) -> None:
        async with self._turn:
            await self._go_through(check, bot)

    async def _go_through(self, check: BotCheck, bot: Bot) -> None:
        try:
            where = []
            if bot.command is None:
                check.port = self._pool.lend()
                where = ["--port", str(check.port), "--bots-host", self._pool.host]
            self._tell()
            is_last = self._line[-1] is check
            async with asyncio.timeout(LONGEST_S if is_last else SHARED_S) as self._ends:
                await self._follow(check, [*self._command, bot.player.slug, *where])
        except TimeoutError:
            check.why = f"a check has {LONGEST_S / 60:g} minutes, or {SHARED_S / 60:g} more once another bot waits"
        except Refusal as refusal:
            check.why = refusal.sentence
        except (OSError, ValueError) as why:
            check.why = str(why)
        finally:
            self._ends = None
            if check.port is not None:
                self._pool.give_back(check.port)

    async def _follow(self, check: BotCheck, words: Sequence[str]) -> None:
        process = await asyncio.create_subprocess_exec(
            *words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, limit=LONGEST_LINE, start_new_session=True
        )
        try:
            with suppress(ProcessLookupError):  # it has ended
                os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
            errors, _ = await asyncio.gather(_all_of(process.stderr), self._each_line(process, check))
            check.passed = await process.wait() == 0
            if not check.passed and all(step["ok"] for step in check.steps):
                check.why = (errors.strip().splitlines() or ["it ended"])[-1].removeprefix("check_bot: ")
        finally:
            await _end(process)

    async def _each_line(self, process: Process, check: BotCheck) -> None:
        assert process.stdout is not None, "it is a pipe"
        async for line in process.stdout:
            result = json.loads(line)
            if "step" in result:
                check.steps.append({name: result[name] for name in ("step", "ok", "note", "card")})
                self._tell()


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
