"""`manage.py black_box MATCH`: the file, or why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from arena.core.log_store import Append
from arena.match.black_box import verify
from tests.kit.appending import A_WHOLE_MATCH, the_appends
from tests.kit.storage import Database

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_file_is_written_and_what_has_none_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *rest = the_appends(A_WHOLE_MATCH)
    Database().write([Append("m1", first, lambda error: None)])
    with pytest.raises(CommandError, match="match m1 runs"):
        call_command("black_box", "m1")
    for events in rest:
        Database().write([Append("m1", events, lambda error: None)])
    file = tmp_path / "m1.jsonl"
    call_command("black_box", "m1", str(file))
    call_command("black_box", "m1")
    assert capsys.readouterr().out == file.read_text()
    assert verify(file.read_bytes()).record.match == "m1"
    with pytest.raises(CommandError, match="there is no match m2"):
        call_command("black_box", "m2")
