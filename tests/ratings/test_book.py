from __future__ import annotations

import random
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.match.ladder import NEW, LadderStanding, after_match
from arena.models import Match, Player, Rating, RatingChange, Seat
from arena.ratings.book import recompute, snapshot
from tests.kit.rated import FOUR, NIM, NOON, a_match, a_ruling, cast, store

pytestmark = pytest.mark.django_db


def standing(player: Player, variant: str = FOUR) -> LadderStanding:
    row = Rating.objects.values_list(*LadderStanding._fields).filter(player=player, variant=variant).first()
    return LadderStanding(*row) if row else NEW


# -- what an ending does -----------------------------------------------------------------------------------------------


def test_a_rated_match_changes_both_with_its_ending() -> None:
    alice, bob = cast("alice", "bob")
    (append,) = store(a_match(alice, bob, winner=1))
    first, second = after_match(NEW, NEW, 0.0, NOON)
    assert (standing(alice), standing(bob)) == (first, second)
    change = RatingChange.objects.get(match=append.match, player=bob)
    assert (change.before, change.points, change.matches, change.last) == (1500, second.points, 1, "W")
    assert str(change) == "1500 → 1662"


def test_variants_are_ladders_of_their_own() -> None:
    alice, bob = cast("alice", "bob")
    store(a_match(alice, bob), a_match(bob, alice, variant=NIM))
    assert standing(alice).last == "W" and standing(alice, NIM).last == "L"


def test_matches_that_end_in_one_transaction_count_one_after_the_other() -> None:
    alice, bob, charlie = cast("alice", "bob", "charlie")
    store(a_match(alice, bob), a_match(charlie, alice, winner=None), a_match(bob, alice))
    mine, its = after_match(NEW, NEW, 1.0, NOON)
    third, mine = after_match(NEW, mine, 0.5, NOON)
    its, mine = after_match(its, mine, 1.0, NOON)
    assert (standing(alice), standing(bob), standing(charlie)) == (mine, its, third)
    assert standing(alice).last == "WDL"


@pytest.mark.parametrize("termination", ["abort", "no_start", "admin_abort", "server_abort"])
def test_what_has_no_result_changes_nothing(termination: str) -> None:
    alice, bob = cast("alice", "bob")
    store(a_match(alice, bob, winner=None, termination=termination))
    assert not Rating.objects.exists() and not RatingChange.objects.exists()


@pytest.mark.parametrize("termination", ["resign", "timeout", "crash", "left", "adjudicated"])
def test_every_way_to_lose_counts(termination: str) -> None:
    alice, bob = cast("alice", "bob")
    store(a_match(alice, bob, termination=termination))
    assert standing(alice).won == 1


def test_a_friendly_match_changes_nothing_and_costs_one_query() -> None:
    alice, bob = cast("alice", "bob")
    append = a_match(alice, bob, rated=False)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        store(append)
    assert not Rating.objects.exists()
    assert sum("rated" in query["sql"] and query["sql"].startswith("SELECT") for query in queries) == 1


def test_what_was_stored_already_is_not_counted_again() -> None:
    """A commit whose answer was lost is tried again."""
    alice, bob = cast("alice", "bob")
    append = a_match(alice, bob)
    store(append)
    before = standing(alice)
    store(append)
    assert standing(alice) == before and RatingChange.objects.count() == 2


# -- rulings -----------------------------------------------------------------------------------------------------------


def test_a_ruling_counts_in_place_of_the_ending_and_for_all_that_followed() -> None:
    alice, bob, charlie = cast("alice", "bob", "charlie")
    overruled = a_match(alice, bob)
    store(overruled, a_match(bob, charlie, winner=None), a_match(charlie, alice))
    store(a_ruling(overruled.match, "win", 1))
    mine, its = after_match(NEW, NEW, 0.0, NOON)
    its, third = after_match(its, NEW, 0.5, NOON)
    third, mine = after_match(third, mine, 1.0, NOON)
    assert (standing(alice), standing(bob), standing(charlie)) == (mine, its, third)
    assert Match.objects.get(id=overruled.match).winner == 0, "the ending stays as it was"


