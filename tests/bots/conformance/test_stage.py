"""What scripts yield is done with a real bot, and nothing of it is left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.conformance.check import Check
from arena.bots.conformance.observed import Failed
from arena.bots.conformance.stage import BotStage
from arena.protocols.steps import AskBot, Begin, LastLine, NotPassed, Script, StartBot, StepFailed, Written
from tests.kit.checking import FIAR, GOOD, check_of_code

pytestmark = pytest.mark.service


def perform(check: Check, script: Script) -> str:
    return BotStage(check.start, check.command.start).perform(script)


def test_who_starts_the_next_bot_lets_go_the_one_before(tmp_path: Path) -> None:
    """Each start has its own conversation, and the time of its answers is kept when it ends."""
    check = check_of_code("fiar", tmp_path, GOOD)
    start = check.variant.start()

    def script() -> Script:
        yield StartBot()
        yield AskBot(start, [Begin(0, start)])
        yield AskBot(start, [Begin(0, start)])
        first: bytes = yield Written()
        yield StartBot()
        told: bytes = yield Written(to_bot=True)
        assert check.replies
        return f"{first.decode()}{told.decode()}"

    assert perform(check, script()) == "1\n1\n"


def test_a_script_that_takes_a_failure_goes_on_with_another_bot(tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, FIAR.format("print('no')"))
    start = check.variant.start()

    def script() -> Script:
        codes = []
        for _ in range(2):
            yield StartBot()
            try:
                yield AskBot(start, [Begin(0, start)])
            except StepFailed as failed:
                codes.append(failed.code)
        return " ".join(codes)

    assert perform(check, script()) == "debug_output debug_output"


def test_a_failure_that_no_script_takes_is_raised_with_its_wire(tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, FIAR.format("print('no')"))
    start = check.variant.start()

    def script() -> Script:
        yield StartBot()
        yield AskBot(start, [Begin(0, start)])
        return "never"

    with pytest.raises(Failed) as failed:
        perform(check, script())
    assert failed.value.card.code == "debug_output" and failed.value.wire[-1] == "> no"


@pytest.mark.parametrize(("code", "card"), [("not_reset", "not_reset"), ("", "debug_output")])
def test_a_script_that_is_not_passed_gives_its_card_or_its_cause(code: str, card: str, tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, GOOD)
    start = check.variant.start()

    def script() -> Script:
        yield StartBot()
        yield AskBot(start, [Begin(0, start)])
        yield LastLine()
        raise NotPassed(code, "bad_output", received="hello", detail="It was asked for.")

    with pytest.raises(Failed) as failed:
        perform(check, script())
    assert failed.value.code == card and failed.value.wire == ["< @ " + "." * 42, "> 1"]
