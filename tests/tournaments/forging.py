"""Answers of workers that lie: an honest one, changed at random in a way that no honest worker could have sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

Answer = Any


def forged(honest: Answer, dice: Random) -> tuple[str, Answer]:
    """What was done to it, and what came of it."""
    forge = dice.choice(FORGES)
    answer = json.loads(json.dumps(honest))
    made = forge(answer, dice)
    return forge.__name__.strip("_"), answer if made is None else made


def _events(answer: Answer) -> list[list[Any]]:
    found: list[list[Any]] = answer["logs"][0]["events"]
    return found


def _data(event: list[Any]) -> dict[str, Any]:
    said: dict[str, Any] = event[-1]
    return said


def _another_match(answer: Answer, dice: Random) -> None:
    """Its beginning is not what was asked for."""
    setup = _data(_events(answer)[0])
    name = dice.choice(sorted(setup))
    others: dict[str, Any] = {
        "variant": "expanding-nim", "settings": {"stones": 3}, "clock": "1s", "rated": True, "room": 1, "series": 2,
        "round": 2, "rounds": 2, "pace_ms": 1, "opening": "4", "pairing": 10**6, "offers": True, "kind": "screen",
        "adjudicate": 1,
    }  # fmt: skip
    if name == "seats":
        seat = dice.choice(setup["seats"])
        seat[dice.choice(["name", "kind", "protocol", "level"])] = "perfect"
    elif dice.random() < 0.3:
        del setup[name]
    else:
        setup[name] = others[name]


def _more_in_the_setup(answer: Answer, dice: Random) -> None:
    _data(_events(answer)[0])[dice.choice(["winner", "reason", "x"])] = dice.choice([None, 1, "x"])


def _other_sides(answer: Answer, dice: Random) -> None:
    _data(_events(answer)[0])["seats"].reverse()


def _an_event_less(answer: Answer, dice: Random) -> None:
    events = _events(answer)
    del events[dice.randrange(len(events))]


def _cut_off(answer: Answer, dice: Random) -> None:
    events = _events(answer)
    del events[dice.randrange(len(events)) :]


def _an_event_twice(answer: Answer, dice: Random) -> None:
    events = _events(answer)
    events.insert(dice.randrange(len(events)), dice.choice(events))


def _in_another_order(answer: Answer, dice: Random) -> None:
    events = _events(answer)
    first, second = dice.sample(range(len(events)), 2)
    events[first], events[second] = events[second], events[first]


def _a_wrong_column(answer: Answer, dice: Random) -> None:
    """A number or a word of an event that cannot be there."""
    event = dice.choice(_events(answer))
    column = dice.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    event[column] = dice.choice([-1, 10**12, 1.5, "x", "ruled", True, [], {}, float("nan"), "2026-01-01T00:00:00"])


def _other_clocks(answer: Answer, dice: Random) -> None:
    event = dice.choice([event for event in _events(answer) if event[2] == "move"])
    event[dice.choice([7, 8])] = dice.randrange(10**6, 10**7)


def _another_ending(answer: Answer, dice: Random) -> None:
    ended = _events(answer)[-1]
    said = _data(ended)
    said["winner"] = dice.choice([each for each in (0, 1, None) if each != said["winner"]])


def _ended_by_staff(answer: Answer, dice: Random) -> None:
    said = _data(_events(answer)[-1])
    codes = ("admin_abort", "adjudicated", "abort", "abandoned", "left", "timeout", "agreement", "won", "")
    said["termination"] = dice.choice(codes)


def _blamed(answer: Answer, dice: Random) -> None:
    """The one who has won is said to have failed, and to have won."""
    ended = _events(answer)[-1]
    said = _data(ended)
    winner = dice.choice([0, 1])
    said.update(winner=winner, termination=dice.choice(["crash", "resign", "stall", "bad_output"]), reason="it failed")
    ended[4] = winner


def _something_after_the_end(answer: Answer, dice: Random) -> None:
    events = _events(answer)
    kind, data = dice.choice(
        [("ruled", {"verdict": "win", "winner": 0, "reason": "mine"}), ("note", {"failure": {}}), ("ended", {}),
         ("ruled", {"verdict": "void", "winner": None, "reason": "no"})]
    )  # fmt: skip
    events.append([len(events) + 1, events[-1][1], kind, None, None, "", None, None, None, "", data])


def _something_in_between(answer: Answer, dice: Random) -> None:
    """What only a host may write: it moves the numbers behind it along."""
    events = _events(answer)
    at = dice.randrange(1, len(events))
    kind, data = dice.choice(
        [("refunded", {"ms": 5000}), ("paused", {"reason": "tea"}), ("hint", {"move": "4"}), ("note", {}),
         ("resumed", {})]
    )  # fmt: skip
    events.insert(at, [0, events[at][1], kind, 1, 0, "", 0, None, None, "staff 1", data])
    for number, event in enumerate(events, 1):
        event[0] = number


def _time_given_back(answer: Answer, dice: Random) -> None:
    _data(dice.choice([event for event in _events(answer) if event[2] != "opened"]))["given_back_ms"] = 1000


def _by_somebody(answer: Answer, dice: Random) -> None:
    dice.choice(_events(answer))[9] = "mira"


def _an_impossible_move(answer: Answer, dice: Random) -> None:
    dice.choice([event for event in _events(answer) if event[2] == "move"])[5] = dice.choice(["", "99", "4\0", "é"])


def _no_log(answer: Answer, dice: Random) -> Answer:
    return dice.choice(
        [None, [], {}, "", 7, {"logs": []}, {"logs": [None]}, {"logs": [{}]}, {"logs": answer["logs"] * 2},
         {"logs": [{**answer["logs"][0], "events": []}]}, {"logs": [{**answer["logs"][0], "events": "opened"}]},
         {"logs": [{**answer["logs"][0], "passed": None}]}, {"logs": [{**answer["logs"][0], "wires": 7}]},
         {"logs": [{**answer["logs"][0], "events": [[1], [2]]}]}]
    )  # fmt: skip


FORGES: tuple[Callable[[Answer, Random], Answer | None], ...] = (
    _another_match, _more_in_the_setup, _other_sides, _an_event_less, _cut_off, _an_event_twice, _in_another_order,
    _a_wrong_column, _other_clocks, _another_ending, _ended_by_staff, _blamed, _something_after_the_end,
    _something_in_between, _time_given_back, _by_somebody, _an_impossible_move, _no_log,
)  # fmt: skip
