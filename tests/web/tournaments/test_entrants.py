"""Who can be ticked for a tournament of a variant."""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db.models import Q

from arena.host import Host
from arena.web.tournaments.entrants import choices
from games.players import LEVELS
from tests.kit.history import VARIANT, a_bot, match


async def test_bots_with_a_matching_adapter_and_built_in_players(host: Host) -> None:
    mira = await User.objects.acreate_user("mira")
    away, ours = await a_bot(owner=mira), await a_bot("ours", command=["python3", "bot.py"])
    await a_bot("retired", enabled=False)
    await a_bot("nim-bot", variant="expanding-nim", protocol="nyu-nim")
    await match(host, away.player)
    found = await sync_to_async(choices)(VARIANT, Q())
    assert [choice.value for choice in found] == [
        *(f"builtin:{level}" for level in LEVELS),
        *(f"bot:{ours.pk}", f"bot:{away.pk}"),
    ]
    assert found[-1].away == "last seen just now" and found[-2].away == ""
    assert [choice.name for choice in await sync_to_async(choices)(VARIANT, Q(owner=mira), builtin=False)] == [
        "gravity-9"
    ]
    spec = found[-1].spec()
    assert (spec.kind, spec.player, spec.protocol, spec.variant) == ("bot", away.pk, "droidcon", VARIANT)
