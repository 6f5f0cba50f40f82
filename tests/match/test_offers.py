"""Takebacks and draws by agreement: who may offer what, what the log says about it, and what it restores."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

import games
from arena.match.commands import Abort, AnswerOffer, Command, Offer, Pause, Play, Refusal, Resign, Start, Withdraw
from arena.match.decide import decide, open_match
from arena.match.evolve import evolve, replay, standing
from arena.match.export import to_json
from arena.match.judge import judge
from arena.match.state import LogEvent, MatchState, SeatSetup, Setup

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
PEOPLE = (SeatSetup("Ada"), SeatSetup("Bob"))
SETUP = Setup("connect-four-7x6", PEOPLE, clock="1m+1s", offers=True)
AGAINST_BUILTIN = SETUP._replace(seats=(SeatSetup("Ada"), SeatSetup("Club", "builtin", level="club")))
AGAINST_BOT = SETUP._replace(seats=(SeatSetup("Ada"), SeatSetup("put", "bot", protocol="droidcon", on_offer="decline")))


class Log:
    """A match whose log grows by what is decided; each command comes 500 ms after the one before."""

    def __init__(self, moves: str = "", setup: Setup = SETUP) -> None:
        self.events: list[LogEvent] = list(open_match(setup, NOW))
        self.state: MatchState = replay(self.events)
        self.do(Start())
        for move in moves:
            self.play(move)

    def do(self, command: Command, elapsed_ms: int = 500) -> list[str]:
        """The kinds of the events that it adds."""
        events = decide(self.state, command, NOW, elapsed_ms)
        for event in events:
            self.state = evolve(self.state, event)
        self.events += events
        return [event.kind for event in events]

    def play(self, move: str) -> list[str]:
        seat = self.state.to_move
        assert seat is not None, "the match runs"
        return self.do(Play(seat, self.state.position.ply + 1, move))

    def offer(self, seat: int, what: str = "takeback") -> list[str]:
        return self.do(Offer(seat, "draw" if what == "draw" else "takeback", self.state.position.ply, f"player:{seat}"))

    def refused(self, command: Command) -> str:
        with pytest.raises(Refusal) as refused:
            decide(self.state, command, NOW)
        assert refused.value.sentence.endswith("."), "a person reads it"
        return refused.value.code

    @property
    def moves(self) -> str:
        return "".join(move.move for move in standing(self.events))


def test_a_takeback_is_asked_for_and_granted_and_the_log_keeps_everything() -> None:
    log = Log("445")
    before = Log("44").state
    assert log.offer(0) == ["offered"]
    offered = log.events[-1]
    assert (offered.seat, offered.ply, dict(offered.data), offered.actor) == (0, 3, {"what": "takeback"}, "player:0")
    assert log.do(AnswerOffer(1, offered.seq, True, "player:1")) == ["takeback"]
    taken = log.events[-1]
    assert (taken.seat, taken.ply, taken.actor) == (0, 2, "player:1")
    assert log.state.position == before.position and log.state.to_move == 0
    assert log.state.left_ms == before.left_ms == (taken.left0_ms, taken.left1_ms)
    assert log.moves == "44" and [event.move for event in log.events if event.kind == "move"] == ["4", "4", "5"]
    assert judge(log.events) == ""


def test_who_is_to_move_takes_back_the_answer_as_well() -> None:
    log = Log("4456")
    log.offer(0)
    log.do(AnswerOffer(1, log.events[-1].seq, True))
    assert log.moves == "44" and log.state.to_move == 0


def test_the_time_that_passed_while_they_talked_costs_nobody() -> None:
    log = Log("44")
    left = log.state.left_ms
    log.play("5")
    log.do(Offer(0, "takeback", 3), elapsed_ms=40_000)
    log.do(AnswerOffer(1, log.events[-1].seq, True), elapsed_ms=45_000)
    assert log.state.left_ms == left


def test_the_same_move_may_be_played_again_after_it_was_taken_back() -> None:
    log = Log("445")
    log.offer(0)
    log.do(AnswerOffer(1, log.events[-1].seq, True))
    assert log.play("5") == ["move"] and log.moves == "445"
    assert judge(log.events) == ""


@pytest.mark.parametrize("moves", ["4", "45"])
def test_a_builtin_player_grants_every_takeback_at_once(moves: str) -> None:
    log = Log(moves, AGAINST_BUILTIN)
    assert log.offer(0) == ["offered", "takeback"]
    assert log.moves == "" and log.state.to_move == 0
    assert judge(log.events) == ""


def test_a_second_press_does_not_take_back_one_move_more() -> None:
    log = Log("4455", AGAINST_BUILTIN)
    asked = Offer(0, "takeback", 4)
    log.do(asked)
    assert log.refused(asked) == "stale" and log.moves == "44"


def test_a_takeback_asked_for_while_the_answer_is_on_its_way_takes_back_both() -> None:
    log = Log("445")
    asked = Offer(0, "takeback", 3)
    log.play("6")
    log.do(asked)
    log.do(AnswerOffer(1, log.events[-1].seq, True))
    assert log.moves == "44"


def test_a_takeback_asked_for_before_the_own_move_arrived_is_stale() -> None:
    log = Log("44")
    asked = Offer(0, "takeback", 2)
    log.play("5")
    assert log.refused(asked) == "stale"


def test_a_move_for_the_board_before_is_not_played_on_the_one_after() -> None:
    log = Log("445", AGAINST_BUILTIN)
    log.offer(0)
    assert log.refused(Play(1, 4, "3")) == "not_your_turn"


def test_a_builtin_player_declines_a_draw_and_so_does_the_arena_for_a_bot_without_words() -> None:
    for setup in (AGAINST_BUILTIN, AGAINST_BOT):
        log = Log("4", setup)
        assert log.offer(0, "draw") == ["offered", "declined"]
        assert log.state.phase == "running" and log.state.offer is None
        assert judge(log.events) == ""


def test_nothing_is_taken_back_where_a_bot_could_not_be_told() -> None:
    log = Log("45", AGAINST_BOT)
    for seat in (0, 1):
        assert log.refused(Offer(seat, "takeback", 2)) == "not_allowed"


def test_a_draw_that_both_want_ends_the_match() -> None:
    log = Log("445")
    log.offer(1, "draw")
    assert log.do(AnswerOffer(0, log.events[-1].seq, True, "player:0")) == ["ended"]
    assert (log.state.winner, log.state.termination, log.state.reason) == (None, "agreement", "draw agreed")
    assert judge(log.events) == ""
    assert log.refused(Offer(0, "draw", 3)) == "match_over"


def test_two_who_offer_a_draw_at_once_have_agreed() -> None:
    log = Log("445")
    assert log.offer(0, "draw") == ["offered"] and log.offer(1, "draw") == ["ended"]
    assert log.state.termination == "agreement" and judge(log.events) == ""


def test_two_who_ask_for_a_takeback_at_once_are_asked_one_after_the_other() -> None:
    log = Log("4455")
    log.offer(0)
    assert log.refused(Offer(1, "takeback", 4)) == "offer_open"
    assert log.refused(Offer(1, "draw", 4)) == "offer_open"
    assert log.refused(Offer(0, "draw", 4)) == "offer_open"


def test_an_offer_said_twice_is_one() -> None:
    log = Log("44")
    log.offer(0, "draw")
    assert log.offer(0, "draw") == []


@pytest.mark.parametrize("how", ["declined", "withdrew"])
def test_the_same_is_not_asked_again_in_the_same_position(how: str) -> None:
    log = Log("44")
    log.offer(0, "draw")
    number = log.events[-1].seq
    assert log.do(AnswerOffer(1, number, False) if how == "declined" else Withdraw(0, number)) == [how]
    assert log.refused(Offer(0, "draw", 2)) == "offered_before"
    assert log.offer(1, "draw") == ["offered"], "the other one may"
    assert judge(log.events) == ""
    log.play("5")
    assert log.offer(0, "draw") == ["offered"], "in the next position it may be asked"


def test_an_offer_expires_with_the_next_move() -> None:
    log = Log("44")
    log.offer(1, "draw")
    number = log.events[-1].seq
    log.play("5")
    assert log.state.offer is None and log.refused(AnswerOffer(0, number, True)) == "no_offer"


def test_only_the_other_side_answers_and_only_the_own_side_withdraws() -> None:
    log = Log("44")
    log.offer(0, "draw")
    number = log.events[-1].seq
    assert log.refused(AnswerOffer(0, number, True)) == log.refused(Withdraw(1, number)) == "no_offer"
    assert log.refused(AnswerOffer(1, number + 1, True)) == "no_offer"


def test_an_answer_to_an_older_offer_is_none_to_the_newer_one() -> None:
    log = Log("44")
    log.offer(0, "draw")
    number = log.events[-1].seq
    log.do(Withdraw(0, number))
    log.offer(0)
    assert log.refused(AnswerOffer(1, number, True)) == "no_offer"


def test_offers_are_off_unless_the_match_allows_them() -> None:
    log = Log("44", SETUP._replace(offers=False))
    assert log.refused(Offer(0, "draw", 2)) == log.refused(Offer(0, "takeback", 2)) == "not_allowed"
    assert log.state.history == (), "nothing is kept for it either"


def test_nothing_is_offered_before_the_first_move_to_take_back_in_a_pause_or_for_a_board_to_come() -> None:
    log = Log("4")
    assert log.refused(Offer(1, "takeback", 1)) == "nothing_to_take_back"
    assert log.refused(Offer(0, "draw", 2)) == "stale"
    log.do(Pause("why"))
    assert log.refused(Offer(0, "draw", 1)) == "paused"


def test_moves_of_an_opening_are_not_taken_back() -> None:
    log = Log("", SETUP._replace(opening="4 4"))
    assert log.refused(Offer(0, "takeback", 2)) == "nothing_to_take_back"
    log.play("5")
    log.offer(0)
    log.do(AnswerOffer(1, log.events[-1].seq, True))
    assert log.moves == "44" and judge(log.events) == ""


def test_takebacks_without_end_come_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.match.decide.MAX_PLIES", 12)
    log = Log("", AGAINST_BUILTIN)
    for _ in range(3):
        log.play("4")
        log.offer(0)
    log.play("4")
    assert log.refused(Offer(0, "takeback", 1)) == "too_long"


@pytest.mark.parametrize("slug", [variant.slug for variant in games.variants()])
def test_random_talk_in_every_game_is_right_and_restores_what_was(slug: str) -> None:
    rng = random.Random(7)
    log = Log("", Setup(slug, PEOPLE, games.variant(slug).complete({}), clock="5m+1s", offers=True))
    stood = {0: log.state}
    takebacks = 0
    while log.state.phase != "ended" and len(log.events) < 400:
        seat = log.state.to_move
        assert seat is not None
        try:
            match rng.randrange(4):
                case 0:
                    log.offer(rng.randrange(2))
                case 1 if log.state.offer:
                    if log.do(AnswerOffer(1 - log.state.offer.seat, log.state.offer.seq, rng.random() < 0.5)) == [
                        "takeback"
                    ]:
                        takebacks += 1
                        then = stood[log.state.position.ply]
                        for name in ("position", "left_ms", "recent", "history"):
                            assert getattr(log.state, name) == getattr(then, name), name
                case _:
                    log.play(rng.choice(log.state.position.legal_moves()))
                    stood[log.state.position.ply] = log.state
        except Refusal:
            continue
    assert takebacks and judge(log.events) == "" and replay(log.events) == log.state


@pytest.mark.parametrize(
    "wrong",
    [
        lambda log: log[-1]._replace(ply=0),
        lambda log: log[-1]._replace(seat=1),
        lambda log: log[-1]._replace(left0_ms=1),
        lambda log: log[-1]._replace(seat=None),
    ],
)
def test_a_takeback_that_somebody_has_written_is_found(wrong: object) -> None:
    log = Log("445", AGAINST_BUILTIN)
    log.offer(0)
    assert callable(wrong) and judge(log.events) == ""
    assert judge([*log.events[:-1], wrong(log.events)]).startswith("event ")


def test_an_answer_without_an_offer_is_found() -> None:
    log = Log("44")
    for kind in ("takeback", "declined", "withdrew"):
        event = LogEvent(log.state.seq + 1, NOW, kind, 2, 0, data={"what": "draw"})
        assert "nothing is offered" in judge([*log.events, event])
    ended = LogEvent(
        log.state.seq + 1, NOW, "ended", 2, 0, data={"winner": None, "termination": "agreement", "reason": ""}
    )
    assert "nobody has offered" in judge([*log.events, ended])


def test_the_export_has_the_moves_that_stand_and_every_offer() -> None:
    log = Log("445")
    log.offer(0)
    log.do(AnswerOffer(1, log.events[-1].seq, True))
    log.play("6")
    log.offer(0, "draw")
    log.play("7")
    log.offer(1, "draw")
    log.do(AnswerOffer(0, log.events[-1].seq, False))
    log.do(Resign(0))
    said = to_json("m", log.state, log.events)
    assert [move["move"] for move in said["moves"]] == ["4", "4", "6", "7"]
    assert [(each["seat"], each["what"], each["ply"], each["answer"]) for each in said["offers"]] == [
        (0, "takeback", 3, "accepted"),
        (0, "draw", 3, "expired"),
        (1, "draw", 4, "declined"),
    ]
    assert [move["move"] for move in said["offers"][0]["moves"]] == ["5"]
    assert "offers" not in to_json("m", *(lambda plain: (plain.state, plain.events))(Log("44")))


def test_an_abort_is_possible_again_where_both_have_not_moved_any_more() -> None:
    log = Log("44", AGAINST_BUILTIN)
    assert log.refused(Abort("abort", "gone", 0)) == "too_late"
    log.offer(0)
    assert log.do(Abort("abort", "gone", 0)) == ["ended"]


def test_two_at_one_screen_ask_nobody() -> None:
    log = Log("4455", SETUP._replace(kind="screen"))
    assert (log.offer(1), log.moves) == (["offered", "takeback"], "445")
    assert (log.offer(0), log.moves) == (["offered", "takeback"], "44")
    assert log.offer(0, "draw") == ["ended"]
    assert log.state.termination == "agreement" and judge(log.events) is not None
    assert not log.state.setup.is_listed and replay(log.events).setup == log.state.setup
