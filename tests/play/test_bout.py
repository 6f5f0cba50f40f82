"""The referee of one match without a server, with nobody on its seats: acts in, a log out."""

from __future__ import annotations

import time

import pytest

from arena.match.commands import Abort, Flag, Play, Refusal, Resign, Start
from arena.match.judge import judge
from arena.match.state import LogEvent, SeatSetup, Setup
from arena.play.bout import Bout, BoutTurn
from arena.play.loop import Loop

SEATS = (SeatSetup("a", "bot"), SeatSetup("b", "bot"))


class Table:
    """A match, its loop, and what was told of it."""

    def __init__(self, clock: str = "none", silence_s: float = 3600.0, gives_back: bool = True) -> None:
        self.loop = Loop()
        self.silent: list[int] = []
        self.turns: list[int] = []
        self.refusals: list[str] = []
        setup = Setup("connect-four-7x6", SEATS, clock=clock)
        self.bout = Bout(self.loop, "match", setup, silence_s, lambda bout, seat: self.silent.append(seat), gives_back)
        self.bout.followers.append(self)

    def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
        if turn is not None:
            self.turns.append(turn.seat)

    def play(self, *columns: str) -> None:
        for ply, column in enumerate(columns, start=self.bout.state.position.ply + 1):
            self.bout.post(Play((ply - 1) % 2, ply, column), self.refused)

    def refused(self, refusal: Refusal) -> None:
        self.refusals.append(refusal.code)


def test_a_match_is_played_to_its_end_and_its_log_is_right() -> None:
    table = Table()
    table.bout.post(Start())
    table.play("1", "2", "1", "2", "1", "2", "1")
    assert table.bout.over and table.bout.state.winner == 0
    assert judge(table.bout.events) == ""
    assert table.turns == [0, 1, 0, 1, 0, 1, 0] and table.refusals == []


def test_what_cannot_be_done_is_refused_and_changes_nothing() -> None:
    table = Table()
    table.play("1")
    table.bout.post(Start())
    table.play("9")
    table.bout.post(Play(1, 1, "1"), table.refused)
    assert table.refusals == ["not_started", "illegal_move", "not_your_turn"]
    assert [event.kind for event in table.bout.events] == ["opened", "started"]


def test_an_act_in_the_middle_of_another_comes_after_it() -> None:
    """As from a program whose answer had come ahead: nobody is told of its move before the one it answers."""
    table = Table()
    seen: list[int] = []

    class Answers:
        def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
            if turn is not None and turn.seat == 1:
                bout.post(Play(1, bout.state.position.ply + 1, "7"))

    class Sees:
        def follow(self, bout: Bout, events: tuple[LogEvent, ...], turn: BoutTurn | None) -> None:
            seen.extend(event.ply for event in events if event.ply)

    table.bout.followers += [Answers(), Sees()]
    table.bout.post(Start())
    table.play("1")
    assert seen == [1, 2]


def test_a_deadline_that_passes_is_a_loss_and_a_move_sets_another() -> None:
    table = Table(clock="move:300ms")
    table.bout.post(Start())
    table.play("4")
    table.loop.run(lambda: table.bout.over)
    assert (table.bout.state.termination, table.bout.state.winner) == ("timeout", 0)
    table.bout.post(Flag(1))
    assert table.bout.events[-1].kind == "ended"


@pytest.mark.long
def test_nobody_is_charged_while_this_process_is_suspended_or_does_something_else() -> None:
    """As by Ctrl-Z, or while a built-in player thinks in another match: both bots lost on time for that."""
    table = Table(clock="move:200ms")
    table.bout.post(Start())
    time.sleep(0.5)  # this is the stall
    table.play("4")
    move = table.bout.events[-1]
    assert (move.kind, table.bout.over, judge(table.bout.events)) == ("move", False, "")
    assert move.elapsed_ms is not None and move.elapsed_ms - move.data["given_back_ms"] <= 200
    time.sleep(0.5)  # a deadline that passed meanwhile is another one
    table.loop.run(lambda: table.bout.over)
    end = table.bout.events[-1]
    assert table.bout.state.termination == "timeout" and end.elapsed_ms is not None
    assert end.elapsed_ms - end.data["given_back_ms"] > 200 and judge(table.bout.events) == ""


def test_where_a_stall_makes_a_match_void_it_is_not_given_back_too() -> None:
    """The log of a worker may hold no such thing."""
    table = Table(clock="move:200ms", gives_back=False)
    table.bout.post(Start())
    time.sleep(0.3)
    table.play("4")
    assert table.bout.state.termination == "timeout" and "given_back_ms" not in table.bout.events[-1].data


def test_who_is_silent_without_a_clock_is_named_once_a_turn() -> None:
    table = Table(silence_s=0.0)
    table.bout.post(Start())
    table.loop.run(lambda: bool(table.silent))
    table.play("4")
    table.loop.run(lambda: len(table.silent) > 1)
    assert table.silent == [0, 1]


def test_a_defect_of_ours_ends_the_match_without_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table()
    table.bout.post(Start())
    table.bout.post(Abort("no such code", "a defect"))
    table.bout.post(Resign(5))
    assert table.bout.state.termination == "server_abort"
