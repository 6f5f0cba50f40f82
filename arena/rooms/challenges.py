"""Challenges: one person asks another to play, who is told on whatever page they have open.

A challenge is a room in which a side is kept for a person who has not come yet: a place of theirs that `expires`. Its
rows survive a restart; an answer is delivered and then forgotten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple, Protocol

from django.db.models import F, QuerySet

from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Place, Player, Room
from arena.rooms.people import Person
from arena.rooms.room import LiveRoom
from arena.rooms.room_updates import RoomUpdates

# How long a challenge waits for an answer.
WAITS = timedelta(minutes=10)
# Asking is free, and being asked must not be a burden.
MOST_SENT, MOST_RECEIVED = 3, 5
# After a refusal the same person cannot be asked again for this long.
LEFT_ALONE_S = 600.0
# An answer that nobody has read is forgotten after this time.
ANSWER_KEPT_S = 300.0


class OpenChallenge(NamedTuple):
    """`by` asks `whom`, both players' numbers, in the room with this code, which has `variant`, `clock` and `rated`."""

    code: str
    by: int
    by_name: str
    whom: int
    whom_name: str
    variant: str
    clock: str
    rated: bool
    expires: datetime


class ChallengeAnswer(NamedTuple):
    """What became of a challenge, for the player who made it: "accepted", "declined" or "expired"."""

    challenge: OpenChallenge
    said: str


class EventCall(NamedTuple):
    """The event's match in the room of this code waits for these `players`; some need not be told any more."""

    code: str
    event: str
    slug: str
    players: frozenset[int]
    told: frozenset[int] = frozenset()


class ChallengeReader(Protocol):
    def wake(self) -> None: ...


