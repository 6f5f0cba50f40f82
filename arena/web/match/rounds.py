"""The rounds of a series, as a list with a link to each. A live series is in memory; an older one is read."""

from __future__ import annotations

from typing import Any

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.models import Match
from arena.web.match.ending_words import score_and_ending
from arena.web.match.followed import FollowedMatch


async def rounds_of(host: Host | None, live: LiveMatch) -> list[dict[str, Any]]:
    """All matches of this match's series, oldest first; none if there is only one round."""
    setup = live.state.setup
    if setup.room is None or setup.rounds == 1:
        return []
    if not live.over and (host is not None or isinstance(live, FollowedMatch)):
        return said(rounds_in_memory(host, live))
    series = Match.objects.filter(room=setup.room, series=setup.series).order_by("opened")
    return said([_line(each.id, each.round, each.winner, each.termination, each.reason, live) async for each in series])


def rounds_in_memory(host: Host | None, live: LiveMatch) -> list[dict[str, Any]]:
    """The same without asking the database: those that this process or its host remembers."""
    if isinstance(live, FollowedMatch):
        return live.said.rounds
    assert host is not None, "a match of rows alone has its rounds there"
    setup = live.state.setup
    series = [
        other
        for other in host.hub.lives.values()
        if (other.state.setup.room, other.state.setup.series) == (setup.room, setup.series)
    ]
    lines = []
    for other in sorted(series, key=lambda other: other.events[0].at):
        state = other.state
        lines.append(_line(other.id, state.setup.round, state.winner, state.termination, state.reason, live))
    return lines


def _line(
    match: str, number: int, winner: int | None, termination: str | None, reason: str, shown: LiveMatch
) -> dict[str, Any]:
    ending = {"winner": winner, "termination": termination, "reason": reason}
    return {"round": number, "address": f"/m/{match}/", "current": match == shown.id, **ending}


def said(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines with their words, in the current language: the host sends them to a front without words."""
    return [{**line, "words": score_and_ending(line["winner"], line["termination"], line["reason"])} for line in lines]
