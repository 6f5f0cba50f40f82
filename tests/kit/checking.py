"""Checks of small bots written in a test."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import games
from arena.bots.conformance import steps_of
from arena.bots.conformance.check import Check, StepResult
from arena.bots.conformance.command import Command
from arena.bots.conformance.observed import Failed
from arena.bots.failure.cards import Card
from arena.protocols import protocol
from tests.kit.deadline import DEADLINE_S

ROOT = Path(__file__).parents[2]
PROTOCOLS = ROOT / "arena" / "protocols"
# A fiar bot that plays well enough; `{}` stands for what it does with a column, counted from 1.
FIAR = """
import os, sys, time
for line in sys.stdin:
    free = [i + 1 for i, place in enumerate(line.split()[1][:7]) if place == "."]
    {}
"""
GOOD = FIAR.format("print(free[0])")
# Says this behind its answer, in one write: of two, the second may come when nobody listens for it any more.
AND_SAYS = "sys.stdout.write(f'{{free[0]}}\\n{}\\n')"


def check_of(slug: str, folder: Path, *argv: str, variant: str = "", **limits: Any) -> Check:
    """A check of this command, with time enough for a busy machine."""
    adapter = protocol(slug)
    times = {"answer_s": DEADLINE_S, "startup_s": DEADLINE_S} | limits
    chosen = variant or (adapter.variants or ("connect-four-7x6",))[0]
    return Check(Command(adapter, argv, folder, **times), games.variant(chosen))


def check_of_code(slug: str, folder: Path, code: str, **limits: Any) -> Check:
    """A check of a bot in Python."""
    (folder / "bot.py").write_text(code)
    return check_of(slug, folder, sys.executable, "bot.py", **limits)


def answer(check: Check) -> str:
    """Its first move."""
    position = check.variant.start()
    with check.start() as bot:
        return bot.ask(position, *bot.seated(0, position))


def card_of(check: Check) -> Card:
    """Why it has no first move."""
    with pytest.raises(Failed) as failed:
        answer(check)
    return failed.value.card


def results(check: Check, *names: str) -> dict[str, StepResult]:
    """The results of these steps, or of all."""
    steps = [step for step in steps_of(check.command.adapter.slug) if not names or step.name in names]
    return {result.step.name: result for result in check.run(steps)}


def codes(check: Check, *names: str) -> dict[str, str]:
    """The code on the card of each of these steps, "" if it was passed."""
    found = results(check, *names)
    return {name: result.card.code if result.card else "" for name, result in found.items()}


def sample(slug: str, folder: Path, *arguments: str, variant: str = "", **limits: Any) -> Check:
    """A check of our own sample bot in Python."""
    path = PROTOCOLS / slug.replace("-", "_") / "bot.py"
    return check_of(slug, folder, sys.executable, str(path), *arguments, variant=variant, **limits)


def check_of_spoilt(slug: str, folder: Path, spoils: str, **limits: Any) -> Check:
    """A check of the good bot of `tests.bots.faulty`, which these lines of Python change before it plays.

    They see its module as `bots`, and may use `questions`, which is called for the answers, and `end`.
    """
    code = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import json, time
from tests.bots.faulty import faulty_bot as bots
questions, end, _ = bots.PROTOCOLS[{slug!r}]
{spoils}
bots.good(questions(), end, "")
"""
    return check_of_code(slug, folder, code, **limits)


def assert_all_passed(check: Check) -> None:
    found = results(check)
    failed = {name: (result.card, result.wire) for name, result in found.items() if result.card is not None}
    assert not failed, failed
    assert len(found) == len(steps_of(check.command.adapter.slug))
