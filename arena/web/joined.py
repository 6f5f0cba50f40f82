"""A guest who was a person: the consequences of the row that says so (`arena.models.JoinedGuest`).

Logs, records and rows of matches still name the guest, so exports verify as before, and undoing it leaves no trace in
them. No rating changes: guests play no rated matches, and their points for puzzles stay apart.
"""

from __future__ import annotations

from arena.core.hub import LiveMatch
from arena.match.state import SeatSetup
from arena.models import JoinedGuest, Player


def numbers_of(player: int | None) -> list[int]:
    """The player, and the guests that they were."""
    if player is None:
        return []
    return [player, *JoinedGuest.objects.filter(person=player).values_list("guest", flat=True)]


def person_of(player: Player) -> Player:
    """The person that this guest was, else the player. In a query without `select_related("joined__person")`."""
    joined = getattr(player, "joined", None)
    return joined.person if joined is not None else player


def called(slug: str) -> Player | None:
    """The player of this slug, or the person that they were."""
    found = Player.objects.select_related("user", "joined__person__user").filter(slug=slug).first()
    return found and person_of(found)


async def with_persons(live: LiveMatch | None) -> LiveMatch | None:
    """The match; if it is over, its seats show the persons that its guests are joined with now.

    A guest who is playing is not joined with anybody, so the log of a running match is right.
    """
    if live is None or not live.over:
        return live
    logged = [SeatSetup(**seat) for seat in live.events[0].data["seats"]]
    guests = [seat.player for seat in logged if seat.kind == "human" and not seat.verified and seat.player is not None]
    if guests:
        rows = JoinedGuest.objects.filter(guest__in=guests).values_list("guest", "person")
        persons = {guest: person async for guest, person in rows}
        first, second = (
            seat._replace(player=persons.get(was.player or 0, was.player))
            for seat, was in zip(live.state.setup.seats, logged, strict=True)
        )
        live.state = live.state._replace(setup=live.state.setup._replace(seats=(first, second)))
    return live
