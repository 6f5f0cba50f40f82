from __future__ import annotations

from arena.bots.session.session_state import SessionEvent, SessionState, after

HAPPENS = SessionEvent


def path(*events: SessionEvent) -> list[str]:
    state, seen = SessionState.STARTING, []
    for event in events:
        state = after(state, event)
        seen.append(state.name)
    return seen


def test_a_bot_gets_ready_plays_stays_plays_again_and_is_dismissed() -> None:
    told = path(HAPPENS.READY, HAPPENS.SIT, HAPPENS.STAY, HAPPENS.SIT, HAPPENS.DISMISS, HAPPENS.READY)
    assert told == ["READY", "READY", "STAYED", "READY", "DISMISSED", "READY"]


def test_only_who_is_ready_stays_and_who_is_dismissed_sits_nowhere() -> None:
    assert path(HAPPENS.STAY) == ["STARTING"] and path(HAPPENS.DISMISS, HAPPENS.SIT) == ["DISMISSED"] * 2


def test_nothing_follows_a_lost_connection() -> None:
    assert all(after(state, HAPPENS.LOSE) is SessionState.GONE for state in SessionState)
    assert all(after(SessionState.GONE, event) is SessionState.GONE for event in SessionEvent)
