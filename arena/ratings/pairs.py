"""How often two players have met in rated matches: for the bound of what two bots may play in a day."""

from __future__ import annotations

from datetime import datetime

from arena.match.ids import id_at
from arena.match.quota import Pair
from arena.models import Seat


def rated_since(pair: Pair, since: datetime) -> int:
    """The rated matches of these two that were opened since then. Ids and rows of seats grow with time, so only what
    one of the two has played since then is looked at.
    """
    new = Seat.objects.filter(match__gte=id_at(since.timestamp())).order_by("match", "seat")
    first = new.values_list("pk", flat=True).first()
    if first is None:
        return 0
    one, other = sorted(pair)
    played = Seat.objects.filter(player=one, pk__gte=first, match__rated=True, match__opened__gte=since)
    return played.filter(match__seats__player=other).count()
