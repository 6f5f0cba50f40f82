"""A pairing that somebody else has played: what is stored of the answer, and what is not."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone

from arena.bots.process import guests, programs
from arena.bots.process.sandbox import best_level
from arena.bots.session.wire_store import UNREADABLE, stored_wire
from arena.core.log_store import Append, DatabaseStore
from arena.match.ids import ALPHABET
from arena.match.judge import judge
from arena.models import Bot, Event, LogSlice, Machine, Match, Pairing, Player, Returned, Work
from arena.models.whole_logs import log_of
from arena.play.driver import Log
from arena.tournaments import actions, encounters
from arena.tournaments.encounters import Encounters, where
from arena.tournaments.spec import EntrySpec
from arena.tournaments.told import at_our_time
from arena.work import rows
from arena.work.kinds import Where
from arena.work.machine_class import own_class
from arena.work.rows import AnswerRefused, Beat, RunVoid, WorkRun
from arena.work.rules_version import rules_version
from arena.work.workers import orders
from arena.work.workers.lender import Counter
from tests.kit.storage import held
from tests.kit.tournaments import a_spec, begun, builtins, sheet
from tests.tournaments.forging import forged
from tests.tournaments.working import Office, given_away

pytestmark = pytest.mark.django_db(transaction=True)

FORGERIES = 150


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path)
    made.submit()
    yield made


def counts() -> tuple[int, int]:
    return Match.objects.count(), Event.objects.count()


def test_an_honest_answer_counts_once(office: Office) -> None:
    run = office.take()
    answer = office.play(run)
    assert office.store(run, answer)
    before = counts()
    match = Match.objects.get()
    assert match.pairing_id == run.spec["pairing"] and match.id == answer["logs"][0]["match"]
    assert match.head, "its record is sealed"
    assert not office.store(run, answer), "it has come already"
    assert counts() == before and Work.objects.get(pk=run.work).late == 1
    assert [line.status for line in sheet(office.event.slug).lines].count("played") == 1


def test_nothing_of_a_forged_answer_is_stored(office: Office) -> None:
    run, dice = office.take(), Random(17)
    honest = office.play(run)
    for number in range(FORGERIES):
        how, answer = forged(honest, dice)
        if answer != honest:
            with pytest.raises(AnswerRefused):
                office.store(run, answer)
                pytest.fail(f"forgery {number}, {how}, was stored: {answer}")
    assert counts() == (0, 0) and Work.objects.get(pk=run.work).state == "out"
    assert office.store(run, honest)


def test_the_match_of_another_pairing_is_not_this_one(office: Office) -> None:
    one, other = office.take(), office.take()
    with pytest.raises(AnswerRefused, match="^event 1: its (seats|opening|pairing) is .+, expected "):
        office.store(one, office.play(other))
    assert counts() == (0, 0)


def test_two_who_gave_their_matches_one_name_in_the_same_moment_are_both_believed(office: Office) -> None:
    one, other = office.take(), office.take()
    first, second = office.play(one), office.play(other)
    second["logs"][0]["match"] = first["logs"][0]["match"]
    assert office.store(one, first) and office.store(other, second)
    assert dict(Match.objects.values_list("pairing_id", "id"))[one.spec["pairing"]] == first["logs"][0]["match"]
    assert [line.status for line in sheet(office.event.slug).lines].count("played") == 2


def test_what_the_database_refuses_for_another_cause_is_not_tried_under_another_name(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, tried = office.take(), list[str]()

    def refuse(self: DatabaseStore, appends: Sequence[Append]) -> None:
        tried.extend(append.match for append in appends)
        raise IntegrityError("a seat of it is missing")

    monkeypatch.setattr(DatabaseStore, "write_within", refuse)
    answer = office.play(run)
    with pytest.raises(AnswerRefused, match="^the database refused it: a seat of it is missing$"):
        office.store(run, answer)
    assert tried == [answer["logs"][0]["match"]] and counts() == (0, 0)


def test_several_answers_are_stored_at_once_and_each_counts_by_itself(office: Office) -> None:
    """A forged one and one that is too late are nobody else's matter; nor is one whose name is taken."""
    runs = [office.take() for _ in range(3)]
    answers = [office.play(run) for run in runs]
    assert office.store(runs[0], answers[0])
    forged_one = {"logs": [{**answers[1]["logs"][0], "events": answers[1]["logs"][0]["events"][:-1]}]}
    store_all = office.encounters.kind.store_all
    assert store_all is not None
    together = [(runs[0], answers[0]), (runs[1], forged_one), (runs[2], answers[2])]
    late, refused, stored = store_all(together, office.fence)
    assert (late, stored) == (False, True) and isinstance(refused, AnswerRefused) and Match.objects.count() == 2
    states = dict(Work.objects.values_list("pk", "state"))
    assert [states[run.work] for run in runs] == ["done", "out", "done"]
    assert Work.objects.get(pk=runs[0].work).late == 1
    again = {"logs": [{**answers[1]["logs"][0], "match": answers[2]["logs"][0]["match"]}]}
    assert store_all([(runs[1], again), (runs[1], answers[1])], office.fence) == [True, False], "under another name"
    assert [line.status for line in sheet(office.event.slug).lines] == ["played"] * 3