def test_a_void_match_is_as_if_it_had_not_been_played() -> None:
    alice, bob, charlie = cast("alice", "bob", "charlie")
    void = a_match(alice, bob)
    store(void, a_match(alice, charlie))
    store(a_ruling(void.match, "void"))
    assert standing(alice) == after_match(NEW, NEW, 1.0, NOON)[0]
    assert not Rating.objects.filter(player=bob).exists()
    assert not RatingChange.objects.filter(match=void.match).exists()


def test_the_last_ruling_counts() -> None:
    alice, bob = cast("alice", "bob")
    append = a_match(alice, bob, termination="server_abort", winner=None)
    store(append)
    store(a_ruling(append.match, "win", 1))
    assert standing(alice).last == "L"
    store(a_ruling(append.match, "draw", seq=5))
    assert standing(alice).last == "D"
    store(a_ruling(append.match, "void", seq=6))
    assert not Rating.objects.exists()


def test_a_ruling_on_a_friendly_match_changes_no_rating() -> None:
    alice, bob = cast("alice", "bob")
    append = a_match(alice, bob, rated=False)
    store(append)
    store(a_ruling(append.match, "win", 1))
    assert not Rating.objects.exists()


# -- calculating again -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_tables_hold_what_the_logs_say_after_300_matches_and_rulings() -> None:
    """Exactly: not one bit of a number differs, whichever way it came about."""
    rng = random.Random(5)
    players = cast(*[f"player-{number}" for number in range(12)])
    at, played = NOON, []
    for _ in range(300):
        at += timedelta(seconds=rng.randrange(1, 400_000))
        first, second = rng.sample(players, 2)
        termination = rng.choice(["normal", "timeout", "crash", "server_abort"])
        winner = None if termination == "server_abort" else rng.choice([0, 1, None])
        (append,) = store(a_match(first, second, winner, termination, variant=rng.choice([FOUR, NIM]), at=at))
        played.append(append.match)
        if rng.random() < 0.05:
            verdict, winner = rng.choice([("win", 0), ("win", 1), ("draw", None), ("void", None)])
            match = rng.choice(played)
            seq = 4 + Match.objects.get(id=match).rulings.count()
            store(a_ruling(match, verdict, winner, seq))
    assert Rating.objects.count() == 24
    assert recompute(FOUR) == [] and recompute(NIM) == []


def test_what_somebody_has_changed_is_found_and_put_right() -> None:
    alice, bob = cast("alice", "bob")
    append, _ = store(a_match(alice, bob), a_match(bob, alice, winner=None))
    right = standing(alice)
    Rating.objects.filter(player=alice).update(points=2400)
    RatingChange.objects.filter(match=append.match, player=bob).delete()
    found = recompute(FOUR)
    assert [(difference.player, difference.match) for difference in found] == [(bob.pk, append.match), (alice.pk, "")]
    assert found[0].stored is None and found[1].recomputed == right
    assert recompute(FOUR, write=True) == found
    assert standing(alice) == right and recompute(FOUR) == []


def test_rows_that_no_match_accounts_for_are_found_and_removed() -> None:
    alice, bob = cast("alice", "bob")
    (append,) = store(a_match(alice, bob, rated=False))
    Rating.objects.create(player=alice, variant=FOUR, matches=3)
    RatingChange.objects.create(match_id=append.match, player=alice, variant=FOUR, order=99, before=1500)
    assert len(recompute(FOUR, write=True)) == 2
    assert not Rating.objects.exists() and not RatingChange.objects.exists()


def test_a_seat_whose_player_is_gone_counts_for_nobody() -> None:
    alice, bob = cast("alice", "bob")
    append = a_match(alice, bob, termination="server_abort", winner=None)
    store(append)
    Seat.objects.filter(match=append.match, seat=1).update(player=None)
    store(a_ruling(append.match, "win", 0))
    assert not Rating.objects.exists() and recompute(FOUR) == []


@pytest.mark.django_db(transaction=True)
def test_a_snapshot_sees_nothing_of_what_is_written_meanwhile() -> None:
    from tests.kit.storage import elsewhere

    alice, bob = cast("alice", "bob")
    store(a_match(alice, bob))
    with snapshot():
        assert RatingChange.objects.count() == 2
        elsewhere(lambda: store(a_match(alice, bob)))
        assert RatingChange.objects.count() == 2 and recompute(FOUR) == []
    assert RatingChange.objects.count() == 4