class Challenges:
    """Challenges that wait for an answer, by the codes of their rooms in capitals, and answers to be delivered."""

    def __init__(self, rooms: Mapping[str, LiveRoom], updates: RoomUpdates) -> None:
        self._rooms, self._updates = rooms, updates
        self._waiting: dict[str, OpenChallenge] = {}
        self._answers: dict[str, ChallengeAnswer] = {}
        self._calls: dict[str, EventCall] = {}
        self.making = asyncio.Lock()
        self._left_alone: dict[tuple[int, int], float] = {}
        self._readers: dict[int, set[ChallengeReader]] = {}
        self._looks: dict[str, partial[None]] = {}
        # The side on which the challenger sits: a room that is opened again is empty at first.
        self._sat: dict[str, LiveRoom] = {}

    # -- what there is -------------------------------------------------------------------------------------------------

    def received(self, player: int | None) -> list[OpenChallenge]:
        return [each for each in self._waiting.values() if each.whom == player]

    def sent(self, player: int | None) -> list[OpenChallenge]:
        return [each for each in self._waiting.values() if each.by == player]

    def answers(self, player: int | None) -> list[ChallengeAnswer]:
        return [each for each in self._answers.values() if each.challenge.by == player]

    def calls(self, player: int | None) -> list[EventCall]:
        return [each for each in self._calls.values() if player in each.players - each.told]

    def answer_in(self, code: str, player: int | None) -> ChallengeAnswer | None:
        """The answer to the challenge that this player made in this room."""
        answer = self._answers.get(code.upper())
        return answer if answer is not None and answer.challenge.by == player else None

    def of(self, code: str, player: int | None, *, by: bool = False) -> OpenChallenge:
        """The challenge that this player has received in this room, or made. Raises Refusal."""
        found = self._waiting.get(code.upper())
        if found is None or player != (found.by if by else found.whom):
            raise Refusal(
                "challenge_gone", "This challenge is no longer open. It was answered, withdrawn or has expired."
            )
        return found

    def check(self, by: int, whom: Player) -> None:
        """Raises Refusal if this player may not challenge that one now."""
        now, name = asyncio.get_running_loop().time(), whom.name
        self._left_alone = {pair: until for pair, until in self._left_alone.items() if until > now}
        sent, received = self.sent(by), self.received(whom.pk)
        if any(each.whom == whom.pk for each in sent):
            raise Refusal("asked_already", said("You have already challenged {name}: wait for the answer.", name=name))
        if any(each.by == whom.pk for each in self.received(by)):
            raise Refusal("asked_already", said("{name} has challenged you: answer that first.", name=name))
        if (until := self._left_alone.get((by, whom.pk))) is not None:
            minutes = int((until - now) // 60) + 1
            raise Refusal("left_alone", said("{name} has just said no. Ask again in {n} min.", name=name, n=minutes))
        if len(sent) >= MOST_SENT:
            raise Refusal(
                "too_many", said("{n} of your challenges wait for an answer. Withdraw one of them first.", n=MOST_SENT)
            )
        if len(received) >= MOST_RECEIVED:
            raise Refusal(
                "too_many", said("Too many people are waiting for an answer from {name}. Try again later.", name=name)
            )

    # -- what happens --------------------------------------------------------------------------------------------------

    async def add(self, room: LiveRoom, by: Player, whom: Player) -> None:
        """Add the challenge in this room, and keep a side of it for the player who is asked."""
        plan, expires = room.plan, datetime.now(UTC) + WAITS
        await _theirs(plan.room, whom.pk).aupdate(expires=expires)
        told = (plan.code, by.pk, by.name, whom.pk, whom.name, plan.variant, plan.clock, plan.rated)
        self._wait(OpenChallenge(*told, expires))

    async def restore(self) -> None:
        """After a start, read the challenges that still wait from their rows."""
        now = datetime.now(UTC)
        waiting = Place.objects.filter(kind=Place.Kind.ME, expires__gt=now, room__closed=None, room__matches=None)
        asked = waiting.exclude(player=F("room__opener")).select_related("player", "room__opener")
        async for place in asked:
            room, by, whom = place.room, place.room.opener, place.player
            if by is not None and whom is not None and place.expires is not None:
                told = (room.shown_code, by.pk, by.name, whom.pk, whom.name, room.variant, room.clock, room.rated)
                self._wait(OpenChallenge(*told, place.expires))

    def _wait(self, challenge: OpenChallenge) -> None:
        code = challenge.code.upper()
        self._waiting[code] = challenge
        look = self._looks[code] = partial(self._look, code)
        self._updates.follow(code, look)
        left = (challenge.expires - datetime.now(UTC)).total_seconds()
        asyncio.get_running_loop().call_later(max(0.0, left), self._expire, challenge)
        look()
        self._tell(challenge)

    def decline(self, challenge: OpenChallenge) -> None:
        """The player who was asked declines."""
        self._left_alone[challenge.by, challenge.whom] = asyncio.get_running_loop().time() + LEFT_ALONE_S
        self._end(challenge, "declined")

    def withdraw(self, challenge: OpenChallenge) -> None:
        """The challenger takes the challenge back."""
        self._end(challenge)

    def closed(self, code: str) -> None:
        """The room is closed: a challenge in it can no longer be accepted."""
        if challenge := self._waiting.get(code):
            self._end(challenge)

    def take_note(self, code: str, player: int | None) -> None:
        """The challenger has read the answer, or somebody who is called the call, which goes on."""
        if answer := self.answer_in(code, player):
            self._forget(answer)
        call = self._calls.get(code)
        if call is not None and player in call.players:
            self._calls[code] = call._replace(told=call.told | {player})
            self._wake(player)

    def _look(self, code: str) -> None:
        """Tell the room that it may look different: one player may sit down there now, or the other may have left."""
        challenge, room = self._waiting.get(code), self._rooms.get(code)
        if challenge is None or room is None:
            return
        seated = {each.setup.player for each in room.sides if isinstance(each, Person)}
        kept = {place.player_id for place in room.plan.places if place is not None}
        if {challenge.by, challenge.whom} <= seated:
            self._end(challenge, "accepted" if any(map(room.is_absent, (0, 1))) else "")
        elif room.over or challenge.whom not in kept or (self._sat.get(code) is room and challenge.by not in seated):
            self._end(challenge)
        elif challenge.by in seated:
            self._sat[code] = room

    def _expire(self, challenge: OpenChallenge) -> None:
        if self._waiting.get(challenge.code.upper()) is challenge:
            self._end(challenge, "expired")
            self._updates.publish(challenge.code.upper())  # their page says so

    def _end(self, challenge: OpenChallenge, said: str = "") -> None:
        code = challenge.code.upper()
        if self._waiting.pop(code, None) is None:
            return
        self._updates.unfollow(code, self._looks.pop(code))
        self._sat.pop(code, None)
        if said:
            answer = self._answers[code] = ChallengeAnswer(challenge, said)
            asyncio.get_running_loop().call_later(ANSWER_KEPT_S, self._forget, answer)
        self._tell(challenge)

    def _forget(self, answer: ChallengeAnswer) -> None:
        if self._answers.get(answer.challenge.code.upper()) is answer:
            del self._answers[answer.challenge.code.upper()]
            self._tell(answer.challenge)

    async def taken(self, challenge: OpenChallenge) -> None:
        """The player who was asked has come: the side is theirs from now on, also after a restart."""
        await _theirs((await Room.objects.aget(code=challenge.code.upper())).pk, challenge.whom).aupdate(expires=None)

    # -- who reads -----------------------------------------------------------------------------------------------------

    def call(self, call: EventCall) -> None:
        """The match in this room waits for these players: for nobody any more if there are none."""
        before = self._calls.pop(call.code, None)
        if call.players:
            told = before.told & call.players if before else call.told
            self._calls[call.code] = call._replace(told=told)
        for player in call.players ^ (before.players if before else frozenset()):
            self._wake(player)

    def view(self, reader: ChallengeReader, player: int) -> None:
        """Wake this reader when there is something new for the player."""
        self._readers.setdefault(player, set()).add(reader)

    def unview(self, reader: ChallengeReader, player: int) -> None:
        readers = self._readers.get(player, set())
        readers.discard(reader)
        if not readers:
            self._readers.pop(player, None)

    def is_here(self, player: int) -> bool:
        """Whether one of their pages is open."""
        return player in self._readers

    def _tell(self, challenge: OpenChallenge) -> None:
        for player in (challenge.by, challenge.whom):
            self._wake(player)

    def _wake(self, player: int) -> None:
        for reader in tuple(self._readers.get(player, ())):
            reader.wake()


def _theirs(room: int | None, player: int) -> QuerySet[Place]:
    return Place.objects.filter(room=room, kind=Place.Kind.ME, player=player)
