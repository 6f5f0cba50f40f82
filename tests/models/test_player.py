from __future__ import annotations

import pytest
from django.db import IntegrityError

from arena.models import Match, Player, Seat

pytestmark = pytest.mark.django_db


def test_nobody_poses_as_somebody_by_another_spelling(alice: Player) -> None:
    with pytest.raises(IntegrityError):
        Player.objects.create(kind="person", name="ALICE", slug="ALICE")


def test_a_player_needs_a_slug() -> None:
    with pytest.raises(IntegrityError):
        Player.objects.create(kind="person", name="!!!", slug=Player.slug_of("!!!"))


@pytest.mark.parametrize(
    ("name", "slug"), [("Teal Heron", "teal-heron"), ("Ärger 7", "ärger-7"), ("Мира", "мира"), ("!!!", "")]
)
def test_a_slug_keeps_the_letters_of_every_alphabet(name: str, slug: str) -> None:
    assert Player.slug_of(name) == slug


def test_what_was_played_outlives_the_player(alice: Player, match: Match) -> None:
    seat = Seat.objects.create(match=match, seat=0, player=alice, name=alice.name, kind="human")
    alice.delete()
    seat.refresh_from_db()
    assert (seat.player, seat.name) == (None, "Alice")
