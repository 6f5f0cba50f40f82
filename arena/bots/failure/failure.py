"""Why the bot of a match failed: determined when the match has ended, and kept with its log."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from arena.bots.failure.cards import Card
from arena.bots.failure.diagnosis import diagnose
from arena.bots.failure.evidence import UNREAD, blamed_seat, from_match
from arena.common.logs import about
from arena.core.hub import Hub, LiveMatch
from arena.core.referee import Referee
from arena.core.retry import retry
from arena.match.commands import Note
from arena.match.decide import decide
from arena.match.state import LogEvent
from arena.play.driver import Log as Played

log = logging.getLogger("arena.bots")

# The key of a card in the data of a note.
FAILURE = "failure"
# A bot that exits at the end of its match, or resigns, has not failed.
_NO_FAULT = ("normal", "resign")
_NO_FAILURE = frozenset({"ended_with_input", "resigned"})


class Failure(NamedTuple):
    """The bot on `seat` failed; `card` says why."""

    seat: int
    card: Card


def card_of(live: LiveMatch) -> Card | None:
    """The card of the bot that failed in this ended match; None if no bot is to blame."""
    ended = next(at for at, event in enumerate(live.events) if event.kind == "ended")
    # Messages that arrive while the ending is being stored are not considered.
    first, second = (wire.last_messages(live.turn.over_at) if wire is not None else [] for wire in live.wires)
    waited = [wire.reads_input if wire is not None else None for wire in live.wires]
    evidence = from_match(live.state, live.events[: ended + 1], (first, second), (waited[0], waited[1]))
    if evidence is None:
        return None
    seat = blamed_seat(live.state, live.events[ended])
    if seat is not None and evidence.termination in ("timeout", "disconnect") and not live.presence[seat].here:
        # It lost while it was disconnected: how it used its time does not matter, but how it was cut off does.
        why = live.presence[seat].why
        if evidence.termination == "timeout" or UNREAD in why:
            reason = why if UNREAD in why else "it did not come back in time"
            evidence = replace(evidence, termination="disconnect", reason=reason)
    return diagnose(evidence)


def with_failure(played: Played) -> tuple[LogEvent, ...]:
    """The log of a match played without a server, with a note that says why its bot failed, if one did."""
    events, state = played.events, played.state
    if state.termination in _NO_FAULT:
        return events
    try:
        evidence = from_match(state, events, played.passed, played.reads_input)
        card = diagnose(evidence) if evidence is not None else None
    except Exception:
        log.exception("match %s: why its bot failed could not be found out", played.match, extra=about(played.match))
        return events
    seat = blamed_seat(state, events[-1])
    if card is None or seat is None or card.code in _NO_FAILURE:
        return events
    return (*events, *decide(state, Note(seat, {FAILURE: card.to_data()}), datetime.now(UTC)))


def keep_failures(referee: Referee, hub: Hub) -> None:
    """Add a note to the log of every future match in which a bot fails."""
    hub.on_end.append(lambda live: _keep(referee, live))


def failures(events: Sequence[LogEvent]) -> list[Failure]:
    """The failures recorded in a log."""
    return [
        Failure(event.seat, Card.from_data(event.data[FAILURE]))
        for event in events
        if event.kind == "note" and event.seat is not None and FAILURE in event.data
    ]


def _keep(referee: Referee, live: LiveMatch) -> None:
    if live.turn.elsewhere or live.state.termination in _NO_FAULT or failures(live.events):
        return
    try:
        card = card_of(live)
    except Exception:
        log.exception("match %s: why its bot failed could not be found out", live.id, extra=about(live.id))
        return
    seat = blamed_seat(live.state, next(event for event in live.events if event.kind == "ended"))
    if card is not None and seat is not None and card.code not in _NO_FAILURE:
        retry(referee, live, Note(seat, {FAILURE: card.to_data()}))
