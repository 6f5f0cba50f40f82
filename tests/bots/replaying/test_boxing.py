"""The black box of a match that is stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.replaying.boxing import black_box_of
from arena.bots.replaying.replaying import replayed
from arena.bots.session.wire_store import store_wires
from arena.core.log_store import Append
from arena.match.black_box import verify
from arena.models import Match, Seat, WireChunk
from arena.play.driver import play
from arena.play.spec import BuiltinSeat, Spec
from tests.bots.replaying.recorded import sample
from tests.kit.storage import Database

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def match(tmp_path: Path) -> str:
    """Of a sample bot, with its wire."""
    [log] = play(Spec("connect-four-7x6", (sample("fiar", tmp_path), BuiltinSeat("random")), seed=1, wires=True))
    Database().write([Append(log.match, log.events, lambda error: None)])
    store_wires({log.match: log.wires or ()})
    return log.match


def test_it_is_played_again_and_has_the_head_that_is_stored(match: str) -> None:
    box = verify(black_box_of(match).encode())
    assert replayed(box).difference == "" and len(box.wires[0]) > 4 and not box.wires[1]
    assert box.record.head == Match.objects.get(pk=match).head
    assert box.versions["rules"] == "1" and box.versions["python"].startswith("3.")


def test_what_runs_or_is_not_there_has_none(match: str) -> None:
    assert black_box_of("nowhere") == ""


def test_wires_of_which_only_the_text_was_kept_are_said_to_be_none(match: str) -> None:
    WireChunk.objects.all().delete()
    seat = Seat.objects.get(match=match, seat=0)
    WireChunk.objects.create(seat=seat, n=1, jsonl='{"t": 0.1, "dir": "in", "data": "4", "ply": 1}\n')
    with pytest.raises(ValueError, match="not their bytes"):
        black_box_of(match)