def test_what_bots_said_is_stored_with_their_matches_though_one_worker_has_sent_what_no_wire_is(office: Office) -> None:
    runs = [office.take() for _ in range(3)]
    answers = [office.play(run) for run in runs]
    said = {answer["logs"][0]["match"]: answer["logs"][0]["wires"] for answer in answers}
    forged, kept = (match for match, wires in said.items() if any(number for number, _ in wires))
    next(wire for wire in said[forged] if wire[0])[1] = "c29vbg=="
    assert office.encounters.kind.store_all is not None
    assert office.encounters.kind.store_all(list(zip(runs, answers, strict=True)), office.fence) == [True] * 3
    shown = {match: [stored_wire(match, seat) for seat in (0, 1)] for match in (forged, kept)}
    assert [UNREADABLE.decode() in text for text in shown[forged] if text] == [True], "one of its seats is a program"
    assert [text.startswith('{"t": ') and ' "dir": "out", ' in text for text in shown[kept] if text] == [True]


def _too_deep(answer: Any) -> str:
    return "[" * 100_000


def _deep_inside(answer: Any) -> str:
    answer["logs"][0]["events"][0][-1]["settings"] = "DEEP"
    return json.dumps({"answer": answer}).replace('"DEEP"', "[" * 950 + "]" * 950)


def _ages_apart(answer: Any) -> str:
    events = answer["logs"][0]["events"]
    for event in events:
        event[1] = "9999-12-31T23:59:59+00:00"
    events[0][1] = "0001-01-01T00:00:00+00:00"
    return json.dumps({"answer": answer})


def _no_kind_at_all(answer: Any) -> str:
    answer["logs"][0]["events"][2][2] = "\0\ud800" * 1000
    return json.dumps({"answer": answer})


def _nothing(answer: Any) -> str:
    return ""


@pytest.mark.parametrize("made", [_too_deep, _deep_inside, _ages_apart, _no_kind_at_all, _nothing])
def test_whatever_a_worker_answers_the_answers_of_others_are_stored(office: Office, made: Callable[[Any], str]) -> None:
    """It stays nobody's first answer, at which the host would stop at every start."""
    liar, honest = office.take("liar"), office.take()
    Machine.objects.create(name="liar", slots=1, speed=1, sandbox=0, seen=timezone.now())
    for run, text in ((liar, made(office.play(liar))), (honest, json.dumps({"answer": office.play(honest)}))):
        _return(run, text)
    counter = Counter({encounters.KIND: office.encounters.kind}, office.fence)
    assert [run.work for run in counter.take_back()] == [liar.work, honest.work]
    assert not Returned.objects.exists() and Match.objects.count() == 1
    assert Machine.objects.get(name="liar").distrusted and Work.objects.get(pk=liar.work).state == "waiting"
    assert 0 < len(Work.objects.get(pk=liar.work).why) <= 500 and "\0" not in Work.objects.get(pk=liar.work).why


