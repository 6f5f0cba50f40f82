"""`manage.py black_box` and `replay-room`, as people run them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bots.replaying.recorded import recorded, sample
from tests.kit.commands import manage

pytestmark = pytest.mark.service


def test_a_recorded_match_is_played_again_without_a_server_or_a_database(tmp_path: Path) -> None:
    [text] = recorded("fiar", tmp_path, sample("fiar", tmp_path))
    (tmp_path / "box.jsonl").write_text(text)
    (tmp_path / "bad.jsonl").write_text(text.replace('"wire":[0,', '"wire":[1,', 1))
    played = manage(tmp_path, "replay-room", "box.jsonl")
    assert (played.returncode, played.stderr) == (0, "")
    assert "the same log: all " in played.stdout
    wrong = manage(tmp_path, "replay-room", "bad.jsonl", "box.jsonl")
    line = text[: text.index('"wire":[0,')].count("\n") + 1
    assert wrong.returncode == 1 and f"bad.jsonl: REFUSED: line {line}, a message of a wire: changed" in wrong.stdout
    assert "the same log" in wrong.stdout and "verified" in manage(tmp_path, "verify", "box.jsonl").stdout
