"""A host plays what the rows say: all formats, faults, pauses, restarts."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection

from arena.bots.process import starting
from arena.bots.session import tokens
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.state import SeatSetup
from arena.models import Bot, Entry, Match, Move, Pairing, Player
from arena.rooms.room import LiveRoom
from arena.tournaments import actions, live_pairing
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import EntrySpec
from arena.tournaments.transactions import touch
from tests.bots.process.test_commands import BOT, folder, run_by_us
from tests.kit.browsing import Person, flowing
from tests.kit.hosting import serving
from tests.kit.registered import register
from tests.kit.tournaments import a_begun, a_sheet, a_spec, builtins, finished, live_of, sheet_when
from tests.kit.until import asked_until, until
from tests.tournaments.test_calling import an_entry, connecting, play_native

__all__ = ["folder"]


async def test_a_round_robin_is_played_to_the_end(host: Host) -> None:
    await a_begun(a_spec(4, legs=2))
    found = await finished("spring-cup")
    assert Counter(line.status for line in found.lines) == {"played": 12}
    assert sum(line.points for line in found.standings) == 12
    assert all(len(line.matches) == 1 for line in found.lines)


async def test_while_the_database_fails_a_line_says_so_and_then_it_goes_on(
    host: Host, caplog: pytest.LogCaptureFixture
) -> None:
    await sync_to_async(_rename)("arena_tournament", "arena_away")
    await until(
        lambda: "the tournaments cannot be looked at, trying again: no such table: arena_tournament" in caplog.text
    )
    await sync_to_async(_rename)("arena_away", "arena_tournament")
    await a_begun(a_spec(2))
    assert Counter(line.status for line in (await finished("spring-cup")).lines) == {"played": 1}
    said = [line for line in caplog.records if "the tournaments cannot be looked at" in line.message]
    assert [line.message.startswith("resolved: ") for line in said] == [False, True], "not at every look"
    assert {line.exc_info for line in said} == {None}


def _rename(table: str, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} RENAME TO {name}")


@pytest.mark.parametrize(("format", "count", "matches"), [("gauntlet", 4, 3), ("swiss", 5, 8), ("knockout", 5, 4)])
async def test_every_format_is_played_to_the_end(host: Host, format: str, count: int, matches: int) -> None:
    await a_begun(a_spec(count, format=format, variant="expanding-nim"))
    found = await finished("spring-cup")
    assert Counter(line.status for line in found.lines)["played"] == matches


async def test_two_tournaments_run_at_a_time(host: Host) -> None:
    await a_begun(a_spec(3))
    await a_begun(a_spec(3, variant="expanding-nim"))
    await finished("spring-cup")
    await finished("spring-cup-2")


async def test_the_same_seed_gives_the_same_moves(host: Host) -> None:
    await a_begun(a_spec(3, opening_plies=4))
    await a_begun(a_spec(3, opening_plies=4))
    logs = []
    for slug in ("spring-cup", "spring-cup-2"):
        found = await finished(slug)
        logs.append([await _moves(line.matches[0].id) for line in found.lines])
    assert logs[0] == logs[1]


async def test_both_sides_of_an_opening_are_played(host: Host) -> None:
    await a_begun(a_spec(2, legs=4, opening_plies=4))
    found = await finished("spring-cup")
    moves = {line.leg: (await _moves(line.matches[0].id))[:4] for line in found.lines}
    assert moves[1] == moves[2] != moves[3] == moves[4]


async def test_its_matches_may_be_ended_by_a_proof_where_it_says_so(host: Host) -> None:
    """The player who wins Nim from the first position goes on winning, and at this speed no second move comes before
    the proof.
    """
    perfect = tuple(EntrySpec(f"p{n}", "builtin", "best") for n in (1, 2))
    await a_begun(a_spec(entries=perfect, variant="expanding-nim", adjudicate=1, pace_ms=60_000))
    found = await finished("spring-cup")
    match = await Match.objects.aget()
    assert (match.termination, match.plies) == ("adjudicated", 1)
    assert [line.points for line in found.standings] == [1, 0]


async def test_no_more_matches_run_at_a_time_than_it_says(host: Host) -> None:
    await a_begun(a_spec(4, concurrency=2, pace_ms=10))
    running = []

    def seen(found: Sheet) -> bool:
        running.append(found.progress.running)
        return found.tournament.state == "finished"

    await sheet_when("spring-cup", seen)
    assert max(running) == 2


async def test_a_paused_tournament_begins_nothing_and_goes_on_where_it_was(host: Host) -> None:
    tournament = await a_begun(a_spec(5, legs=2, concurrency=1))
    await sheet_when("spring-cup", lambda found: found.progress.played >= 2)
    await sync_to_async(actions.pause)(tournament)
    found = await sheet_when("spring-cup", lambda found: found.progress.running == 0)
    before = found.progress.played
    assert found.tournament.state == "paused" and before < 20
    assert (await a_sheet("spring-cup")).progress.played == before
    await sync_to_async(actions.resume)(tournament)
    assert (await finished("spring-cup")).progress.played == 20


async def test_a_pause_in_a_call_makes_nobody_come(host: Host) -> None:
    assert host.director is not None
    director, mira = host.director, await Player.objects.acreate(kind="person", name="mira", slug="mira")
    entries = (EntrySpec("mira", "person", player=mira.pk, agrees=True), *builtins(1))
    cup = await sync_to_async(actions.create)(a_spec(entries=entries, clock="30s"))
    await Entry.objects.filter(name="mira").aupdate(calls=1)
    await sync_to_async(actions.start)(cup)
    await until(lambda: director.calls(cup.pk))
    await sync_to_async(actions.pause)(cup)
    await until(lambda: not director.calls(cup.pk))
    await sync_to_async(actions.resume)(cup)
    await until(lambda: director.calls(cup.pk))
    assert (await Entry.objects.aget(name="mira")).calls == 1


async def test_a_look_that_comes_back_after_the_stop_has_begun_forgets_no_match(host: Host) -> None:
    await a_begun(a_spec(3, pace_ms=1000))
    await sheet_when("spring-cup", lambda found: found.progress.running > 0)
    director = host.director
    assert director is not None
    (run,) = director.runs()
    director.stopping = True
    run.pace.news()
    await run.task
    await director._look()
    assert list(director.runs()) == [run] and run._running
    director.stopping = False  # the host stops it now, with everything that it plays


async def test_what_was_running_is_neither_lost_nor_played_twice(transactional_db: None) -> None:
    """A host that stops, again and again: built-in players' matches go on in the next one."""
    await a_begun(a_spec(4, legs=2, concurrency=3))
    for played in (2, 5, 8):
        async with serving():
            await sheet_when("spring-cup", lambda found, played=played: found.progress.played >= played)  # type: ignore[misc]
    async with serving():
        found = await finished("spring-cup")
    assert all(line.status == "played" for line in found.lines)
    # One that was opened when its host stopped, and had not begun, is played as another.
    begun = {match async for match in Move.objects.values_list("match", flat=True)}
    matches = [match async for match in Match.objects.filter(pairing__isnull=False)]
    assert Counter(match.termination for match in matches if match.pk in begun) == {"normal": 12}
    assert {match.termination for match in matches if match.pk not in begun} <= {"server_abort"}


