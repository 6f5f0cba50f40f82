from __future__ import annotations

import pytest

from arena.protocols.seat_line import LONGEST, SeatLine, turned_away

TOKEN = "arn_" + "a2" * 13
LINE = f"SEAT {TOKEN}\n".encode()


def fed(*pieces: bytes) -> tuple[bytes | None, SeatLine]:
    """What the adapter gets of the last piece, and the line."""
    line = SeatLine()
    passed: bytes | None = b""
    for piece in pieces:
        passed = line.feed(piece)
    return passed, line


@pytest.mark.parametrize(
    "pieces", [(LINE,), tuple(bytes([byte]) for byte in LINE), (b"SEAT  " + TOKEN.encode() + b" \r\n",)]
)
def test_a_token_is_read_in_any_segmentation(pieces: tuple[bytes, ...]) -> None:
    passed, line = fed(*pieces)
    assert (passed, line.token, line.release()) == (None, TOKEN, b"")


def test_what_is_glued_behind_the_line_or_comes_while_it_is_looked_up_is_kept_for_the_adapter() -> None:
    passed, line = fed(LINE + b"NAME ada\nJO", b"IN lab\n")
    assert passed is None and line.undecided
    assert line.release() == b"NAME ada\nJOIN lab\n"


@pytest.mark.parametrize("data", [b"NAME ada\n", b"3\n", b"3 0", b'["join","a"]', b"\n", b"\x00", b"seat x\n"])
def test_everything_else_passes_at_once(data: bytes) -> None:
    passed, line = fed(data)
    assert (passed, line.token, line.undecided) == (data, "", False)


@pytest.mark.parametrize("pieces", [(b"S", b"TARTING\n"), (b"SEA", b"\n"), (b"SEAT", b"S\n")])
def test_what_only_begins_like_it_passes_whole(pieces: tuple[bytes, ...]) -> None:
    passed, line = fed(*pieces)
    assert (passed, line.undecided) == (b"".join(pieces), False)


@pytest.mark.parametrize("data", [b"SEAT \n", b"SEAT a b\n", b"SEAT \xff\n", b"SEAT " + b"a" * LONGEST])
def test_a_line_without_one_token_shows_nobodys(data: bytes) -> None:
    _, line = fed(data)
    assert line.token == "?"


def test_half_a_line_is_undecided() -> None:
    assert fed(b"SEAT arn_")[1].undecided and not fed(b"")[1].undecided


def test_who_is_turned_away_reads_a_code_and_a_sentence() -> None:
    assert turned_away("unknown_token", "Nobody has it.") == b"SEAT REFUSED unknown_token: Nobody has it.\n"
