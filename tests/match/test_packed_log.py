"""Logs as they are packed: any of them comes out again as it was, and no damaged one passes for another."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from arena.match.packed_log import BadPacked, pack, unpack
from arena.match.packed_words import NEWEST
from arena.match.state import LogEvent
from tests.kit.appending import the_appends

WHOLE = [event for events in the_appends() for event in events]
EPOCHS = [None, *[7] * (len(WHOLE) - 1)]
NOW = datetime(2026, 1, 31, 12, 0, 0, 123_456, tzinfo=UTC)


def test_a_log_comes_out_again_as_it_was() -> None:
    events, epochs = unpack(pack(WHOLE, EPOCHS))
    assert events == WHOLE and epochs == EPOCHS
    assert unpack(pack([], [])) == ([], [])
    assert [list(event.data) for event in events] == [list(event.data) for event in WHOLE], "in the same order"


@pytest.mark.parametrize("seed", range(20))
def test_whatever_a_column_can_hold_comes_out_again(seed: int) -> None:
    dice, seq, at, events = Random(seed), 1, NOW, list[LogEvent]()
    for _ in range(dice.randrange(1, 200)):
        seq, at = seq + dice.choice((1, 1, 1, 5)), at + timedelta(microseconds=dice.randrange(-5_000, 10**9))
        number = dice.choice((None, 0, 1, 2**62))
        text = dice.choice(("", "4", "e5d5", "ß\u2028\\\"'", "\U0001f600" * 16))
        data = dice.choice(({}, {"z": 1, "a": [None, True, 0.1]}, {"received": "\x00\x7f", "deep": {"": {}}}))
        events.append(LogEvent(seq, at, "move", number, 0, text, number, 5000, number, text, data))
    epochs = [dice.choice((None, 1, 2)) for _ in events]
    assert unpack(pack(events, epochs)) == (events, epochs)


def test_a_usual_match_takes_a_quarter_of_a_kilobyte() -> None:
    moves = [
        LogEvent(3 + n, NOW + timedelta(microseconds=1_311 * n), "move", n + 1, n % 2, "4", 0, 5000, 5000)
        for n in range(42)
    ]
    assert len(pack([LogEvent(2, NOW, "started"), *moves], [3] * 43)) < 256


def test_no_damaged_log_passes_for_another() -> None:
    """Whichever byte is changed, and wherever it is cut: it is said, never read."""
    packed = pack(WHOLE, EPOCHS)
    for place in range(len(packed)):
        damaged = bytearray(packed)
        damaged[place] ^= 0x10
        for wrong in (bytes(damaged), packed[:place]):
            try:
                read = unpack(wrong)
            except BadPacked as why:
                assert str(why)
            else:
                assert read == (WHOLE, EPOCHS), f"byte {place}"
    with pytest.raises(BadPacked, match="after its end"):
        unpack(packed + b"more")


def test_what_a_newer_release_has_packed_is_named() -> None:
    with pytest.raises(BadPacked, match="dictionary 0x0.*, which only a newer release has"):
        squeeze = zlib.compressobj(zdict=b"others")
        unpack(squeeze.compress(b"[1]") + squeeze.flush())
    with pytest.raises(BadPacked, match="form 2, which only a newer release can read"):
        squeeze = zlib.compressobj(zdict=NEWEST)
        unpack(squeeze.compress(b"[2,[]]") + squeeze.flush())
