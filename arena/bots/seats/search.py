"""Finds the seat of a bot at a door: in the room it names, with a waiting opponent, or where it is expected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import games
from arena.bots.seats import channels
from arena.bots.seats.seat_ports import SeatPorts
from arena.bots.session.identity import showing
from arena.bots.session.session import Session
from arena.common.limits import counted_as, host_of
from arena.match.commands import Refusal
from arena.match.said import said
from arena.protocols import plays
from arena.protocols.adapter import Adapter, Challenge, Queue, Wish
from arena.rooms.matchmaking import seat_bot
from arena.rooms.reservation import bare
from arena.rooms.room import LiveRoom


class SeatSearch:
    """Searches for the bots of one protocol. `on_seat(session, room)` is called when a bot has its seat."""

    def __init__(self, ports: SeatPorts, adapter: type[Adapter], on_seat: Callable[[Session, LiveRoom], None]) -> None:
        self._ports = ports
        self._lobby, self._matchmaker = ports.lobby, ports.matchmaker
        self._adapter = adapter
        self._on_seat = on_seat

    async def for_wish(self, session: Session, wish: Wish) -> LiveRoom:
        """The room that the bot names, one of the variant it names, or that of a waiting opponent. Where it was awaited
        it sits before it asks: then that is the answer, once. Raises Refusal.
        """
        if (given := session.room) is not None and not given.over and session.seeking.found != given.plan.code:
            return given
        _must_be_free(session)
        if self._lobby.reserved(session.setup) and (awaited := await self.for_tournament(session)) is not None:
            return awaited
        if isinstance(wish, Queue):
            room = await self._opposite(session, (wish.variant,))
        elif isinstance(wish, Challenge):
            _shows(session, "challenge", bare(wish.player).upper(), _counted(session))
            room = self._matchmaker.challenge(session, wish.player)
        else:
            room = await self._join(session, wish.code)
        self._on_seat(session, room)
        return room

    async def for_anybody(self, session: Session) -> None:
        """Seat it with an opponent who waits at this door, or alone until the next one comes. Raises Refusal."""
        room = await self._opposite(session, self._adapter.variants)
        if session.connected:
            self._on_seat(session, room)
            room.look()
        else:
            room.stand(session)

    async def for_tournament(self, session: Session) -> LiveRoom | None:
        """Seat a participant of an event where it is expected, or alone until the event calls it. The room it names is
        ignored: programs always name the same one, and two of them would meet there. None if its variant is not known.
        """
        before, room = session.room, self._matchmaker.expected(session.setup)
        if room is None and self._adapter.variants:
            alone = await self._lobby.open_new(self._fields(self._adapter.variants[0]), offered=True)
            if session.room is not before:
                return session.room  # it was called meanwhile
            room = self._matchmaker.expected(session.setup) or alone
        if room is not None:
            if not session.connected:
                raise Refusal("gone", said("{name} has gone before a seat was found.", name=session.setup.name))
            self._take(session, room)
        return room

    def expected(self, session: Session) -> bool:
        """Seat a registered bot where it is expected. Returns whether it is expected anywhere."""
        room = self._matchmaker.expected(session.setup) if session.setup.verified else None
        if room is not None:
            self._take(session, room)
        return room is not None

    def _take(self, session: Session, room: LiveRoom) -> None:
        seat_bot(room, session)
        self._on_seat(session, room)
        room.look()

    async def _join(self, session: Session, channel: str) -> LiveRoom:
        """The room of this name if somebody is there, else one where a registered bot is expected, because old programs
        always name the same room. A missing room is opened if its variant is known.
        """
        variants = self._adapter.variants
        address = host_of(session.transport.peer)
        room = await channels.find(self._lobby, channel, address)
        if session.setup.verified and (room is None or room.sides.are_free):
            room = self._matchmaker.expected(session.setup) or room
        if room is None and variants:
            room = await channels.find_or_open(self._lobby, channel, self._fields(variants[0], session), address)
        if room is None:
            words = said(
                "There is no room {room}: queue for a variant, or open one on the page.",
                room=channels.title_of(channel),
            )
            raise Refusal("no_such_room", words)
        if not plays(self._adapter.slug, room.plan.variant):
            plan, ours = room.plan, ", ".join(variants)
            raise Refusal(
                "invalid_command",
                said("room {code} plays {game}, this protocol {ours}", code=plan.code, game=plan.variant, ours=ours),
            )
        _must_be_free(session)  # it may have been called meanwhile
        _shows(session, "join", "" if room.plan.private else _counted(session))
        try:
            seat_bot(room, session)
        except Refusal as refusal:
            raise Refusal("channel_is_full", refusal.sentence) from None
        return room

    async def _opposite(self, session: Session, variants: Sequence[str]) -> LiveRoom:
        _shows(session, "queue", *variants, _counted(session))
        address = host_of(session.transport.peer)
        fields, check = self._fields(variants[0], session), partial(_must_be_free, session)
        return await self._matchmaker.meet(session, variants, fields, address, check)

    def _fields(self, variant: str, session: Session | None = None) -> dict[str, Any]:
        """The columns of a room that a bot of this protocol opens: rated if it has proven who it is, and the opponent
        does too. Raises Refusal for an unknown variant.
        """
        try:
            games.variant(variant)
        except KeyError as why:
            raise Refusal("unknown_variant", str(why.args[0])) from None
        clock, rated = self._ports.clock_of(self._adapter), session is not None and session.setup.verified
        return {"variant": variant, "clock": clock, "rounds": self._adapter.rounds or 1, "rated": rated}


def _must_be_free(session: Session) -> None:
    """Raises Refusal if the bot has a seat: a room that is reserved for it may call it at any moment."""
    if session.room is not None and not session.room.over:
        code = session.room.plan.code
        raise Refusal("already_in_channel", said("You are already seated in room {code}.", code=code))


def _shows(session: Session, *shown: str) -> None:
    session.setup = showing(session.setup, *shown)


def _counted(session: Session) -> str:
    return counted_as(host_of(session.transport.peer))