def test_whatever_a_worker_tells_of_a_running_match_the_next_is_heard(office: Office) -> None:
    """And of a run that other rules play, nothing is shown."""
    run, older = office.take(), office.take()
    Work.objects.filter(pk=run.work).update(rules=rules_version(), watched=True)
    Work.objects.filter(pk=older.work).update(rules="older", watched=True)
    texts = ["[" * 100_000, "", "5", "[]", '{"events": 5}', json.dumps({"base": 0, "events": [["\ud800"] * 11]})]
    events = office.play(run)["logs"][0]["events"][:4]
    good = json.dumps({"match": "", "base": 0, "events": events})
    for told, text in (*((run, text) for text in texts), (older, good), (run, good)):
        LogSlice.objects.create(work_id=told.work, token=told.token, worker=told.worker, found=text)
    counter = Counter({encounters.KIND: office.encounters.kind}, office.fence)
    (match,) = counter.take_slices()
    assert Match.objects.get().pk == match and Event.objects.count() == 4 and not LogSlice.objects.exists()


def test_why_a_run_has_failed_is_stored_whatever_the_words(office: Office) -> None:
    """No database stores half a character, and PostgreSQL no zero byte."""
    run = office.take()
    said = json.dumps({"failed": "it \0\ud800 died" * 1000})
    _return(run, said)
    Counter({encounters.KIND: office.encounters.kind}, office.fence).take_back()
    row = Work.objects.get(pk=run.work)
    assert (row.state, row.faults) == ("waiting", 1) and row.why.startswith("it ? died") and len(row.why) <= 500


def test_a_run_of_the_rules_before_an_upgrade_is_done_again_and_nobody_has_lied(office: Office) -> None:
    """By other rules its match may be wrong, and it would be said to be one of these."""
    run = office.take()
    Machine.objects.create(name="elsewhere", slots=1, speed=1, sandbox=0, seen=timezone.now())
    wrong = {"logs": [{**office.play(run)["logs"][0], "events": []}]}
    _return(run, json.dumps({"answer": wrong}), "older")
    assert Counter({encounters.KIND: office.encounters.kind}, office.fence).take_back() == [run]
    row = Work.objects.get(pk=run.work)
    assert (row.state, row.faults, row.voids, row.lent) == ("waiting", 0, 1, None) and "the rules older" in row.why
    assert Machine.objects.get().distrusted == "" and counts() == (0, 0) and not Returned.objects.exists()
    again = office.take()
    assert again.work == run.work and office.store(again, office.play(again))


def _return(run: WorkRun, text: str, rules: str = rules_version()) -> None:
    """As the answer of a worker that has these rules."""
    Work.objects.filter(pk=run.work).update(rules=rules)
    Returned.objects.create(work_id=run.work, token=run.token, worker=run.worker, found=text)


@pytest.mark.parametrize("how", ["cancelled", "stopped at once"])
def test_of_forty_runs_that_are_out_of_an_event_that_is_called_off_none_counts_and_none_is_lost(how: str) -> None:
    event, host, fence = begun(a_spec(entries=builtins(10, "random"))), Encounters(), held()
    keys = given_away(event)
    runs = [run for _ in range(40) if (run := rows.claim("elsewhere", (encounters.KIND,))) is not None]
    answers = [(run, guests.played(host.kind.job(run))) for run in runs]
    if how == "cancelled":
        assert orders.cancel(Work.objects.filter(spec__event=event.pk)) == len(keys) == 45
    else:
        actions.pause(event, at_once=True)
    assert {rows.beat(run) for run in runs} == {Beat.CANCELLED}
    assert host.kind.store_all is not None
    assert host.kind.store_all(answers, fence) == [False] * 40 and counts() == (0, 0)
    left = [("cancelled", 1)] * 40 + [("cancelled", 0)] * 5 if how == "cancelled" else []
    assert list(Work.objects.order_by("pk").values_list("state", "late")) == left
    if how == "cancelled":
        assert orders.again(Work.objects.all()) == 0, "their organiser has them played again, as others"
        for line in sheet(event.slug).lines:
            actions.count_fault(line.pk, hand_over=False)
        keys = given_away(event)
    else:
        rows.submit(encounters.KIND, [(run.key, run.spec) for run in runs], encounters.PRIORITY)
    again = [run for _ in range(40) if (run := rows.claim("elsewhere", (encounters.KIND,))) is not None]
    assert [run.key for run in again] == keys[:40]
    assert host.kind.store_all(answers, fence) == [False] * 40, "what was out before is late for ever"
    whole = [(run, answer) for run, (_, answer) in zip(again, answers, strict=True)]
    assert [
        came for came in host.kind.store_all(whole, fence) if came is not True and not isinstance(came, RunVoid)
    ] == []


