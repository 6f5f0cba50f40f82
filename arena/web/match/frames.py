"""From a live match to the frames of its readers: one render for each audience and each cursor, by its first reader.

A frame is cached in `live.frames` under its `FrameKey`, at most one for each event, until the match changes, and keeps
the bytes that are sent. Its clocks are true at the moment of rendering, so a frame that is older than `FRESH_S` is
rendered again for people who open a page later.
"""

from __future__ import annotations

import time
from collections import Counter
from datetime import UTC, datetime
from typing import NamedTuple

from django.template.loader import render_to_string

from arena.core.hub import LiveMatch
from arena.core.viewers import lag_ms
from arena.host import Host
from arena.match.series import seat_of, side_of
from arena.rooms.rematch import wishes_of
from arena.rooms.room import LiveRoom
from arena.server.text_frame import TextFrame
from arena.web.drawing import OOB_MORPH
from arena.web.languages import USUAL
from arena.web.match import analysis, chat_lines, fragments, reaction_words
from arena.web.match.followed import FollowedMatch
from arena.web.match.rounds import are_all, rounds_in_memory, said, series_of
from arena.web.match.scene import Beside, Scene, Series, Signals, make_scene
from arena.web.people.ratings import rating_notes
from arena.web.tongue import gettext as _
from arena.web.tongue import speaking

FRESH_S = 0.25
# The most frames of one state: slow readers, who lag by different amounts, share the one that has everything.
MOST_FRAMES = 8

# How often a frame was rendered, by audience: the measure of "one render for all".
rendered: Counter[str] = Counter()


class FrameKey(NamedTuple):
    """What a frame depends on: the newest event in it, what its readers have, who they are, which language they read,
    and what those know who get all of it again.

    A front reads events before it hears the rest of a change, so `seq` may grow while the frames are kept.
    """

    seq: int
    base: int
    audience: str
    language: str = USUAL
    heard: int = 0


def scene(
    host: Host | None,
    live: LiveMatch,
    audience: str,
    *,
    base: int = 0,
    heard: int = 0,
    ply: int | None = None,
    chosen: tuple[str, ...] = (),
) -> Scene:
    """The scene of a match as it stands now."""
    return make_scene(
        live.id,
        live.state,
        live.events,
        audience,
        base=base,
        heard=heard,
        ply=ply,
        signals=signals(live),
        chosen=chosen,
        beside=beside(host, live, audience),
    )


def beside(host: Host | None, live: LiveMatch, audience: str) -> Beside:
    """What no log holds: how the series stands, whether the opponent wants to play again, and the ratings."""
    found = live.said.beside[audience] if isinstance(live, FollowedMatch) else of_room(host, live, audience)
    notes, ratings = rating_notes(host, live, audience), live.ratings or ("", "")
    remarks = analysis.remarks(live)
    series = found.series or live.facts.series
    if live.over and series is not None:
        live.facts.series = series._replace(next_round=0)
    return found._replace(series=series, notes=notes, ratings=ratings, remarks=remarks, replies=replies(live))


def of_room(host: Host | None, live: LiveMatch, audience: str) -> Beside:
    """The part of it that the room knows."""
    room = _room(host, live)
    wants, declined, asked = _again(live, audience)
    return Beside(
        series=_series(live, room),
        wants=wants,
        room=live.room_code,
        private=bool(live.private),
        declined=declined,
        asked=asked,
        reactions=reaction_words.shown(live.id),
        chat=chat_lines.newest(live, audience),
    )


def replies(live: LiveMatch) -> tuple[int | None, int | None]:
    """The mean reply time of both seats in ms, None before the first. Each reply is counted only once."""
    seen, *sums = live.facts.replies
    if seen < len(live.events):
        for event in live.events[seen:]:
            if event.kind == "move" and event.seat is not None and event.elapsed_ms is not None:
                count, spent = sums[event.seat]
                sums[event.seat] = (count + 1, spent + event.elapsed_ms)
        live.facts.replies = (len(live.events), sums[0], sums[1])
    first, second = (round(spent / count) if count else None for count, spent in sums)
    return first, second


def frame(
    host: Host | None, live: LiveMatch, audience: str, have: int, language: str = USUAL, *, whole: bool = False
) -> TextFrame:
    """Everything that a reader with the events up to `have` needs to catch up with the match, in their language.

    Who has moves that were taken back gets the whole list, as does who asks for the `whole`.
    """
    heard = have if 0 < have <= live.state.seq else 0
    base = 0 if whole or any(event.kind == "takeback" for event in live.events[heard:]) else heard
    key = FrameKey(live.state.seq, base, audience, language, 0 if base else heard)
    if key not in live.frames and len(live.frames) >= MOST_FRAMES:
        base, heard, key = 0, 0, FrameKey(live.state.seq, 0, audience, language)
    now = time.monotonic()
    kept = live.frames.get(key)
    if kept is not None and now - kept[0] < FRESH_S:
        made: TextFrame = kept[1]
        return made
    # The player who moved, or the first reader, has woken this one, and may speak another language.
    with speaking(language):
        made = TextFrame(_text(host, live, audience, base, heard))
    live.frames = {**live.frames, key: (now, made)}
    rendered[audience] += 1
    return made


