"""Who can be ticked for a tournament of a variant."""

from __future__ import annotations

from datetime import timedelta

from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from arena.host import Host
from arena.models import Player
from arena.tournaments import actions
from arena.tournaments.spec import MOST_ENTRIES, Conditions
from arena.web.present import present
from arena.web.tournaments.entrants import asked, choices, to_find
from games.players import LEVELS
from tests.kit.history import VARIANT, a_bot, match
from tests.kit.tournaments import a_sheet, a_spec


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


async def test_the_host_says_who_is_connected_and_since_when_others_are_not(host: Host) -> None:
    """In a page worker, which has no connections."""
    await a_bot("anna-1")
    here, left = await a_bot("zoe-1"), await a_bot("ben-1")
    at = timezone.now() - timedelta(hours=2)
    now = (await present(host))._replace(online=frozenset({here.pk}), left={left.pk: at})
    found = await sync_to_async(choices)(VARIANT, Q(), now, builtin=False)
    assert [(choice.name, choice.what, choice.away) for choice in found] == [
        ("zoe-1", "connected", ""),
        ("anna-1", "", "never seen"),
        ("ben-1", "", "last seen 2 h ago"),
    ]


async def test_a_bot_that_this_server_cannot_start_may_be_chosen_and_says_so(host: Host) -> None:
    ours = await a_bot("ours", command=["python3", "bot.py"])
    now = (await present(host))._replace(lacking=frozenset({ours.pk}))
    found = await sync_to_async(choices)(VARIANT, Q(), now, builtin=False)
    assert [(choice.what, choice.away) for choice in found] == [("cannot be started", "")]


async def test_of_more_bots_than_can_play_the_ticked_and_the_connected_are_listed(host: Host) -> None:
    bots = [await a_bot(f"bot-{n:03}") for n in range(MOST_ENTRIES + 3)]
    now = (await present(host))._replace(online=frozenset({bots[-1].pk}))
    found = await sync_to_async(choices)(VARIANT, Q(), now, [f"bot:{bots[-2].pk}", "me"], builtin=False)
    assert len(found) == MOST_ENTRIES
    assert [choice.name for choice in (found[0], found[-1])] == [bots[-1].player.name, bots[-2].player.name]
    assert to_find(found, "") == "" and to_find(found[1:], "") is None, "all others are listed"


async def test_any_bot_is_found_by_a_part_of_its_name_and_what_is_ticked_stays(host: Host) -> None:
    bots = [await a_bot(f"bot-{n:03}") for n in range(MOST_ENTRIES + 3)]
    found = await sync_to_async(choices)(VARIANT, Q(), None, [f"bot:{bots[0].pk}"], find="OT-202", builtin=False)
    assert [choice.name for choice in found] == ["bot-000", "bot-202"]
    assert to_find(found, "OT-202") == "OT-202"


async def test_what_an_event_asks_for_is_said_with_what_one_s_own_players_are_missing(host: Host) -> None:
    spec = a_spec(2, clock="10s", conditions=Conditions(checked=True, rating_from=1200))
    event = await sync_to_async(actions.create)(spec, None, None, "waiting")
    mira = await User.objects.acreate_user("mira")
    await Player.objects.acreate(kind="person", name="Mira", slug="mira", user=mira)
    await a_bot("gravity-9", owner=mira)
    await a_bot("nim-bot", owner=mira, variant="expanding-nim", protocol="nyu-nim")
    await a_bot("noa-1")
    said = await sync_to_async(asked)(await a_sheet(event.slug), mira.pk, False)
    assert len(said["asks"]) == 2 and said["staying"] == []
    assert [name for name, _ in said["unmet"]] == ["gravity-9", "Mira"]
    assert "check_bot --record gravity-9" in said["unmet"][0][1] and "none yet" in said["unmet"][0][1]
    nobody = await sync_to_async(asked)(await a_sheet(event.slug), None, False)
    assert nobody["unmet"] == [] and nobody["asks"] == said["asks"]
    await sync_to_async(actions.start)(event)
    assert await sync_to_async(asked)(await a_sheet(event.slug), mira.pk, False) == {}, "nobody enters by themselves"
    assert (await sync_to_async(asked)(await a_sheet(event.slug), mira.pk, True))["asks"] == said["asks"]
    free = await sync_to_async(actions.create)(a_spec(2, name="Free"), None, None, "waiting")
    assert await sync_to_async(asked)(await a_sheet(free.slug), mira.pk, True) == {}
