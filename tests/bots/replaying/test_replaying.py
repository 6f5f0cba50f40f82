"""What was recorded comes out again, in every protocol; what the bytes do not say is found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.bots.replaying.replaying import replayed
from arena.bots.session.wire import CAME_BACK, FULL
from arena.match.black_box import BlackBox, Spoken
from arena.match.state import LogEvent
from arena.play.spec import CommandSeat
from arena.protocols import protocols
from tests.bots.faulty.faulty_bot import PROTOCOLS
from tests.bots.replaying.recorded import opened, recorded, sample

FAULTY = Path(__file__).parents[1] / "faulty" / "faulty_bot.py"


@pytest.mark.long
@pytest.mark.parametrize("slug", protocols())
def test_the_same_log_comes_out_and_the_same_bytes_go_to_the_bots(slug: str, tmp_path: Path) -> None:
    for text in recorded(slug, tmp_path, sample(slug, tmp_path), sample(slug, tmp_path), rounds=2):
        box = opened(text)
        found = replayed(box)
        assert (found.difference, found.notes) == ("", ())
        assert found.events == len(box.record.events) > 10


@pytest.mark.cases(4)
@pytest.mark.parametrize("slug", PROTOCOLS)
@pytest.mark.parametrize("fault", ["two_moves", "out_of_range", "huge_line", "exit"])
def test_who_broke_the_rules_breaks_them_again(slug: str, fault: str, tmp_path: Path) -> None:
    faulty = CommandSeat(slug, (sys.executable, str(FAULTY), slug, fault))
    [text] = recorded(slug, tmp_path, faulty)
    assert replayed(opened(text)).difference == ""


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> BlackBox:
    """A whole match of two programs of `fiar`."""
    folder = tmp_path_factory.mktemp("recorded")
    [text] = recorded("fiar", folder, sample("fiar", folder), sample("fiar", folder))
    return opened(text)


def with_wire(box: BlackBox, messages: list[Spoken]) -> BlackBox:
    """The same with this for the wire of the seat that moved first."""
    return box._replace(wires=(tuple(messages), box.wires[1]))


def test_a_bot_that_said_something_else_is_found_at_the_event_that_it_changes(box: BlackBox) -> None:
    said = list(box.wires[0])
    second = [n for n, message in enumerate(said) if message.way == "in"][1]
    played = said[second].data.strip()
    said[second] = said[second]._replace(data=b"7\n" if played != b"7" else b"6\n")
    found = replayed(with_wire(box, said))
    move = next(event for event in box.record.events if event.ply == 3)
    assert found.difference.startswith(f"event {move.seq}: now it is move ") and found.events == move.seq - 1
    assert f"the log says move {move.move}" in found.difference


def test_a_move_that_nobody_has_said_is_found(box: BlackBox) -> None:
    found = replayed(with_wire(box, [message for message in box.wires[0] if message.way != "in"]))
    assert found.difference.startswith("event 3: the log says move ") and "nothing of that" in found.difference


def test_what_the_arena_writes_today_is_compared_with_what_it_wrote(box: BlackBox) -> None:
    at, first = next((n, message) for n, message in enumerate(box.wires[0]) if message.way == "out")
    said = [*box.wires[0]]
    said[at] = first._replace(data=first.data.replace(b".", b"_", 1))
    found = replayed(with_wire(box, said))
    assert found.difference == "" and "it was sent '_" in found.notes[0] and "today it would be '." in found.notes[0]


@pytest.mark.parametrize("later", [0.0, 0.1])
def test_a_bot_that_came_back_is_told_where_the_match_stands(box: BlackBox, later: float) -> None:
    """The same program on a new connection: it was asked, its connection broke, and it was asked again. The clock of
    its wire may be ahead of the log's.
    """
    said = list(box.wires[0])
    second = [n for n, message in enumerate(said) if message.way == "in"][1]
    asked = next(message for message in reversed(said[:second]) if message.way == "out")
    back = Spoken(asked.t + later, "err", CAME_BACK, asked.ply)
    found = replayed(with_wire(box, [*said[:second], back, asked, *said[second:]]))
    assert (found.difference, found.notes) == ("", ())


def test_a_bot_whose_connection_ended_before_it_came_back_is_told_what_it_was_told_then(tmp_path: Path) -> None:
    """What only the end of its side explains: it had half a move, and the goodbye for it went to the old connection."""
    [text] = recorded("nyu-nim", tmp_path, sample("nyu-nim", tmp_path))
    box = opened(text)
    asked, second = [n for n, message in enumerate(box.wires[0]) if message.way == "out"][1:3]
    said, bye = list(box.wires[0]), b"0 0 0 1"
    ends = Spoken(said[asked].t, "out", bye, said[asked].ply)
    back = ends._replace(way="err", data=CAME_BACK)
    half = ends._replace(way="in", data=said[asked + 1].data[:1])
    for between in ((half, ends, back), (ends, back)):
        found = replayed(with_wire(box, [*said[: asked + 1], *between, *said[asked:]]))
        assert (found.difference, found.notes) == ("", ())
    later = [*said[:second], ends, said[second], back, *said[second:]]  # it had moved, and was asked once more
    found = replayed(with_wire(box, later))
    assert (found.difference, found.notes) == ("", ())


def test_a_last_answer_that_the_end_of_its_connection_completed_is_heard(box: BlackBox) -> None:
    said = list(box.wires[0])
    second = [n for n, message in enumerate(said) if message.way == "in"][1]
    half = said[second]._replace(data=said[second].data.rstrip(b"\n"))
    asked = next(n for n, message in enumerate(said[second:], second) if message.way == "out")
    back = Spoken(said[asked].t + 1, "err", CAME_BACK, said[asked].ply)
    found = replayed(with_wire(box, [*said[:second], half, said[asked], back, *said[asked:]]))
    assert (found.difference, found.notes) == ("", ())


def test_what_a_bot_had_done_before_its_match_is_taken_from_the_log(tmp_path: Path) -> None:
    """A second PUT behind the one that wins a round costs the next one, whose wire does not have it."""
    script = "import os; os.write(1, b'NAME ada\\nJOIN lab\\nPUT 3\\n'); [line for line in open(0)]"
    early = CommandSeat("droidcon", (sys.executable, "-c", script))
    [text] = recorded("droidcon", tmp_path, sample("droidcon", tmp_path), early)
    box = opened(text)
    ended = box.record.events[-1]
    assert ended.data["termination"] == "out_of_turn" and ended.seat == 1
    told = (Spoken(0.1, "out", b"NEW_GAME\n", 0), Spoken(0.2, "out", b"Error NOT_YOUR_TURN\nYOU_LOST\n", 0))
    found = replayed(box._replace(wires=(box.wires[0], told)))
    assert found.difference == "" and found.notes[0].endswith(
        "said what ended this match before it, on an earlier wire"
    )
    spoke = (told[0], Spoken(0.15, "in", b"NAME ada\n", 0), told[1])
    assert "nothing of that is in what" in replayed(box._replace(wires=(box.wires[0], spoke))).difference


def test_what_a_killed_server_has_lost_of_a_wire_is_named_as_that(box: BlackBox) -> None:
    events = list(box.record.events)
    at, seq = events[4].at, events[4].seq + 2
    stopped = LogEvent(seq - 1, at, "paused", data={"reason": "the server was restarted"})
    back = LogEvent(seq, at, "resumed", data={"afresh": True})
    record = box.record._replace(events=(*events[:5], stopped, back, *events[5:]))
    lost = with_wire(box._replace(record=record), [message for message in box.wires[0] if message.way != "in"])
    found = replayed(lost)
    assert found.difference.startswith("event 3: ")
    assert found.notes[0].startswith(f"the server was back at event {seq}: if it had been killed, the wires lack")


def test_a_wire_that_was_cut_cannot_be_played_again(box: BlackBox) -> None:
    found = replayed(with_wire(box, [*box.wires[0], Spoken(9.0, "err", FULL, 7)]))
    assert "longer than what is kept" in found.difference
