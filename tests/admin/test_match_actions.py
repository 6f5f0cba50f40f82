"""Acts on matches from the admin, on a running host: asked first, done through the referee, on record."""

from __future__ import annotations

import html
import re
from contextvars import ContextVar
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import transaction
from django.db.backends.utils import CursorWrapper
from django.http import HttpResponse

from arena.host import Host
from arena.match.state import SeatSetup, Setup
from arena.models import Audit, Match, Pairing, Ruling, Seat
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec, TournamentSpec
from tests.admin.test_init import MOST_QUERIES
from tests.kit.browsing import Person, text, two_people
from tests.web.match.test_staff import rated

LIST = "/admin/arena/match/"
REASON = "the cable was pulled"


async def root(name: str = "root") -> Person:
    person = Person()
    await person.client.aforce_login(await User.objects.acreate_superuser(name))
    return person


def words(answer: HttpResponse) -> str:
    return html.unescape(text(answer))


async def ask(person: Person, act: str, *matches: str) -> tuple[str, dict[str, Any]]:
    """The page that asks, and what its form sends."""
    answer = await person.post(LIST, action=act, _selected_action=matches)
    assert answer.status_code == 200, text(answer)
    stood = dict(re.findall(r'name="(stood-[^"]+)" value="([^"]+)"', text(answer)))
    return words(answer), {"action": act, "_selected_action": matches, "confirmed": "yes", **stood}


async def do(person: Person, act: str, *matches: str, **said: Any) -> str:
    """Ask, confirm, and what the list says then."""
    _, form = await ask(person, act, *matches)
    answer = await person.post(LIST, **{"reason": REASON, **form, **said})
    assert answer.status_code == 302, text(answer)
    return words(await person.get(answer["Location"]))


async def refused(person: Person, act: str, match: str) -> str:
    """Not even asked: what the list says."""
    answer = await person.post(LIST, action=act, _selected_action=match)
    assert answer.status_code == 302, text(answer)
    return words(await person.get(answer["Location"]))


async def test_a_match_is_paused_and_goes_on(host: Host) -> None:
    (live, first, _), staff = await two_people(host), await root()
    assert "now paused" in await do(staff, "pause", live.id)
    page = words(await first.get(f"/m/{live.id}/"))
    assert f"A referee has paused this match: {REASON}. Clocks are stopped." in page
    assert (live.state.phase, live.events[-1].actor, live.events[-1].data["reason"]) == ("paused", "root", REASON)
    assert "now running" in await do(staff, "resume", live.id, reason="")
    assert [event.kind for event in live.events[-2:]] == ["paused", "resumed"]
    assert "It is not paused but running. Nothing was done." in await refused(staff, "resume", live.id)
    assert [audit.act async for audit in Audit.objects.order_by("pk")] == ["pause", "resume"]


async def test_the_second_of_two_who_act_at_once_is_told_what_the_first_did(host: Host) -> None:
    (live, _, _), first, second = await two_people(host), await root(), await root("ada")
    chosen = {"action": "pause", "_selected_action": live.id}
    since = re.search(rf'name="since-{live.id}" value="(\d+)"', text(await second.post(LIST, **chosen)))
    assert since is not None
    await do(first, "pause", live.id)
    answer = await second.post(LIST, **chosen, **{f"since-{live.id}": since[1]}, confirmed="yes", reason="lunch")
    page = words(await second.get(answer["Location"]))
    assert "Meanwhile: root at " in page and f"paused the match (“{REASON}”). Nothing was done." in page
    assert live.state.phase == "paused" and await Audit.objects.acount() == 1


async def test_nothing_is_done_before_it_was_confirmed_and_the_page_says_what_will_be(host: Host) -> None:
    live, staff = await rated(host), await root()
    page, _ = await ask(staff, "decide", live.id)
    assert "ada against bob: running, 1 move. It ends at once. This match is rated" in page
    assert not live.over and not await Audit.objects.aexists()


async def test_whoever_aborts_a_round_reads_that_its_series_ends(host: Host) -> None:
    live, _, _ = await two_people(host, rounds="4")
    page, _ = await ask(await root(), "abort", live.id)
    assert "It ends at once and counts for nobody. Its series ends with it." in page


