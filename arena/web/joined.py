"""A guest who was a person, and a person who has closed the account: what pages show of them.

A row says that a guest was a person (`arena.models.JoinedGuest`), and their name says that an account was closed.

Logs, records and rows of matches still name the guest, so exports verify as before, and undoing it leaves no trace in
them. No rating changes: guests play no rated matches, and their points for puzzles stay apart.
"""

from __future__ import annotations

from django.db.models import Q

from arena.common import names
from arena.common.names import is_former
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
    person = found and person_of(found)
    return None if person is None or is_former(person.slug) else person


async def with_persons(live: LiveMatch | None) -> LiveMatch | None:
    """The match; if it is over, its seats show the persons whom its guests are joined with, and nobody who has closed
    the account. Of who is playing, the log is right.
    """
    if live is None or not live.over:
        return live
    logged = [SeatSetup(**seat) for seat in live.events[0].data["seats"]]
    humans = [seat.player for seat in logged if seat.kind == "human" and seat.player is not None]
    changed = Q(joined__isnull=False) | Q(slug__startswith=names.slug(names.FORMER))
    found = Player.objects.filter(changed, pk__in=humans).select_related("joined__person")
    persons = {player.pk: person_of(player) async for player in found} if humans else {}
    setup, reason = live.state.setup, live.state.reason
    first, second = (
        _as_now(now, was, persons.get(was.player or 0)) for now, was in zip(setup.seats, logged, strict=True)
    )
    for now, was in zip((first, second), logged, strict=True):
        if now.name != was.name and reason.startswith(f"{was.name} "):
            reason = now.name + reason.removeprefix(was.name)
    live.state = live.state._replace(setup=setup._replace(seats=(first, second)), reason=reason)
    return live


def _as_now(now: SeatSetup, was: SeatSetup, person: Player | None) -> SeatSetup:
    """The seat of this person, which was logged so."""
    if person is None:
        return now._replace(player=was.player)
    return now._replace(player=person.pk, name=person.name if is_former(person.slug) else was.name)
