"""What the doctor says of bots with ports of their own."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from arena.management.bot_ports import MOST_LISTED, troubles
from arena.models import Bot, Player

pytestmark = pytest.mark.django_db


def bot(name: str, port: int | None, owner: User | None = None) -> None:
    player = Player.objects.create(kind="bot", name=name, slug=name)
    known: dict[str, Any] = {"variant": "connect-four-7x6", "protocol": "fiar", "family": name}
    Bot.objects.create(player=player, port=port, owner=owner, **known)


@pytest.fixture(autouse=True)
def kept(settings: Any) -> None:
    settings.ARENA_BOT_PORTS = range(4400, 4500)


def test_nothing_where_all_is_as_it_should_be() -> None:
    mira = User.objects.create(username="mira")
    for number in range(3):
        bot(f"gravity-{number}", 4400 + number, mira)
    bot("gravity-3", None, mira)
    assert list(troubles({4300, 8000})) == []


def test_ports_that_others_need_as_well() -> None:
    [trouble] = troubles({4400, 4242, 4499})
    assert trouble.words == "ARENA_BOT_PORTS=4400-4499 holds 4400, 4499 as well" and trouble.todo


def test_bots_from_before_the_range_are_named_and_go_on() -> None:
    bot("gravity", 14555)
    bot("sparrow", 4399)
    [trouble] = troubles(set())
    assert trouble.words.startswith("sparrow on 4399, gravity on 14555: not in ARENA_BOT_PORTS=4400-4499, but in use")


def test_a_long_list_is_cut() -> None:
    for number in range(MOST_LISTED + 2):
        bot(f"gravity-{number}", 14000 + number)
    [trouble] = troubles(set())
    assert "gravity-9 on 14009 and 2 more: not in" in trouble.words


def test_an_owner_with_more_than_an_owner_has() -> None:
    mira = User.objects.create(username="mira")
    for number in range(4):
        bot(f"gravity-{number}", 4400 + number, mira)
    [trouble] = troubles(set())
    assert trouble.words == "the bots of mira have 4 ports, more than the 3 of one owner"
