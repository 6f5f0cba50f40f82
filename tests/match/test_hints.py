"""Hints against built-in players: who may have one, what the log says, and that it changes nothing else."""

from __future__ import annotations

import pytest

from arena.match.commands import GiveHint, Offer, Play, Resign
from arena.match.export import to_json
from arena.match.judge import judge
from arena.match.state import Setup
from tests.match.test_offers import AGAINST_BOT, AGAINST_BUILTIN, SETUP, Log


def test_a_hint_stands_in_the_log_and_leaves_the_clock_alone() -> None:
    log = Log("4433", AGAINST_BUILTIN)
    before = log.state.left_ms
    assert log.do(GiveHint(0, 4, "2", "player:1")) == ["hint"]
    assert (log.state.hint, log.state.left_ms, log.state.position.ply) == ("2", before, 4)
    assert log.play("5") == ["move"] and log.state.hint == ""
    assert judge(log.events) == ""
    hints = to_json("m", log.state, log.events)["hints"]
    assert [(hint["seat"], hint["ply"], hint["move"]) for hint in hints] == [(0, 4, "2")]


def test_one_position_has_one_hint_and_a_takeback_makes_it_another() -> None:
    log = Log("44", AGAINST_BUILTIN)
    assert log.do(GiveHint(0, 2, "3")) == ["hint"]
    assert log.do(GiveHint(0, 2, "5")) == [] and log.state.hint == "3"
    log.play("3")
    log.play("3")
    log.offer(0)
    assert log.state.position.ply == 2 and log.state.hint == ""
    assert log.do(GiveHint(0, 2, "5")) == ["hint"]
    assert judge(log.events) == ""


@pytest.mark.parametrize("setup", [SETUP, AGAINST_BOT, AGAINST_BUILTIN._replace(pairing=7)])
def test_nobody_is_helped_against_people_and_bots_and_in_events(setup: Setup) -> None:
    assert Log("44", setup).refused(GiveHint(0, 2, "3")) == "not_allowed"


def test_it_is_for_the_side_to_move_and_the_board_that_was_seen() -> None:
    log = Log("4", AGAINST_BUILTIN)
    assert log.refused(GiveHint(0, 1, "3")) == "no_hint_now"
    log.play("4")
    assert log.refused(GiveHint(0, 1, "3")) == "stale"
    log.do(GiveHint(0, 2, "3"))
    log.do(Resign(0))
    assert log.refused(GiveHint(0, 2, "3")) == "match_over" and log.state.hint == ""


def test_a_forged_hint_is_found() -> None:
    log = Log("44", AGAINST_BUILTIN)
    log.do(GiveHint(0, 2, "3"))
    *rest, hint = log.events
    assert "no hint" in judge([*rest, hint._replace(data={"move": "9"})])
    assert "event 6" in judge([*rest, hint, hint._replace(seq=hint.seq + 1)])
    assert "event 4" in judge([*rest[:-1], hint._replace(seq=rest[-1].seq)])


def test_an_offer_does_not_take_the_hint_away() -> None:
    log = Log("44", AGAINST_BUILTIN)
    log.do(GiveHint(0, 2, "3"))
    log.do(Offer(0, "draw", 2))
    assert log.state.hint == "3"
    log.do(Play(0, 3, "3"))
    assert judge(log.events) == ""
