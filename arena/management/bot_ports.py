"""The personal ports of bots, checked against the range that the administrator reserves for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from django.conf import settings
from django.db.models import Count

from arena.bots.session.tokens import PORTS_OF_ONE
from arena.models import Bot

MOST_LISTED = 10


class PortTrouble(NamedTuple):
    words: str
    todo: str


def troubles(taken: Set[int]) -> Iterator[PortTrouble]:
    """`taken` are the ports of pages, doors and seats."""
    pool = settings.ARENA_BOT_PORTS
    named = f"ARENA_BOT_PORTS={pool[0]}-{pool[-1]}"
    if both := sorted(taken & set(pool)):
        words = f"{named} holds {_listed([str(port) for port in both])} as well"
        yield PortTrouble(words, "choose ports for bots beside those of pages, doors and seats")
    bots = Bot.objects.filter(port__isnull=False).order_by("port").values_list("player__name", "port")
    if outside := [f"{name} on {port}" for name, port in bots if port not in pool]:
        words = f"{_listed(outside)}: not in {named}, but in use nevertheless"
        yield PortTrouble(
            words, "give these bots other ports on their pages, or choose ARENA_BOT_PORTS so that it holds them"
        )
    owners = Bot.objects.filter(port__isnull=False, owner__isnull=False).values_list("owner__username")
    for owner, count in owners.annotate(count=Count("pk")).filter(count__gt=PORTS_OF_ONE).order_by("owner__username"):
        words = f"the bots of {owner} have {count} ports, more than the {PORTS_OF_ONE} of one owner"
        yield PortTrouble(words, "take some back on the pages of these bots")


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - MOST_LISTED} more" if len(words) > MOST_LISTED else ""
    return ", ".join(words[:MOST_LISTED]) + more
