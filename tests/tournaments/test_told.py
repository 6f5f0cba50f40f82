"""A match of which its worker tells while it plays: what slices may say, and what the answer may say after them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.match.judge import judge
from arena.models import Event, Match, Work
from arena.models.whole_logs import log_of
from arena.tournaments import encounters
from arena.work import rows
from arena.work.rows import AnswerRefused, RunVoid, WorkRun
from tests.tournaments.working import Office

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path)
    made.submit()
    yield made


def part(answer: Any, first: int, last: int) -> dict[str, Any]:
    """Some events of the log in an answer, as a slice."""
    log = answer["logs"][0]
    return {"match": log["match"], "base": first, "events": copy.deepcopy(log["events"][first:last])}


def tell(office: Office, run: WorkRun, found: Any) -> tuple[WorkRun, str]:
    """The run as it is after this slice, and the match of which something new is to be seen."""
    assert office.encounters.kind.store_slice is not None
    match = office.encounters.kind.store_slice(run, found, office.fence)
    return run._replace(match=Work.objects.get(pk=run.work).match), match


def test_slices_open_a_match_and_the_answer_ends_it(office: Office) -> None:
    run = office.take()
    answer = office.play(run)
    run, match = tell(office, run, part(answer, 0, 4))
    assert Match.objects.get().ended is None and Event.objects.count() == 4 and match == answer["logs"][0]["match"]
    run, match = tell(office, run, part(answer, 4, 7))
    assert Event.objects.count() == 7 and run.match == match
    assert office.store(run, answer)
    stored, said = log_of(match), answer["logs"][0]["events"]
    assert judge(stored) == "" and [event.move for event in stored] == [row[5] for row in said]
    row, match_row = Work.objects.get(pk=run.work), Match.objects.get()
    assert match_row.ended is not None and match_row.head and (row.state, row.match) == ("done", "")
    with pytest.raises(RunVoid):
        office.store(run, answer)


def test_what_does_not_continue_or_never_could_be_is_left_out(office: Office) -> None:
    run = office.take()
    answer = office.play(run)
    length = len(answer["logs"][0]["events"])
    run, _ = tell(office, run, part(answer, 0, 4))
    forged = part(answer, 4, 6)
    forged["events"][0][5] = "9"
    wrong = [part(answer, 5, 7), part(answer, 0, 4), part(answer, 4, 4), part(answer, 4, length), forged, None, {}]
    for found in wrong:
        with pytest.raises(AnswerRefused):
            tell(office, run, found)
    assert Event.objects.count() == 4
    assert tell(office, run._replace(token=run.token + 1), part(answer, 4, 6))[1] == "", "another's run"
    assert tell(office, run._replace(worker="another"), part(answer, 4, 6))[1] == ""
    assert Event.objects.count() == 4 and office.store(run, answer)


def test_an_answer_that_says_something_else_than_was_told_is_refused(office: Office) -> None:
    run = office.take()
    answer, other = office.play(run), office.play(run)
    assert answer["logs"][0]["match"] != other["logs"][0]["match"]
    run, _ = tell(office, run, part(answer, 0, 5))
    other["logs"][0]["events"][4][6] = answer["logs"][0]["events"][4][6] + 1  # the time of a move
    with pytest.raises(AnswerRefused):
        office.store(run, other)
    assert Event.objects.count() == 5 and Match.objects.get().ended is None


def test_who_gave_a_match_the_name_of_one_that_slices_have_opened_is_believed(office: Office) -> None:
    """Whether that one comes whole or in slices too; its own slices and its answer have then one other name."""
    first, second, third = (office.take() for _ in range(3))
    answers = [office.play(run) for run in (first, second, third)]
    for answer in answers[1:]:
        answer["logs"][0]["match"] = answers[0]["logs"][0]["match"]
    first, opened = tell(office, first, part(answers[0], 0, 4))
    assert office.store(second, answers[1])
    third, shown = tell(office, third, part(answers[2], 0, 4))
    assert shown != opened and office.store(third, answers[2]) and office.store(first, answers[0])
    found = dict(Match.objects.values_list("pairing_id", "id"))
    assert (found[first.spec["pairing"]], found[third.spec["pairing"]]) == (opened, shown)
    assert len(found) == 3 and all(judge(log_of(match)) == "" for match in found.values())


def test_an_answer_whose_match_is_ended_while_it_is_stored_is_void_and_no_lie(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = office.take()
    answer = office.play(run)
    run, match = tell(office, run, part(answer, 0, 5))
    stored = office.encounters._stored

    def stored_too_late(*answered: Any) -> Any:
        monkeypatch.undo()
        office.encounters._store_of(office.fence).write([_ended(match)])
        return stored(*answered)

    monkeypatch.setattr(office.encounters, "_stored", stored_too_late)
    with pytest.raises(RunVoid):
        office.store(run, answer)
    assert log_of(match)[-1].data["termination"] == "server_abort"


def test_a_run_that_is_lost_leaves_its_match_to_be_ended_and_is_not_begun_before(office: Office) -> None:
    run = office.take()
    answer = office.play(run)
    run, match = tell(office, run, part(answer, 0, 5))
    kinds = (encounters.KIND,)
    assert rows.left_open(kinds) == [] and rows.told() == [match]
    rows.withdraw([run.key])
    assert rows.told() == [match], "a host that begins now does not play it itself"
    (left,) = rows.left_open(kinds)
    assert (left.pk, left.match, left.state) == (run.work, match, "waiting")
    rows.withdraw([run.key])
    assert Work.objects.filter(pk=run.work).exists(), "until its match has ended"
    rows.closed(run.work, match)
    rows.withdraw([run.key])
    assert not Work.objects.filter(pk=run.work).exists()


def test_an_answer_to_a_match_that_was_ended_otherwise_counts_for_nothing(office: Office) -> None:
    run = office.take()
    answer = office.play(run)
    run, match = tell(office, run, part(answer, 0, 5))
    office.encounters._store_of(office.fence).write([_ended(match)])
    assert tell(office, run, part(answer, 5, 6))[1] == ""
    with pytest.raises(RunVoid):
        office.store(run, answer)
    (left,) = rows.left_open((encounters.KIND,))
    rows.closed(left.pk, left.match)
    again = office.take("another")
    while again.work != run.work:
        again = office.take("another")
    assert again.match == "" and office.store(again, office.play(again))


def _ended(match: str) -> Any:
    from datetime import UTC, datetime

    from arena.core.log_store import Append
    from arena.match.commands import Abort
    from arena.match.decide import decide
    from arena.match.evolve import replay

    stored = log_of(match)
    events = decide(replay(stored), Abort("server_abort", "for the test"), datetime.now(UTC))
    return Append(match, events, lambda error: None, stored)
