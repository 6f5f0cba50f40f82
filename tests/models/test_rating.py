from __future__ import annotations

import pytest
from django.db import IntegrityError

from arena.models import Match, Player, Rating, RatingChange

pytestmark = pytest.mark.django_db


def test_a_player_has_one_rating_in_a_variant(alice: Player) -> None:
    Rating.objects.create(player=alice, variant="connect-four-7x6")
    with pytest.raises(IntegrityError):
        Rating.objects.create(player=alice, variant="connect-four-7x6")


def test_a_match_changes_a_rating_once(alice: Player, match: Match) -> None:
    RatingChange.objects.create(match=match, player=alice, before=1500, after=1512)
    with pytest.raises(IntegrityError):
        RatingChange.objects.create(match=match, player=alice, before=1500, after=1512)