async def test_without_a_reason_the_page_comes_back(host: Host) -> None:
    (live, _, _), staff = await two_people(host), await root()
    _, form = await ask(staff, "decide", live.id)
    answer = await staff.post(LIST, **form, choice="0", reason=" ")
    assert answer.status_code == 422 and "A reason is missing" in text(answer) and not live.over


async def test_several_matches_are_decided_and_each_answer_is_said(host: Host) -> None:
    (live, _, _), (over, _, _), staff = await two_people(host), await two_people(host), await root()
    _, form = await ask(staff, "decide", live.id, over.id)
    await host.referee.resign(over, 0)
    answer = await staff.post(LIST, **form, choice="0", reason=REASON)
    page = words(await staff.get(answer["Location"]))
    assert re.search(rf"Decide, {live.id}, .*: now .* won \(adjudicated\)", page)
    assert re.search(rf"Decide, {over.id}, .*: This match has changed since you looked at it", page)
    assert live.state.winner == 0 and not await Ruling.objects.aexists()
    audit = await Audit.objects.aget()
    assert (audit.actor, audit.act, audit.subject, audit.data["reason"]) == ("root", "decide", live.id, REASON)
    assert audit.data["before"]["match"] == "running, 0 moves" and "won" in audit.data["after"]["match"]
    assert await LogEntry.objects.acount() == 1


async def test_an_ended_rated_match_is_ruled_on_and_rated_anew(host: Host) -> None:
    live, staff = await rated(host), await root()
    await host.referee.resign(live, 0)
    assert "bob won (resign), ruled won by ada by root" in await do(staff, "decide", live.id, choice="0")
    before, after = (await Audit.objects.aget()).data["before"], (await Audit.objects.aget()).data["after"]
    assert "+" in before["ratings"]["bob"] and "+" in after["ratings"]["ada"]
    assert "ruled void by root" in await do(staff, "void", live.id)
    assert (await Match.objects.aget()).winner == 1 and await Ruling.objects.acount() == 2


async def test_a_match_is_stopped_once(host: Host) -> None:
    (live, first, _), staff = await two_people(host), await root()
    await do(staff, "abort", live.id)
    assert (live.state.termination, live.state.winner) == ("admin_abort", None)
    assert f"Stopped by a referee: {REASON}." in words(await first.get(f"/m/{live.id}/"))
    assert "It is over: decide it, or declare it void. Nothing was done." in await refused(staff, "abort", live.id)
    assert await Audit.objects.acount() == 1, "what was refused is not on record"


async def test_who_is_disconnected_loses(host: Host) -> None:
    (live, first, _), staff = await two_people(host), await root()
    await do(staff, "kick1", live.id)
    assert (live.state.winner, live.state.termination) == (0, "adjudicated")
    said = f"Decided by referee root: “{live.state.setup.seats[1].name} was disconnected: {REASON}”"
    assert said in words(await first.get(f"/m/{live.id}/"))


async def test_a_row_is_rebuilt_from_its_log(host: Host) -> None:
    (live, _, _), staff = await two_people(host), await root()
    await host.referee.resign(live, 0)
    await Match.objects.aupdate(winner=0)
    await Seat.objects.filter(seat=1).aupdate(name="x")
    assert "seats, winner differed" in await do(staff, "rebuild", live.id, reason="")
    assert (await Match.objects.aget()).winner == 1
    assert "nothing differed" in await do(staff, "rebuild", live.id)


async def test_what_no_tournament_paired_is_not_played_again(host: Host) -> None:
    (live, _, _), staff = await two_people(host), await root()
    assert "It was not played for a tournament. Nothing was done." in await refused(staff, "rerun", live.id)
    assert not await Audit.objects.aexists()


