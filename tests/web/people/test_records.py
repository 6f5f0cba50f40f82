"""What a player has played, and what it adds up to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

import games
from arena.core.packing import pack_next
from arena.host import Host
from arena.match.commands import Abort, Fault, Resign
from arena.match.endings import TERMINATIONS, Termination
from arena.models import Room
from arena.web.guests import Visitor
from arena.web.people import records
from arena.web.people.records import A_PAGE, Tally, Wish
from tests.kit.browsing import Person, text
from tests.kit.history import WON, a_bot, match, person
from tests.kit.positions import random_positions

ANYBODY = Visitor()


async def test_results_are_those_of_the_player_and_not_of_the_seat(host: Host) -> None:
    mira, bob = await person(), await person("Bob")
    await match(host, mira, bob, moves=WON)
    await match(host, bob, mira, end=Resign(0))
    await match(host, mira, bob, end=Resign(0))
    await match(host, mira, bob, end=Abort("abort", ""))
    played = await records.newest(mira, ANYBODY)
    assert [each.letter for each in played] == ["–", "L", "W", "W"]
    assert records.tally(played) == Tally(won=2, drawn=0, lost=1)
    assert {(each.opponent, each.slug) for each in played} == {("Bob", "bob")}


async def test_what_staff_decided_counts_in_place_of_the_ending(host: Host) -> None:
    mira, bob = await person(), await person("Bob")
    for verdict, winner in (("win", 1), ("draw", None), ("void", None)):
        live = await match(host, mira, bob)
        await host.referee.rule(live, verdict, winner, "the machine lost power", "grace")
    assert [each.letter for each in await records.newest(mira, ANYBODY)] == ["–", "D", "L"]
    assert [each.letter for each in await records.newest(bob, ANYBODY)] == ["–", "D", "W"]
    await match(host, mira, bob)
    assert [each.why for each in await records.newest(mira, ANYBODY)] == [None, *["the machine lost power"] * 3]
    page = text(await Person().get(mira.get_absolute_url()))
    assert page.count("the machine lost power") == 3 and page.count("resigned") == 1
    assert records.lost_by(await records.newest(mira, ANYBODY)) == [("adjudicated", "decision", 1)]
    for termination, number in (("adjudicated", 2), ("admin_abort", 1), ("resign", 1)):
        assert len((await records.listed(mira, ANYBODY, Wish(termination=termination)))[0]) == number, termination


async def test_causes_and_opponents_are_counted(host: Host) -> None:
    bot, mira, bob = await a_bot(), await person(), await person("Bob")
    crash = Fault(0, Termination.CRASH, "stopped with exit code 1")
    for other, end in ((mira, crash), (mira, crash), (bob, Resign(0)), (mira, Resign(1)), (None, Resign(1))):
        await match(host, bot.player, other, end=end)
    played = await records.newest(bot.player, ANYBODY)
    assert records.lost_by(played) == [("crash", "crash", 2), ("resign", "resignation", 1)]
    assert [(each.name, each.slug, each.tally) for each in records.opponents(played)] == [
        ("Mira K", "mira-k", Tally(1, 0, 2)),
        ("Ada", "", Tally(1, 0, 0)),
        ("Bob", "bob", Tally(0, 0, 1)),
    ]


async def test_a_private_match_is_there_for_its_players_its_owner_staff_and_who_has_the_link(host: Host) -> None:
    bot, mira = await a_bot(), await person()
    room = await Room.objects.acreate(code="OTTER-1", shown_code="otter-1", private=True, variant="connect-four-7x6")
    await match(host, mira, bot.player, room=room.pk)
    for visitor, seen in (
        (ANYBODY, 0),
        (Visitor(mira.pk + 100, "Bob"), 0),
        (Visitor(mira.pk, "Mira K"), 1),
        (Visitor(None, "", ("OTTER-1",)), 1),
        (Visitor(None, "grace", staff=True), 0),
        (Visitor(None, "root", staff=True, sees_private=True), 1),
    ):
        assert len(await records.newest(mira, visitor)) == seen
        assert len((await records.listed(mira, visitor, Wish()))[0]) == seen


async def test_the_list_goes_back_to_the_first_match_a_page_at_a_time(host: Host) -> None:
    mira, bob = await person(), await person("Bob")
    for _ in range(A_PAGE + 3):
        await match(host, mira, bob)
    first, older = await records.listed(mira, ANYBODY, Wish())
    rest, last = await records.listed(mira, ANYBODY, Wish(before=older))
    assert (len(first), len(rest), last) == (A_PAGE, 3, None)
    numbers = [each.number for each in (*first, *rest)]
    assert numbers == sorted(set(numbers), reverse=True)


async def test_the_list_can_be_narrowed(host: Host) -> None:
    mira, bob = await person(), await person("Bob")
    await match(host, mira, bob)
    await match(host, mira, bob, end=Resign(0))
    await match(host, mira, bob, variant="connect-four-8x8")
    for wish, number in (
        (Wish(), 3),
        (Wish(variant="connect-four-8x8"), 1),
        (Wish(outcome="won"), 2),
        (Wish(outcome="lost", termination="resign"), 1),
        (Wish(termination="timeout"), 0),
    ):
        assert len((await records.listed(mira, ANYBODY, wish))[0]) == number, wish


async def test_questions_to_the_database_do_not_grow_with_the_matches(host: Host) -> None:
    mira, bob = await person(), await person("Bob")

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            records._played(records._seats(mira, ANYBODY))
        return len(queries)

    await match(host, mira, bob)
    before = await sync_to_async(asked)()
    for _ in range(5):
        await match(host, mira, bob)
    assert await sync_to_async(asked)() == before == 3


async def test_reply_times_are_those_of_the_player_alone(host: Host) -> None:
    mira, bob = await person(), await person("Bob")
    assert await records.reply_times(mira) is None
    await match(host, mira, bob, moves=WON)
    times = await records.reply_times(mira)
    other = await records.reply_times(bob)
    assert times is not None and other is not None and (times.moves, other.moves) == (4, 3)
    await sync_to_async(pack_next)(0, datetime.now(UTC) + timedelta(days=1))
    assert await records.reply_times(mira) == times and await records.reply_times(bob) == other


@pytest.mark.parametrize(
    ("elapsed", "median", "most"),
    [([5], "5 ms", "5 ms"), ([1, 2, 3], "2 ms", "3 ms"), ([100, 300], "0.20 s", "0.30 s")],
)
def test_the_times_of_few_moves(elapsed: list[int], median: str, most: str) -> None:
    times = records.times_of(elapsed)
    assert (times.median_words, times.most_words) == (median, most)


def test_the_99th_percentile_leaves_one_of_a_hundred_out() -> None:
    times = records.times_of([*range(1, 100), 9000])
    assert (times.median_ms, times.most_ms, times.moves) == (50.5, 99, 100)
    assert records.times_of([9000] * 200).most_words == "9.0 s"


@pytest.mark.parametrize("variant", [variant.slug for variant in games.variants()])
def test_every_rule_that_ends_a_match_is_said_in_the_language_of_the_page(variant: str) -> None:
    rules = {
        over.reason
        for seed in range(3)
        for position in random_positions(variant, seed)
        for move in position.legal_moves()
        if (over := position.play(move).outcome()) is not None
    }
    assert rules
    with translation.override("de"):
        assert not [rule for rule in rules if records.reason_words(Termination.NORMAL, rule) in (rule, "auf dem Brett")]


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_other_ending_has_its_own_words(language: str) -> None:
    with translation.override(language):
        words = {records.reason_words(termination, "") for termination in TERMINATIONS}
    assert len(words) == len(TERMINATIONS) and all(words)
