"""What went over a wire is written down, and bytes can go out one by one."""

from __future__ import annotations

import sys
from pathlib import Path

from arena.bots.conformance.tap import PassedBytes, Tap, transcript
from arena.transports import Receiver, Transport, process, stdio
from tests.transports.recorder import Recorder

# Says how many bytes each read brought.
READS = "import os\nwhile data := os.read(0, 100):\n    os.write(1, b'%d ' % len(data))"


async def tapped(folder: Path, script: str, in_pieces: bool = False) -> tuple[Tap, Recorder, process.ChildTransport]:
    made: list[tuple[Tap, Recorder]] = []

    def make(transport: Transport) -> Receiver:
        assert isinstance(transport, process.ChildTransport)
        tap = Tap(transport, transport.end_input, in_pieces)
        recorder = Recorder(tap)
        tap.receiver = recorder
        made.append((tap, recorder))
        return tap

    child = await stdio.spawn([sys.executable, "-c", script], make, cwd=folder)
    return *made[0], child


def test_the_wire_reads_like_a_transcript() -> None:
    passed = [PassedBytes("<", b"@ ...\n"), PassedBytes(">", b"4\r\n5\nhalf"), PassedBytes(">", b"\x00\\\t")]
    assert list(transcript(passed)) == ["< @ ...", "> 4\\r", "> 5", ">= half", ">= \\x00\\\\\\t"]


async def test_both_directions_are_written_down(tmp_path: Path) -> None:
    tap, recorder, child = await tapped(tmp_path, "print(input())")
    tap.write(b"hello\n")
    await recorder.until_data(b"hello\n")
    assert tap.since(0, "<") == b"hello\n"
    assert tap.since(1) == b"hello\n"
    await recorder.until_lost()


async def test_in_pieces_each_byte_goes_out_on_its_own_and_in_order(tmp_path: Path) -> None:
    tap, recorder, child = await tapped(tmp_path, "import os, sys\nfor line in sys.stdin: print(line)", in_pieces=True)
    tap.write(b"one\n")
    tap.write(b"two\n")
    await recorder.until_data(b"one\n\ntwo\n\n")
    assert tap.since(0, "<") == b"one\ntwo\n"
    child.abort()
    await recorder.until_lost()


async def test_in_pieces_a_reader_wakes_up_often(tmp_path: Path) -> None:
    tap, recorder, child = await tapped(tmp_path, READS, in_pieces=True)
    tap.write(b"x" * 200)
    await recorder.until(lambda: sum(map(int, recorder.data.split())) == 200)
    assert len(recorder.data.split()) > 1
    child.abort()
    await recorder.until_lost()


async def test_what_was_written_arrives_before_the_end(tmp_path: Path) -> None:
    tap, recorder, child = await tapped(tmp_path, "import sys\nprint(len(sys.stdin.read()))", in_pieces=True)
    tap.write(b"x" * 50)
    tap.stays_open = True
    tap.close()
    assert not tap.is_closing
    tap.end_input()
    await recorder.until_lost()
    assert child.exit_status == 0
