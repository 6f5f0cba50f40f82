from __future__ import annotations

import pytest
from django.utils import timezone

from arena.models import Match, Player, Room


@pytest.fixture
def room() -> Room:
    return Room.objects.create(code="otter-42", shown_code="Otter-42", variant="connect-four-7x6")


@pytest.fixture
def match(room: Room) -> Match:
    return Match.objects.create(id="aaaaaaaaaa", room=room, variant="connect-four-7x6", opened=timezone.now())


@pytest.fixture
def alice() -> Player:
    return Player.objects.create(kind="person", name="Alice", slug="Alice")
