"""The two sides of a room: who sits there, and the state of each."""

from __future__ import annotations

from collections.abc import Iterator

from arena.rooms.plan import Occupant
from arena.rooms.reservation import Reservation, SideState


class Sides:
    """Two occupants or None, by the number of the side; `reservations` have the state of each."""

    __slots__ = ("reservations",)

    def __init__(self) -> None:
        self.reservations: tuple[Reservation[Occupant], Reservation[Occupant]] = Reservation(), Reservation()

    def __getitem__(self, side: int) -> Occupant | None:
        return self.reservations[side].occupant

    def __iter__(self) -> Iterator[Occupant | None]:
        return iter([each.occupant for each in self.reservations])

    @property
    def both(self) -> list[Occupant]:
        """Who sits there, once both sides are taken."""
        return [occupant for occupant in self if occupant is not None]

    @property
    def are_offered(self) -> bool:
        """Whether the address of one of them is open."""
        return any(each.state is SideState.OFFERED for each in self.reservations)

    @property
    def free(self) -> int | None:
        """The first side that nobody has taken."""
        return next((side for side, occupant in enumerate(self) if occupant is None), None)

    @property
    def are_free(self) -> bool:
        """Whether nobody sits there."""
        return not any(self)

    def is_away(self, side: int) -> bool:
        """Whether the occupant's connection is gone, and its return is awaited."""
        return self.reservations[side].state is SideState.AWAY

    def of(self, occupant: Occupant) -> int | None:
        return next((side for side in (0, 1) if self[side] is occupant), None)

    def dismiss(self) -> None:
        """The series is over; the occupants are still known."""
        for reservation in self.reservations:
            reservation.close()
            if reservation.occupant is not None:
                reservation.occupant.dismiss()

    def hold(self) -> None:
        """The host is going down: nobody is given up any more."""
        for reservation in self.reservations:
            reservation.hold()
