"""Why the bot of a match failed that is still at hand."""

from __future__ import annotations

from arena.bots.cards import Card
from arena.bots.diagnosis import diagnose
from arena.bots.evidence import from_match
from arena.hub import Live


def card_of(live: Live) -> Card | None:
    """The card of the bot that failed in this match, which has ended; None where no bot is to blame."""
    first, second = (wire.messages if wire is not None else [] for wire in live.wires)
    wires = [(way, data) for _, way, data, _ in first], [(way, data) for _, way, data, _ in second]
    evidence = from_match(live.state, live.events, wires)
    return diagnose(evidence) if evidence is not None else None
