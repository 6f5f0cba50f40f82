"""What webhooks are told has the shapes that the document of the API says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from arena.models import Bot, Player
from arena.tournaments import actions
from arena.web.api.told import SHAPES, told
from arena.work.webhooks import rows
from tests.kit.rated import a_match, cast, store
from tests.kit.tournaments import a_spec
from tests.web.api.conforming import conforms

pytestmark = pytest.mark.django_db


def message(kind: str, subject: object) -> Any:
    """As it is sent, and as the document has it."""
    data = told(kind, str(subject))
    assert data is not None
    said = {"type": kind, "timestamp": "2026-01-31T12:00:00.123Z", "data": data}
    conforms(SHAPES[kind], said)
    return data


def a_bot() -> Bot:
    player = Player.objects.create(kind="bot", name="gravity-9", slug="gravity-9")
    fields = {"variant": "connect-four-7x6", "protocol": "droidcon", "family": "gravity", "version": "9"}
    return Bot.objects.create(player=player, owner=User.objects.create_user("mira"), **fields)


def test_every_kind_has_its_shape() -> None:
    assert set(SHAPES) == {*rows.KINDS, rows.TEST}


def test_a_match_is_told_as_lists_show_it() -> None:
    ada, bob = cast("ada", "bob")
    store(a_match(ada, bob, 1, match="m1"))
    line = message(rows.MATCH_OVER, "m1")
    assert (line["id"], line["result"], line["termination"], line["page"]) == ("m1", "0-1", "resign", "/m/m1/")
    assert [seat["player"] for seat in line["seats"]] == ["ada", "bob"]


def test_a_bot_is_told_with_its_rating_or_without() -> None:
    bot = a_bot()
    for kind in (rows.BOT_OFFLINE, rows.BOT_QUARANTINED):
        line = message(kind, bot.pk)
        assert (line["slug"], line["online"], line["rating"]) == ("gravity-9", False, None)
    (ada,) = cast("ada")
    store(a_match(bot.player, ada))
    assert message(rows.BOT_OFFLINE, bot.pk)["rating"]["won"] == 1


def test_an_event_is_told_as_lists_show_it() -> None:
    event = actions.create(a_spec(2))
    actions.start(event)
    for kind in (rows.BEGUN, rows.FINAL):
        assert message(kind, event.pk)["state"] == "running"


def test_a_test_tells_nothing_and_what_is_gone_is_not_told() -> None:
    assert message(rows.TEST, "") == {}
    assert [told(kind, "7") for kind in rows.KINDS] == [None] * len(rows.KINDS)


def test_the_message_of_the_handbook_has_its_shape() -> None:
    handbook = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r'```json\n(\{"type": "bot.offline".+?)```', handbook, re.DOTALL)
    conforms(SHAPES[rows.BOT_OFFLINE], json.loads(shown))