def _text(host: Host | None, live: LiveMatch, audience: str, base: int, heard: int) -> str:
    drawn = scene(host, live, audience, base=base, heard=heard)
    text: str = fragments.frame(drawn) if base else fragments.snapshot(drawn, says=heard > 0)
    if live.over:
        text += _analysed(host, live, audience, base)
    if live.over and (host is not None or isinstance(live, FollowedMatch)):
        text += _rounds(host, live) + next_match(host, live, drawn)
    newest = live.said.beside[audience].chat if isinstance(live, FollowedMatch) else chat_lines.newest(live, audience)
    return text + chat_lines.newest_mark(newest)


def _analysed(host: Host | None, live: LiveMatch, audience: str, base: int) -> str:
    """The analysis arrives after the last move: the list of moves is sent once more, with its remarks."""
    shown = analysis.card(live, audience, fragments.REPLACE)
    shown += analysis.values(live, live.state.position.ply, OOB_MORPH)
    if base and live.facts.analysis is not None:
        shown += fragments.moves(scene(host, live, audience), fragments.REPLACE)
    return shown


def signals(live: LiveMatch) -> Signals:
    """What no log holds: presence, and the running clock as it stands now."""
    now, now_ms = time.monotonic(), round(time.time() * 1000)
    if isinstance(live, FollowedMatch):
        said = live.said
        return Signals(now_ms, said.left_now(now), said.here, said.back_now(now), said.watching, said.lag_ms)
    first, second = live.presence
    return Signals(
        now_ms=now_ms,
        left_ms=live.lasts_ms(now),
        here=(first.here, second.here),
        back_ms=(_back_ms(first.until, now), _back_ms(second.until, now)),
        watching=live.readers(""),
        lag_ms=(lag_ms(live.viewers, 0), lag_ms(live.viewers, 1)),
    )


def next_match(host: Host | None, live: LiveMatch, drawn: Scene) -> str:
    """The way to the next match in its room, "" while there is none. Not seen where the card has the same way."""
    follows, number = next_of(host, live)
    if not follows:
        return ""
    if number is None:
        words = _("Go to the rematch")
    else:
        words = _("Go to round {number}").format(number=number) if number else _("Go to the next match")
    return fragments.goto(f"/m/{follows}/", words, seen=follows != drawn.after.rematched)


def next_of(host: Host | None, live: LiveMatch) -> tuple[str, int | None]:
    """The next match, "" while there is none, and the number of its round: 0 if there is one, None for a rematch."""
    if not live.over:
        return "", 0
    if isinstance(live, FollowedMatch):
        return live.said.follows
    room = _room(host, live)
    if room is not None and room.live is not None and room.live.id != live.id:
        setup = room.live.state.setup
        return room.live.id, setup.round if setup.rounds > 1 else 0
    again = wishes_of(live.events, datetime.now(UTC)).match
    return again or "", None


def _rounds(host: Host | None, live: LiveMatch) -> str:
    """The list of rounds, which has changed with the end of this one. After a restart not all of them are in memory:
    then only this one is renewed in the list that the page has.
    """
    rounds = said(rounds_in_memory(host, live))
    if are_all(rounds):
        return render_to_string("arena/fragments/rounds.html", {"rounds": rounds, "id": "rounds", "oob": True})
    own = next((each for each in rounds if each["current"]), None)
    return "" if own is None else render_to_string("arena/fragments/round.html", {"each": own, "oob": True})


def _again(live: LiveMatch, audience: str) -> tuple[str, str, bool]:
    """What a seat sees of a rematch: the opponent's name if they want it, their name if they declined, and whether this
    seat has asked for it.
    """
    if not (live.over and audience):
        return "", "", False
    wishes, other = wishes_of(live.events, datetime.now(UTC)), 1 - int(audience)
    name = live.state.setup.seats[other].name
    wants = wishes.asked[other] and live.presence[other].here
    return name if wants else "", name if wishes.declined == other else "", wishes.asked[1 - other]


def _room(host: Host | None, live: LiveMatch) -> LiveRoom | None:
    """The room in which a match is played or, once over, the one that continues; none without the host."""
    if host is None:
        return None
    return host.lobby.room_of(live) if not live.over else host.lobby.room_after(live)


def _back_ms(until: float | None, now: float) -> int | None:
    """Presence deadlines are in the loop's time, which is monotonic time."""
    return None if until is None else max(0, round((until - now) * 1000))


def _series(live: LiveMatch, room: LiveRoom | None) -> Series | None:
    """How the room's rounds stand for the seats here; None if there is only one, or no room any more."""
    setup = live.state.setup
    if room is None or setup.rounds == 1:
        return None
    series = series_of(live, room.series.score, room.over)
    next_in = room.pause.left_s if room.live is not None and room.live.id == live.id else None
    if next_in is None:
        return series
    first = seat_of(side_of(0, room.round), setup.round)
    return series._replace(next_round=room.round, next_ms=round(next_in * 1000), next_first=first)
