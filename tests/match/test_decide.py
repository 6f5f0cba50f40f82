"""What an act does to a match: one case for each sentence of the rules. Any order of them: test_model.py."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

import pytest

from arena.match.commands import (
    Abort,
    Adjudicate,
    Command,
    Fault,
    Flag,
    Note,
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
from arena.match.state import LogEvent, MatchState, SeatSetup, Setup

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
FULL_COLUMN = "444444"
FOUR_IN_A_ROW = "4343434"


def a_match(
    moves: str = "", clock: str = "none", on_illegal: Literal["refuse", "lose"] = "refuse", **ada: Any
) -> MatchState:
    """A running match of Connect Four in which these columns have been played at once."""
    seats = (SeatSetup("Ada", on_illegal=on_illegal, **ada), SeatSetup("Bob", on_illegal=on_illegal))
    setup = Setup("connect-four-7x6", seats, clock=clock)
    state = replay([*open_match(setup, NOW), LogEvent(2, NOW, "started")])
    for ply, text in enumerate(moves, start=1):
        state, _ = after(state, Play((ply - 1) % 2, ply, text))
    return state


def after(state: MatchState, command: Command, elapsed_ms: int = 0) -> tuple[MatchState, tuple[LogEvent, ...]]:
    events = decide(state, command, NOW, elapsed_ms)
    for event in events:
        state = evolve(state, event)
    return state, events


def refusal_of(state: MatchState, command: Command, elapsed_ms: int = 0) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        decide(state, command, NOW, elapsed_ms)
    return refusal.value


# -- moves -----------------------------------------------------------------------------------------------------------


def test_a_move_is_one_event_with_who_where_when_and_both_clocks() -> None:
    (move,) = decide(a_match(clock="1m+1s"), Play(0, 1, "4", "session 7"), NOW, 1_500)
    assert move == LogEvent(3, NOW, "move", 1, 0, "4", 1_500, 60_000 - 1_500 + 1_000, 60_000, "session 7")


def test_the_last_move_and_the_end_are_one_append() -> None:
    state = a_match(FOUR_IN_A_ROW[:-1], clock="2m")
    move, ended = decide(state, Play(0, 7, "4"), NOW, 9)
    assert (move.kind, ended.kind, ended.seq) == ("move", "ended", move.seq + 1)
    assert ended.data == {"winner": 0, "termination": "normal", "reason": "four in a row"}
    assert ended.seat is None, "nobody is to blame for losing by the rules"


def test_a_match_that_never_ends_is_stopped_as_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.match.decide.MAX_PLIES", 3)
    _, ended = decide(a_match("12"), Play(0, 3, "3"), NOW)
    assert ended.data == {"winner": None, "termination": "max_plies", "reason": "stopped after 3 moves"}


def test_a_move_that_wins_with_the_last_allowed_ply_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.match.decide.MAX_PLIES", 7)
    _, ended = decide(a_match(FOUR_IN_A_ROW[:-1]), Play(0, 7, "4"), NOW)
    assert ended.data["termination"] == "normal"


@pytest.mark.parametrize("said_again", [Play(1, 2, "5"), Play(0, 1, "4")])
def test_a_move_said_again_is_acknowledged_and_adds_nothing(said_again: Play) -> None:
    assert decide(a_match("45"), said_again, NOW, 10**9) == ()


def test_the_winning_move_said_again_is_acknowledged_after_the_end() -> None:
    state = a_match(FOUR_IN_A_ROW)
    assert state.phase == "ended"
    assert decide(state, Play(0, 7, "4"), NOW) == ()


def test_another_move_at_the_same_ply_is_stale_and_says_which_is_next() -> None:
    refusal = refusal_of(a_match("45"), Play(0, 1, "3"))
    assert refusal.code == "stale"
    assert "move 3 is next" in refusal.sentence and "yours was for 1" in refusal.sentence


def test_a_move_out_of_turn_is_refused_and_costs_nothing() -> None:
    assert refusal_of(a_match("4", on_illegal="lose"), Play(0, 2, "4")).code == "not_your_turn"


@pytest.mark.parametrize(
    ("text", "code"), [("z", "invalid_move"), ("", "invalid_move"), ("4!", "invalid_move"), ("4", "illegal_move")]
)
def test_a_person_is_told_what_is_wrong_with_the_move_and_goes_on(text: str, code: str) -> None:
    refusal = refusal_of(a_match(FULL_COLUMN), Play(0, 7, text))
    assert refusal.code == code
    assert refusal.sentence


def test_a_seat_that_may_not_err_loses_by_an_illegal_move_which_is_kept() -> None:
    state, (ended,) = after(a_match(FULL_COLUMN, on_illegal="lose"), Play(0, 7, "4"), 30)
    assert (state.winner, state.termination) == (1, "illegal_move")
    assert (ended.seat, ended.elapsed_ms, ended.data["move"], ended.data["received"]) == (0, 30, "4", "4")
    assert ended.data["expected"] == "one of 1, 2, 3, 5, 6, 7"


def test_a_seat_that_may_not_err_loses_by_what_cannot_be_read() -> None:
    state, (ended,) = after(a_match("4", on_illegal="lose"), Play(1, 2, "resign?"))
    assert (state.winner, state.termination) == (0, "bad_output")
    assert ended.data["received"] == "resign?" and "move" not in ended.data


def test_what_was_expected_is_shortened_where_there_are_many() -> None:
    setup = Setup("santorini-6x6", (SeatSetup("Ada", on_illegal="lose"), SeatSetup("Bob")))
    state = replay([*open_match(setup, NOW), LogEvent(2, NOW, "started")])
    (ended,) = decide(state, Play(0, 1, "z9"), NOW)
    assert ended.data["expected"].count(",") == 11 and ended.data["expected"].endswith(" …")


# -- time ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("clock", "limit"), [("5s", 5_000), ("250ms", 250), ("total:900ms", 900), ("1m+1s", 60_000)])
def test_the_last_millisecond_is_in_time_and_the_next_is_not(clock: str, limit: int) -> None:
    in_time, _ = after(a_match(clock=clock), Play(0, 1, "4"), limit)
    assert in_time.position.ply == 1
    late, (ended,) = after(a_match(clock=clock), Play(0, 1, "4"), limit + 1)
    assert (late.termination, late.winner, late.position.ply) == ("timeout", 1, 0)
    assert (ended.seat, ended.elapsed_ms) == (0, limit + 1)


@pytest.mark.parametrize(("clock", "reason"), [("1.5s", "no move within 1.5 s"), ("2m", "out of time")])
def test_a_timeout_says_which_limit_it_was(clock: str, reason: str) -> None:
    _, (ended,) = after(a_match(clock=clock), Play(0, 1, "4"), 999_999)
    assert ended.data["reason"] == reason


def test_lateness_is_judged_before_legality() -> None:
    state, _ = after(a_match(FULL_COLUMN, clock="5s", on_illegal="lose"), Play(0, 7, "4"), 5_001)
    assert state.termination == "timeout"


def test_a_late_move_out_of_turn_flags_nobody() -> None:
    assert refusal_of(a_match(clock="5s"), Play(1, 1, "4"), 5_001).code == "not_your_turn"


def test_a_flag_falls_only_after_the_last_millisecond() -> None:
    state = a_match("4", clock="5s")
    assert decide(state, Flag(state.seq), NOW, 5_000) == ()
    flagged, _ = after(state, Flag(state.seq), 5_001)
    assert (flagged.termination, flagged.winner) == ("timeout", 0)
    assert flagged.left_ms == (5_000, 0)


def test_a_flag_armed_before_the_last_event_is_nothing() -> None:
    state = a_match("4", clock="5s")
    assert decide(state, Flag(state.seq - 1), NOW, 10**9) == ()


def test_without_a_clock_no_flag_falls_and_no_move_is_late() -> None:
    state = a_match()
    assert decide(state, Flag(state.seq), NOW, 10**9) == ()
    assert after(state, Play(0, 1, "4"), 10**9)[0].left_ms == (None, None)


def test_time_given_back_is_not_charged_and_stands_in_the_event() -> None:
    state = a_match("4", clock="2m")
    played, (move,) = after(state, Play(1, 2, "4", given_back_ms=900), 1_000)
    assert (played.left_ms, move.elapsed_ms, move.data) == ((120_000, 119_900), 1_000, {"given_back_ms": 900})
    assert after(state, Play(1, 2, "4"), 1_000)[1][0].data == {}
    _, (paused,) = after(state, Pause("lunch", given_back_ms=900), 1_000)
    assert paused.data == {"reason": "lunch", "given_back_ms": 900}


def test_nobody_is_late_by_time_that_was_given_back() -> None:
    state = a_match("4", clock="5s")
    assert decide(state, Flag(state.seq, given_back_ms=300), NOW, 5_300) == ()
    assert after(state, Play(1, 2, "4", given_back_ms=300), 5_300)[0].termination is None
    for late in (Flag(state.seq, given_back_ms=300), Play(1, 2, "4", given_back_ms=300)):
        ended, events = after(state, late, 5_301)
        assert ended.termination == "timeout" and events[-1].data["given_back_ms"] == 300


def test_the_first_turn_of_a_process_is_charged_only_beyond_its_grace() -> None:
    state = a_match(clock="2m", startup_ms=700)
    assert after(state, Play(0, 1, "4"), 650)[0].left_ms == (120_000, 120_000)
    assert after(state, Play(0, 1, "4"), 900)[0].left_ms == (119_800, 120_000)
    assert after(state, Play(0, 1, "4"), 120_701)[0].termination == "timeout"


# -- pausing, leaving, ruling ----------------------------------------------------------------------------------------


def test_nothing_is_played_and_no_flag_falls_while_it_is_paused() -> None:
    state, _ = after(a_match(clock="5s"), Pause("storage fails"), 4_999)
    assert refusal_of(state, Play(0, 1, "4")).code == "paused"
    assert decide(state, Flag(state.seq), NOW, 10**9) == ()


def test_what_the_server_has_paused_goes_on_by_itself() -> None:
    state, _ = after(a_match(), Pause("the server was restarted"))
    refusal = refusal_of(state, Play(0, 1, "4"))
    said = "The match is paused: clocks are stopped, and it goes on by itself."
    assert (refusal.code, refusal.sentence) == ("paused", said)
    assert after(state, Resume(afresh=True))[0].phase == "running"


def test_what_staff_have_paused_only_staff_continue() -> None:
    state, _ = after(a_match(), Pause("lunch", "Ada"))
    refusal = refusal_of(state, Play(0, 1, "4"))
    said = "A referee has paused the match: clocks are stopped until a referee resumes it."
    assert (refusal.code, refusal.sentence) == ("paused", said)
    assert decide(state, Resume(afresh=True), NOW) == ()
    resumed, _ = after(state, Resume("Ben"))
    assert (resumed.phase, resumed.paused_by) == ("running", "")


@pytest.mark.parametrize("seat", [0, 1])
def test_who_resigns_loses_also_when_it_is_not_their_turn(seat: int) -> None:
    state, (ended,) = after(a_match("4"), Resign(seat, "user 4"))
    assert (state.winner, state.termination, ended.seat, ended.actor) == (1 - seat, "resign", seat, "user 4")
    assert state.reason == f"{('Ada', 'Bob')[seat]} resigned"


def test_the_clock_of_who_resigns_in_their_turn_has_what_it_took_off() -> None:
    running = a_match("4", clock="2m")
    mine, _ = after(running, Resign(1, "user 4"), 30_000)
    theirs, _ = after(running, Resign(0, "user 3"), 30_000)
    assert (mine.left_ms, theirs.left_ms) == ((120_000, 90_000), (120_000, 120_000))


@pytest.mark.parametrize("code", sorted(FAULTS))
def test_whoever_is_blamed_loses_and_the_log_says_what_was_received(code: str) -> None:
    state, (ended,) = after(a_match("4"), Fault(1, code, "it broke", "PUT x", "PUT 1 to 7"), 80)
    assert (state.winner, state.termination, ended.seat, ended.elapsed_ms) == (0, code, 1, 80)
    assert ended.data["received"] == "PUT x" and ended.data["expected"] == "PUT 1 to 7"


def test_the_time_of_the_other_side_is_not_written_to_who_is_blamed() -> None:
    _, (ended,) = after(a_match("4"), Fault(0, "disconnect", "the connection was lost"), 80)
    assert ended.elapsed_ms is None


@pytest.mark.parametrize("code", ["normal", "resign", "timeout", "adjudicated", "abort", "quarrel"])
def test_only_a_fault_can_be_blamed_on_a_seat(code: str) -> None:
    with pytest.raises(ValueError, match=f"{code}.*expected one of.*disconnect"):
        decide(a_match(), Fault(0, code, "?"), NOW)


@pytest.mark.parametrize("code", sorted(UNCOUNTED))
def test_an_aborted_match_has_no_winner(code: str) -> None:
    state, _ = after(a_match("4545"), Abort(code, "the hall is closing", actor="staff 1"))
    assert (state.phase, state.winner, state.termination) == ("ended", None, code)


def test_an_abort_cannot_hide_a_result() -> None:
    with pytest.raises(ValueError, match="'resign' has a result"):
        decide(a_match(), Abort("resign", "?"), NOW)


@pytest.mark.parametrize("moves", ["", "4"])
def test_a_player_may_call_it_off_before_both_have_moved(moves: str) -> None:
    assert after(a_match(moves), Abort("abort", "Ada changed her mind", seat=0))[0].termination == "abort"


def test_a_player_may_not_call_it_off_once_both_have_moved() -> None:
    refusal = refusal_of(a_match("45"), Abort("abort", "Ada changed her mind", seat=0))
    assert refusal.code == "too_late" and "resign" in refusal.sentence


@pytest.mark.parametrize("winner", [0, 1, None])
def test_staff_name_a_winner_or_a_draw_and_the_reason_is_kept(winner: int | None) -> None:
    state, (ended,) = after(a_match("4"), Adjudicate(winner, "a power cut", "staff 1"))
    assert (state.winner, state.termination, state.reason) == (winner, "adjudicated", "a power cut")
    assert ended.actor == "staff 1"


def test_a_proof_is_about_one_position_and_decides_no_other() -> None:
    state, (ended,) = after(a_match("4"), Adjudicate(0, "Ada wins by force", "", ply=1))
    assert (state.winner, state.termination, ended.actor) == (0, "adjudicated", "")
    refusal = refusal_of(a_match("45"), Adjudicate(0, "Ada wins by force", "", ply=1))
    assert refusal.code == "moved_on" and "after 1 moves, and there are 2" in refusal.sentence
    paused, _ = after(a_match("4"), Pause("lunch", "staff 1"))
    assert refusal_of(paused, Adjudicate(0, "Ada wins by force", "", ply=1)).code == "paused"
    assert after(paused, Adjudicate(0, "a power cut", "staff 1"))[0].winner == 0


def test_a_decision_without_a_reason_is_refused() -> None:
    assert refusal_of(a_match(), Adjudicate(0, "  ", "staff 1")).code == "reason_required"


@pytest.mark.parametrize(("verdict", "winner"), [("win", 1), ("draw", None), ("void", None)])
def test_a_ruling_stands_behind_the_ending_and_changes_nothing_of_it(verdict: str, winner: int | None) -> None:
    over, _ = after(a_match("4"), Resign(1))
    state, (ruled,) = after(over, Rule(verdict, winner, "it was not Bob who resigned", "staff 1"))
    assert (state.winner, state.termination, state.phase) == (0, "resign", "ended")
    assert (ruled.kind, ruled.seq, ruled.actor) == ("ruled", over.seq + 1, "staff 1")
    assert ruled.data == {"verdict": verdict, "winner": winner, "reason": "it was not Bob who resigned"}
    assert after(state, Rule("draw", None, "both were right", "staff 2"))[0].seq == state.seq + 1


def test_a_ruling_needs_an_ending_and_a_reason() -> None:
    assert refusal_of(a_match("4"), Rule("void", None, "a power cut", "staff 1")).code == "not_over"
    over, _ = after(a_match("4"), Resign(1))
    assert refusal_of(over, Rule("void", None, " ", "staff 1")).code == "reason_required"


@pytest.mark.parametrize(("verdict", "winner"), [("win", None), ("win", 2), ("draw", 0), ("void", 1), ("loss", 0)])
def test_a_ruling_that_makes_no_sense_is_named(verdict: str, winner: int | None) -> None:
    over, _ = after(a_match("4"), Resign(1))
    with pytest.raises(ValueError, match=f"{verdict}.*expected win of 0 or 1"):
        decide(over, Rule(verdict, winner, "why", "staff 1"), NOW)


def test_a_note_follows_the_end_and_changes_nothing() -> None:
    assert refusal_of(a_match("4"), Note(1, {"failure": {}})).code == "not_over"
    over, _ = after(a_match("4"), Resign(1))
    state, (note,) = after(over, Note(1, {"failure": {"code": "crash"}}))
    assert (note.kind, note.seat, note.data) == ("note", 1, {"failure": {"code": "crash"}})
    assert state == over._replace(seq=over.seq + 1)


def test_after_the_end_every_act_is_told_how_it_ended() -> None:
    state, _ = after(a_match(), Resign(0))
    for act in (Start(), Play(0, 1, "4"), Resign(1), Fault(1, "left", "gone"), Abort("abort", "?"), Pause("?")):
        refusal = refusal_of(state, act)
        assert (refusal.code, refusal.sentence) == ("match_over", "The match is over: Ada resigned.")


def test_only_what_goes_on_with_new_processes_gives_them_time_to_start_again() -> None:
    played = a_match("44", clock="5s", startup_ms=700)
    paused, _ = after(played, Pause("lunch"))
    assert after(paused, Resume())[0].allowed_ms == 5_000
    afresh, events = after(paused, Resume(afresh=True))
    assert (afresh.allowed_ms, events[0].data) == (5_700, {"afresh": True})
    moved, _ = after(afresh, Play(0, 3, "1"), 5_600)
    assert moved.phase == "running"
    assert after(moved, Play(1, 4, "1"))[0].allowed_ms == 5_000


# -- openings --------------------------------------------------------------------------------------------------------


def an_opening(moves: str, **more: Any) -> MatchState:
    seats = (SeatSetup("Ada", startup_ms=500), SeatSetup("Bob"))
    return replay(open_match(Setup("connect-four-7x6", seats, opening=moves, **more), NOW))


def test_the_moves_of_an_opening_stand_in_the_log_and_cost_no_time() -> None:
    state = an_opening("4 4", clock="2m")
    assert (state.seq, state.position.ply, state.phase, state.left_ms) == (3, 2, "opened", (120_000, 120_000))
    assert state.recent == ((1, 0, "4"), (2, 1, "4"))


def test_after_an_opening_the_players_begin() -> None:
    state, _ = after(an_opening("4 4", clock="5s"), Start())
    assert (state.to_move, state.moves_made, state.startup_ms) == (0, 0, 500)
    state, _ = after(state, Play(0, 3, "1"))
    assert state.moves_made == 1
    assert after(state, Abort("abort", "not now", 1))[0].phase == "ended"


def test_an_opening_that_ends_the_match_or_cannot_be_played_is_none() -> None:
    for moves in ("4 3 4 3 4 3 4", "9", "x"):
        with pytest.raises(ValueError):
            an_opening(moves)
