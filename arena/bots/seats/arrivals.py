"""Bots at a public port that have not named their room yet: their messages are shown where they are expected.

A place hears of such a bot when one of its lines contains the code of the place's room, together with all earlier
lines. It hears of it at once if the bot comes from the address of a person who looks at the page of the only place
there that waits for its protocol. As that guess may be wrong, codes of other rooms are then withheld.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from arena.bots.failure import departures
from arena.bots.seats.hearing import Ear, Heard, Hearing, address_of
from arena.bots.seats.seat_port import SeatPort
from arena.bots.session.session import Session
from arena.rooms.room import LiveRoom

_WORD = re.compile(r"[A-Z0-9._-]+")
BEGINNING = 12


class Arrivals:
    """All such bots. `places` are the sides that wait for a program, or have waited."""

    def __init__(self, places: Callable[[], Iterable[SeatPort]]) -> None:
        self._places = places
        self._here: dict[Session, _Arrival] = {}

    def came(self, session: Session) -> None:
        """Listen to a bot that connects for a protocol that names rooms, if any room waits for one."""
        waiting = self._waiting_for(session)
        if waiting:
            arrival = self._here[session] = _Arrival(session, lambda: self._waiting_for(session))
            here = [each for each in waiting if each.watched_from == address_of(session.connection)]
            if len(here) == 1:
                arrival.may_belong_to(here[0])

    def seated(self, session: Session, room: LiveRoom, waiting: SeatPort | None) -> None:
        """The bot has a seat in this room, which was `waiting` for it if not None."""
        arrival = self._here.get(session)
        if arrival is not None:
            arrival.has_seat(waiting, room)
        elif waiting is not None:
            waiting.came_by_name(session)

    def went(self, session: Session) -> None:
        """The bot has left, or has taken its seat by a token."""
        arrival = self._here.pop(session, None)
        if arrival is not None:
            arrival.close()

    def _waiting_for(self, session: Session) -> list[SeatPort]:
        slug = session.adapter.slug
        return [each for each in self._places() if each.place.protocol == slug and each.awaits]


class _Arrival:
    """One such bot. What it says is kept until its place is known."""

    def __init__(self, session: Session, waiting: Callable[[], Iterable[SeatPort]]) -> None:
        self._session = session
        self._waiting = waiting
        self._heard = Hearing()
        self._place: SeatPort | None = None
        self._is_sure = False
        self._told = 0
        self._ear = Ear(session.connection, self._heard)
        self._heard.on_change = self._tell

    def may_belong_to(self, place: SeatPort) -> None:
        self._place = place
        self._ear.expect(place.finder.join)
        self._tell()

    def has_seat(self, place: SeatPort | None, room: LiveRoom) -> None:
        if place is not None:
            self._belongs_to(place)
            self._ear.joined()
            place.came_by_name(self._session, heard=True)
        elif self._place is not None and self._place.room is not room and self._place.awaits:
            self._place.hearing.add("elsewhere", join=self._place.finder.join)
            self._ear.close()

    def close(self) -> None:
        self._ear.close()
        if self._place is not None and self._is_sure and self._place.awaits and not self._session.connected:
            self._place.hearing.gone(departures.card_of(self._session))

    def _belongs_to(self, place: SeatPort) -> None:
        if place is not self._place:
            self._told = 0
        self._place, self._is_sure = place, True
        self._ear.expect(place.finder.join)
        self._tell()

    def _tell(self) -> None:
        """Pass on what is new. A bot that names the code of a waiting room belongs to that room."""
        new = [entry for entry in self._heard.entries if entry.n > self._told]
        if not self._is_sure and (named := self._named(new)) is not None:
            self._belongs_to(named)
        elif self._place is not None and new:
            self._told = new[-1].n
            self._place.hearing.adopt(new if self._is_sure else map(_discreet, new))

    def _named(self, entries: Iterable[Heard]) -> SeatPort | None:
        said = " ".join(entry.params.get(name, "") for entry in entries for name in ("line", "got"))
        words = _WORD.findall(said.upper())
        return next((each for each in self._waiting() if each.room.plan.code.upper() in words), None)


def _discreet(heard: Heard) -> Heard:
    """The entry without a possible code of another room: only the beginning of each line, unless it is a name."""
    lines = {name: heard.params[name] for name in ("line", "got", "sent") if name in heard.params}
    cut = {name: f"{line.split(' ')[0][:BEGINNING]} …" for name, line in lines.items() if line[:5].upper() != "NAME "}
    return heard._replace(params={**heard.params, **cut})
