"""The state on a room's page: the player who sits or is awaited on each side, and a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db.models import Subquery
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

import games
from arena.bots.failure import departures
from arena.bots.session import tokens
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.clock import parse_clock
from arena.match.series import seat_of
from arena.match.state import SeatSetup
from arena.models import Audit, Match, Place, Player, Room, Seat
from arena.models.audit import CLOSED_BY_STAFF
from arena.protocols import protocol, protocols
from arena.rooms.reservation import side_for
from arena.rooms.room import LiveRoom
from arena.rooms.room_rows import next_series
from arena.web.challenges import answer_words
from arena.web.guests import Visitor
from arena.web.match import fragments
from arena.web.words import clock_words, level_name, minutes, rounds_words, seat_name, title

FIND_OUT = gettext_noop("Waiting for your friend.")


class Side(NamedTuple):
    """One side of the room. `kept` says for whom it is kept while `name` is empty; `connect` leads to its wizard.

    `chosen` is the same as arena.web.room.form writes it. `absent`: the player there has closed the page. `owner`: the
    name of the person for whom it is kept. `awaited`: a bot without an account for which the visitor waits, though the
    side is anybody's.
    """

    number: int
    disc: SafeString
    first: bool
    name: str
    tag: str
    ready: bool
    you: bool
    kept: str
    connect: str
    chosen: str = ""
    absent: bool = False
    owner: str = ""
    awaited: Seat | None = None


class RoomState(NamedTuple):
    """The room as it is now. `may_sit`: the visitor may take a side; `mine`: the visitor may change it; `may_close`:
    and may close it, for nobody else has come yet. `why_closed` is the reason that staff gave for closing it.

    `asked`: words for a visitor who challenged a player there and waits, or was refused; "" for all others.
    `host` is the mark of the host that says all this.
    """

    sides: tuple[Side, Side]
    live: LiveMatch | None
    closed: bool
    may_sit: bool
    mine: bool
    asked: SafeString = SafeString()
    may_close: bool = False
    why_closed: str = ""
    host: str = ""

    @property
    def seated(self) -> bool:
        return any(side.you for side in self.sides)

    @property
    def full(self) -> bool:
        return all(side.name for side in self.sides)


def running(room: LiveRoom | None) -> LiveMatch | None:
    """The match that is being played in this room."""
    return room.live if room is not None and room.live is not None and not room.live.over else None


async def state_of(host: Host, row: Room, visitor: Visitor) -> RoomState:
    """The room as this visitor sees it."""
    room = host.lobby.rooms.get(row.code)
    if room is not None and room.over:
        room = None  # the next one to sit down begins a new series
    waiting = await host.parking.waiting(row.code) if room is None else None
    kept = room.plan.places if room is not None else (await next_series(row.pk))[1]
    names = await _names(kept)
    first, second = [_side(room, waiting, side, kept[side], names, visitor) for side in (0, 1)]
    if first.you != second.you:
        first, second = [await _with_bot_met(row, side, visitor) for side in (first, second)]
    who = SeatSetup(visitor.name or "guest", "human", player=visitor.player)
    free = side_for(kept, [side.name or None for side in (first, second)], who)
    closed = row.closed is not None and room is None and waiting is None
    return RoomState(
        sides=(first, second),
        live=waiting or running(room),
        closed=closed,
        may_sit=free is not None,
        mine=room is not None and await host.room_maker.may_change(room, visitor.player),
        asked=_asked(host, row, visitor),
        may_close=room is not None and await may_close(host, room, visitor),
        why_closed=await _why_closed(row) if closed else "",
        host=host_mark(host),
    )


def host_mark(host: Host) -> str:
    """Tells this host from the one before a restart."""
    return str(host.lobby.began)


async def _with_bot_met(row: Room, side: Side, visitor: Visitor) -> Side:
    """This side, with the bot that the visitor has just met here, if it is free and that bot had no account: a seat
    cannot be kept for one that proves nothing.
    """
    if side.name or side.kept:
        return side
    last = Match.objects.filter(room=row).order_by("-series", "-round", "-opened").values("pk")[:1]
    others = [each async for each in Seat.objects.filter(match=Subquery(last)).exclude(player=visitor.player)]
    if len(others) != 1 or others[0].kind != Seat.Kind.BOT or others[0].player_id is not None:
        return side
    bot = others[0]
    return side._replace(kept=_("Waiting for {name}").format(name=bot.name), awaited=bot)


async def _why_closed(row: Room) -> str:
    told = Audit.objects.filter(act=CLOSED_BY_STAFF, subject=row.recorded_as()).order_by("-pk")
    data = await told.values_list("data", flat=True).afirst()
    return str((data or {}).get("reason", ""))


async def may_close(host: Host, room: LiveRoom, visitor: Visitor) -> bool:
    """Whether this visitor opened the room and nobody else has come."""
    if not _is_alone(room, visitor) or not await host.room_maker.may_change(room, visitor.player):
        return False
    return _is_alone(room, visitor)  # somebody may have come while that was looked up


def _is_alone(room: LiveRoom, visitor: Visitor) -> bool:
    others = [each for each in room.sides if each is not None and each.setup.player != visitor.player]
    return not (room.begun or room.playing or others)


def _asked(host: Host, row: Room, visitor: Visitor) -> SafeString:
    challenges = host.lobby.challenges
    answer = challenges.answer_in(row.code, visitor.player)
    if answer is not None and answer.said != "accepted":
        return escape(answer_words(answer))
    challenge = next((each for each in challenges.sent(visitor.player) if each.code.upper() == row.code), None)
    if challenge is None:
        return SafeString()
    if challenges.is_here(challenge.whom):
        words = _("<b>{name}</b> is here and has been told. The match starts with their yes.")
    else:
        words = _("<b>{name}</b> is not here now, and is told if they come before {time} UTC.")
    return format_html(words, name=challenge.whom_name, time=f"{challenge.expires:%H:%M}")


def sentence(row: Room, now: RoomState) -> SafeString:
    """The sentence under the two sides."""
    if now.asked:
        return now.asked
    if now.why_closed:
        return format_html(_("Staff have closed this room: “{why}”."), why=now.why_closed)
    if now.closed:
        return mark_safe(_("This room is closed."))
    if now.live is not None:
        first, second = (seat.name for seat in now.live.state.setup.seats)
        return format_html(_("A match is running: {first} against {second}."), first=first, second=second)
    if now.seated:
        return _to_who_sits(now)
    if now.full or not now.may_sit:
        return _to_who_may_not(now)
    return _to_a_guest(row, now)


def _to_who_sits(now: RoomState) -> SafeString:
    other = next((side for side in now.sides if not side.you), None)
    if other is None or not other.name:
        kept = other.kept if other is not None else ""
        if other is not None and other.owner:
            return _wait_or_leave(other.owner)
        if not kept:
            return mark_safe(_(FIND_OUT))
        return format_html(_("{waits}. The match starts when both sides are there."), waits=kept)
    return mark_safe(_("Both seats are ready. The match starts.")) if other.ready else _not_ready(other)


def _not_ready(side: Side) -> SafeString:
    return (
        _wait_or_leave(side.name) if side.absent else format_html(_("Waiting for {name} to get ready."), name=side.name)
    )


def _wait_or_leave(name: str) -> SafeString:
    return format_html("{} {}", _not_here(name), _("You can wait here, or leave."))


def _not_here(name: str) -> SafeString:
    return format_html(_("<b>{name}</b> is not here right now. The match starts when they are back."), name=name)


def _to_who_may_not(now: RoomState) -> SafeString:
    waiting = next((side for side in now.sides if not side.name), None)
    if waiting is not None and waiting.kept:
        return format_html(_("{waits}. You can watch."), waits=waiting.kept)
    return mark_safe(_("Both seats are taken. You can watch."))


def _to_a_guest(row: Room, now: RoomState) -> SafeString:
    game = title(games.variant(row.variant))
    terms = f"{rounds_words(row.rounds)}, {clock_words(parse_clock(row.clock)) or _('no clock')}."
    host = next((side for side in now.sides if side.name), None)
    owner = next((side.owner for side in now.sides if side.owner), "")
    if host is None and owner and not now.mine:
        return _not_here(owner)
    if host is None:
        return format_html(_("Nobody sits here yet. {game}, {terms}"), game=game, terms=terms)
    wants = format_html(
        _("<b>{name}</b> wants to play {game} with you. {terms}"), name=host.name, game=game, terms=terms
    )
    return format_html("{} {}", wants, _not_here(host.name)) if host.absent else wants


def _sits(now: RoomState) -> str:
    return next((f"&sat={side.number}.{now.host}" for side in now.sides if side.you), "")


def waits(now: RoomState) -> SafeString:
    """Whether the host is there, for a guest who was invited and may sit down; nothing for all others."""
    host = next((side for side in now.sides if side.name), None)
    if host is None or not now.may_sit or now.mine or now.seated or now.closed or now.live is not None:
        return SafeString()
    words = _not_here(host.name) if host.absent else format_html(_("<b>{name}</b> is waiting."), name=host.name)
    return format_html("{}<span>{}</span>", host.disc, words)


def _side(
    room: LiveRoom | None,
    waiting: LiveMatch | None,
    side: int,
    kept: Place | None,
    names: dict[int, str],
    visitor: Visitor,
) -> Side:
    """One side: its disc is that of its seat in the round that is played or comes next. A match that waits for its
    people has no room in memory, and still has its seats.
    """
    occupant = room.sides[side] if room else None
    seat = seat_of(side, room.round if room else waiting.state.setup.round if waiting else 1)
    setup = occupant.setup if occupant else waiting.state.setup.seats[seat] if waiting else None
    waits = kept is not None and kept.kind == Place.Kind.SOCKET
    return Side(
        number=side,
        disc=fragments.SEATS[seat],
        first=seat == 0,
        name=seat_name(setup, seat) if setup else "",
        tag={"bot": "bot", "builtin": "built in"}.get(setup.kind, "") if setup else "",
        ready=occupant is not None and room is not None and occupant.ready and not room.is_absent(side),
        you=setup is not None and setup.player is not None and setup.player == visitor.player,
        kept=_kept(kept, names) if kept is not None else "",
        connect=f"/r/{room.plan.code}/connect/{side}/" if room is not None and waits else "",
        chosen=_chosen(kept),
        absent=room is not None and room.is_absent(side),
        owner=names.get(kept.player_id or 0, "") if kept is not None and kept.kind == Place.Kind.ME else "",
    )


def _chosen(place: Place | None) -> str:
    if place is None:
        return "anyone"
    what = {
        Place.Kind.BUILTIN: place.level,
        Place.Kind.SOCKET: place.protocol,
        Place.Kind.BOT: str(place.player_id),
        Place.Kind.COMMAND: str(place.player_id),
    }.get(Place.Kind(place.kind), "")
    return f"{place.kind}:{what}" if what else place.kind


def _kept(place: Place, names: dict[int, str]) -> str:
    """For whom the side is kept, "" if it is anybody's."""
    name = names.get(place.player_id or 0, _("somebody"))
    if place.kind == Place.Kind.ME:
        return _("Kept for {name}").format(name=name)
    if place.kind == Place.Kind.BUILTIN:
        return _("Built-in {level}").format(level=level_name(place.level))
    if place.kind == Place.Kind.SOCKET:
        spoken = protocol(place.protocol).title if place.protocol in protocols() else place.protocol
        return _("Waiting for a bot that speaks {protocol}").format(protocol=spoken)
    if place.kind == Place.Kind.COMMAND:
        return _("{name}, run by this server").format(name=name)
    if place.kind == Place.Kind.BOT:
        return _awaited(place.player_id or 0, name)
    return ""