@pytest.mark.parametrize("name", ["zzzzzzzzzz", "2222222222", "../../etc", 7, None])
def test_a_name_that_we_could_not_have_given_is_replaced(office: Office, name: Any) -> None:
    run = office.take()
    answer = office.play(run)
    answer["logs"][0]["match"] = name
    assert office.store(run, answer)
    stored = Match.objects.get().pk
    assert stored != name and len(stored) == 10 and set(stored) <= set(ALPHABET)


def test_a_worker_with_another_clock_changes_no_time_of_day(office: Office) -> None:
    run = office.take()
    log = Log.from_data(office.play(run)["logs"][0])
    now = log.events[-1].at
    for days in (-400, 400):
        shifted = tuple(event._replace(at=event.at + timedelta(days=days)) for event in log.events)
        assert at_our_time(shifted, now) == log.events
    backward = log.events[3]._replace(at=log.events[0].at - timedelta(hours=1))
    times = [event.at for event in at_our_time((*log.events[:3], backward, *log.events[4:]), now)]
    assert times == sorted(times) and times[-1] == now


def test_an_answer_to_what_nobody_waits_for_is_not_stored(office: Office) -> None:
    """The organiser has decided meanwhile; nobody has told the worker."""
    run = office.take()
    pairing = Pairing.objects.select_related("tournament", "a", "b").get(pk=run.spec["pairing"])
    actions.award(pairing, "draw", "they agreed", "mira")
    assert office.store(run, office.play(run))
    assert counts() == (0, 0) and Work.objects.get(pk=run.work).state == "done"


def test_a_match_without_a_result_is_a_fault_of_the_pairing_and_is_played_again(office: Office) -> None:
    run = office.take()
    answer = office.play(run)
    log = answer["logs"][0]
    beginning = log["events"][: 1 + len(sheet(office.event.slug).lines[0].opening.split())]
    said = {"winner": None, "termination": "server_abort", "reason": "the server could not speak for left"}
    ended = [len(beginning) + 1, beginning[-1][1], "ended", len(beginning) - 1, None, "", None, None, None, "", said]
    log["events"] = [*beginning, ended]
    assert office.store(run, answer)
    line = next(line for line in sheet(office.event.slug).lines if line.pk == run.spec["pairing"])
    assert (line.faults, line.status) == (1, "waiting")
    assert encounters.key_of(line) == f"pairing:{line.pk}:2"


