"""Who may do what with a tournament: its organiser and staff with the right to change tournaments run it, players
enter.

No bot plays without its owner's consent: the owner enters it, or has opened it to events of staff or of everyone. Only
staff can allow an event to change ratings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.db.models import Q
from django.http import HttpRequest

from arena.models import Bot, Entry
from arena.tournaments.sheet import Sheet
from arena.web.guests import visitor_of

PERMISSION = "arena.change_tournament"


class Rights(NamedTuple):
    """`entries` are the numbers of this visitor's own entries: themselves and their bots. `actor` is for the audit."""

    organises: bool = False
    staff: bool = False
    entries: frozenset[int] = frozenset()
    actor: str = ""


async def rights_of(request: HttpRequest, sheet: Sheet) -> Rights:
    visitor = await visitor_of(request)
    if visitor.account is None:
        return Rights()
    user = await request.auser()
    staff = await sync_to_async(is_staff)(user)
    organises = visitor.account == sheet.tournament.organiser_id or staff
    mine = frozenset(pk for pk, entry in sheet.entries.items() if _is_of(entry, visitor.account))
    return Rights(organises and bool(user.is_active), staff, mine, str(user.get_username())[:64])


def is_staff(user: Any) -> bool:
    """Whether this account runs every tournament. Reads the database."""
    return bool(user.is_active and user.is_staff and user.has_perm(PERMISSION))


def callable_by(account: int | None, staff: bool) -> Q:
    """The bots that the organiser of an event may enter: their own, and those open to them."""
    opened = [Bot.OpenTo.EVERYONE, *([Bot.OpenTo.STAFF] if staff else [])]
    return Q(owner=account, owner__isnull=False) | Q(open_to__in=opened)


def may_come_back(entry: Entry, account: int | None, staff: bool) -> bool:
    """Whether it may play again: nobody else can bring back a bot that its owner has closed to these events."""
    return entry.kind != Entry.Kind.BOT or Bot.objects.filter(callable_by(account, staff), pk=entry.player_id).exists()


def _is_of(entry: Entry, account: int) -> bool:
    player = entry.player
    if player is None or entry.withdrawn is not None:
        return False
    return account == (player.bot.owner_id if entry.kind == Entry.Kind.BOT else player.user_id)
