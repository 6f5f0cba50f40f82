from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError

from arena.models import Bot, Match, Player, Seat, WireChunk

pytestmark = pytest.mark.django_db


def bot(name: str, **values: Any) -> Bot:
    player = Player.objects.create(kind="bot", name=name, slug=name)
    return Bot(
        **{"player": player, "variant": "connect-four-7x6", "protocol": "droidcon", "family": "gravity", **values}
    )


def test_a_family_has_each_version_once() -> None:
    bot("gravity-1", version="1").save()
    with pytest.raises(IntegrityError):
        bot("gravity-1b", version="1").save()


def test_bots_without_a_token_are_not_each_other() -> None:
    bot("gravity-1", version="1").save()
    bot("gravity-2", version="2").save()
    assert Bot.objects.filter(token_sha256=None).count() == 2


@pytest.mark.parametrize("command", ["python3 bot.py", [], {"a": 1}, ["python3", 3]])
def test_a_command_is_a_list_of_words(command: object) -> None:
    with pytest.raises(ValidationError, match="expected a list of words"):
        bot("gravity-1", command=command).full_clean()


def test_a_bot_plays_what_its_protocol_can_carry() -> None:
    with pytest.raises(ValidationError, match="droidcon does not play santorini-5x5"):
        bot("gravity-1", variant="santorini-5x5").full_clean()


def test_a_sound_bot_is_accepted() -> None:
    bot("gravity-1", command=["python3", "bot.py"]).full_clean()


def test_a_piece_of_wire_is_kept_once(match: Match) -> None:
    seat = Seat.objects.create(match=match, seat=0, name="gravity", kind="bot")
    WireChunk.objects.create(seat=seat, n=1, jsonl="{}\n")
    with pytest.raises(IntegrityError):
        WireChunk.objects.create(seat=seat, n=1, jsonl="{}\n")


def test_a_personal_port_is_that_of_one_bot() -> None:
    bot("gravity-1", version="1", port=4400).save()
    bot("gravity-2", version="2").save()
    with pytest.raises(IntegrityError):
        bot("gravity-3", version="3", port=4400).save()
