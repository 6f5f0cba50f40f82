"""What printers say beside the games that test_runner.py plays."""

from __future__ import annotations

import pytest

from arena.match.state import SeatSetup, Setup
from arena.play.bout import Bout
from arena.play.driver import Log
from arena.play.loop import Loop
from arena.play.printing import Printer
from arena.protocols.fiar.runner import FiarOutput
from arena.protocols.gamestate.runner import GameStateOutput


def bout(variant: str) -> Bout:
    setup = Setup(variant, (SeatSetup("a", "bot"), SeatSetup("b", "bot")))
    return Bout(Loop(), "match", setup, 60.0, lambda bout, seat: None)


@pytest.mark.parametrize(
    ("waits", "words"),
    [(True, "It waits for input itself"), (False, "It is still computing"), (None, "It may still be computing")],
)
def test_silence_is_told_with_what_the_program_does(
    waits: bool | None, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Printer(GameStateOutput(False), lambda log: ()).silent(bout("connect-four-8x8"), 1, waits, 60.0)
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("runner: waiting for player1 (b): no answer in 60 s. ") and words in err


def test_nothing_is_said_of_a_person_who_thinks(capsys: pytest.CaptureFixture[str]) -> None:
    Printer(GameStateOutput(False, [1]), lambda log: ()).silent(bout("connect-four-8x8"), 1, True, 60.0)
    assert capsys.readouterr() == ("", "")


def test_a_match_without_a_result_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    match = bout("connect-four-7x6")
    state = match.state._replace(phase="ended", termination="server_abort", reason="a defect")
    printer = Printer(FiarOutput(True), lambda log: ())
    printer.ended(Log("match", tuple(match.events), state))
    assert printer.broken == "no result: a defect" and capsys.readouterr() == ("", "")
