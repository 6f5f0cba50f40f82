"""Draws the house from its imports: `python -m tools.house` writes docs/house.svg, `--check` only compares it.

A room is a folder of `arena/` (its inner rooms are part of it), `games/`, `games/players/` and `arena/host.py`; the
other loose modules of `arena/` (settings, addresses) are one. A room stands a floor above the highest that it imports.
An arrow leads to what a room imports; if a longer path leads there as well, it is left out.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "house.svg"

GLUE = "settings, addresses"
# Modules that are a room each.
ALONE = ("figures", "host", "paths")
WIDE, HIGH, GAP, FLOOR, MARGIN = 150, 34, 20, 74, 24

STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #1c2430; text-anchor: middle; dominant-baseline: central }
  rect { fill: #f3f5f8; stroke: #8a94a6 }
  path { fill: none; stroke: #8a94a6; marker-end: url(#head) }
  #head path { fill: #8a94a6; stroke: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e7ebf2 }
    rect { fill: #1d2430; stroke: #77829a }
    path { stroke: #77829a }
    #head path { fill: #77829a }
  }
"""

Arrows = dict[str, set[str]]


class House(NamedTuple):
    """`floors` from the ground up; `arrows` without those that a longer way makes needless, `said` counts them all."""

    floors: list[list[str]]
    arrows: Arrows
    said: int


def arrows_of(root: Path) -> Arrows:
    """The rooms, and which other rooms each of them imports."""
    files = {_module(path, root): path for house in ("games", "arena") for path in (root / house).rglob("*.py")}
    found: Arrows = {}
    for module, path in files.items():
        if module == "arena" or "migrations" in path.parts:
            continue
        room = _room(module)
        others = {_room(each) for each in _imports(path) if each in files and each != "arena"}
        found.setdefault(room, set()).update(others - {room})
    return found


def house_of(arrows: Arrows) -> House:
    """Floors and arrows. Raises graphlib.CycleError where rooms go round in a circle."""
    below: Arrows = {}
    floor: dict[str, int] = {}
    for room in TopologicalSorter(arrows).static_order():
        below[room] = arrows[room].union(*(below[other] for other in arrows[room]))
        floor[room] = 1 + max((floor[other] for other in arrows[room]), default=-1)
    needed = {
        room: {other for other in others if not any(other in below[each] for each in others)}
        for room, others in arrows.items()
    }
    floors: list[list[str]] = [[] for _ in range(1 + max(floor.values()))]
    for room in sorted(arrows):
        floors[floor[room]].append(room)
    return House(_untangled(floors, needed), needed, sum(map(len, arrows.values())))


def _untangled(floors: list[list[str]], arrows: Arrows) -> list[list[str]]:
    """Each floor in the order of what it stands on, so that few arrows cross."""
    place: dict[str, float] = {}
    for rooms in floors:
        means = {
            room: sum(place[each] for each in arrows[room]) / len(arrows[room]) if arrows[room] else 0.0
            for room in rooms
        }
        rooms.sort(key=lambda room: (means[room], room))
        place.update({room: n - (len(rooms) - 1) / 2 for n, room in enumerate(rooms)})
    return floors


def picture(house: House) -> str:
    """The house as an SVG image, the ground floor at the bottom."""
    wide = max(map(len, house.floors)) * (WIDE + GAP) - GAP + 2 * MARGIN
    high = len(house.floors) * FLOOR - (FLOOR - HIGH) + 2 * MARGIN
    corner = {
        room: (wide / 2 + (n - len(rooms) / 2) * (WIDE + GAP) + GAP / 2, high - MARGIN - HIGH - level * FLOOR)
        for level, rooms in enumerate(house.floors)
        for n, room in enumerate(rooms)
    }
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img">',
        f"<title>{_summary(house)}</title>",
        f"<style>{STYLE}</style>",
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z"/></marker>',
    ]
    for room in sorted(corner):
        for other in sorted(house.arrows[room]):
            lines.append(_arrow(*corner[room], *corner[other]))
    for room, (x, y) in sorted(corner.items()):
        lines.append(f'<rect x="{x:g}" y="{y:g}" width="{WIDE}" height="{HIGH}" rx="6"/>')
        lines.append(f'<text x="{x + WIDE / 2:g}" y="{y + HIGH / 2:g}">{room}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    start, end, bend = x + WIDE / 2, to_x + WIDE / 2, (to_y - y - HIGH) / 2
    return f'<path d="M{start:g} {y + HIGH:g}C{start:g} {y + HIGH + bend:g} {end:g} {to_y - bend:g} {end:g} {to_y:g}"/>'


def _summary(house: House) -> str:
    rooms = sum(map(len, house.floors))
    return f"{rooms} rooms on {len(house.floors)} floors; {house.said} imports between them, every one points downwards"


def _module(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _room(module: str) -> str:
    first, _, rest = module.partition(".")
    if first == "games":
        return "games/players" if rest.startswith("players") else "games"
    name = rest.partition(".")[0]
    return name if name in ALONE or (ROOT / "arena" / name).is_dir() else GLUE


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def main(arguments: list[str]) -> int:
    house = house_of(arrows_of(ROOT))
    drawn = picture(house)
    print(_summary(house))
    if arguments == ["--check"]:
        current = PICTURE.exists() and PICTURE.read_text(encoding="utf-8") == drawn
        print("docs/house.svg is current" if current else "docs/house.svg is not current: python -m tools.house")
        return 0 if current else 1
    PICTURE.write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
