from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from arena.models import Match, Player, Puzzle, PuzzleStanding, PuzzleTry

pytestmark = pytest.mark.django_db

ASKED: dict[str, Any] = {"variant": "connect-four-7x6", "ply": 0, "key": "k", "position": "7x6", "values": [0]}


def test_what_looks_the_same_is_one_puzzle(match: Match) -> None:
    Puzzle.objects.create(match=match, **ASKED)
    with pytest.raises(IntegrityError), transaction.atomic():
        Puzzle.objects.create(match=match, **{**ASKED, "ply": 4})


def test_a_player_tries_a_puzzle_once_and_takes_that_along(alice: Player, match: Match) -> None:
    puzzle = Puzzle.objects.create(match=match, **ASKED)
    PuzzleStanding.objects.create(player=alice)
    PuzzleTry.objects.create(player=alice, puzzle=puzzle)
    with pytest.raises(IntegrityError), transaction.atomic():
        PuzzleTry.objects.create(player=alice, puzzle=puzzle)
    alice.delete()
    assert [Puzzle.objects.count(), PuzzleTry.objects.count(), PuzzleStanding.objects.count()] == [1, 0, 0]
