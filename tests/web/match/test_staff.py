"""What staff do to matches: through the referee, with a reason, once, and on record."""

from __future__ import annotations

import asyncio

import pytest
from asgiref.sync import sync_to_async
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.match.state import SeatSetup, Setup
from arena.models import Audit, Match, Player, Rating, Ruling
from arena.web.match import staff
from arena.web.people.ratings import changes_of
from tests.kit.browsing import two_people


async def rated(host: Host) -> LiveMatch:
    """A running rated match of two players with accounts."""
    ada, bob = [await Player.objects.acreate(kind="person", name=name, slug=name) for name in ("ada", "bob")]
    seats = (SeatSetup("ada", player=ada.pk, verified=True), SeatSetup("bob", player=bob.pk, verified=True))
    live = await host.referee.open(Setup("connect-four-7x6", seats, rated=True))
    await host.referee.start(live)
    await host.referee.play(live, 0, 1, "4")
    return live


async def decide(host: Host, live: LiveMatch, choice: str, reason: str = "the cable was pulled") -> None:
    await staff.decide(host, live, choice, reason, "Ada", staff.stands(live))


@pytest.mark.parametrize(
    ("choice", "winner", "termination"),
    [("0", 0, "adjudicated"), ("1", 1, "adjudicated"), ("draw", None, "adjudicated"), ("void", None, "admin_abort")],
)
async def test_a_running_match_ends_as_it_is_decided(
    host: Host, choice: str, winner: int | None, termination: str
) -> None:
    live, _, _ = await two_people(host)
    await decide(host, live, choice)
    row = await Match.objects.aget(pk=live.id)
    assert (row.winner, row.termination, row.reason) == (winner, termination, "the cable was pulled")
    assert live.events[-1].actor == "Ada" and not await Ruling.objects.aexists()


async def test_an_ended_match_is_ruled_on_and_its_ending_stays(host: Host) -> None:
    live = await rated(host)
    await host.referee.resign(live, 0)
    before = await changes_of(live.id)
    await decide(host, live, "0")
    row, ruling = await Match.objects.aget(pk=live.id), await Ruling.objects.aget()
    assert (row.winner, row.termination) == (1, "resign")
    assert (ruling.verdict, ruling.winner, ruling.actor) == ("win", 0, "Ada")
    after = await changes_of(live.id)
    assert before.keys() == after.keys() and all(
        (before[player].after - before[player].before) * (after[player].after - after[player].before) < 0
        for player in after
    )
    assert staff.says(live) == "bob won (resign), ruled won by ada by Ada"


async def test_a_void_match_takes_back_what_it_did_to_the_ratings(host: Host) -> None:
    live = await rated(host)
    await host.referee.resign(live, 0)
    assert await Rating.objects.filter(matches=1).acount() == 2
    await decide(host, live, "void")
    assert await changes_of(live.id) == {} and not await Rating.objects.filter(matches__gt=0).aexists()


@pytest.mark.parametrize("reason", ["", "  \n ", "\u200f", "x" * 501])
async def test_without_a_reason_or_with_a_novel_nothing_is_done(host: Host, reason: str) -> None:
    live, _, _ = await two_people(host)
    with pytest.raises(Refusal, match="Nothing was done"):
        await decide(host, live, "0", reason)
    assert not live.over


def test_a_reason_turns_no_line_and_can_be_stored() -> None:
    assert staff.reason_of("ill\0, \u202esaid \n the\ud800 doctor") == "ill, said the\ufffd doctor"


async def test_what_is_no_decision_is_refused(host: Host) -> None:
    live, _, _ = await two_people(host)
    for choice in ("", "2", "first", "win", "-1", "\u0661"):
        with pytest.raises(Refusal, match="expected 0, 1, draw, void"):
            await decide(host, live, choice)
            pytest.fail(f"{choice!r} was taken")
        assert not live.over, choice


