"""A protocol's state machine as a table: the action and the next state for each event in each state.

The adapter steps through the table and the protocol's page draws it, so there is only one description.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

ANY = "ANY"


class Transition(NamedTuple):
    """`next` None stays in the state. `action` is called in the new state, with the adapter and the event's value."""

    next: StrEnum | None = None
    action: Callable[[Any, Any], None] | None = None

    @property
    def words(self) -> str:
        """The name of the action, in words."""
        name = self.action.__name__ if self.action else ""
        return name.strip("_").replace("_", " ") if name.islower() else name


Row = Mapping[StrEnum, Transition]
# The first state is where a connection begins. An event that a state does not list changes nothing.
Machine = Mapping[StrEnum, Row]


def diagram(machine: Machine) -> str:
    """The transitions between states as a Mermaid diagram: `event / action` beside each arrow. What most states have in
    common is drawn once, from `ANY`.
    """
    usual = _usual(machine)
    arrows = [*_arrows(ANY, usual)]
    for state, row in machine.items():
        arrows += _arrows(state, {event: to for event, to in row.items() if usual.get(event) != to})
    return "\n    ".join(["stateDiagram-v2", f"[*] --> {next(iter(machine))}", *arrows])


def stays(machine: Machine) -> Iterator[tuple[str, str, str]]:
    """The transitions that stay in their state: events, actions, and states."""
    usual = _usual(machine)
    states: dict[tuple[StrEnum, Transition], list[str]] = {}
    for state, row in machine.items():
        for event, transition in row.items():
            if not _leaves(transition, state) and usual.get(event) != transition:
                states.setdefault((event, Transition(None, transition.action)), []).append(state)
    for (event, transition), where in states.items():
        yield event, transition.words, ", ".join(where)


def _leaves(transition: Transition, state: str) -> bool:
    return transition.next not in (None, state)


def _usual(machine: Machine) -> Row:
    """The most common transitions of the events that all states but the last list."""
    rows = [row for row in machine.values() if row]
    counted = Counter(step for row in rows for step in row.items())
    return {
        event: transition
        for (event, transition), states in counted.items()
        if transition.next and 2 * states > len(rows) and all(event in row for row in rows)
    }


def _arrows(state: str, row: Row) -> Iterator[str]:
    """One arrow for all events with the same transition."""
    events: dict[Transition, list[str]] = {}
    for event, transition in row.items():
        if _leaves(transition, state):
            events.setdefault(transition, []).append(event)
    for transition, names in events.items():
        does = f" / {transition.words}" if transition.action else ""
        yield f"{state} --> {transition.next} : {' or '.join(names)}{does}"
