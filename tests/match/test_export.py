from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import games
from arena.match.commands import Abort, Fault, Play, Resign, Rule, Start
from arena.match.decide import decide, open_match
from arena.match.evolve import evolve
from arena.match.export import timestamp, to_json
from arena.match.state import LogEvent, MatchState, SeatSetup, Setup, first_state

AT = datetime(2026, 1, 31, 12, 0, 0, 123456, UTC)
SETUP = Setup(
    "connect-four-7x6",
    (SeatSetup("gravity-9", "bot", protocol="droidcon"), SeatSetup("Teal Heron")),
    clock="5s",
    round=2,
)


def played(*commands: object) -> tuple[MatchState, list[LogEvent]]:
    """The match after these commands, one second apart."""
    state, events = first_state(SETUP), list(open_match(SETUP, AT))
    for n, command in enumerate((Start(), *commands), start=1):
        for event in decide(state, command, AT + timedelta(seconds=n), 153):  # type: ignore[arg-type]
            state = evolve(state, event)
            events.append(event)
    return state, events


def moves(text: str) -> list[Play]:
    return [Play(n % 2, n + 1, move) for n, move in enumerate(text)]


def test_moves_that_no_player_chose_are_counted() -> None:
    state = first_state(SETUP._replace(opening="4 4 3"))
    assert to_json("m", state, open_match(state.setup, AT))["opening"] == 3
    assert "opening" not in to_json("m", *played())


def test_a_finished_match_is_the_json_that_was_promised() -> None:
    state, events = played(*moves("4535251"))
    assert json.loads(json.dumps(to_json("7gk3mzrq2x", state, events, "otter-42"))) == {
        "id": "7gk3mzrq2x",
        "variant": "connect-four-7x6",
        "settings": {},
        "room": "otter-42",
        "round": 2,
        "rated": False,
        "clock": "5s",
        "seats": [
            {"name": "gravity-9", "kind": "bot", "protocol": "droidcon"},
            {"name": "Teal Heron", "kind": "human", "protocol": None},
        ],
        "moves": [
            {
                "ply": n + 1,
                "seat": n % 2,
                "move": move,
                "elapsed_ms": 153,
                "at": f"2026-01-31T12:00:0{n + 2}.123Z",
            }
            for n, move in enumerate("4535251")
        ],
        "winner": 0,
        "result": "1-0",
        "termination": "normal",
        "reason": "four in a row",
        "position": str(state.position),
    }


def test_the_moves_replay_to_the_position() -> None:
    state, events = played(*moves("44351"))
    said = to_json("x", state, events)
    position = games.variant(said["variant"]).start(**said["settings"])
    for move in said["moves"]:
        position = position.play(move["move"])
    assert str(position) == said["position"]


def test_a_running_match_has_no_result() -> None:
    said = to_json("x", *played(*moves("44")))
    assert (said["result"], said["winner"], said["termination"], said["room"]) == ("*", None, None, None)


def test_what_counts_for_nobody_has_no_result() -> None:
    said = to_json("x", *played(Abort("no_start", "nobody connected")))
    assert (said["result"], said["termination"], said["reason"]) == ("*", "no_start", "nobody connected")


def test_who_broke_the_rules_is_named_with_what_it_sent() -> None:
    said = to_json("x", *played(Fault(0, "bad_output", "answered 'x'", "x", "a column from 1 to 7")))
    assert said["fault"] == {"seat": 0, "received": "x", "expected": "a column from 1 to 7"}
    assert "fault" not in to_json("x", *played(*moves("44")))


def test_a_moment_is_written_in_milliseconds_of_utc() -> None:
    assert timestamp(AT) == "2026-01-31T12:00:00.123Z"


def test_the_last_ruling_stands_beside_the_ending_as_it_was() -> None:
    rulings = (Rule("draw", None, "both bots crashed", "root"), Rule("win", 1, "the first looked it up", "root"))
    log = to_json("7gk3mzrq2x", *played(*moves("45"), Resign(1), *rulings))
    assert (log["winner"], log["result"], log["termination"]) == (0, "1-0", "resign")
    ruling = {"verdict": "win", "winner": 1, "reason": "the first looked it up", "at": "2026-01-31T12:00:06.123Z"}
    assert log["ruling"] == ruling