async def test_a_pairing_is_played_again_and_its_old_match_stays(host: Host) -> None:
    staff, pairing = await root(), await sync_to_async(a_pairing)()
    seats = (SeatSetup("b1", "builtin", level="beginner"), SeatSetup("b2", "builtin", level="club"))
    live = await host.referee.open(Setup("connect-four-7x6", seats, pairing=pairing.pk))
    await host.referee.start(live)
    assert "It is not over. Nothing was done." in await refused(staff, "rerun", live.id)
    await host.referee.resign(live, 0)
    assert "will be played again" in await do(staff, "rerun", live.id)
    again = await Pairing.objects.aget(attempt=2)
    await pairing.arefresh_from_db()
    assert (pairing.state, again.state, again.number) == ("replaced", "open", pairing.number)
    assert (await Match.objects.aget()).pairing_id == pairing.pk
    assert (await Audit.objects.aget(act="re-run")).data["after"]["attempt"] == 2


def a_pairing() -> Pairing:
    """Of a tournament that is paused before anybody could play it."""
    entries = (EntrySpec("b1", "builtin", level="beginner"), EntrySpec("b2", "builtin", level="club"))
    with transaction.atomic():
        tournament = actions.create(TournamentSpec("Cup", "connect-four-7x6", "round-robin", entries, legs=1))
        actions.start(tournament)
        actions.pause(tournament)
    return Pairing.objects.get()


async def test_nothing_is_done_in_a_process_that_serves_no_matches(transactional_db: None) -> None:
    staff = await root()
    await Match.objects.acreate(id="m1", variant="connect-four-7x6", opened="2026-01-31T12:00Z")
    page, form = await ask(staff, "abort", "m1")
    assert "This process serves no matches" in page
    answer = await staff.post(LIST, **form, reason=REASON)
    assert "This process serves no matches" in words(answer) and answer.status_code == 422
    assert REASON in words(answer), "what was typed is not lost"
    assert not await Audit.objects.aexists()


@pytest.mark.parametrize("act", ["pause", "decide"])
async def test_more_than_a_page_of_matches_is_not_acted_on(host: Host, act: str) -> None:
    staff = await root()
    await Match.objects.abulk_create(
        Match(id=f"m{n}", variant="connect-four-7x6", opened="2026-01-31T12:00Z") for n in range(101)
    )
    answer = await staff.post(LIST, action=act, select_across="1", index="0", _selected_action="m1")
    assert answer.status_code == 302
    assert "choose at most 100 rows. Nothing was done." in words(await staff.get(answer["Location"]))


@pytest.mark.parametrize("act", ["decide", "rerun", "pause"])
async def test_what_is_asked_before_an_act_on_many_matches_asks_few_questions(
    host: Host, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ended matches are in no memory. What the host asks meanwhile for itself is in another context."""
    staff, matches = await root(), [await ended(host, over=act != "pause") for _ in range(20)]
    if act == "rerun":
        await Match.objects.aupdate(pairing=await sync_to_async(a_pairing)(), termination="server_abort")
    asked: list[str] = []
    by_the_page = ContextVar("by_the_page", default=False)
    execute = CursorWrapper.execute

    def counted(cursor: CursorWrapper, sql: str, params: Any = None) -> Any:
        if by_the_page.get():
            asked.append(sql)
        return execute(cursor, sql, params)

    monkeypatch.setattr(CursorWrapper, "execute", counted)
    by_the_page.set(True)
    page = words(await staff.post(LIST, action=act, _selected_action=matches))
    assert all(f"<strong>{match}, Connect Four" in page for match in matches)
    assert 0 < len(asked) <= MOST_QUERIES, asked


async def ended(host: Host, over: bool) -> str:
    seats = (SeatSetup("b1", "builtin", level="beginner"), SeatSetup("b2", "builtin", level="club"))
    live = await host.referee.open(Setup("connect-four-7x6", seats))
    await host.referee.start(live)
    if over:
        await host.referee.resign(live, 0)
    return live.id


async def test_a_match_whose_log_is_gone_says_so_among_others(host: Host) -> None:
    (live, _, _), staff = await two_people(host), await root()
    await Match.objects.acreate(id="m1", variant="connect-four-7x6", opened="2026-01-31T12:00Z")
    page, _ = await ask(staff, "decide", live.id, "m1")
    assert (
        "m1, Connect Four 7\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}6</strong>: There is no log of this match." in page
        and "running, 0 moves" in page
    )
