"""Twelve faulty bots in five protocols: each is caught with the right words, loses its match, and leaves nothing.

The tables name what differs from protocol to protocol; a code for a fault alone holds for all.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

import games
from arena.bots.conformance import steps_of
from arena.bots.conformance.check import Check, StepResult
from arena.bots.conformance.command import Command
from arena.bots.failure.failure import card_of
from arena.core.hub import LiveMatch
from arena.play.spec import CommandSeat
from arena.protocols import protocol
from tests.bots.faulty.faulty_bot import FAULTS, PROTOCOLS
from tests.kit.commands import processes_of
from tests.kit.deadline import DEADLINE_S
from tests.kit.live_matches import LocalMatches, Order

pytestmark = pytest.mark.service

FAULTED = [fault for fault in FAULTS if fault not in ("good", "slow")]
BOT = Path(__file__).parent / "faulty_bot.py"
# Which card the check gives, at which step.
STEPS = ("first_answer", "quiet_at_start", "quiet_behind_answer", "first_against_random", "form", "line_ends")
CARDS = {
    "late": "too_slow",
    "silent": "not_flushed",
    "half_line": "no_line_end",
    ("nyu-nim", "half_line"): "incomplete_answer",
    ("santorini-json", "half_line"): "incomplete_answer",
    ("gamestate", "crlf"): "carriage_return",
    "two_moves": "answered_twice",
    "before_asked": "before_asked",
    "out_of_range": "no_such_column",
    ("nyu-nim", "out_of_range"): "too_many_stones",
    ("santorini-json", "out_of_range"): "illegal_move",
    "huge_line": "line_too_long",
    ("nyu-nim", "huge_line"): "bad_output",
    "binary": "not_text",
    "closes": "closed_output",
    "floods_stderr": "stderr_flood",
    "forks": "exited",
}
# What a check says of CRLF where it costs nothing.
NOTES = {"fiar": "ends its lines with \\r\\n", "droidcon": "ends its lines with \\r\\n", "nyu-nim": "white space"}

# How a match ends, and its card.
ENDINGS: dict[str | tuple[str, str], tuple[str, str]] = {
    "late": ("timeout", "too_slow"),
    "silent": ("timeout", "not_flushed"),
    "half_line": ("timeout", "no_line_end"),
    ("nyu-nim", "half_line"): ("timeout", "incomplete_answer"),
    ("santorini-json", "half_line"): ("timeout", "incomplete_answer"),
    "crlf": ("normal", ""),
    ("gamestate", "crlf"): ("bad_output", "carriage_return"),
    "two_moves": ("illegal_move", "answered_twice"),
    ("nyu-nim", "two_moves"): ("normal", ""),
    ("droidcon", "two_moves"): ("out_of_turn", "answered_twice"),
    "before_asked": ("timeout", "not_flushed"),
    ("nyu-nim", "before_asked"): ("timeout", "before_asked"),
    ("droidcon", "before_asked"): ("out_of_turn", "before_asked"),
    ("santorini-json", "before_asked"): ("illegal_move", "before_asked"),
    "out_of_range": ("illegal_move", "no_such_column"),
    ("nyu-nim", "out_of_range"): ("illegal_move", "too_many_stones"),
    ("santorini-json", "out_of_range"): ("illegal_move", "illegal_move"),
    "huge_line": ("bad_output", "line_too_long"),
    ("nyu-nim", "huge_line"): ("bad_output", "bad_output"),
    "binary": ("bad_output", "not_text"),
    ("droidcon", "binary"): ("timeout", "not_text"),
    "closes": ("disconnect", "closed_output"),
    "floods_stderr": ("resource_limit", "stderr_flood"),
    "forks": ("crash", "exited"),
}


def argv(slug: str, fault: str) -> tuple[str, ...]:
    return (sys.executable, str(BOT), slug, fault)


def patience_s(slug: str, fault: str) -> float:
    """How long to wait for an answer: not long where none will come."""
    termination, code = ENDINGS.get((slug, fault)) or ENDINGS[fault]
    return 2.0 if termination == "timeout" or code == "before_asked" else DEADLINE_S


def checked(slug: str, fault: str, folder: Path) -> list[StepResult]:
    adapter = protocol(slug)
    command = Command(adapter, argv(slug, fault), folder, answer_s=patience_s(slug, fault), startup_s=DEADLINE_S)
    check = Check(command, games.variant(adapter.variants[0]))
    return list(check.run([step for step in steps_of(slug) if step.name in STEPS]))


@pytest.mark.cases(2)
@pytest.mark.parametrize("slug", PROTOCOLS)
async def test_a_check_names_what_is_wrong(slug: str, tmp_path: Path) -> None:
    found = await asyncio.gather(*(asyncio.to_thread(checked, slug, fault, tmp_path) for fault in FAULTED))
    codes = {fault: codes_of(results) for fault, results in zip(FAULTED, found, strict=True)}
    expected = {fault: CARDS.get((slug, fault)) or CARDS.get(fault, "") for fault in FAULTED}
    assert {
        fault: expected[fault] if expected[fault] in codes[fault] else codes[fault] for fault in FAULTED
    } == expected
    assert all(result.wire for results in found for result in results if result.card is not None)
    assert processes_of(tmp_path) == []


@pytest.mark.parametrize(("slug", "words"), NOTES.items())
def test_a_check_notes_what_costs_nothing_here(slug: str, words: str, tmp_path: Path) -> None:
    assert any(words in result.note for result in checked(slug, "crlf", tmp_path))


def codes_of(results: list[StepResult]) -> list[str]:
    return [result.card.code for result in results if result.card is not None] or [""]


async def played(slug: str, fault: str, folder: Path) -> tuple[str, str]:
    """The ending of a match of the faulty bot against a good one, and the code of its card.

    It sits first, but where it has to wait for its turn to speak too early.
    """
    seat = 1 if fault == "before_asked" else 0
    faulty, good = (CommandSeat(slug, argv(slug, name)) for name in (fault, "slow" if seat else "good"))
    seats = (faulty, good) if seat == 0 else (good, faulty)
    ended: list[LiveMatch] = []
    order = Order(protocol(slug).variants[0], seats, clock="4s", cwd=folder)
    await LocalMatches(order, lambda round, live: None, lambda round, live: ended.append(live)).play()
    (live,) = ended
    card = card_of(live)
    assert live.state.termination is not None
    if card is not None:
        assert live.state.winner == 1 - seat, "it is the faulty bot that loses"
    return live.state.termination, card.code if card else ""


@pytest.mark.cases(2)
@pytest.mark.parametrize("slug", PROTOCOLS)
async def test_a_match_ends_as_it_should_and_says_why(
    slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol(slug), "ready_s", 6.0)
    found = await asyncio.gather(*(played(slug, fault, tmp_path) for fault in FAULTED))
    expected = {fault: ENDINGS.get((slug, fault)) or ENDINGS[fault] for fault in FAULTED}
    assert dict(zip(FAULTED, found, strict=True)) == expected
    assert processes_of(tmp_path) == []


def test_there_are_twelve_faults() -> None:
    assert len(FAULTED) == 12
