"""The card of a bot that failed in a match played without a server, as lines."""

from __future__ import annotations

TYPE_CHECKING = False  # as `typing` has it, whose import takes longer than that of a runner
if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.play.driver import Log


def lines_of(log: Log) -> Iterator[str]:
    """The card of the bot that failed; nothing if none did. The modules for that are loaded only when needed."""
    from arena.bots.failure.diagnosis import diagnose
    from arena.bots.failure.evidence import from_match

    evidence = from_match(log.state, log.events, log.passed, log.reads_input)
    card = diagnose(evidence) if evidence is not None else None
    for line in card.lines() if card else ():
        yield from line.splitlines()
