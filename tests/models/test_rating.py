from __future__ import annotations

import pytest
from django.db import IntegrityError
from django.db.models import ProtectedError

from arena.models import Match, Player, Rating, RatingChange

pytestmark = pytest.mark.django_db

GAINED = {"variant": "connect-four-7x6", "order": 1, "before": 1500, "points": 1512}


def test_a_player_has_one_rating_in_a_variant(alice: Player) -> None:
    Rating.objects.create(player=alice, variant="connect-four-7x6")
    with pytest.raises(IntegrityError):
        Rating.objects.create(player=alice, variant="connect-four-7x6")


def test_a_match_changes_a_rating_once(alice: Player, match: Match) -> None:
    RatingChange.objects.create(match=match, player=alice, **GAINED)
    with pytest.raises(IntegrityError):
        RatingChange.objects.create(match=match, player=alice, **GAINED)


def test_who_has_a_rating_cannot_be_deleted(alice: Player, match: Match) -> None:
    """The numbers of all opponents rest on theirs."""
    RatingChange.objects.create(match=match, player=alice, **GAINED)
    with pytest.raises(ProtectedError):
        alice.delete()


def test_what_was_not_won_or_drawn_was_lost(alice: Player) -> None:
    assert Rating(player=alice, matches=7, won=3, drawn=1).lost == 3
