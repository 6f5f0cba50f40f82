"""The host's sender: takes messages from the rows, signs and posts them, and stores how it went.

At any time one message is on its way to each receiver, and `AT_ONCE` in all, each for at most five seconds. In memory
it keeps only how long to leave a failed receiver alone; after `kill -9` the next host continues from the rows.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from django.db import DatabaseError

from arena.cluster.lease import Fence, NotTheHost
from arena.common.detached import begin
from arena.common.logs import LastingTrouble
from arena.match.export import timestamp
from arena.work.database_thread import DatabaseThread
from arena.work.looks import RowLooks
from arena.work.webhooks import address, rows, signing
from arena.work.webhooks.posting import NotPosted, Poster
from arena.work.webhooks.rows import Answered, DueMessage

log = logging.getLogger("arena.webhooks")

AT_ONCE = 8
# How often the rows are checked, and how often they are kept within bounds.
LOOK_S, SWEEP_S = 2.0, 60.0
# A receiver that failed is left alone for a second, then for twice as long each time.
FIRST_REST_S, LONGEST_REST_S = 1.0, 300.0
GONE = 410
FAULT = "A fault of this server: it cannot be sent."

# The contents of a message about its subject, by kind; None if the subject is gone. For threads: it reads rows.
Describe = Callable[[str, str], Mapping[str, Any] | None]


class _Rest(NamedTuple):
    """`until` is a time of `time.monotonic`."""

    seconds: float
    until: float


class Sender:
    """`describe` makes the contents of a message; `agent` names the sender to receivers."""

    def __init__(self, fence: Fence | None, describe: Describe, poster: Poster, agent: str) -> None:
        self._fence, self._describe, self._poster, self._agent = fence, describe, poster, agent
        self._looks = RowLooks(LOOK_S)
        self._thread = DatabaseThread("arena-sender")
        self._sending: dict[str, asyncio.Task[None]] = {}
        self._rests: dict[int, _Rest] = {}
        self._failing = LastingTrouble(log, "no message is sent while the database fails")
        self._swept = -math.inf
        self._task = begin(self._serve())

    async def close(self) -> None:
        """Stop. Messages under way are sent again by the next sender."""
        tasks = (self._task, *self._sending.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._poster.close()
        await self._looks.close()
        await self._thread.close()

    async def _serve(self) -> None:
        while True:
            longest_s = LOOK_S
            try:
                await self._look()
                longest_s = LOOK_S if await self._thread.call(rows.is_any_waiting) else SWEEP_S
                self._failing.is_over()
            except NotTheHost:
                log.info("messages are for the next host to send")
                return
            except DatabaseError as why:
                self._failing.begins(why)
            except Exception:
                log.exception("messages cannot be looked for")
            await self._looks.next(longest_s)

    async def _look(self) -> None:
        now = time.monotonic()
        if now - self._swept >= SWEEP_S:
            self._swept = now
            self._rests = {webhook: rest for webhook, rest in self._rests.items() if rest.until > now - LONGEST_REST_S}
            await self._thread.call(rows.sweep, self._fence)
        while len(self._sending) < AT_ONCE:
            resting = [webhook for webhook, rest in self._rests.items() if rest.until > time.monotonic()]
            message = await self._thread.call(rows.next_message, self._fence, list(self._sending), resting)
            if message is None:
                break
            self._sending[message.receiver] = begin(self._send(message))

    async def _send(self, message: DueMessage) -> None:
        try:
            await self._carry_out(message)
        except NotTheHost:
            log.info("%s is for the next host to settle", message.name)
        except DatabaseError as why:
            self._rest(message.webhook)
            self._failing.begins(why)
        except Exception:
            log.exception("%s cannot be sent", message.name)
            with suppress(DatabaseError, NotTheHost):
                await self._thread.call(rows.give_up, message, FAULT, self._fence)
        finally:
            del self._sending[message.receiver]
            self._looks.call()

    async def _carry_out(self, message: DueMessage) -> None:
        body: str | None = message.body
        if not body:
            body = await self._thread.call(self._body_of, message)
        if body is None:
            await self._thread.call(rows.give_up, message, "Its subject no longer exists.", self._fence)
            return
        answered = await self._answer(message, body.encode())
        if answered.is_accepted:
            self._rests.pop(message.webhook, None)
        else:
            self._rest(message.webhook)
            log.info("%s was not accepted by %s: %s", message.name, message.receiver, answered.words)
        await self._thread.call(rows.settle, message, answered, self._fence)

    async def _answer(self, message: DueMessage, body: bytes) -> Answered:
        secret = signing.secret_of(message.nonce)
        if signing.fingerprint(secret) != message.sha256:
            return Answered(None, "The key of this server was replaced, and so was the secret: make a new one.", True)
        headers = {"Content-Type": "application/json", "User-Agent": self._agent}
        headers |= signing.signed(secret, message.name, int(time.time()), body)
        try:
            status = await self._poster.post(address.read(message.url), headers, body)
        except (NotPosted, address.WrongAddress) as why:
            return Answered(None, str(why))
        return Answered(status, _said(status), status == GONE)

    def _body_of(self, message: DueMessage) -> str | None:
        told = self._describe(message.kind, message.subject)
        if told is None:
            return None
        said = {"type": message.kind, "timestamp": timestamp(message.at), "data": told}
        body = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
        rows.keep_body(message, body)
        return body

    def _rest(self, webhook: int) -> None:
        before = self._rests.get(webhook)
        seconds = min(2 * before.seconds, LONGEST_REST_S) if before else FIRST_REST_S
        self._rests[webhook] = _Rest(seconds, time.monotonic() + seconds)


def _said(status: int) -> str:
    if 200 <= status < 300:
        return "Accepted."
    if 300 <= status < 400:
        return f"Answered {status}: redirects are not followed."
    if status == GONE:
        return f"Answered {status}: it wants no messages any more."
    return f"Answered {status}, expected 200 to 299."