def test_what_is_out_counts_among_the_rated_matches_of_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two bots of this server meet so often for their ratings, and the rest of the day without."""
    monkeypatch.setattr(encounters, "MOST_A_DAY", 5)
    entries = []
    for name in ("left", "right"):
        player = Player.objects.create(kind="bot", name=name, slug=name)
        said = {"variant": "connect-four-7x6", "protocol": "fiar", "family": name, "command": ["python3", "bot.py"]}
        Bot.objects.create(player=player, **said)
        entries.append(EntrySpec(name, "bot", protocol="fiar", player=player.pk))
    event = begun(a_spec(entries=tuple(entries), legs=9, clock="5s", rated=True))
    found = sheet(event.slug)
    for line in found.lines:
        encounters.submit(found, line)
    first = found.lines[0]
    assert Work.objects.count() == 9
    assert Work.objects.filter(spec__has_key="rated").count() == 5
    assert encounters.spec_of(found, first).further["rated"], "that it is out itself is not counted"
    assert "rated" not in encounters.spec_of(found, found.lines[-1]).further


def test_only_who_has_its_files_plays_a_command(settings: SimpleNamespace) -> None:
    builtin, command = {"level": "random"}, {"protocol": "fiar", "argv": ["python3", "bot.py"]}
    assert where({"spec": {"seats": [builtin, builtin]}, "machines": ""}) == Where()
    assert where({"spec": {"seats": [builtin, command]}}) == Where(Work.HOST)
    program = {**command, "program": "ab"}
    job: dict[str, Any] = {
        "spec": {"seats": [builtin, program]},
        "programs": {"ab": {"of": "left", "at": ""}},
        "sandbox": 2,
        "machines": "",
    }
    assert where(job) == Where(Work.HOST), "nobody could ask for it"
    settings.ARENA_WORKER_URL = "https://arena.example.org"
    assert where(job) == Where("", 2)
    assert where({**job, "machines": "c5"}) == Where("c5", 2)
    job["spec"]["seats"][0] = command
    assert where(job) == Where(Work.HOST)


def test_an_event_that_names_a_class_is_played_by_it_alone(tmp_path: Path) -> None:
    """A program whose files are here only cannot be played elsewhere, which is said."""
    office = Office(tmp_path)
    office.event.settings["machines"] = "c5"
    office.event.save()
    office.submit()
    assert {row.needs for row in Work.objects.all()} == {"c5"}
    here = ("", Work.HOST, own_class())
    assert rows.claim("here", (encounters.KIND,), here) is None
    said = list[Any]()
    while (run := rows.claim("there", (encounters.KIND,), ("c5",))) is not None:
        try:
            said.append(where(office.encounters.kind.job(run)))
        except ValueError as why:
            said.append(str(why))
    wrong = f"a program of it plays on this machine only, which is {own_class()}; the event wants c5"
    assert said.count(Where("c5")) == 1 and said.count(wrong) == 2, said


@pytest.mark.service
def test_a_bot_of_this_server_is_itself_wherever_its_program_is_played(
    settings: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log says which program it was, and who has played it; without its files nobody can."""
    with tempfile.TemporaryDirectory() as kept:
        settings.ARENA_DATA = Path(kept)
        settings.ARENA_DATA.chmod(0o755)
        monkeypatch.setenv(guests.FOLDER, str(programs.programs()))
        monkeypatch.setenv(guests.LEVEL, str(int(best_level())))
        office = Office(settings.ARENA_DATA, registered=True)
        office.submit()
        run, other = (run for run in (office.take() for _ in range(3)) if "left" in str(run.spec["spec"]["seats"]))
        Machine.objects.create(
            name="elsewhere", machine_class="c5", slots=1, speed=1, rules="", version="", sandbox=3, seen=timezone.now()
        )
        assert office.store(run, office.play(run))
        bot, match = Bot.objects.select_related("player").get(), Match.objects.get()
        seat = match.seats.get(player=bot.pk).seat
        data = Event.objects.get(match=match, seq=1).data
        both = [bot.program if n == seat else "" for n in (0, 1)]
        place = {"worker": "elsewhere", "class": "c5", "rules": rules_version(), "programs": both}
        assert data["played_on"] == place and data["seats"][seat]["verified"] and not data["rated"]
        assert judge(log_of(match.pk)) == ""
        programs.packed_of(bot.player.slug, bot.program).unlink()
        batch = other._replace(spec={name: said for name, said in other.spec.items() if name != "pairing"})
        with pytest.raises(ValueError, match=f"the program {bot.program[:12]} of left is not kept here any more"):
            office.play(batch)
        assert office.encounters.kind.job(other) is None and not Work.objects.filter(key=other.key).exists()
