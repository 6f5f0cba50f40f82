"""QR codes, compared with those that another program (the library qrcode) draws of the same text."""

from __future__ import annotations

import hashlib

import pytest

from arena.web.room import qr


@pytest.mark.parametrize(
    ("text", "side", "digest"),
    [
        ("a", 21, "bd76234299e84e5f"),
        ("http://localhost:8000/r/otter-42/", 29, "bb6257212f4ba236"),
        ("https://arena.example.org/r/otter-42-k7q9/", 29, "e9610c84ef0d7262"),
        ("x" * 62, 33, "9e0df38f9b12cffa"),
        ("y" * 84, 37, "7926e605737925a3"),
        ("z" * 106, 41, "d724605448c2d5d6"),
        ("ü" * 20, 29, "b0fbaf2dd3bb5599"),
    ],
)
def test_it_is_the_code_that_other_programs_draw(text: str, side: int, digest: str) -> None:
    rows = qr.matrix(text)
    drawn = "".join("#" if dark else "." for row in rows for dark in row)
    assert (len(rows), hashlib.sha256(drawn.encode()).hexdigest()[:16]) == (side, digest)


def test_a_text_that_is_too_long_has_no_code() -> None:
    with pytest.raises(ValueError, match="107 bytes: expected at most 106"):
        qr.matrix("z" * 107)
    assert qr.svg("z" * 107) == ""


def test_the_picture_is_black_on_white_with_room_around_it() -> None:
    picture = qr.svg("a")
    assert 'viewBox="0 0 29 29"' in picture and 'fill="#fff" d="M0 0h29v29H0z"' in picture and "M4 4h1v1h-1z" in picture
