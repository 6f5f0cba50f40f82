"""Who may do what with a tournament: its organiser and staff who may change tournaments run it, players enter."""

from __future__ import annotations

from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.http import HttpRequest

from arena.models import Entry
from arena.tournaments.sheet import Sheet
from arena.web.guests import visitor_of

PERMISSION = "arena.change_tournament"


class Rights(NamedTuple):
    """`entries` are the numbers of this visitor's own: themself and their bots. `actor` is for the audit."""

    organises: bool = False
    entries: frozenset[int] = frozenset()
    actor: str = ""


async def rights_of(request: HttpRequest, sheet: Sheet) -> Rights:
    """What whoever asks may do."""
    visitor = await visitor_of(request)
    if visitor.account is None:
        return Rights()
    user = await request.auser()
    organises = visitor.account == sheet.tournament.organiser_id or await sync_to_async(_is_staff)(user)
    mine = frozenset(pk for pk, entry in sheet.entries.items() if _is_of(entry, visitor.account))
    return Rights(organises and bool(user.is_active), mine, str(user.get_username())[:64])


def _is_staff(user: Any) -> bool:
    return bool(user.is_active and user.is_staff and user.has_perm(PERMISSION))


def _is_of(entry: Entry, account: int) -> bool:
    player = entry.player
    if player is None or entry.withdrawn is not None:
        return False
    return account == (player.bot.owner_id if entry.kind == Entry.Kind.BOT else player.user_id)
