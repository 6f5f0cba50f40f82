"""A record is verified where it is as it was written, and every change in it is found and placed."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from hashlib import sha256

import pytest

import games
from arena.match.commands import Command, Note, Play, Resign, Rule, Start
from arena.match.decide import decide, open_match
from arena.match.evolve import replay
from arena.match.record import BadRecord, head, lines, verify
from arena.match.state import LogEvent, SeatSetup, Setup
from tests.match.test_judge import random_log, the_log

SLUGS = [variant.slug for variant in games.variants()]


def a_record(log: list[LogEvent], match: str = "7gk3mzrq2x") -> bytes:
    return "".join(lines(match, log)).encode()


@pytest.mark.parametrize("slug", SLUGS)
def test_what_was_written_is_verified(slug: str) -> None:
    log = random_log(slug, 1)
    found = verify(a_record(log))
    assert (found.match, found.head) == ("7gk3mzrq2x", head("7gk3mzrq2x", log))
    assert [event.move for event in found.events] == [event.move for event in log]


@pytest.mark.parametrize("data", [{"given_back_ms": 57}, {"given_back_ms": 57, "ä": None}, {"given_back_ms": None}])
def test_the_data_of_a_move_is_hashed_as_it_is_written(data: dict[str, int | None]) -> None:
    log = [event._replace(data=data) if event.kind == "move" else event for event in random_log(SLUGS[0], 1)]
    assert json.loads(a_record(log).splitlines()[0])["head"] == head("7gk3mzrq2x", log)


def test_a_match_that_began_after_an_opening_is_verified() -> None:
    setup = Setup("connect-four-7x6", (SeatSetup("ada"), SeatSetup("bert")), opening="4 4")
    log = list(open_match(setup, datetime(2026, 1, 1, tzinfo=UTC)))
    for command in (Start(), Play(0, 3, "1"), Resign(1)):
        log += decide(replay(log), command, log[0].at, 5)
    assert [event.actor for event in verify(a_record(log)).events] == ["", "opening", "opening", "", "", ""]


@pytest.mark.parametrize("slug", SLUGS)
def test_every_changed_byte_is_found_and_its_line_named(slug: str) -> None:
    rng = random.Random(slug)
    whole = a_record(random_log(slug, 2))
    for _ in range(50):
        at = rng.randrange(len(whole))
        changed = bytearray(whole)
        changed[at] = rng.choice([byte for byte in range(256) if byte != whole[at]])
        with pytest.raises(BadRecord) as why:
            verify(bytes(changed))
        line = whole[:at].count(b"\n") + 1
        # A line feed ends one line and begins the next. Another id changes every hash, so the first one differs.
        named = {f"line {line}", f"line {line + 1}", "this is no whole record"} | ({"line 2"} if line == 1 else set())
        assert any(str(why.value).startswith(said) for said in named), (at, why.value)


def test_a_line_that_is_missing_or_comes_twice_is_found() -> None:
    first, *middle, last = a_record(random_log("connect-four-7x6", 3)).splitlines(keepends=True)
    for changed in ([*middle[1:]], [middle[0], *middle], [middle[1], middle[0], *middle[2:]]):
        with pytest.raises(BadRecord, match="^line [23], event [12]: changed"):
            verify(b"".join([first, *changed, last]))
    with pytest.raises(BadRecord, match="no whole record"):
        verify(b"".join([first, *middle, last])[:-1])


def test_a_forger_who_computes_all_hashes_is_held_to_the_rules_and_to_the_head() -> None:
    log = random_log("connect-four-7x6", 4)
    (at, move) = next((i, event) for i, event in enumerate(log) if event.kind == "move")
    other = "7" if move.move != "7" else "1"
    impossible = [*log[:at], move._replace(elapsed_ms=(move.elapsed_ms or 0) + 1), *log[at + 1 :]]
    with pytest.raises(BadRecord, match=f"the rules do not allow this match: event {at + 1}"):
        verify(a_record(impossible))
    assert head("m", [*log[:at], move._replace(move=other), *log[at + 1 :]]) != head("m", log)


def test_a_ruling_is_part_of_the_record_and_a_later_note_is_not() -> None:
    commands: list[Command] = [Start(), Play(0, 1, "4"), Resign(1)]
    ended = the_log(*commands)
    ruled = the_log(*commands, Rule("draw", None, "both agreed", "referee"))
    noted = the_log(*commands, Note(0, {"seen": "a wire"}))
    assert head("m", ended) == head("m", noted) != head("m", ruled)
    assert json.loads(list(lines("m", ruled))[-2])["event"][2] == "ruled"
    assert [verify(a_record(log, "m")).head for log in (ended, ruled)] == [head("m", ended), head("m", ruled)]


def test_a_record_says_nothing_that_is_private() -> None:
    log = the_log(
        Start(),
        Play(0, 1, "4", "user:7"),
        Resign(1, "user:8"),
        Note(0, {"secret": "a wire"}),
        Rule("void", None, "why", "staff"),
    )
    opened = log[0]._replace(
        data={
            **log[0].data,
            "seats": [{**seat, "holder": "f00d" * 16, "owner": 77123} for seat in log[0].data["seats"]],
        }
    )
    text = a_record([opened, *log[1:]]).decode()
    assert [said for said in ("f00d", "77123", "user:", "a wire", '"staff"') if said in text] == []
    verify(text.encode())


def test_a_match_that_runs_has_no_record() -> None:
    assert list(lines("m", the_log(Start()))) == [] and head("m", the_log(Start())) == ""


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no whole record"),
        (b"\xff\n\n\n", "line 1: byte 0xff at 0"),
        (b"{}\n{}\n{}\n", "line 1: received '{}', expected an object with format, match, head"),
        (b"[" * 100_000 + b"\n\n\n", "line 1: received '\\[\\["),
        (b'{"format":"arena-record-9","head":"","match":"m"}\n{}\n{}\n', "expected format 'arena-record-1'"),
    ],
)
def test_what_is_no_record_is_refused_in_words(data: bytes, said: str) -> None:
    with pytest.raises(BadRecord, match=said):
        verify(data)


def test_the_hashes_can_be_computed_by_hand() -> None:
    first, *middle, _ = a_record(random_log("expanding-nim", 5)).splitlines()
    hash = sha256(b"arena-record-1 7gk3mzrq2x").hexdigest()
    for line in middle:
        event = line[len(b'{"event":') : -len(b',"hash":"') - 64 - 2]
        hash = sha256(hash.encode() + b"\n" + event).hexdigest()
    assert json.loads(first)["head"] == hash
