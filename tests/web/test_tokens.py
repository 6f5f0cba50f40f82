"""The colours of static/css/tokens.css: every pair that meets on a page is readable, in light and in dark.

The formula is relative luminance and contrast ratio of WCAG 2: 4.5 for text, 3 for what is not text.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOKENS = Path(__file__).parents[2] / "static" / "css" / "tokens.css"

TEXT_ON = {
    "bg": "text muted accent link danger warn",
    "surface": "text muted accent link danger warn",
    "sunk": "text muted accent link danger warn",
    "accent": "on-accent",
    "danger": "on-danger",
    "accent-soft": "text muted accent link",
    "danger-soft": "text danger",
    "warn-soft": "text warn link",
    "text": "bg",
    "frame": "frame-text",
    "frame-low": "frame-text ring",  # the numbers on the lip of a board
}
SHAPES_ON = {
    "bg": "ctl accent",
    "surface": "ctl accent danger",
    "sunk": "ctl accent",
    "hole": "seat0 seat1 ring target",
    "frame": "seat0 seat1 ring target",
    "frame-top": "ring",
    "seat0": "seat0-ink",
    "seat1": "seat1-ink",
}


def _pairs(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(front, ground) for ground, fronts in table.items() for front in fronts.split()]


def _colour(name: str, theme: str) -> str:
    value = re.search(rf"--{re.escape(name)}: ([^;]+);", TOKENS.read_text(encoding="utf-8"))
    assert value, f"tokens.css has no --{name}"
    light_and_dark = re.findall(r"#[0-9A-F]{6}", value[1])
    assert 1 <= len(light_and_dark) <= 2, f"--{name}: expected one colour or light-dark() of two, got {value[1]}"
    return str(light_and_dark[0 if theme == "light" else -1])


def _luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(front: str, ground: str) -> float:
    low, high = sorted((_luminance(front), _luminance(ground)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("front", "ground"), _pairs(TEXT_ON))
def test_text_can_be_read_on_its_ground(front: str, ground: str, theme: str) -> None:
    assert _contrast(_colour(front, theme), _colour(ground, theme)) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("front", "ground"), _pairs(SHAPES_ON))
def test_controls_and_pieces_stand_out_from_their_ground(front: str, ground: str, theme: str) -> None:
    assert _contrast(_colour(front, theme), _colour(ground, theme)) >= 3


def test_the_formula_gives_the_known_extremes() -> None:
    assert round(_contrast("#000000", "#FFFFFF"), 2) == 21
    assert round(_contrast("#777777", "#FFFFFF"), 2) == 4.48


def test_no_page_has_a_colour_of_its_own() -> None:
    """But base.html names those around the page, which browsers take from no style sheet."""
    pages = sorted((TOKENS.parents[2] / "templates/arena").rglob("*.html"))
    found = [(page.name, each) for page in pages for each in re.findall(r'"#[0-9A-Fa-f]{3,8}"', page.read_text())]
    assert found == []


def test_a_theme_is_colours_and_nothing_else() -> None:
    """Where everything is in one theme, it is in the other: tests/browser/layout.py looks at widths in one."""
    of_a_theme = re.compile(r"prefers-color-scheme|\[data-theme[^{]*\{(?! color-scheme: \w+; \})")
    sheets = sorted(TOKENS.parent.glob("*.css"))
    found = [(sheet.name, each) for sheet in sheets for each in of_a_theme.findall(sheet.read_text(encoding="utf-8"))]
    assert sheets and found == []
