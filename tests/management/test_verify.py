"""`manage.py verify`: a record that was taken from the page is right, a changed one and a changed log are not."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from arena.core.log_store import Append
from arena.match.record import lines
from arena.models import Event as EventRow
from arena.models import Match
from tests.kit.appending import A_WHOLE_MATCH, the_appends
from tests.kit.storage import Database

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    for events in the_appends(A_WHOLE_MATCH):
        Database().write([Append("m1", events, lambda error: None)])
    return written(tmp_path / "m1.jsonl")


def written(file: Path) -> Path:
    """The record of the match as its log stands now."""
    file.write_text("".join(lines("m1", Database().read("m1"))))
    return file


def verified(*files: Path) -> tuple[int, str]:
    said = StringIO()
    with pytest.raises(SystemExit) as exit:
        call_command("verify", *map(str, files), stdout=said)
    return int(str(exit.value)), said.getvalue()


def test_a_record_is_verified_and_compared_with_the_match_that_is_stored(record: Path) -> None:
    code, said = verified(record)
    assert (code, said.splitlines()[1]) == (0, "  the same head as stored here")
    assert "7 moves: verified" in said


def test_without_the_match_the_head_is_told_for_a_comparison(record: Path) -> None:
    head = Match.objects.get().head
    Match.objects.update(head=None)
    code, said = verified(record)
    assert code == 0 and f"head {head}: compare it with the match's page" in said


def test_a_changed_byte_is_named_and_the_other_file_is_still_checked(record: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(record.read_bytes().replace(b'"move",3,', b'"move",4,'))
    code, said = verified(bad, tmp_path / "none", record)
    assert code == 1
    assert f"{bad}: WRONG: line 8, event 7: changed" in said and "none: WRONG: [Errno 2]" in said and "verified" in said


def test_who_changes_the_log_and_makes_a_new_record_of_it_is_found(record: Path) -> None:
    (said,) = EventRow.objects.filter(match="m1", seq=1).values_list("data", flat=True)
    EventRow.objects.filter(match="m1", seq=1).update(data=said | {"round": 2})
    written(record)
    code, told = verified(record)
    assert code == 1 and f"the head of match m1 stored here is {Match.objects.get().head}" in told


def test_no_name_in_a_record_adds_a_line_to_what_is_said(tmp_path: Path) -> None:
    """Whoever makes a record can make all its hashes; its names must not say that it is the one that is stored."""
    opened, *others = (event for events in the_appends(A_WHOLE_MATCH) for event in events)
    first, second = opened.data["seats"]
    name = "ada\n  the same head as stored here\x1b[8m"
    forged = opened._replace(data={**opened.data, "seats": [{**first, "name": name}, second]})
    file = tmp_path / "forged.jsonl"
    file.write_text("".join(lines("m1", [forged, *others])))
    code, said = verified(file)
    assert code == 0 and len(said.splitlines()) == 2 and "\x1b" not in said
    assert said.splitlines()[1].startswith("  head ")
