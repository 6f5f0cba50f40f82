"""Out and in again: the same table, with every match in the file."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from arena.host import Host
from arena.models import Match, Pairing, Tournament
from arena.tournaments import actions, leaving
from arena.tournaments.export import WrongExport, from_json, pairings_csv, to_csv, to_json
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import EntrySpec
from tests.kit.tournaments import a_begun, a_spec, begun, finished, sheet
from tests.tournaments.rows import result, results, rule


def again(found: Sheet) -> Sheet:
    return from_json(json.loads(json.dumps(to_json(found))))


def table(found: Sheet) -> list[Any]:
    return [
        (
            line.rank,
            found.names[line.entry],
            line[2:7],
            [value.explained(found.names) for value in line.values.values()],
        )
        for line in found.standings
    ]


def cells(found: Sheet) -> dict[tuple[str, str], Any]:
    return {(found.names[a], found.names[b]): cell for (a, b), cell in found.crosstable.items()}


@pytest.mark.parametrize("format", ["round-robin", "swiss", "knockout"])
async def test_what_is_read_again_has_the_same_table(host: Host, format: str) -> None:
    await a_begun(a_spec(5, format=format, variant="expanding-nim"))
    found = await finished("spring-cup")
    read = await sync_to_async(again)(found)
    assert table(read) == table(found)
    assert cells(read) == cells(found)


async def test_every_match_is_in_it_with_its_moves(host: Host) -> None:
    await a_begun(a_spec(3, opening_plies=2))
    found = await finished("spring-cup")
    said = await sync_to_async(to_json)(found)
    assert len(said["pairings"]) == 3
    for pairing in said["pairings"]:
        (match,) = pairing["matches"]
        assert " ".join(move["move"] for move in match["moves"]).startswith(pairing["opening"])
        assert [seat["name"] for seat in match["seats"]] == [pairing["first"], pairing["second"]]


async def test_what_was_changed_in_the_file_is_seen_by_the_rules(host: Host) -> None:
    await a_begun(a_spec(2))
    said = json.dumps(await sync_to_async(to_json)(await finished("spring-cup")))
    changes: list[tuple[str, Any, str]] = [
        ("winner", 2, "by its moves the winner is"),
        ("termination", "timeout", "do not lead to the ending timeout"),
        ("position", "7x6", "do not lead to the ending normal"),
        ("moves", [], "do not lead to the ending normal"),
        ("moves", [{"ply": 1, "move": "9"}], "move 1: '9' cannot be played there, by the rules"),
    ]
    for key, value, why in changes:
        changed = json.loads(said)
        changed["pairings"][0]["matches"][0][key] = value
        with pytest.raises(WrongExport, match=f"^match .*{why}"):
            from_json(changed)


@pytest.mark.django_db
def test_forfeits_rulings_withdrawals_and_re_runs_are_in_it() -> None:
    tournament = begun(a_spec(5))
    results(*["1-0"] * 9, "0-1")
    rule(Match.objects.order_by("id")[0], "draw")
    rule(Match.objects.order_by("id")[1], "void")
    pairing = Pairing.objects.order_by("pk")[2]
    result(actions.rerun(pairing, "again"), "0-1", "timeout")
    last = actions.rerun(Pairing.objects.order_by("pk")[3], "again")
    leaving.withdraw(tournament, last.a)
    found = sheet("spring-cup")
    assert {line.status for line in found.lines} == {"played", "void", "forfeited"}
    assert table(from_json(_with_bare_matches(to_json(found)))) == table(found)


@pytest.mark.django_db
def test_nobody_knows_openings_and_dice_before_the_event_is_over() -> None:
    begun(a_spec(3, opening_plies=2, seed=4711))
    assert "seed" not in to_json(sheet("spring-cup"))["settings"]
    Tournament.objects.update(state=Tournament.State.FINISHED)
    assert to_json(sheet("spring-cup"))["settings"]["seed"] == 4711


def _with_bare_matches(said: dict[str, Any]) -> dict[str, Any]:
    """These matches were made without a log, so their endings are put in by hand."""
    for pairing in said["pairings"]:
        for match in pairing["matches"]:
            row = Match.objects.get(pk=match["id"])
            match.update(winner=row.winner, termination=row.termination, reason=row.reason)
    return said


@pytest.mark.django_db
def test_tables_for_spreadsheets() -> None:
    begun(a_spec(3, name="Cup", tie_breaks=("direct", "wins")))
    results("1-0", "0-1")
    rows = list(csv.reader(io.StringIO(to_csv(sheet("cup")))))
    assert rows[0] == [
        *("rank", "name", "points", "played", "won", "drawn", "lost", "direct", "wins", "failed"),
        *(row[1] for row in rows[1:]),
    ]
    assert rows[1][:7] == ["1", "p2", "2", "2", "2", "0", "0"]
    assert [row[10:] for row in rows[1:]] == [["*", "1", "1"], ["0", "*", ""], ["0", "", "*"]]
    schedule = list(csv.reader(io.StringIO(pairings_csv(sheet("cup")))))
    assert schedule[0][5:8] == ["status", "first_points", "second_points"]
    assert [row[5:8] for row in schedule[1:]] == [["played", "1", "0"], ["played", "0", "1"], ["waiting", "", ""]]


@pytest.mark.django_db
def test_the_schedule_for_spreadsheets_says_what_staff_decided_and_why() -> None:
    begun(a_spec(4, name="Cup"))
    ruled, void, aborted = Pairing.objects.order_by("round", "number")[:3]
    rule(result(ruled, "1-0", "timeout"), "win", 1, reason="=the clock stood")
    rule(result(void, "1-0"), "void")
    result(aborted, "", "server_abort")
    actions.award(aborted, "b", "the first is gone")
    schedule = list(csv.reader(io.StringIO(pairings_csv(sheet("cup")))))
    assert schedule[0][5:] == ["status", "first_points", "second_points", "termination", "match", "reason"]
    assert [row[5:] for row in schedule[1:5]] == [
        ["played", "0", "1", "adjudicated", "m000000000", "'=the clock stood"],
        ["void", "", "", "admin_abort", "m000000001", "seen by staff"],
        ["forfeited", "0", "1", "", "", "the first is gone"],
        ["waiting", "", "", "", "", ""],
    ]


@pytest.mark.django_db
def test_a_name_is_no_formula() -> None:
    begun(a_spec(entries=(EntrySpec("=1+1", "builtin", "club"), EntrySpec("@sum", "builtin", "club"))))
    for table, times in ((to_csv(sheet("spring-cup")), 2), (pairings_csv(sheet("spring-cup")), 1)):
        cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
        assert cells.count("'=1+1") == cells.count("'@sum") == times
        assert not [cell for cell in cells if cell.startswith(("=", "@"))]


@pytest.mark.parametrize("said", [None, [], {"format": "pgn"}, {"format": "arena-tournament-1"}])
def test_what_is_no_export_is_said_to_be_none(said: Any) -> None:
    with pytest.raises(WrongExport, match="export"):
        from_json(said)
