"""Scripts are pure: code that answers what they yield can play them, without a bot."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

import games
from arena.protocols import own_parts
from arena.protocols.shared_steps import first_answer, reply_time
from arena.protocols.steps import (
    AskAgain,
    AskBot,
    Begin,
    BotAct,
    LastLine,
    NotPassed,
    Script,
    StartBot,
    StartRefused,
    Step,
    StepFailed,
    Written,
)
from games import Position, Variant


@dataclass
class BareTable:
    variant: Variant
    answer_s: float = 1.0
    rng: Random = field(default_factory=lambda: Random(1))
    replies: list[float] = field(default_factory=list)

    def fresh_rng(self) -> Random:
        return Random(1)

    def strong_move(self, position: Position) -> str:
        return position.legal_moves()[0]


def played(script: Script, answers: dict[type, Any]) -> tuple[str, list[BotAct]]:
    """The note of a script and what it did, with these answers to its acts; an exception is raised into it."""
    done: list[BotAct] = []
    came: object = None
    try:
        while True:
            act = script.throw(came) if isinstance(came, Exception) else script.send(came)
            done.append(act)
            came = answers.get(type(act))
    except StopIteration as end:
        return str(end.value), done


def step(slug: str, name: str, table: BareTable) -> Script:
    steps: tuple[Step, ...] = own_parts("steps")[slug].STEPS
    return next(step for step in steps if step.name == name).run(table)


FIAR = BareTable(games.variant("connect-four-7x6"))


def test_a_script_names_what_it_does_and_is_told_what_came_of_it() -> None:
    note, done = played(first_answer(FIAR), {AskBot: "4", LastLine: "4"})
    start = FIAR.variant.start()
    assert note == "answers 4"
    assert done == [StartBot(), AskBot(start, [Begin(0, start)]), LastLine()]


def test_a_script_may_do_nothing() -> None:
    assert played(reply_time(FIAR), {}) == ("", [])
    slow = BareTable(FIAR.variant, replies=[0.25, 0.5])
    assert played(reply_time(slow), {}) == ("2 answers, median 375.0 ms, longest 500 ms of 1 s", [])


def test_a_script_takes_the_failure_of_its_bot() -> None:
    table = BareTable(games.variant("expanding-nim"))
    failed = StepFailed("traceback", "The bot raised an error", "It stopped.")
    note, _ = played(step("nyu-nim", "a_thousand_stones", table), {AskBot: failed})
    assert note == "it cannot, and need not: the text ends at 100 (traceback)"


def test_a_script_says_why_it_is_not_passed() -> None:
    with pytest.raises(NotPassed) as why:
        played(step("droidcon", "full_channel", FIAR), {StartRefused: "flood", Written: b"JOIN x\n" * 11})
    assert (why.value.code, why.value.termination) == ("", "bad_output") and "10 JOINs" in why.value.known["reason"]
    assert played(step("droidcon", "full_channel", FIAR), {StartRefused: "crash", Written: b""})[0] == "ends"


def test_who_is_not_asked_again_in_time_is_told_what_it_costs() -> None:
    note, done = played(step("native", "asked_again", FIAR), {AskBot: "4", AskAgain: ""})
    assert note.startswith("it does not") and isinstance(done[-1], AskAgain)
