"""Closing an account for good: by the person whose it is (`/settings/close/`), or by staff in the admin.

Everything private goes at once. Logs belong to the opponents as well and are proven by their heads, so they stay as
they are; pages show the player as `Former player 12`. A guest without an account can be forgotten in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import chain, count
from typing import Any

from asgiref.sync import sync_to_async
from axes.utils import reset
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import F, Q, QuerySet

from arena.bots.session import tokens
from arena.common import names
from arena.core.log_statements import show_former
from arena.host import Host
from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import (
    Bot,
    ChatLine,
    ChatReport,
    Entry,
    KeptName,
    Mistake,
    Mute,
    Player,
    PuzzleStanding,
    PuzzleTry,
    Rating,
    Room,
    Seat,
    Tournament,
)
from arena.rooms import challenging, closing, room_rows
from arena.rooms.people import Person
from arena.tournaments import leaving, naming
from arena.web import joined, open_sockets
from arena.web.people.account_forms import is_taken

User = get_user_model()
OWNER_GONE = "the account of its owner was closed"
ACT = "account closed"


def matches_of(player: Player) -> QuerySet[Seat]:
    """The seats on which they are playing now."""
    return Seat.objects.filter(player=player, match__ended=None)


def bots_of(account: int | None) -> QuerySet[Bot]:
    """Their bots that may still play."""
    return Bot.objects.filter(owner=account, owner__isnull=False, enabled=True)


def entries_of(player: Player) -> QuerySet[Entry]:
    """They and their bots, in events that are not over."""
    theirs = Q(player=player) | Q(player__bot__owner=player.user_id, player__bot__owner__isnull=False)
    there = Entry.objects.filter(theirs, withdrawn=None, tournament__deleted=None)
    return there.exclude(tournament__state=Tournament.State.FINISHED).select_related("tournament")


def organised_by(account: int | None) -> QuerySet[Tournament]:
    """Their events that are not over: only staff can run them from then on."""
    mine = Tournament.objects.filter(organiser=account, organiser__isnull=False)
    return mine.exclude(state=Tournament.State.FINISHED)


def is_last_administrator(user: Any) -> bool:
    """Whether nobody else could run this arena."""
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    return bool(user.is_superuser) and not others.exists()


async def close(host: Host | None, player: Player, record: Callable[[], object]) -> None:
    """Close the account of this person, or forget this guest; if somebody else has just done so, do nothing.

    Their matches are resigned and they leave their rooms and events, then the rows go in one transaction with
    `record()`, then connections end. Raises Refusal if a match cannot be ended here, or nobody could run this arena.
    """
    account, bots = player.user_id, [each async for each in Bot.objects.filter(owner=player.user_id or 0)]
    if host is not None:
        await _leave(host, player)
    if not await sync_to_async(_forget)(player, record):
        return
    guest = player.pk if account is None else None
    why = open_sockets.LOGGED_OUT, "the account was closed"
    open_sockets.end(open_sockets.SocketsEnd(*why, account=account, guest=guest))
    for bot in bots:
        await bot.arefresh_from_db()
        await tokens.revoke(bot)
        await tokens.disable(bot, OWNER_GONE)


# -- what they have open -----------------------------------------------------------------------------------------------


async def _leave(host: Host, player: Player) -> None:
    challenges = host.lobby.challenges
    for challenge in challenges.sent(player.pk):
        await challenging.withdraw(host.lobby, challenge)
    for challenge in challenges.received(player.pk):
        await challenging.decline(host.lobby, challenge)
    await _resign(host, player)
    await _leave_rooms(host, player)


async def _resign(host: Host, player: Player) -> None:
    rows = matches_of(player).order_by("match", "seat").values_list("match", "seat")
    for match, seat in [row async for row in rows]:
        live = await host.referee.load(match)
        if live is not None:
            with suppress(Refusal):  # it is over by now; if not, the account is not closed
                await host.referee.resign(live, seat, f"player:{player.pk}")


async def _leave_rooms(host: Host, player: Player) -> None:
    """Stand up, and close the rooms that they have opened or that wait for them, unless a match of others runs there or
    an event needs the room.
    """
    opened = Room.objects.filter(opener=player, closed=None, event=None)
    rows: dict[str, int | None] = {code: number async for code, number in opened.values_list("code", "pk")}
    for code, room in tuple(host.lobby.rooms.items()):
        seated = [each for each in room.sides if isinstance(each, Person) and each.setup.player == player.pk]
        awaited = any(place is not None and place.player_id == player.pk for place in room.plan.places)
        if room.playing:
            rows.pop(code, None)
            continue
        for occupant in seated:
            room.stand(occupant)
        if room.plan.pairing is None and (rows.pop(code, None) or awaited):
            await closing.close(host.lobby, room)
    for number in rows.values():
        await room_rows.close(number, host.fence)


# -- rows --------------------------------------------------------------------------------------------------------------


@transaction.atomic
def _forget(player: Player, record: Callable[[], object]) -> bool:
    """Whether it was there to be forgotten."""
    stands = Player.objects.select_for_update().filter(pk=player.pk, user=player.user_id).first()
    if stands is None or names.is_former(stands.slug):
        return False
    user = User.objects.filter(pk=player.user_id or 0).first()
    if user is not None and is_last_administrator(user):
        words = said("Only this account can run this arena: make somebody else an administrator first.")
        raise Refusal("last_administrator", words)
    if matches_of(player).exists():
        raise Refusal("playing", "A match of this account is not over. Nothing was done; try again.")
    own, slug = joined.numbers_of(player.pk), stands.slug
    _rename(player, own)
    for entry in entries_of(player):
        with suppress(Refusal):  # it has left by now
            leaving.withdraw(entry.tournament, entry, player.name)
    _delete(own)
    if user is not None:
        KeptName.objects.get_or_create(slug=slug)
        reset(username=user.get_username())
        user.delete()
        player.user = None
    record()
    return True


def _rename(player: Player, own: list[int]) -> None:
    """Show the new name wherever rows repeat the old one. The links of a guest end."""
    player.name, player.prefs = _name_of(player), {}
    player.slug = Player.slug_of(player.name)
    player.save(update_fields=["name", "slug", "prefs"])
    Player.objects.filter(pk__in=own).update(links_ended=F("links_ended") + 1)
    show_former(Seat.objects.filter(player__in=own))
    naming.renamed(player.pk, player.name)


def _delete(own: list[int]) -> None:
    ChatLine.objects.filter(player__in=own).delete()
    ChatReport.objects.filter(by__in=own).delete()
    Mute.objects.filter(Q(by__in=own) | Q(whom__in=own)).delete()
    for table in (PuzzleStanding, PuzzleTry, Mistake, Rating):
        table.objects.filter(player__in=own).delete()


def _name_of(player: Player) -> str:
    """`Former player 7`, with one more number if somebody has had that name since before it was reserved."""
    name = f"{names.FORMER}{player.pk}"
    free = (each for each in chain([name], (f"{name} {n}" for n in count(2))) if not is_taken(each, player))
    return next(free)
