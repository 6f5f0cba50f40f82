"""Bytes to lines: the same lines however the bytes are cut, and never more held than the cap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.protocols.framing import LINE_CAP, LineBuffer, LineEnd, is_overlong, shown

# Bytes that matter often, others seldom.
wire = st.lists(st.sampled_from([b"\n", b"\r", b"\r\n", b"a", b"PUT 3", b"\x00", b"\xff", b"x" * 300])).map(b"".join)

ENDS = (LineEnd.LF, LineEnd.CRLF, LineEnd.ANY)


@pytest.mark.parametrize(
    ("end", "lines"),
    [
        (LineEnd.LF, [b"a\r", b"", b"b\rc"]),
        (LineEnd.CRLF, [b"a", b"", b"b\rc"]),
        (LineEnd.ANY, [b"a", b"", b"b", b"c"]),
    ],
)
def test_each_protocol_has_its_own_line_end(end: str, lines: list[bytes]) -> None:
    assert LineBuffer(end).feed(b"a\r\n\nb\rc\nrest") == lines


def test_a_crlf_cut_in_two_is_one_line_end() -> None:
    buffer = LineBuffer(LineEnd.ANY)
    assert buffer.feed(b"a\r") == [b"a"]
    assert buffer.feed(b"\n") == []
    assert buffer.feed(b"\n") == [b""]


def test_only_one_carriage_return_belongs_to_a_crlf() -> None:
    assert LineBuffer(LineEnd.CRLF).feed(b"4\r\r\n") == [b"4\r"]


def test_other_separators_of_python_and_unicode_end_no_line() -> None:
    data = b"a\x0bb\x0cc\x1cd\x85" + "\u2028".encode()
    assert LineBuffer(LineEnd.ANY).feed(data) == []


def test_a_line_of_the_cap_is_read_and_one_more_is_not() -> None:
    buffer = LineBuffer(LineEnd.LF)
    assert buffer.feed(b"x" * LINE_CAP + b"\n") == [b"x" * LINE_CAP]
    assert buffer.feed(b"x" * (LINE_CAP + 1)) == []
    assert buffer.overlong == b"x" * LINE_CAP


def test_lines_before_an_overlong_one_are_read() -> None:
    buffer = LineBuffer(LineEnd.LF, cap=4)
    assert buffer.feed(b"a\nb\ntoo long\nc\n") == [b"a", b"b"]
    assert buffer.overlong == b"too "
    assert buffer.feed(b"d\n") == []


def test_a_flood_without_line_ends_is_not_held() -> None:
    buffer = LineBuffer(LineEnd.ANY)
    for _ in range(100):
        buffer.feed(b"x" * 65536)
    assert buffer.overlong == b"x" * LINE_CAP
    assert buffer.finish() == b""


def test_half_a_line_can_be_finished_or_forgotten() -> None:
    buffer = LineBuffer(LineEnd.CRLF)
    buffer.feed(b"4\r")
    assert buffer.finish() == b"4"
    buffer.feed(b"5")
    buffer.clear()
    assert buffer.feed(b"6\n") == [b"6"]


@given(
    end=st.sampled_from((LineEnd.LF, LineEnd.CRLF, LineEnd.ANY)),
    data=wire,
    cuts=st.lists(st.integers(1, 40), max_size=20),
)
def test_segmentation_changes_nothing(end: str, data: bytes, cuts: list[int]) -> None:
    whole, byte_by_byte, cut = LineBuffer(end), LineBuffer(end), LineBuffer(end)
    lines = whole.feed(data)
    assert [line for i in range(len(data)) for line in byte_by_byte.feed(data[i : i + 1])] == lines
    pieces, start = [], 0
    for size in cuts:
        pieces.append(data[start : start + size])
        start += size
    assert [line for piece in [*pieces, data[start:]] for line in cut.feed(piece)] == lines
    assert whole.overlong == byte_by_byte.overlong == cut.overlong
    assert whole.finish() == byte_by_byte.finish() == cut.finish()


def test_bytes_are_shown_as_text_for_people() -> None:
    assert shown(b"PUT 3\r") == "PUT 3\\x0d"
    assert shown(b"\x00\xff") == "\\x00\\xff"
    assert shown(b"y" * 500) == "y" * 80 + "… (500 bytes)"


@pytest.mark.parametrize(("line", "overlong"), [(b"3" * 512, True), (b"3" * 511, False), (b"3 (512 bytes)", False)])
def test_what_was_cut_off_while_it_was_read_is_known_by_its_words(line: bytes, overlong: bool) -> None:
    assert is_overlong(shown(line)) is overlong
