"""A frame for many is encoded once, into what a websocket client reads."""

from __future__ import annotations

import pytest
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from arena.server.text_frame import TextFrame


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 200_000])
def test_it_is_read_by_a_client_whatever_its_size(size: int) -> None:
    reader = StreamReader()
    reader.feed_data(TextFrame("x" * size).encoded)
    reader.feed_eof()
    with pytest.raises(StopIteration) as parsed:
        next(Frame.parse(reader.read_exact, mask=False))
    frame = parsed.value.value
    assert (frame.opcode, frame.fin, frame.data) == (Opcode.TEXT, True, b"x" * size)


def test_letters_outside_of_ascii_are_counted_as_bytes() -> None:
    frame = TextFrame("ö" * 100)
    assert frame.encoded == b"\x81\x7e\x00\xc8" + "ö".encode() * 100
    assert frame == "ö" * 100


def test_it_is_encoded_once() -> None:
    before, frame = TextFrame.encodings, TextFrame("a move")
    assert frame.encoded is frame.encoded
    assert TextFrame.encodings == before + 1
