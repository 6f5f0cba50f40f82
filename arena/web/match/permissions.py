"""Who may see a match (everyone, unless its room is private), and who may read what bots said.

Staff with the right to see private matches and wires see everything; other staff are readers like everybody else. A
match that a visitor may not see is answered like one that does not exist: 404, in the same words. A private wire of a
visible match is called private.
"""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.utils.translation import gettext as _

from arena.core.hub import LiveMatch
from arena.models import Bot, Room
from arena.web.guests import Visitor
from arena.web.joined import numbers_of
from arena.web.words import marked_name


async def may_see(live: LiveMatch, visitor: Visitor) -> bool:
    """A private room's match is for its players and the owners of its bots, for those who have the room's link, and for
    staff with the right.
    """
    if live.private is None:
        await _look_up(live)
    if not live.private or visitor.sees_private:
        return True
    seated = [seat.player for seat in live.state.setup.seats if seat.player is not None]
    if visitor.player in seated or live.room_code.upper() in visitor.rooms:
        return True
    return visitor.account is not None and await Bot.objects.filter(pk__in=seated, owner=visitor.account).aexists()


async def why_private(live: LiveMatch, seat: int, visitor: Visitor) -> str:
    """Why this visitor may not read the wire of this seat, "" if they may.

    The bot's owner and staff with the right always may; for others the owner decides. A bot without an owner belongs to
    the person who opened its room, and after the end everyone may read its wire.
    """
    player = live.state.setup.seats[seat].player
    bot = None if player is None else await Bot.objects.filter(pk=player).afirst()
    if visitor.sees_private or await _is_owner(live, bot, visitor):
        return ""
    shared = Bot.Wire.AFTER if bot is None else bot.wire
    if shared == Bot.Wire.PUBLIC or (shared == Bot.Wire.AFTER and live.over):
        return ""
    name = marked_name(live.state.setup.seats[seat].name)
    if shared == Bot.Wire.OWNER:
        return _("The bot log of {name} is private: its owner has not shared it.").format(name=name)
    return _("The bot log of {name} is private until the match ends.").format(name=name)


async def _is_owner(live: LiveMatch, bot: Bot | None, visitor: Visitor) -> bool:
    if bot is not None:
        return bot.owner_id is not None and bot.owner_id == visitor.account
    room = live.state.setup.room
    if room is None or visitor.player is None:
        return False
    mine = await sync_to_async(numbers_of)(visitor.player)
    return await Room.objects.filter(pk=room, opener__in=mine).aexists()


async def _look_up(live: LiveMatch) -> None:
    """Look up the room: a match that was read from its log knows only the room's number."""
    number = live.state.setup.room
    room = None if number is None else await Room.objects.filter(pk=number).afirst()
    live.room_code, live.private = (room.shown_code, room.private) if room else ("", False)
