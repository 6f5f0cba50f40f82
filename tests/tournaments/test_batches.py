"""The matches of a command as work: found again by what they are, judged like those of events, read from their rows."""

from __future__ import annotations

from random import Random

import pytest

from arena.bots.process.guests import played
from arena.models import Match, Seat, Work
from arena.play.driver import play
from arena.play.spec import BuiltinSeat, Spec
from arena.tournaments.batches import Batch, BatchGone
from arena.tournaments.encounters import KIND, Encounters
from arena.work import rows
from arena.work.rows import AnswerRefused, Beat, RunVoid
from tests.kit.storage import held
from tests.tournaments.forging import forged

pytestmark = pytest.mark.django_db(transaction=True)

SPEC = Spec("connect-four-7x6", (BuiltinSeat("random", "one"), BuiltinSeat("random", "other")), 3, seed=5)


def _play_one(encounters: Encounters) -> None:
    run = rows.claim("elsewhere", (KIND,))
    assert run is not None
    assert encounters.kind.store(run, played(encounters.kind.job(run)), held())


def test_what_is_read_is_what_is_played_here_and_who_comes_again_finds_it() -> None:
    encounters, batch = Encounters(), Batch(SPEC, save=False)
    assert (batch.submit(), batch.look()) == (0, [])
    _play_one(encounters)
    assert [each.round for each in batch.look()] == [1] and batch.look() == []
    again = Batch(SPEC, save=False)  # the same command, after `kill -9`
    assert again.submit() == 1 and Work.objects.count() == 3
    _play_one(encounters)
    _play_one(encounters)
    logs = [each.log for each in again.look()]
    here = play(SPEC)
    assert [log.state for log in logs if log] == [log.state for log in here], "names, seats, moves and results"
    assert not Match.objects.exists() and not again.look()
    again.forget()
    assert not Work.objects.exists()


def test_with_openings_the_host_finds_in_the_answer_what_it_asked_for() -> None:
    encounters, batch = Encounters(), Batch(SPEC._replace(rounds=2, openings=("4 4", "1 2")), save=False)
    batch.submit()
    _play_one(encounters)
    _play_one(encounters)
    begins = [log.events[1:3] for log in (each.log for each in batch.look()) if log]
    assert [[event.move for event in both] for both in begins] == [["4", "4"], ["4", "4"]]


def test_whoever_is_not_in_the_same_words_is_another() -> None:
    names = {Batch(spec, save).name for spec in (SPEC, SPEC._replace(seed=6)) for save in (False, True)}
    assert len(names) == 4


def test_what_is_to_be_stored_is_stored_once_with_the_answer() -> None:
    encounters, batch = Encounters(), Batch(SPEC, save=True)
    batch.submit()
    run = rows.claim("elsewhere", (KIND,))
    assert run is not None
    answer = played(encounters.kind.job(run))
    assert encounters.kind.store(run, answer, held()) and not encounters.kind.store(run, answer, held())
    (over,) = batch.look()
    assert over.log is not None and Match.objects.get().pk == over.log.match and Match.objects.get().pairing is None
    assert list(Seat.objects.values_list("name", flat=True)) == ["one", "other"]


def test_a_round_is_that_which_was_asked_for_and_a_lie_is_not_kept() -> None:
    encounters, batch, dice = Encounters(), Batch(SPEC, save=True), Random(3)
    batch.submit()
    first, second = rows.claim("a", (KIND,)), rows.claim("b", (KIND,))
    assert first is not None and second is not None
    honest = played(encounters.kind.job(second))
    with pytest.raises(AnswerRefused, match="^event 1: its (seats|round) is "):
        encounters.kind.store(first, honest, held())
    for _ in range(20):
        how, answer = forged(honest, dice)
        with pytest.raises(AnswerRefused):
            encounters.kind.store(second, answer, held())
            pytest.fail(how)
    assert not Match.objects.exists() and not batch.look()
    assert encounters.kind.store(second, honest, held())


def test_a_round_in_which_the_machine_stood_still_is_void() -> None:
    encounters, batch = Encounters(), Batch(SPEC._replace(stall_ms=50), save=False)
    batch.submit()
    run = rows.claim("elsewhere", (KIND,))
    assert run is not None
    answer = played(encounters.kind.job(run))
    answer["logs"][0]["stalled_ms"] = 60
    with pytest.raises(RunVoid):
        encounters.kind.store(run, answer, held())
    assert not batch.look()


def test_what_nobody_could_play_is_told_and_tried_again_by_the_next() -> None:
    batch = Batch(SPEC, save=False)
    batch.submit()
    for _ in range(rows.MOST_FAULTS):
        run = rows.claim("elsewhere", (KIND,))
        assert run is not None
        rows.fault(run, "its process died")
    rows.cancel(Work.objects.filter(key=f"{batch.name}:2"), "by mira")
    assert [tuple(each) for each in batch.look()] == [(1, None, "its process died"), (2, None, "by mira")]
    assert Batch(SPEC, save=False).submit() == 0
    assert set(Work.objects.values_list("state", "faults")) == {("waiting", 0)}


def test_what_is_withdrawn_is_not_played_and_what_was_played_stays() -> None:
    encounters, batch = Encounters(), Batch(SPEC, save=False)
    batch.submit()
    _play_one(encounters)
    run = rows.claim("elsewhere", (KIND,))
    assert run is not None
    batch.withdraw()
    assert rows.beat(run) == Beat.CANCELLED and not encounters.kind.store(run, played(encounters.kind.job(run)), held())
    assert [each.state for each in Work.objects.all()] == ["done"]
    with pytest.raises(BatchGone):
        batch.look()
