"""A tournament as its rows tell it: what counts, what is open, in a constant number of queries."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from arena.models import Entry, Match, Pairing
from arena.tournaments import actions, leaving
from arena.tournaments.sheet import PairingMatch, Sheet, read
from arena.tournaments.spec import EntrySpec
from tests.kit.tournaments import a_spec, begun, sheet
from tests.tournaments.rows import result, results, rule

pytestmark = pytest.mark.django_db


@pytest.fixture
def pairing() -> Pairing:
    begun(a_spec(2))
    return Pairing.objects.get()


def status() -> str:
    return sheet("spring-cup").lines[0].status


def test_there_may_be_none() -> None:
    assert read("nowhere") is None


@pytest.mark.parametrize(
    ("text", "termination", "expected"),
    [
        ("*", "", "running"),
        ("1-0", "normal", "played"),
        ("0-1", "timeout", "played"),
        ("1/2-1/2", "normal", "played"),
        ("none", "server_abort", "waiting"),
        ("none", "admin_abort", "waiting"),
    ],
)
def test_a_pairing_is_as_its_match_is(pairing: Pairing, text: str, termination: str, expected: str) -> None:
    assert status() == "waiting"
    result(pairing, text, termination)
    assert status() == expected


def test_a_line_has_every_column_of_its_pairing_and_the_times_of_its_match(pairing: Pairing) -> None:
    began = timezone.now().replace(microsecond=500_000)
    Pairing.objects.update(
        round=2, number=3, leg=4, attempt=5, opening="4", faults=6, calls=7, reason="so", by_absence=True
    )
    match = result(pairing, "1-0")
    for started, ended in ((began, began.replace(microsecond=0)), (None, began)):
        Match.objects.filter(pk=match.pk).update(started=started, ended=ended)
        (line,) = sheet("spring-cup").lines
        assert line.match is not None and (line.match.started, line.match.ended) == (started, ended)
    row = Pairing.objects.get()
    assert (line.pk, line.a, line.b) == (row.pk, row.a_id, row.b_id)
    for name in ("round", "number", "leg", "attempt", "opening", "state", "faults", "calls", "reason", "by_absence"):
        assert getattr(line, name) == getattr(row, name)


@pytest.mark.parametrize("text", ["2026-11-27 13:08:10.5", "2026-11-27 13:08:10.5+00", "2026-11-27T13:08:10.500Z"])
def test_a_time_is_read_as_either_database_and_an_export_write_it(text: str) -> None:
    at = datetime(2026, 11, 27, 13, 8, 10, 500_000, UTC)
    assert PairingMatch("m", text, text, 0, "normal", "").ended == at


@pytest.mark.parametrize("state", ["bye", "dropped", "handed"])
def test_or_as_was_decided(pairing: Pairing, state: str) -> None:
    Pairing.objects.update(state=state, **({"b": None} if state == "bye" else {}))
    assert status() == state


def test_the_last_ruling_counts(pairing: Pairing) -> None:
    match = result(pairing, "1-0")
    rule(match, "win", 1)
    assert sheet("spring-cup").results[0].score_a == 0
    rule(match, "draw")
    assert sheet("spring-cup").results[0].score_a == 0.5
    rule(match, "void")
    assert (status(), sheet("spring-cup").results) == ("void", [])


@pytest.mark.parametrize(("state", "by"), [("forfeited", "a"), ("drawn", ""), ("dropped", "")])
def test_a_ruling_counts_also_where_the_pairing_was_decided_before(pairing: Pairing, state: str, by: str) -> None:
    """Its page and the ratings followed the ruling, and the table did not."""
    match = result(pairing, "none", "admin_abort")
    Pairing.objects.update(state=state, forfeited_by=by)
    rule(match, "void")
    assert status() == state
    rule(match, "win", 0)
    found = sheet("spring-cup")
    assert (found.lines[0].status, [line.points for line in found.standings]) == ("played", [1, 0])
    assert found.names[found.standings[0].entry] == "p1"


def test_a_handed_pairing_is_played_once_its_match_is_decided(pairing: Pairing) -> None:
    match = result(pairing, "none", "admin_abort")
    Pairing.objects.update(state="handed")
    rule(match, "win", 0)
    assert status() == "played"


def test_what_counts_is_the_match_with_a_result_even_if_a_worker_named_it_by_a_slow_clock(pairing: Pairing) -> None:
    result(pairing, "1-0")
    aborted = result(pairing, "none", "server_abort")
    assert aborted.id == max(Match.objects.values_list("id", flat=True))
    assert (status(), sheet("spring-cup").results[0].score_a) == ("played", 1.0)


@pytest.mark.parametrize(("by", "scores"), [("a", (0, 1)), ("b", (1, 0)), ("both", (0, 0))])
def test_who_does_not_come_loses(pairing: Pairing, by: str, scores: tuple[float, float]) -> None:
    Pairing.objects.update(state="forfeited", forfeited_by=by)
    found = sheet("spring-cup")
    assert [(line.score_a, line.score_b) for line in found.results] == [scores]
    assert sum(counter["no_show"] for counter in found.failures.values()) == (2 if by == "both" else 1)


def test_failures_are_those_of_the_loser_unless_staff_decided(pairing: Pairing) -> None:
    match = result(pairing, "0-1", "illegal_move")
    found = sheet("spring-cup")
    assert found.failures[found.lines[0].a] == {"illegal_move": 1}
    rule(match, "draw")
    assert sheet("spring-cup").failures[found.lines[0].a] == {}


def test_a_bye_is_worth_an_encounter() -> None:
    begun(a_spec(3, format="swiss", legs=2))
    found = sheet("spring-cup")
    assert [result.score_a for result in found.results] == [2]


def test_who_withdraws_early_counts_for_nobody() -> None:
    begun(a_spec(4))
    late = Entry.objects.get(name="p4")
    mine = Pairing.objects.filter(b=late).first() or Pairing.objects.filter(a=late).first()
    assert mine is not None
    result(mine, "1-0")
    Entry.objects.filter(pk=late.pk).update(withdrawn=timezone.now())
    found = sheet("spring-cup")
    assert found.annulled == {late.pk}
    assert [found.names[line.entry] for line in found.standings] == ["p1", "p2", "p3"]
    assert found.results == []


def test_a_round_without_an_opponent_is_unplayed_for_whoever_is_gone_or_comes_late() -> None:
    """By FIDE's rules, then and now, the rounds after a withdrawal are draws for its opponents: they were nothing."""
    event = begun(a_spec(4, format="swiss", rounds=3, tie_breaks=("buchholz",)))
    results("1-0", "1-0")  # p1 beats p3, p4 beats p2
    leaving.withdraw(event, Entry.objects.get(name="p3"))
    actions.enter(event, EntrySpec("p5", "builtin", "beginner"))
    before = sheet("spring-cup")
    assert explained(before, "p1") == "0 (p3) = 0", "of the round that is played it has its result"
    assert explained(before, "p5") == "0 (unplayed) = 0"
    actions.go_on(event)
    assert explained(sheet("spring-cup"), "p1") == "½ (p3) = ½"
    results("1/2-1/2", "1/2-1/2")
    assert explained(sheet("spring-cup"), "p5") == "½ (unplayed) + ½ (p2) = 1"


