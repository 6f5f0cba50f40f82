"""Quarantine: a registered bot that fails ten times in a row plays no more until `manage.py check_bot` has passed. A
failure is a match lost by a mistake or on time; decided from rows, after the ending is stored.
"""

from __future__ import annotations

import asyncio
import logging

from asgiref.sync import sync_to_async
from django.db import transaction
from django.utils import timezone

from arena.bots.session import tokens
from arena.core.hub import Hub, LiveMatch
from arena.match.endings import FAILURES, UNCOUNTED
from arena.models import Audit, Bot, Seat
from arena.work.webhooks import rows as messages

log = logging.getLogger("arena.bots")

IN_A_ROW = 10
OURSELVES = "arena"

_looking: set[asyncio.Task[None]] = set()


def watch(hub: Hub) -> None:
    """Check every bot that fails from now on."""
    hub.on_end.append(_look_later)


async def settled() -> None:
    """Wait until no check is running."""
    await asyncio.gather(*_looking, return_exceptions=True)


async def look(player: int) -> bool:
    """Check this bot. Returns whether it was put into quarantine now."""
    bot = await Bot.objects.select_related("player").filter(pk=player, enabled=True).afirst()
    if bot is None or not await _fails_again_and_again(bot):
        return False
    why = f"quarantine: {IN_A_ROW} failures in a row"
    if not await _shut(bot):
        return False  # two of its matches ended at once
    await tokens.disable(bot, why)
    await Audit.objects.acreate(actor=OURSELVES, act="quarantine", subject=bot.player.name, data={"reason": why})
    log.warning("%s is in quarantine: %d failures in a row", bot.player.name, IN_A_ROW)
    return True


@sync_to_async
def _shut(bot: Bot) -> bool:
    """Put the bot into quarantine and notify its owner in one transaction. Returns whether it was free until now."""
    with transaction.atomic():
        shut = Bot.objects.filter(pk=bot.pk, enabled=True).update(enabled=False, quarantined=timezone.now())
        if shut:
            messages.tell_of_bot(messages.BOT_QUARANTINED, bot.pk, bot.owner_id)
    return bool(shut)


async def reenter(bot: Bot, actor: str) -> None:
    """Let the bot play again, and forget its earlier failures."""
    bot.quarantined, bot.cleared = None, timezone.now()
    await bot.asave(update_fields=["quarantined", "cleared"])
    await tokens.enable(bot)
    await Audit.objects.acreate(actor=actor, act="out of quarantine", subject=bot.player.name)


def _look_later(live: LiveMatch) -> None:
    state = live.state
    if state.termination not in FAILURES or state.winner is None:
        return
    loser = state.setup.seats[1 - state.winner]
    if loser.kind == "bot" and loser.verified and loser.player is not None:
        task = asyncio.get_running_loop().create_task(_look_and_tell(loser.player))
        _looking.add(task)
        task.add_done_callback(_looking.discard)


async def _look_and_tell(player: int) -> None:
    try:
        await look(player)
    except Exception:
        log.exception("player %d: whether it fails again and again could not be looked up", player)


async def _fails_again_and_again(bot: Bot) -> bool:
    seats = Seat.objects.filter(player=bot.pk, verified=True, match__ended__isnull=False).order_by("-id")
    seats = seats.exclude(match__termination__in=UNCOUNTED)
    if bot.cleared is not None:
        seats = seats.filter(match__opened__gt=bot.cleared)
    last = [row async for row in seats.values_list("seat", "match__winner", "match__termination")[:IN_A_ROW]]
    failed = [termination in FAILURES and winner == 1 - seat for seat, winner, termination in last]
    return len(failed) == IN_A_ROW and all(failed)
