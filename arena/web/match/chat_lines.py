"""The chat lines of a match: who reads which, what they may contain, and how many there may be. Players and watchers
talk among themselves; after the end everybody together, but what the players said stays theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import IntegrityError
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from arena.cluster.lease import Fence, NotTheHost, by_holder
from arena.common import names
from arena.core.hub import LiveMatch
from arena.match.commands import Refusal
from arena.models import ChatLine, ChatReport, Match, Mute
from arena.web import prefs
from arena.web.guests import Visitor, audience_of
from arena.web.tongue import gettext as _

MOST_LETTERS = 200
# The most lines of a match, and of those the newest that its page shows.
MOST_LINES, SHOWN = 500, 50
# All other invisible characters are left out.
_JOINERS = re.compile(f"([{names.JOINERS}])")


class ShownLine(NamedTuple):
    """A line on the page; `mine`: the reader wrote it."""

    number: int
    name: str
    text: str
    mine: bool


class Circle(NamedTuple):
    """The people whom a reader talks with, in words; `among_players` is stored. `why_not`: they cannot talk."""

    words: str
    among_players: bool
    why_not: str = ""


def circle_of(live: LiveMatch, player: int | None) -> Circle:
    """The circle in which this player (None: a reader without one) talks at this match now."""
    audience, setup = audience_of(live, player), live.state.setup
    if live.over:
        return Circle(_everybody(), False)
    if not audience:
        return Circle(_("Watchers can read it now, the players after the end."), False)
    other = setup.seats[1 - int(audience)]
    if setup.at_one_screen or other.kind != "human":
        return Circle("", True, _("Your opponent cannot read. You can write when the match is over."))
    return Circle(_("Only {name} can read it.").format(name=other.name), True)


def _everybody() -> str:
    return _("Everybody at this match can read it.")


def cleaned(said: str) -> str:
    """The line as stored: composed, without what is invisible or turns the line around. Raises Refusal."""
    whole = " ".join(said[: 4 * MOST_LETTERS].split())
    text = "".join(part if _JOINERS.fullmatch(part) else names.printable(part) for part in _JOINERS.split(whole))
    if len(said) > MOST_LETTERS:
        raise Refusal(
            "invalid_form",
            _("Received {n} characters, expected {most} at most. Nothing was said.").format(
                n=len(said), most=MOST_LETTERS
            ),
        )
    if not _JOINERS.sub("", text).strip():
        raise Refusal("invalid_form", _("Received nothing that can be read. Nothing was said."))
    return text


def add(live: LiveMatch, player: int, name: str, text: str, among_players: bool, fence: Fence | None) -> int:
    """Keep a line; returns its number. Raises Refusal if the match has enough."""
    with _written(fence):
        if ChatLine.objects.filter(match=live.id).count() >= MOST_LINES:
            raise Refusal(
                "too_many", _("This match has {n} lines, the maximum. Nothing was said.").format(n=MOST_LINES)
            )
        kept = ChatLine(match_id=live.id, player_id=player, name=name, text=text, among_players=among_players)
        kept.save()
    return kept.pk


def shown(live: LiveMatch, player: int | None) -> list[ShownLine]:
    """The newest lines that this reader may read and wants to, oldest first."""
    muted = Mute.objects.filter(by=player).values_list("whom", flat=True)
    lines = readable(live, player).exclude(player__in=muted)
    rows = lines.order_by("-id").values_list("pk", "name", "text", "player")[:SHOWN]
    return [ShownLine(pk, name, text, whose == player) for pk, name, text, whose in reversed(rows)]


def readable(live: LiveMatch, player: int | None) -> QuerySet[ChatLine]:
    """All lines of a match that this player may read, None for a reader without one. Two players go on talking from
    round to round and from rematch to rematch.
    """
    found = ChatLine.objects.filter(removed=False)
    here, setup = Q(match=live.id), live.state.setup
    if not audience_of(live, player):
        return found.filter(here, among_players=False)
    told = here if live.over else here & Q(among_players=True)
    if setup.room is not None:
        first, second = (seat.player for seat in setup.seats)
        both = Match.objects.filter(room=setup.room, seats__player=first).filter(seats__player=second)
        told |= Q(match__in=both.values("pk"), player__in=(first, second))
    return found.filter(told)


def report(live: LiveMatch, player: int, number: int, fence: Fence | None) -> None:
    """Ask staff to look at a line that the reader can read. Raises Refusal."""
    line = _of_somebody_else(live, player, number)
    with _written(fence):
        ChatReport(line=line, by_id=player).save()


def mute(live: LiveMatch, player: int, number: int, fence: Fence | None) -> str:
    """Read nothing more by the author of this line, anywhere; returns their name. Raises Refusal."""
    line = _of_somebody_else(live, player, number)
    with _written(fence):
        Mute(by_id=player, whom_id=line.player_id).save()
    return line.name


def _of_somebody_else(live: LiveMatch, player: int, number: int) -> ChatLine:
    line = readable(live, player).filter(Q(pk=number) & ~Q(player=player)).first()
    if line is None:
        raise Refusal("not_found", _("Nobody else has written such a line. Nothing was done."))
    return line


@contextmanager
def _written(fence: Fence | None) -> Iterator[None]:
    """Write, unless it is there already. Raises Refusal if another process has become the host."""
    try:
        with suppress(IntegrityError), by_holder(fence):
            yield
    except NotTheHost:
        raise Refusal(
            "changing_over", _("The arena is being handed over to another server. Nothing was done; try again.")
        ) from None


# -- on the page -------------------------------------------------------------------------------------------------------


async def context(request: HttpRequest, live: LiveMatch, visitor: Visitor, *, open: bool = True) -> dict[str, Any]:
    """The context of templates/arena/fragments/chat.html, with the lines if it is `open`."""
    off = is_off(request)
    return {
        "lines": await sync_to_async(shown)(live, visitor.player) if open and not off else [],
        "mutes": visitor.account is not None and not off and await Mute.objects.filter(by=visitor.player).aexists(),
        "circle": circle_of(live, visitor.player),
        # The page shows it when the match ends.
        "after": "" if live.over else _everybody(),
        "chat_off": off,
        "may_write": visitor.account is not None,
        "chat_of": live.id,
    }


def is_off(request: HttpRequest) -> bool:
    """Whether the site or this person has switched the chat off."""
    return not settings.ARENA_TALK or prefs.of(request)["talk"] == "off"


def newest_mark(number: int) -> SafeString:
    """The mark with the number of the newest line that the readers of a frame may read; "" without one."""
    return SafeString(f'<i id="chat-newest" data-newest="{number}" hidden hx-swap-oob="true"></i>' if number else "")


def newest(live: LiveMatch, audience: str) -> int:
    """The same number, as far as this process has heard of lines."""
    players, others = live.facts.chat
    if not audience:
        return others
    return max(players, others) if live.over else players
