"""docs/exact.md names no transcript and no test that does not exist, and every protocol has its table."""

from __future__ import annotations

import re
from pathlib import Path

from arena.protocols import protocols

ROOT = Path(__file__).parent.parent
EXACT = (ROOT / "docs/exact.md").read_text(encoding="utf-8")


def test_every_transcript_that_is_named_exists() -> None:
    there = {path.stem for path in (ROOT / "tests/protocols/transcripts").glob("*.txt")}
    named = set(re.findall(r"`((?:" + "|".join(protocols()) + r")\.[\w-]+)`", EXACT))
    assert len(named) > 150 and named - there == set()


def test_every_test_that_is_named_exists() -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", EXACT))
    gone = [(path, name) for path, name in sorted(named) if f"def {name}(" not in (ROOT / path).read_text("utf-8")]
    assert len(named) > 20 and gone == []


def test_every_protocol_has_its_table_and_every_row_names_what_holds_it() -> None:
    assert set(re.findall(r"^## `([\w-]+)`$", EXACT, re.MULTILINE)) == set(protocols())
    rows = [line for line in EXACT.splitlines() if line.startswith("| ") and not line.startswith("| sentence")]
    assert rows and all("`" in row.split(" | ")[1] for row in rows)
