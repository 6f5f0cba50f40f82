"""A sample: played by the built-in players, in no list of matches, and gone with one click, whenever that comes."""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.contrib.auth.models import User

from arena.host import Host
from arena.models import Match, Pairing, Tournament
from arena.tournaments import actions, sample
from tests.kit.tournaments import a_spec, begun, sheet
from tests.kit.until import until
from tests.tournaments.rows import result
from tests.tournaments.test_actions import refused


async def test_it_is_one_an_account_begins_and_is_played_as_matches_of_its_own_kind(host: Host) -> None:
    mira = await User.objects.acreate(username="mira")
    made = await sync_to_async(sample.make)(mira, "Sample", "connect-four-7x6")
    assert await sync_to_async(sample.make)(mira, "Sample", "connect-four-7x6") == made
    assert (await sync_to_async(sheet)(made.slug)).progress.total == 15
    await until(lambda: len(host.hub.running()) == sample.AT_ONCE)
    live = host.hub.running()[0]
    assert live.state.setup.kind == "sample" and not live.state.setup.is_listed
    await sync_to_async(actions.delete)(made, "mira")
    assert not await Tournament.objects.aexists() and await sync_to_async(sample.of)(mira) is None
    for live in host.hub.running():
        await host.referee.abort(live, "admin_abort", "seen enough")
    await until(lambda: host.director is not None and not host.director.runs())
    assert await Match.objects.filter(kind="sample").acount() == sample.AT_ONCE


def test_it_is_in_no_list_and_other_events_are(db: None) -> None:
    made = sample.make(User.objects.create(username="mira"), "Sample", "connect-four-7x6")
    cup = begun(a_spec(2))
    assert list(Tournament.objects.listed()) == [cup] and set(Tournament.objects.all()) == {made, cup}


def test_what_is_deleted_keeps_no_name_from_another_event_nor_the_other_way_round(db: None) -> None:
    mira = User.objects.create(username="mira")
    one = sample.make(mira, "Sample", "connect-four-7x6")
    taken = actions.create(a_spec(2, name=f"Deleted {one.pk}"))
    actions.delete(one)
    other = sample.make(mira, "Sample", "connect-four-7x6")
    actions.delete(other)
    wanted = actions.create(a_spec(2, name=f"Deleted {other.pk}"))
    assert (taken.slug, wanted.slug) == (f"deleted-{one.pk}", f"deleted-{other.pk}-2")


def test_nothing_of_what_is_deleted_is_played_again(db: None) -> None:
    made = sample.make(User.objects.create(username="mira"), "Sample", "connect-four-7x6")
    pairing = Pairing.objects.select_related("tournament", "a", "b").order_by("pk")[0]
    result(pairing, "1-0")
    actions.delete(made)
    assert refused(actions.rerun, pairing, "once more") == "not_there"
    assert Tournament.every.get().state == "finished"
