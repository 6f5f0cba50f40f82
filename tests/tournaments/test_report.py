"""What is printed: each thing once, and on a terminal how far it is."""

from __future__ import annotations

import io

import pytest

from arena.models import Match, Pairing
from arena.tournaments import actions
from arena.tournaments.report import TournamentReport
from tests.kit.tournaments import a_spec, begun, sheet
from tests.tournaments.rows import result, results, rule

pytestmark = pytest.mark.django_db


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(report_to: io.StringIO, report: TournamentReport) -> list[str]:
    before = len(report_to.getvalue())
    report.show(sheet("spring-cup"))
    return report_to.getvalue()[before:].splitlines()


def test_each_match_is_said_once_when_it_begins_and_when_it_ends() -> None:
    begun(a_spec(3))
    out = io.StringIO()
    report = TournamentReport(out, io.StringIO())
    match = result(Pairing.objects.order_by("pk")[0], "*")
    assert printed(out, report) == ["Started match 1 of 3 (p2 vs p3)"]
    assert printed(out, report) == []
    Match.objects.filter(pk=match.pk).update(ended=match.opened, termination="timeout", reason="too slow", winner=1)
    assert printed(out, report) == ["Finished match 1 (p2 vs p3): 0-1 {too slow}"]
    results("1-0")
    Match.objects.exclude(pk=match.pk).update(reason="four in a row")
    assert printed(out, report) == [
        "Started match 2 of 3 (p1 vs p2)",
        "Finished match 2 (p1 vs p2): 1-0 {four in a row}",
    ]
    assert printed(out, report) == []


def test_a_match_that_is_stored_when_it_is_over_is_said_when_it_begins() -> None:
    begun(a_spec(3))
    out, err = io.StringIO(), Terminal()
    report, first = TournamentReport(out, err), Pairing.objects.order_by("pk")[0]
    for _ in range(2):
        report.show(sheet("spring-cup"), {first.pk})
    assert out.getvalue() == "Started match 1 of 3 (p2 vs p3)\n"
    assert err.getvalue() == "0 of 3 done, 0.0 a second, 1 worker"
    results("1-0")
    Match.objects.update(reason="four in a row")
    assert printed(out, report) == ["Finished match 1 (p2 vs p3): 1-0 {four in a row}"]


def test_what_was_played_before_is_not_said_again() -> None:
    begun(a_spec(3))
    results("1-0", "0-1")
    out, err = io.StringIO(), io.StringIO()
    report = TournamentReport(out, err)
    report.go_on(sheet("spring-cup"))
    assert (printed(out, report), err.getvalue()) == ([], "Going on: 2 of 3 matches are played.\n")
    results("1-0")
    assert len(printed(out, report)) == 2


def test_what_has_no_match_is_said_too() -> None:
    begun(a_spec(3, format="swiss"))
    out = io.StringIO()
    report = TournamentReport(out, io.StringIO())
    assert printed(out, report) == ["p3 has a bye in round 1"]
    pairing = Pairing.objects.get(b__isnull=False)
    for _ in range(3):
        actions.count_fault(pairing.pk, hand_over=False)
    assert printed(out, report) == ["Handed to the organiser: match 1 (p1 vs p2), 3 faults {no match could begin}"]
    actions.award(pairing, "b", "p1 is broken", "mira")
    assert printed(out, report) == ["Finished match 1 (p1 vs p2): forfeited {p1 is broken}"]


def test_a_ruling_is_said_with_its_reason() -> None:
    begun(a_spec(2))
    out = io.StringIO()
    rule(result(Pairing.objects.get(), "1-0"), "draw", reason="both resigned")
    lines = printed(out, TournamentReport(out, io.StringIO()))
    assert lines[1:] == ["Finished match 1 (p1 vs p2): 1/2-1/2 {decided by mira: both resigned}"]


def test_a_terminal_hears_how_far_it_is_and_nothing_else_where_it_must_be_quiet() -> None:
    begun(a_spec(3))
    results("1-0")
    out, err = io.StringIO(), Terminal()
    report = TournamentReport(out, err, quiet=True)
    report.show(sheet("spring-cup"))
    report.note("Stopped.")
    assert out.getvalue() == ""
    line = "1 of 3 done, 0.0 a second, 0 workers"
    assert err.getvalue() == f"{line}\r{' ' * len(line)}\rStopped.\n"


def test_further_pairs_of_a_knockout_are_counted_and_numbered_once() -> None:
    """No match has a number above the total, and none gets another one when a drawn encounter goes on."""
    tournament = begun(a_spec(4, format="knockout"))
    results("1/2-1/2", "1-0")
    actions.go_on(tournament)
    out = io.StringIO()
    report = TournamentReport(out, io.StringIO())
    report.show(sheet("spring-cup"))
    results("1-0", "0-1")
    actions.go_on(tournament)
    result(Pairing.objects.get(round=2), "*")
    report.show(sheet("spring-cup"))
    said = out.getvalue().splitlines()
    assert [line.split(":")[0] for line in said if line.startswith("Finished")] == [
        "Finished match 1 (p1 vs p4)",
        "Finished match 2 (p2 vs p3)",
        "Finished match 3 (p4 vs p1)",
        "Finished match 4 (p1 vs p4)",
    ]
    assert said[-1] == "Started match 5 of 5 (p4 vs p2)"
