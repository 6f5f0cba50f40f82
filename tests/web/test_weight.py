"""What each script weighs by itself; what a page weighs with all that it loads is in tests/browser/test_budget.py."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

JS = Path(__file__).parents[2] / "static/js"
# Kilobytes as they would travel compressed.
BUDGETS = {
    "prefs": 1.5,
    "live": 2.5,
    "follow": 1.0,
    "sending": 1.5,
    "say": 0.75,
    "connection": 2.0,
    "clock": 1.5,
    "replay": 2.0,
    "keys": 1.25,
    "menu": 1.0,
    "roving": 1.5,
    "sound": 1.5,
    "chat": 1.0,
    "later": 0.75,
    "loud": 0.75,
    "wire": 2.25,
    "copy": 1.0,
    "nim": 1.5,
    "santorini": 3.0,
    "turn": 1.75,
}


@pytest.mark.parametrize("name", BUDGETS)
def test_each_script_keeps_its_budget(name: str) -> None:
    assert len(gzip.compress((JS / f"{name}.js").read_bytes())) <= BUDGETS[name] * 1000


def with_imports(script: Path) -> Iterator[Path]:
    yield script.resolve()
    for name in re.findall(r'^import .*"(\.[^"]+)"', script.read_text(encoding="utf-8"), re.MULTILINE):
        yield from with_imports(script.parent / name)


def test_one_typeface_is_shipped_variable_small_and_waited_for_by_nobody() -> None:
    (font,) = (JS.parent / "fonts").glob("*.woff2")
    assert font.stat().st_size <= 30_000
    sheets = "".join(path.read_text(encoding="utf-8") for path in (JS.parent / "css").iterdir())
    (face,) = re.findall(r"@font-face \{(.*?)\}", sheets, re.DOTALL)
    assert "font-weight: 400 700; font-display: optional;" in face and f"../fonts/{font.name}" in face
    ranges = re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", face)
    drawn = {chr(code) for low, high in ranges for code in range(int(low, 16), int(high or low, 16) + 1)}
    said = "".join(path.read_text(encoding="utf-8") for path in (JS.parents[1] / "locale").rglob("*.po"))
    assert {letter for letter in said if letter.isalpha()} <= drawn