def explained(found: Sheet, name: str) -> str:
    """The sum of the Buchholz of this entry."""
    [line] = [line for line in found.standings if found.names[line.entry] == name]
    return line.values["buchholz"].explained(found.names)


def test_progress_counts_matches() -> None:
    begun(a_spec(4, legs=2))
    result(Pairing.objects.order_by("pk")[0], "1-0")
    result(Pairing.objects.order_by("pk")[1], "*")
    assert sheet("spring-cup").progress == (1, 12, 1, 0)


def test_progress_of_a_knockout_knows_what_comes() -> None:
    begun(a_spec(8, format="knockout", legs=2))
    assert sheet("spring-cup").progress.total == 14


def test_the_number_of_queries_is_constant(django_assert_num_queries: Any) -> None:
    for count in (3, 8):
        begun(a_spec(count, name=f"Cup {count}"))
    results(*["1-0"] * (3 + 28))
    for match in Match.objects.all():
        rule(match, "draw")
    for slug in ("cup-3", "cup-8"):
        with django_assert_num_queries(5):
            found = sheet(slug)
            assert found.standings and found.crosstable and found.progress and found.failures


def test_a_replaced_pairing_stays_on_record(pairing: Pairing) -> None:
    result(pairing, "1-0")
    Pairing.objects.update(state="replaced")
    found = sheet("spring-cup")
    assert (found.lines, [line.pk for line in found.replaced], found.results) == ([], [pairing.pk], [])
