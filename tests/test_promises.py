"""docs/promises.md names no test that does not exist, and the forty promises are all there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROMISES = (ROOT / "docs/promises.md").read_text(encoding="utf-8")


def test_every_test_that_is_named_exists() -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PROMISES))
    gone = [
        f"{path}::{name}"
        for path, name in sorted(named)
        if not (ROOT / path).exists() or f"def {name}(" not in (ROOT / path).read_text(encoding="utf-8")
    ]
    assert len(named) > 60 and gone == []


def test_forty_promises_are_held_by_a_test_each() -> None:
    rows = re.findall(r"^\| (\d+) \| [^|]+ \| ([^|]*) \|$", PROMISES, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 41))
    assert all("::test_" in held for _, held in rows)