async def test_a_pairing_that_fails_three_times_is_handed_to_the_organiser(host: Host) -> None:
    tournament = await sync_to_async(actions.create)(a_spec(2))
    await sync_to_async(actions.start)(tournament)
    await Pairing.objects.aupdate(opening="4 x")  # cannot be played: our fault, every time
    found = await sheet_when("spring-cup", lambda found: found.lines[0].status == "handed")
    assert found.lines[0].faults == 3
    assert found.tournament.state == "running"
    pairing = await Pairing.objects.select_related("tournament", "a", "b").aget()
    await sync_to_async(actions.award)(pairing, "b", "p1 is ill", "mira")
    found = await finished("spring-cup")
    assert [line.points for line in found.standings] == [1, 0]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only the file of SQLite can be away for one connection")
async def test_no_pairing_is_at_fault_while_the_database_is_away(
    host: Host, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Each outage in which its room could not be opened counted, and after the third the organiser had to decide."""
    assert host.director is not None and host.director.open_room is not None
    open_room, asked, is_away, failed = host.director.open_room, *(asyncio.Event() for _ in range(3))

    async def later(*said: Any) -> LiveRoom:
        asked.set()
        await is_away.wait()
        try:
            return await open_room(*said)
        except OperationalError:
            failed.set()
            raise

    monkeypatch.setattr(host.director, "open_room", later)
    monkeypatch.setattr(live_pairing, "AGAIN_S", 0.05)
    (first, one), (second, two) = [await register(name, "fiar") for name in ("gravity-9", "delta-3")]
    close = sync_to_async(lambda: connection.close())
    door = (await host.open_doors("127.0.0.1", {"fiar": 0}, []))["fiar"]
    async with connecting(door, one, two):
        await a_begun(a_spec(entries=(an_entry(first.player), an_entry(second.player)), clock="30s"))
        await asked.wait()
        with monkeypatch.context() as away:
            away.setitem(connection.settings_dict, "NAME", str(tmp_path / "nothing" / "arena.sqlite3"))
            await close()
            is_away.set()
            await failed.wait()
        await close()
        found = await finished("spring-cup")
    assert [(line.status, line.faults) for line in found.lines] == [("played", 0)]
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_match_that_staff_stopped_is_handed_to_the_organiser(host: Host) -> None:
    await a_begun(a_spec(2, pace_ms=200))
    found = await sheet_when("spring-cup", lambda found: found.progress.running == 1)
    match = found.lines[0].match
    assert match is not None
    live = await live_of(host, match.id)
    await host.referee.abort(live, "admin_abort", "wrong bot", actor="mira")
    found = await sheet_when("spring-cup", lambda found: found.lines[0].status == "handed")
    await host.referee.rule(live, "win", 1, "p2 was winning", "mira")
    assert (await finished("spring-cup")).standings[0].points == 1


@pytest.mark.parametrize("here", ["built-in", "in a room"])
async def test_a_match_that_begins_as_its_pairing_is_decided_is_not_played(host: Host, here: str) -> None:
    """Whoever sat down in that moment played for nothing, and for ratings where the event has them."""
    entries = builtins(2) if here == "built-in" else (*builtins(1), await a_person())
    await a_begun(a_spec(entries=entries, clock="30s", pace_ms=200))
    if here == "in a room":
        await until(lambda: any(room.plan.pairing for room in host.lobby.rooms.values()))
        [room] = [room for room in host.lobby.rooms.values() if room.plan.pairing]
        host.lobby.sit_down(room, SeatSetup("Mira", player=entries[1].player, verified=True))
    found = await sheet_when("spring-cup", lambda found: found.progress.running == 1)
    # As an organiser would have done before there was a match.
    await Pairing.objects.aupdate(state="drawn", reason="agreed")
    await sync_to_async(touch)(found.tournament.pk)
    found = await finished("spring-cup")
    assert (found.lines[0].status, found.lines[0].faults) == ("drawn", 0)
    match = await asked_until(Match.objects.aget, lambda match: match.ended is not None)
    assert (match.termination, match.reason) == ("server_abort", "the pairing had been decided when the match began")
    director = host.director
    assert director is not None
    await until(lambda: all(run.task.done() for run in director.runs()))
    assert await Match.objects.acount() == 1


@sync_to_async
def a_person() -> EntrySpec:
    player = Player.objects.create(kind="person", name="Mira", slug="mira")
    return EntrySpec("Mira", "person", player=player.pk, agrees=True)


async def _moves(match: str) -> list[str]:
    return [move.move async for move in Move.objects.filter(match=match).order_by("seq")]


async def test_a_bot_that_plays_in_another_event_is_not_called_and_loses_nothing(host: Host) -> None:
    port = (await host.open_doors("127.0.0.1", {"native": 0}, []))["native"]
    (bot, token), moves = await register("gravity-9", "native"), asyncio.Event()
    entries = (an_entry(bot.player, "native"), *builtins(2))
    playing = asyncio.create_task(play_native(port, token, moves))
    first = await a_begun(a_spec(entries=entries, clock="60s", name="First", concurrency=1))
    await until(lambda: [live for live in host.hub.running() if live.state.position.ply < 2 and _is_of(live, bot)])
    second = await a_begun(a_spec(entries=entries, clock="60s", name="Second"))
    await sheet_when("second", lambda found: found.progress.played == 1)
    assert host.director is not None and host.director.calls(second.pk) == []
    waits = "<b>gravity-9</b> plays in another event. Its matches here wait until it is free."
    said = {slug: flowing(await Person().get(f"/t/{slug}/")) for slug in ("first", "second")}
    assert waits in said["second"] and waits not in said["first"]
    moves.set()
    for event in (first, second):
        found = await finished(event.slug)
        assert Counter((line.status, line.calls) for line in found.lines) == {("played", 0): 3}
    assert waits not in flowing(await Person().get("/t/second/"))
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)


async def test_who_is_called_opposite_a_bot_that_plays_in_another_event_has_missed_nothing(host: Host) -> None:
    """The bot waits for a person, who does not come, and leaves for a match of another event."""
    assert (director := host.director) is not None
    port = (await host.open_doors("127.0.0.1", {"native": 0}, []))["native"]
    (bot, token), moves = await register("gravity-9", "native"), asyncio.Event()
    mira = await Player.objects.acreate(kind="person", name="mira", slug="mira")
    playing = asyncio.create_task(play_native(port, token, moves))
    await until(tokens.players)
    entry = an_entry(bot.player, "native")
    entries = (entry, EntrySpec("mira", "person", player=mira.pk, agrees=True))
    first = await a_begun(a_spec(entries=entries, clock="60s", name="First"))
    await until(lambda: director.calls(first.pk))
    await a_begun(a_spec(entries=(entry, *builtins(1)), clock="10m", name="Second"))
    await until(lambda: not director.calls(first.pk))
    assert (await Entry.objects.aget(name="mira")).calls == 0
    assert "<b>gravity-9</b> plays in another event." in flowing(await Person().get("/t/first/"))
    moves.set()
    assert [(line.status, line.calls) for line in (await finished("second")).lines] == [("played", 0)]
    await until(lambda: director.calls(first.pk))
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)


async def test_a_bot_that_is_enabled_while_it_is_called_has_missed_nothing(host: Host, folder: Path) -> None:
    """One that the server runs arrives nowhere. All of this event is lost with it, for a click that is taken back."""
    assert (director := host.director) is not None
    bot = await run_by_us(folder)
    await tokens.disable(bot, "a look at it")
    entries = (an_entry(bot.player), *builtins(4))
    event = await a_begun(a_spec(entries=entries, format="gauntlet", clock="30s", concurrency=1))
    await until(lambda: director.calls(event.pk))
    await tokens.enable(bot)
    await until(lambda: not director.calls(event.pk))
    assert "waiting" in {line.status for line in (await a_sheet("spring-cup")).lines}, "the call ended, not the event"
    found = await finished("spring-cup")
    assert Counter((line.status, line.calls) for line in found.lines) == {("played", 0): 4}


async def test_an_event_that_waits_for_everyone_waits_for_a_bot_that_does_not_start(host: Host, folder: Path) -> None:
    bot = await run_by_us(folder, "import a_library_of_1999\n")
    event = await sync_to_async(actions.create)(a_spec(entries=(an_entry(bot.player), *builtins(1)), clock="30s"))
    await sync_to_async(actions.start_when_here)(event)
    await until(lambda: bot.pk in starting.lacking())
    page = flowing(await Person().get("/t/spring-cup/"))
    assert "1 of 2 are connected." in page and "cannot be started" in page
    assert (await a_sheet("spring-cup")).tournament.state == "waiting"
    (folder / bot.player.slug / "bot.py").write_text(BOT)
    assert [line.status for line in (await finished("spring-cup")).lines] == ["played"]


def _is_of(live: LiveMatch, bot: Bot) -> bool:
    return any(seat.player == bot.pk for seat in live.state.setup.seats)
