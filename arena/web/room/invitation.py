"""The page of a room for the guest who was invited, the host who waits, and programs that preview links."""

from __future__ import annotations

from typing import NamedTuple

from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

import games
from arena.match.clock import parse_clock
from arena.models import Room
from arena.web.challenges import CLOCKS
from arena.web.drawing import artist
from arena.web.library.game_texts import text_of
from arena.web.match.fragments import BoardFragment, picture
from arena.web.options import Option, options
from arena.web.room import form as room_form
from arena.web.room import qr
from arena.web.room.state import RoomState
from arena.web.words import clock_title, clock_words, held_words, rounds_words, title, unbroken


class Invitation(NamedTuple):
    """The invitation on the page of a room.

    `host` is the player who waits, "" for nobody; `against` the one who has taken the other seat. `settings` are short
    words for each; `disc` is the one that the guest will play, `rules` are those needed to begin; `stage` is the board,
    or the match that runs, `ready` what lies over an empty one; `image` the address of its PNG; `qr` the code of the
    link, for the player who waits for a friend or opened the room for one, "" for all others.
    """

    host: str
    against: str
    settings: list[str]
    disc: SafeString
    ready: SafeString
    rules: tuple[str, ...]
    stage: BoardFragment
    image: str
    qr: SafeString
    variants: list[Option]
    clocks: list[Option]
    rounds: list[Option]

    @property
    def line(self) -> str:
        """The settings in one line."""
        return " · ".join(self.settings)


def invitation(request: HttpRequest, row: Room, now: RoomState, link: str) -> Invitation:
    """The invitation of this room, which others find at `link`; its settings can be changed while the player who opened
    it waits alone.
    """
    variant = games.variant(row.variant)
    host, against = [*(unbroken(side.name) for side in now.sides if side.name), "", ""][:2]
    clock = clock_words(parse_clock(row.clock)) or _("no clock")
    counts = _("rated") if row.rated else _("friendly")
    settings = [
        title(variant),
        "" if now.full else _who_begins(now),
        clock,
        rounds_words(row.rounds) if row.rounds > 1 else "",
        counts,
        held_words(row.adjudicate),
    ]
    waits = now.seated and not now.full and now.live is None
    is_free = not (now.full or now.closed or now.live) and not any(side.kept for side in now.sides if not side.name)
    alone = now.mine and waits and is_free
    free = next((side for side in now.sides if not side.name), None)
    return Invitation(
        host,
        against,
        list(filter(None, settings)),
        free.disc if free else SafeString(),
        artist(variant.game).ready(variant.start(**row.settings), 0 if free.first else 1) if free else SafeString(),
        text_of(next(each for each in games.games() if each.slug == variant.game)).in_brief(),
        _stage(row, now),
        f"{request.build_absolute_uri(row.get_absolute_url())}card.png",
        qr.svg(link) if is_free and (now.seated or now.mine) else SafeString(),
        options({each.slug: title(each) for each in games.variants()}, row.variant) if alone else [],
        options({text: clock_title(text) for text in (*CLOCKS, row.clock)}, row.clock),
        options({text: text for text in room_form.ROUNDS}, str(row.rounds)),
    )


def _stage(row: Room, now: RoomState) -> BoardFragment:
    variant = games.variant(row.variant)
    if now.live is None:
        return picture(title(variant), variant.game, variant.start(**row.settings))
    state = now.live.state
    last = state.recent[-1][2] if state.recent else None
    return picture(title(variant), variant.game, state.position, last)


def _who_begins(now: RoomState) -> str:
    """`you first`, `friend first`, or the same for the player on the side that moves first."""
    first = next(side for side in now.sides if side.first)
    if first.name and not first.you:
        return _("{name} first").format(name=first.name)
    return _("friend first") if now.seated and not first.you else _("you first")