def _awaited(bot: int, name: str) -> str:
    """That a registered bot is awaited, and why it is not there."""
    if (gone := departures.of(bot)) is not None:
        said = _("Waiting for {name}, which was here at {time} UTC and left before the match began")
        return said.format(name=name, time=f"{gone.at:%H:%M}")
    if tokens.connections_of(bot):
        return _("Waiting for {name}, which sits in another room").format(name=name)
    return _("Waiting for {name}, which is not connected").format(name=name)


async def _names(kept: Sequence[Place | None]) -> dict[int, str]:
    numbers = [place.player_id for place in kept if place is not None and place.player_id is not None]
    if not numbers:
        return {}
    return {number: name async for number, name in Player.objects.filter(pk__in=numbers).values_list("pk", "name")}


def context(row: Room, now: RoomState) -> dict[str, Any]:
    """The context of templates/arena/fragments/room_state.html."""
    may_sit = now.may_sit and not now.seated and not now.full and not now.closed
    there = any(side.name for side in now.sides)
    waited_s = int((datetime.now(UTC) - row.last_used).total_seconds())
    taken = now.full and not row.title  # a room with a name of its own is shown by it
    invited = there and (may_sit or taken) and not (now.mine or now.seated or now.closed)
    may_close = now.may_close and now.seated and not now.asked
    return {
        "sides": now.sides,
        "seated": now.seated,
        "waiting": "" if now.live else "waiting" + _sits(now),
        "full": now.full,
        "may_sit": may_sit,
        "invited": invited,
        "seat": ("free" if may_sit else "taken") if invited else "",
        "mine": now.mine,
        "may_close": may_close,
        "alone": may_close and not any(side.kept for side in now.sides if not side.name),
        "waited": (waited_s, minutes(waited_s * 1000)),
        "asks": bool(now.asked),
        "closed": now.closed,
        "sentence": sentence(row, now),
        "waits": waits(now),
        "live": now.live and f"/m/{now.live.id}/",
    }