async def test_a_match_that_ended_meanwhile_is_not_ruled_on_by_accident(host: Host) -> None:
    live, _, _ = await two_people(host)
    stood = staff.stands(live)
    await host.referee.resign(live, 0)
    with pytest.raises(Refusal, match="has changed since you looked at it"):
        await staff.decide(host, live, "0", "why not", "Ada", stood)
    assert not await Ruling.objects.aexists()


async def test_of_two_who_decide_at_once_one_is_told_to_look_again(host: Host) -> None:
    live, _, _ = await two_people(host)
    await host.referee.resign(live, 0)
    stood = staff.stands(live)
    both = [staff.decide(host, live, choice, "why not", "Ada", stood) for choice in ("0", "draw")]
    first, second = await asyncio.gather(*both, return_exceptions=True)
    name = live.state.setup.seats[0].name
    assert first is None and f"ruled won by {name} by Ada. Nothing was done; look again" in str(second)
    assert [ruling.verdict async for ruling in Ruling.objects.all()] == ["win"]
    await decide(host, live, "void")
    assert await Ruling.objects.acount() == 2, "the last one counts"


async def test_who_decides_second_reads_of_the_first_also_where_each_has_read_the_match_from_its_log(
    host: Host,
) -> None:
    """As after a restart of the server."""
    live, _, _ = await two_people(host)
    await host.referee.resign(live, 0)
    host.hub.lives.clear()
    lives = [await host.referee.load(live.id) for _ in range(2)]
    stood = staff.stands(live)
    both = [
        staff.decide(host, each, "0", "why not", name, stood) for each, name in zip(lives, "ab", strict=True) if each
    ]
    first, second = await asyncio.gather(*both, return_exceptions=True)
    assert first is None and "by a. Nothing was done" in str(second)
    assert await Ruling.objects.acount() == 1


async def test_who_is_kicked_loses_and_it_is_said_by_whom(host: Host) -> None:
    live, _, _ = await two_people(host)
    name = live.state.setup.seats[1].name
    await staff.kick(host, live, 1, "it insults people", "Ada")
    assert (live.state.winner, live.state.termination) == (0, "adjudicated")
    assert live.state.reason == f"{name} was disconnected: it insults people" and live.events[-1].actor == "Ada"


async def test_what_a_decision_does_to_ratings_is_said(host: Host) -> None:
    friendly, _, _ = await two_people(host)
    assert staff.consequences(friendly, {}) == "This match is friendly: no rating changes."
    live = await rated(host)
    assert "counts like any other" in staff.consequences(live, {})
    await host.referee.resign(live, 0)
    said = staff.consequences(live, await changes_of(live.id))
    assert "ada 1500 → " in said and "taken back" in said


async def test_an_act_is_recorded_twice_with_before_and_after(host: Host) -> None:
    live = await rated(host)
    user = await User.objects.acreate_superuser("root")
    before = await staff.snapshot(live)
    await decide(host, live, "draw")
    after = await staff.snapshot(live)
    row = await Match.objects.aget(pk=live.id)
    await sync_to_async(staff.record)(user, "decide", row, reason="so it was", before=before, after=after)
    audit, entry = await Audit.objects.aget(), await LogEntry.objects.aget()
    assert (audit.actor, audit.act, audit.subject, audit.data["reason"]) == ("root", "decide", live.id, "so it was")
    assert audit.data["before"]["match"] == "running, 1 move" and audit.data["after"]["match"] == "drawn (adjudicated)"
    assert set(audit.data["after"]["ratings"]) == {"ada", "bob"}
    assert (entry.user_id, entry.object_id, entry.change_message) == (user.pk, live.id, "decide: so it was")


@pytest.mark.django_db
def test_staff_may_act_who_may_change_matches() -> None:
    user = User.objects.create_user("helper", is_staff=True)
    assert not staff.may_act(user)
    user.user_permissions.set(Permission.objects.filter(codename="change_match"))
    assert staff.may_act(User.objects.get(pk=user.pk))
    User.objects.filter(pk=user.pk).update(is_staff=False)
    assert not staff.may_act(User.objects.get(pk=user.pk))
    assert staff.may_act(User.objects.create_superuser("root"))
