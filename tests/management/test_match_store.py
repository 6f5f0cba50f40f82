"""Matches that were played without a server are stored whole, and what cannot be stored is said."""

from __future__ import annotations

import pytest

from arena.management.match_store import MatchStore
from arena.management.tables import why_no_tables
from arena.models import Match
from arena.models.whole_logs import log_of
from arena.play.driver import play
from arena.play.spec import BuiltinSeat, Spec

RANDOM = BuiltinSeat("random")


@pytest.mark.django_db(transaction=True)
def test_matches_are_stored_once_and_what_is_refused_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert why_no_tables() == ""
    logs = play(Spec("connect-four-7x6", (RANDOM, RANDOM), rounds=3, seed=1))
    store = MatchStore()
    for log in logs:
        store.add(log)
    assert store.close()
    assert set(Match.objects.values_list("pk", flat=True)) == {log.match for log in logs}
    again = MatchStore()
    again.add(logs[0]._replace(match="other", events=logs[0].events[:-1]))
    assert not again.close()
    assert capsys.readouterr().err.startswith("error: a match could not be stored: event ")


@pytest.mark.django_db(transaction=True)
def test_a_match_whose_name_another_command_has_used_is_stored_under_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Two commands beside each other name a match alike now and then; one of the two was lost."""
    mine, theirs = (play(Spec("connect-four-7x6", (RANDOM, RANDOM), seed=seed))[0] for seed in (1, 2))
    for log in (theirs, mine._replace(match=theirs.match)):
        store = MatchStore()
        store.add(log)
        assert store.close()
    moves = {pk: [event.move for event in log_of(pk)] for pk in Match.objects.values_list("pk", flat=True)}
    assert moves.pop(theirs.match) == [event.move for event in theirs.events]
    ((name, found),) = moves.items()
    assert found == [event.move for event in mine.events]
    assert capsys.readouterr().err == f"match {theirs.match} is stored as {name}: another match has its name\n"


def test_who_has_nothing_to_store_is_done() -> None:
    assert MatchStore().close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_the_store_has_not_expected_is_not_stored_either() -> None:
    [log] = play(Spec("connect-four-7x6", (RANDOM, RANDOM), seed=1))
    seats = [{**seat, "name": "half a letter: \ud800"} for seat in log.events[0].data["seats"]]
    opened = log.events[0]._replace(data={**log.events[0].data, "seats": seats})
    store = MatchStore()
    store.add(log._replace(events=(opened, *log.events[1:])))
    assert not store.close()
    assert not Match.objects.exists()
