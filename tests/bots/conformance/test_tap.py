"""What went over a wire is written down, and bytes can go out one by one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.bots.conformance import tap
from arena.bots.conformance.tap import PassedBytes, Tap, transcript
from arena.play.loop import Loop
from arena.play.start import keeper, start
from arena.transports import Receiver, Transport
from arena.transports.process import ChildTransport
from arena.transports.programs import environment
from tests.kit.deadline import DEADLINE_S

# Says how many bytes each read brought.
READS = "import os\nwhile data := os.read(0, 100):\n    os.write(1, b'%d ' % len(data))"


class Tapped:
    """A program behind a tap, and what came of it."""

    def __init__(self, folder: Path, script: str, in_pieces: bool) -> None:
        self.folder = folder
        self.loop = Loop()
        self.data = bytearray()
        self.lost: str | None = None
        self._in_pieces = in_pieces
        child = start((sys.executable, "-c", script), str(folder), environment())
        self.child = ChildTransport(self.loop, child, child.stdout, "bot", self._receive, keeper.release)

    def _receive(self, transport: Transport) -> Receiver:
        assert isinstance(transport, ChildTransport)
        self.tap = Tap(self.loop, transport, transport.end_input, self._in_pieces)
        self.tap.receiver = self
        return self.tap

    def data_received(self, data: bytes, stamp: float) -> None:
        self.data += data

    def eof_received(self) -> None:
        """Its end follows."""

    def connection_lost(self, reason: str) -> None:
        self.lost = reason

    def until(self, happened: Callable[[], bool]) -> None:
        assert self.loop.wait(happened, DEADLINE_S), bytes(self.data)

    def until_lost(self) -> None:
        self.until(lambda: self.lost is not None)


@pytest.fixture
def tapped(tmp_path: Path) -> Iterator[Callable[..., Tapped]]:
    made: list[Tapped] = []

    def make(script: str, in_pieces: bool = False) -> Tapped:
        made.append(Tapped(tmp_path, script, in_pieces))
        return made[-1]

    yield make
    for each in made:
        each.child.abort()
        each.until_lost()
    keeper.close()


def test_the_wire_reads_like_a_transcript() -> None:
    passed = [PassedBytes("<", b"@ ...\n"), PassedBytes(">", b"4\r\n5\nhalf"), PassedBytes(">", b"\x00\\\t")]
    assert list(transcript(passed)) == ["< @ ...", "> 4\\r", "> 5", ">= half", ">= \\x00\\\\\\t"]


def test_both_directions_are_written_down(tapped: Callable[..., Tapped]) -> None:
    bot = tapped("print(input())")
    bot.tap.write(b"hello\n")
    bot.until_lost()
    assert bot.data == b"hello\n"
    assert bot.tap.since(0, "<") == b"hello\n"
    assert bot.tap.since(1) == b"hello\n"


def test_in_pieces_each_byte_goes_out_on_its_own_and_in_order(tapped: Callable[..., Tapped]) -> None:
    bot = tapped("import os, sys\nfor line in sys.stdin: print(line)", in_pieces=True)
    bot.tap.write(b"one\n")
    bot.tap.write(b"two\n")
    bot.until(lambda: b"one\n\ntwo\n\n" in bot.data)
    assert bot.tap.since(0, "<") == b"one\ntwo\n"


def test_in_pieces_every_read_brings_one_byte_however_late_it_is(
    tapped: Callable[..., Tapped], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tap, "PATIENT_S", DEADLINE_S)
    bot = tapped(f"import time\n{READS}\n    time.sleep(0.01)", in_pieces=True)
    bot.tap.write(b"x" * 40)
    bot.until(lambda: sum(map(int, bot.data.split())) == 40)
    assert bot.data.split() == [b"1"] * 40


def test_in_pieces_all_that_was_written_has_been_read_before_it_is_closed(
    tapped: Callable[..., Tapped], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tap, "PATIENT_S", DEADLINE_S)
    bot = tapped("import pathlib, sys\npathlib.Path('read').write_bytes(sys.stdin.buffer.read(40))", in_pieces=True)
    bot.tap.write(b"x" * 40)
    bot.tap.close()
    bot.until_lost()
    assert Path(bot.folder, "read").read_bytes() == b"x" * 40


def test_in_pieces_a_bot_that_does_not_read_now_gets_all_of_it(
    tapped: Callable[..., Tapped], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tap, "PATIENT_S", 0.0)
    bot = tapped("import sys\nsys.stdin.buffer.peek(9)\nprint(sys.stdin.read(20))", in_pieces=True)
    bot.tap.write(b"x" * 20)
    bot.until_lost()
    assert bot.data.strip() == b"x" * 20


def test_what_was_written_arrives_before_the_end(tapped: Callable[..., Tapped]) -> None:
    bot = tapped("import sys\nprint(len(sys.stdin.read()))")
    bot.tap.write(b"x" * 50)
    bot.tap.stays_open = True
    bot.tap.close()
    assert not bot.tap.is_closing
    bot.tap.end_input()
    bot.until_lost()
    assert (bot.child.exit_status, bytes(bot.data)) == (0, b"50\n")
