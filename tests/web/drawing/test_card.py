"""The picture for previews: a real PNG, another one for another position, of every game."""

from __future__ import annotations

import random
import struct
import zlib

import pytest

import games
from arena.web.drawing import card


def pixels(png: bytes) -> list[bytes]:
    """The rows of an image of one byte a pixel, from its bytes; every checksum is right."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        said = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + said)
        data += said if kind == b"IDAT" else b""
        at += 12 + length
    raw = zlib.decompress(data)
    step = card.WIDTH + 1
    return [raw[n * step + 1 : (n + 1) * step] for n in range(card.HEIGHT)]


@pytest.mark.parametrize("slug", [variant.slug for variant in games.variants()])
def test_every_game_has_a_picture_that_changes_with_its_moves(slug: str) -> None:
    position = games.variant(slug).start()
    seen = set()
    for _ in range(5):
        rows = pixels(card.png(position))
        assert {len(row) for row in rows} == {card.WIDTH}
        seen.add(b"".join(rows))
        position = position.play(position.legal_moves()[-1])
    assert len(seen) == 5


@pytest.mark.parametrize("slug", [variant.slug for variant in games.variants()])
def test_a_match_that_is_over_has_a_picture_too(slug: str) -> None:
    dice, position = random.Random(1), games.variant(slug).start()
    while position.to_move is not None:
        position = position.play(dice.choice(position.legal_moves()))
    assert {len(row) for row in pixels(card.png(position))} == {card.WIDTH}


def test_a_disc_stands_where_it_was_dropped_and_both_seats_differ_by_colour_and_mark() -> None:
    rows = pixels(card.png(games.variant("connect-four-7x6").start().play("4").play("4")))
    middle = card.WIDTH // 2
    column = [rows[y][middle] for y in range(card.HEIGHT)]
    assert column.count(5) > 5 > column.count(3) - 20, "a white diamond; orange around a dark mark"
    assert rows[card.HEIGHT - 38][middle - 15] == 3 and rows[card.HEIGHT - 38 - 47][middle - 15] == 4


def test_it_is_made_once_for_all_who_ask() -> None:
    position = games.variant("connect-four-7x6").start()
    assert card.png(position) is card.png(games.variant("connect-four-7x6").start())
    assert card.png.cache_info().maxsize == card.MOST_KEPT
