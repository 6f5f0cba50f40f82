"""A match under every act in any order: Hypothesis plays, this model keeps its own books and compares.

Invariants: reliability.md section 2 as far as a log alone can show them. A longer run: `--hypothesis-profile`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from arena.match.clock import parse_clock
from arena.match.commands import (
    Abort,
    Adjudicate,
    Command,
    Fault,
    Flag,
    Pause,
    Play,
    Refusal,
    Resign,
    Resume,
    Rule,
    Start,
)
from arena.match.decide import decide, open_match
from arena.match.endings import FAULTS, UNCOUNTED
from arena.match.evolve import evolve, replay
from arena.match.judge import judge
from arena.match.state import LogEvent, MatchState, SeatSetup, Setup, first_state
from games import IllegalMove, InvalidMove, Position, variants

BEGIN = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
CLOCKS = ["none", "250ms", "5s", "total:900ms", "2m", "1m+1s", "total:50ms+30ms"]
UNREADABLE = ["", "?", "0", "99", "4 ", "٤", "a1-a1+a1", "x" * 600]

seats = st.sampled_from([0, 1])
# How far from the last millisecond that is still in time; None is early in the turn.
leeways = st.one_of(st.none(), st.integers(-3, 0))
latenesses = st.integers(1, 5_000)
# Endings are one try in ten: a match that is over teaches little.
rarely = st.sampled_from([False] * 9 + [True])


def stored(event: LogEvent) -> LogEvent:
    """The event as it comes back from a column of JSON."""
    return event._replace(data=json.loads(json.dumps(event.data)))


class MatchMachine(RuleBasedStateMachine):
    state: MatchState

    def __init__(self) -> None:
        super().__init__()
        self.log: list[LogEvent] = []
        self.positions: list[Position] = []
        self.phase = "opened"
        self.paused_by = ""

    @initialize(data=st.data(), clock=st.sampled_from(CLOCKS), at_once=st.booleans())
    def open(self, data: st.DataObject, clock: str, at_once: bool) -> None:
        variant = data.draw(st.sampled_from(variants()))
        chosen = {"stones": data.draw(st.integers(1, 30))} if variant.game == "expanding-nim" else {}
        seat_setups = [
            SeatSetup(name, on_illegal=data.draw(st.sampled_from(["refuse", "lose"])), startup_ms=grace)
            for name, grace in zip(("Ada", "Bob"), data.draw(st.sampled_from([(0, 0), (0, 700), (40, 0)])), strict=True)
        ]
        self.setup = Setup(variant.slug, (seat_setups[0], seat_setups[1]), chosen, clock)
        self.clock = parse_clock(clock)
        self.log = [stored(event) for event in open_match(self.setup, BEGIN)]
        self.state = first_state(self.setup)
        self.positions = [variant.start(**chosen)]
        if at_once:
            self.start()

    # -- what the model knows by itself ----------------------------------------------------------------------------

    @property
    def position(self) -> Position:
        return self.positions[-1]

    def mover(self) -> int:
        seat = self.position.to_move
        assert seat is not None
        return seat

    def budget(self, seat: int) -> int | None:
        """What the log says the seat has left: start + increments − what was charged."""
        if self.clock.kind == "none":
            return None
        left = self.clock.base_ms
        for event in self.log:
            if event.seat != seat:
                continue
            if event.kind == "move" and self.clock.kind == "move":
                left = self.clock.base_ms
            elif event.kind == "move":
                assert event.elapsed_ms is not None and event.ply is not None
                left += self.clock.increment_ms - max(0, event.elapsed_ms - self.grace(seat, event.ply))
            elif event.kind == "ended" and event.elapsed_ms is not None and event.ply is not None:
                left = max(0, left - max(0, event.elapsed_ms - self.grace(seat, event.ply + 1)))
        return left

    def grace(self, seat: int, ply: int) -> int:
        return self.setup.seats[seat].startup_ms if ply <= 2 else 0

    def deadline(self) -> int | None:
        """The last millisecond of the running turn that is still in time."""
        left = self.budget(self.mover())
        return None if left is None else left + self.grace(self.mover(), self.position.ply + 1)

    def in_time(self, leeway: int | None) -> int:
        deadline = self.deadline()
        if deadline is None or leeway is None:
            return 0
        return max(0, deadline + leeway)

    def refused_before_running(self) -> str | None:
        return {"opened": "not_started", "paused": "paused", "ended": "match_over"}.get(self.phase)

    # -- doing -----------------------------------------------------------------------------------------------------

    def do(self, command: Command, elapsed_ms: int = 0) -> list[LogEvent]:
        before = self.state
        try:
            events = decide(before, command, BEGIN + timedelta(seconds=len(self.log)), elapsed_ms)
        finally:
            assert self.state == before, "deciding changes nothing"
        for event in events:
            kept = stored(event)
            self.log.append(kept)
            self.state = evolve(self.state, kept)
            if event.kind == "move":
                self.positions.append(self.position.play(event.move))
            elif event.kind == "ended":
                self.phase = "ended"
        return list(events)

    def refused(self, command: Command, code: str, elapsed_ms: int = 0) -> None:
        with pytest.raises(Refusal) as refusal:
            self.do(command, elapsed_ms)
        assert refusal.value.code == code
        assert refusal.value.sentence

    def ended_by(self, events: list[LogEvent], termination: str, winner: int | None) -> None:
        assert [event.kind for event in events] == ["ended"]
        assert (events[0].data["termination"], events[0].data["winner"]) == (termination, winner)
        assert events[0].data["reason"]

    # -- beginning and standing still ------------------------------------------------------------------------------

    @rule()
    def start(self) -> None:
        if self.phase == "opened":
            assert [event.kind for event in self.do(Start())] == ["started"]
            self.phase = "running"
        else:
            self.refused(Start(), "match_over" if self.phase == "ended" else "already_started")

    @rule(used=st.integers(0, 10_000), actor=st.sampled_from(["", "staff 1"]))
    def pause(self, used: int, actor: str) -> None:
        refusal = self.refused_before_running()
        if refusal:
            self.refused(Pause("storage fails", actor), refusal)
        else:
            assert [event.kind for event in self.do(Pause("storage fails", actor), used)] == ["paused"]
            self.phase, self.paused_by = "paused", actor

    @rule(actor=st.sampled_from(["", "staff 2"]))
    def resume(self, actor: str) -> None:
        if self.phase == "ended":
            self.refused(Resume(actor), "match_over")
        elif self.phase == "paused" and (actor or not self.paused_by):
            assert [event.kind for event in self.do(Resume(actor))] == ["resumed"]
            self.phase = "running"
        else:
            assert self.do(Resume(actor)) == []

    # -- moves -----------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.phase == "running")
    @rule(data=st.data(), leeway_of_each=st.lists(leeways, min_size=1, max_size=8))
    def moves(self, data: st.DataObject, leeway_of_each: list[int | None]) -> None:
        for leeway in leeway_of_each:
            if self.phase == "running":
                self.move(data, leeway)

    @rule(data=st.data(), leeway=leeways)
    def move(self, data: st.DataObject, leeway: int | None) -> None:
        refusal = self.refused_before_running()
        if refusal:
            self.refused(Play(0, self.position.ply + 1, "surely new"), refusal)
            return
        seat, ply = self.mover(), self.position.ply + 1
        text = data.draw(st.sampled_from(self.position.legal_moves()))
        events = self.do(Play(seat, ply, text, "session 7"), self.in_time(leeway))
        assert events[0][2:6] == ("move", ply, seat, text)
        assert (events[0].left0_ms, events[0].left1_ms) == (self.budget(0), self.budget(1))
        outcome = self.position.outcome()
        assert len(events) == (2 if outcome else 1)
        if outcome:
            self.ended_by(events[1:], "normal", outcome.winner)
            assert events[1].data["reason"] == outcome.reason

    @precondition(lambda self: self.phase == "running" and self.clock.kind != "none")
    @rule(late=latenesses, text=st.sampled_from(["", "?", "1", "a1"]), sure=rarely)
    def late_move(self, late: int, text: str, sure: bool) -> None:
        """Late is late, whatever was played."""
        deadline, seat = self.deadline(), self.mover()
        if deadline is None or not sure:
            return
        events = self.do(Play(seat, self.position.ply + 1, text), deadline + late)
        self.ended_by(events, "timeout", 1 - seat)
        assert events[0].elapsed_ms == deadline + late

    @rule(back=st.sampled_from([1, 2]), late=st.integers(0, 100_000))
    def the_same_move_again(self, back: int, late: int) -> None:
        """A click or a line that came twice is acknowledged twice, also after the end."""
        moves = [event for event in self.log if event.kind == "move"]
        if len(moves) >= back:
            said = moves[-back]
            assert said.seat is not None and said.ply is not None
            assert self.do(Play(said.seat, said.ply, said.move), late) == []

    @precondition(lambda self: self.phase == "running")
    @rule(wrong=st.sampled_from([-2, -1, 1, 2]))
    def move_for_another_board(self, wrong: int) -> None:
        self.refused(Play(self.mover(), self.position.ply + 1 + wrong, "surely new"), "stale", 10**9)

    @precondition(lambda self: self.phase == "running")
    @rule()
    def move_out_of_turn(self) -> None:
        self.refused(Play(1 - self.mover(), self.position.ply + 1, "surely new"), "not_your_turn", 10**9)

    @precondition(lambda self: self.phase == "running")
    @rule(data=st.data(), leeway=leeways)
    def wrong_move(self, data: st.DataObject, leeway: int | None) -> None:
        """A seat that may not err loses; any other is told why, and its turn goes on."""
        text = data.draw(st.sampled_from([*UNREADABLE, *self.positions[0].legal_moves()]))
        try:
            self.position.play(text)
            return
        except InvalidMove:
            code, termination = "invalid_move", "bad_output"
        except IllegalMove:
            code, termination = "illegal_move", "illegal_move"
        seat, elapsed = self.mover(), self.in_time(leeway)
        play = Play(seat, self.position.ply + 1, text)
        if self.setup.seats[seat].on_illegal == "refuse":
            self.refused(play, code, elapsed)
            return
        events = self.do(play, elapsed)
        self.ended_by(events, termination, 1 - seat)
        assert events[0].data.get("received", "") == text
        assert events[0].data["expected"]

    # -- endings ---------------------------------------------------------------------------------------------------

    @rule(off=st.sampled_from([-3, -2, -1, -1, -1, 0, 0, 0, 0, 1, 2]))
    def flag(self, off: int) -> None:
        """A flag falls one millisecond after the last one that is in time, and not before."""
        deadline = self.deadline() if self.phase == "running" else None
        elapsed = max(0, (deadline or 0) + off)
        if deadline is None or elapsed <= deadline:
            assert self.do(Flag(self.state.seq), elapsed) == []
        else:
            self.ended_by(self.do(Flag(self.state.seq), elapsed), "timeout", 1 - self.mover())

    @rule(ago=st.integers(1, 5))
    def flag_of_an_earlier_turn(self, ago: int) -> None:
        assert self.do(Flag(self.state.seq - ago), 10**9) == []

    @rule(seat=seats, sure=rarely)
    def resign(self, seat: int, sure: bool) -> None:
        if self.phase == "ended":
            self.refused(Resign(seat), "match_over")
        elif sure:
            self.ended_by(self.do(Resign(seat, "user 4"), 12), "resign", 1 - seat)

    @rule(seat=seats, code=st.sampled_from(sorted(FAULTS)), sure=rarely)
    def fault(self, seat: int, code: str, sure: bool) -> None:
        fault = Fault(seat, code, "the connection was lost", "half a li")
        if self.phase == "ended":
            self.refused(fault, "match_over")
        elif sure:
            self.ended_by(self.do(fault, 12), code, 1 - seat)

    @rule(seat=st.sampled_from([None, 0, 1]), code=st.sampled_from(sorted(UNCOUNTED)), sure=rarely)
    def abort(self, seat: int | None, code: str, sure: bool) -> None:
        abort = Abort(code, "it was not to be", seat)
        if self.phase == "ended":
            self.refused(abort, "match_over")
        elif seat is not None and self.position.ply >= 2:
            self.refused(abort, "too_late")
        elif sure:
            self.ended_by(self.do(abort), code, None)

    @rule(winner=st.sampled_from([None, 0, 1]), reason=st.sampled_from(["a power cut", "", "  "]), sure=rarely)
    def adjudicate(self, winner: int | None, reason: str, sure: bool) -> None:
        ruling = Adjudicate(winner, reason, "staff 1")
        if self.phase == "ended":
            self.refused(ruling, "match_over")
        elif not reason.strip():
            self.refused(ruling, "reason_required")
        elif sure:
            self.ended_by(self.do(ruling), "adjudicated", winner)

    @rule(verdict=st.sampled_from([("win", 0), ("win", 1), ("draw", None), ("void", None)]))
    def rule_on(self, verdict: tuple[str, int | None]) -> None:
        ruling = Rule(*verdict, "a power cut", "staff 1")
        if self.phase != "ended":
            self.refused(ruling, "not_over")
        else:
            assert [event.kind for event in self.do(ruling)] == ["ruled"]

    # -- invariants ------------------------------------------------------------------------------------------------

    @invariant()
    def the_state_says_what_the_model_says(self) -> None:
        if not self.log:
            return
        assert (self.state.seq, self.state.phase) == (len(self.log), self.phase)
        assert self.state.paused_by == (self.paused_by if self.phase == "paused" else "")
        assert self.state.position == self.position
        assert self.state.left_ms == (self.budget(0), self.budget(1))
        assert self.state.to_move == (self.position.to_move if self.phase == "running" else None)

    @invariant()
    def no_remainder_is_negative(self) -> None:
        if self.log:
            assert all(left is None or left >= 0 for left in self.state.left_ms)

    @invariant()
    def the_match_is_over_when_the_log_says_so(self) -> None:
        ends = [event for event in self.log if event.kind == "ended"]
        assert len(ends) == (self.phase == "ended")
        if ends:
            assert {event.kind for event in self.log[self.log.index(ends[0]) + 1 :]} <= {"ruled"}
            said: dict[str, Any] = dict(ends[0].data)
            assert said.items() >= {"winner": self.state.winner, "termination": self.state.termination}.items()
            assert said["reason"] == self.state.reason

    def teardown(self) -> None:
        if not self.log:
            return
        assert [event.seq for event in self.log] == list(range(1, len(self.log) + 1))
        moves = [event for event in self.log if event.kind == "move"]
        assert [event.ply for event in moves] == list(range(1, len(moves) + 1))
        assert [event.seat for event in moves] == [position.to_move for position in self.positions[: len(moves)]]
        assert replay(self.log) == self.state
        assert judge(self.log) == "", "what was decided is found right"
        assert Setup.from_data(self.log[0].data) == self.setup


TestMatch = MatchMachine.TestCase
TestMatch.settings = settings(stateful_step_count=50, deadline=None)
