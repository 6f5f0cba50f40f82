"""A machine as a table: what its diagram shows, and that the tables there are can be walked through whole."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import pytest

from arena.protocols import protocols
from arena.protocols.machine import Machine, Row, Transition, diagram, stays

TABLES = [slug for slug, adapter in protocols().items() if adapter.machine]


class Light(StrEnum):
    RED = "red"
    GREEN = "green"
    AMBER = "amber"
    OFF = "off"


class Happens(StrEnum):
    TICK = "tick"
    PRESS = "button"
    FAIL = "failure"


class Signal:
    def be_quick(self, said: object) -> None: ...

    def be_patient(self, said: object) -> None: ...


FAILURE: Row = {Happens.FAIL: Transition(Light.OFF)}
LIGHTS: Machine = {
    Light.RED: {**FAILURE, Happens.TICK: Transition(Light.GREEN), Happens.PRESS: Transition(None, Signal.be_quick)},
    Light.GREEN: {**FAILURE, Happens.TICK: Transition(Light.AMBER), Happens.PRESS: Transition(None, Signal.be_patient)},
    Light.AMBER: {
        Happens.FAIL: Transition(Light.RED, Signal.be_quick),
        **dict.fromkeys((Happens.TICK, Happens.PRESS), Transition(Light.RED)),
    },
    Light.OFF: {},
}


def test_its_diagram_has_an_arrow_for_each_way_and_one_for_what_most_states_do() -> None:
    assert diagram(LIGHTS).splitlines() == [
        "stateDiagram-v2",
        "    [*] --> red",
        "    ANY --> off : failure",
        "    red --> green : tick",
        "    green --> amber : tick",
        "    amber --> red : failure / be quick",
        "    amber --> red : tick or button",
    ]


def test_what_changes_no_state_is_listed() -> None:
    assert list(stays(LIGHTS)) == [("button", "be quick", "red"), ("button", "be patient", "green")]


def _steps(machine: Machine) -> Iterator[tuple[StrEnum, StrEnum, Transition]]:
    for state, row in machine.items():
        for event, transition in row.items():
            yield state, event, transition


@pytest.mark.parametrize("slug", TABLES)
def test_every_state_of_a_table_is_reached(slug: str) -> None:
    machine = protocols()[slug].machine
    reached = {to.next for state, _, to in _steps(machine) if to.next not in (None, state)}
    assert {next(iter(machine))} | reached == set(machine)


def test_every_state_and_every_event_stands_in_a_table() -> None:
    """Two protocols may share their states and events; each of them is needed by one."""
    machines = [protocols()[slug].machine for slug in TABLES]
    states = {state for machine in machines for state in machine}
    assert states == {state for kind in {type(state) for state in states} for state in kind}
    events = {event for machine in machines for _, event, _ in _steps(machine)}
    assert events == {event for kind in {type(event) for event in events} for event in kind}
