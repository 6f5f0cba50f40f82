"""The shape of the house, read from the source itself (docs/architecture.md).

* Imports point downwards, in the order of `LAYERS`, and neither modules nor rooms go round in a circle.
* Rules, protocols and the core of a match are pure: no clock, no dice, no network, no Django.
* Only the ledger writes matches, seats, events and rulings; logs of matches that are over are packed.
* Every source file has its test file: `arena/web/match/scene.py` is tested by `tests/web/match/test_scene.py`,
  `games/game.py` by `tests/games/test_game.py`, and a package whose `__init__.py` does something by `test_init.py`.
* Nobody outside `arena/protocols/` knows a protocol by its slug.
* Files end before line 400, classes before line 250, functions before line 50, lines of templates before column 120;
  a class has at most 20 attributes. Pages hold no inline script or style, and ask for nothing again and again: they
  are told. A class name has one meaning.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.kit.source import (
    ROOT,
    attributes,
    circles,
    imports,
    is_ours,
    is_within,
    module_of,
    names_along,
    nodes,
    place,
    room_of,
    slow_for_a_runner,
    slugs_named,
    sources,
    statements,
    strings,
    tree,
)  # fmt: skip

# From the bottom up. A module may import what stands on lower lines, and its own package.
LAYERS = (
    ("games", "arena.common", "arena.paths", "arena.catalogues"),
    ("arena.environment",),
    ("arena.match", "arena.protocols", "arena.transports", "arena.server", "arena.settings"),
    ("arena.analysis",),
    ("arena.play",),
    ("arena.models",),
    ("arena.migrations", "arena.ratings", "arena.cluster"),
    ("arena.apps", "arena.core.storage_trouble"),
    ("arena.work", "arena.core.storage_watch"),
    ("arena.core.log_statements", "arena.core.slices", "arena.core.packing"),
    ("arena.core.log_store",),
    ("arena.core.ledger",),
    ("arena.core.played",),
    ("arena.core.viewers",),
    ("arena.core.hub",),
    ("arena.core.turn_timers",),
    ("arena.core.referee",),
    ("arena.core.retry", "arena.core.row_writer", "arena.core.waiting"),
    ("arena.rooms.reservation", "arena.rooms.people", "arena.rooms.room_updates", "arena.rooms.room_pages"),
    ("arena.rooms.plan", "arena.rooms.breaks"),
    ("arena.rooms.sides",),
    ("arena.rooms.room",),
    ("arena.rooms.room_facts", "arena.rooms.room_rows", "arena.rooms.room_codes", "arena.rooms.room_quota"),
    ("arena.rooms.challenges",),
    ("arena.rooms.lobby",),
    ("arena.rooms.restart", "arena.rooms.rematch", "arena.rooms.visits", "arena.rooms.closing"),
    ("arena.rooms.challenging",),
    ("arena.rooms.matchmaking", "arena.rooms.sweeping"),
    ("arena.rooms.parking", "arena.rooms.draining", "arena.rooms.adjudicator"),
    ("arena.bots",),
    ("arena.tournaments",),
    ("arena.figures",),
    ("arena.host",),
    ("arena.web",),
    ("arena.admin",),
    ("arena.urls", "arena.routing"),
    ("arena.asgi",),
    ("arena.management",),
)
# Their modules stand on several lines.
EMPTY_PACKAGES = ("arena", "arena.core", "arena.rooms")
# These may import of ours only what stands here, whatever lies below them.
ALONE = {
    "games": {"games"},
    "arena.common": {"arena.common"},
    "arena.match": {"games", "arena.match"},
    "arena.analysis": {"games", "arena.analysis"},
    "arena.protocols": {"games", "arena.protocols"},
    "arena.transports": {"arena.common", "arena.transports"},
    "arena.server": {"arena.common", "arena.server"},
    "arena.play": {
        "games",
        "arena.analysis",
        "arena.common",
        "arena.match",
        "arena.protocols",
        "arena.transports",
        "arena.play",
    },
}
TOURNAMENT_MATHS = tuple(
    f"arena.tournaments.{module}" for module in ("schedule", "knockout", "tiebreaks", "standings", "openings")
)
PURE = ("games", "arena.match", "arena.protocols", *TOURNAMENT_MATHS)
# What a pure module could wait with, dice with or be late by.
IMPURE = {"asyncio", "threading", "multiprocessing", "concurrent", "subprocess", "socket", "select", "time", "random"}

WRITERS = ("arena.core.log_store", "arena.core.log_statements", "arena.core.packing", "arena.migrations")
LOGGED = {"Match", "Seat", "Event", "Move", "PackedLog", "Ruling"}
WRITES = re.compile(r"a?(save|create|update|delete|get_or_create|update_or_create|bulk_create|bulk_update)")
# The tables of Procrastinate hold nothing that counts. Neither wires nor work, workers and their answers are the log.
SQL_WRITE = re.compile(
    r"\b(INSERT\s+INTO|UPDATE(?=\s+\S+\s+SET\b)|DELETE\s+FROM)\s+"
    r"(?!procrastinate_|arena_(?:work|wirechunk|returned|machine)\s)",
    re.IGNORECASE,
)

# What has no subject stays small; what gets one moves out.
MOST_COMMON_MODULES = 8

# Glue without a thought of its own: it runs in the tests of what it joins.
UNTESTED = {"arena/apps.py", "arena/urls.py", "arena/asgi.py"}

MOST_LINES, MOST_LINES_OF_A_FUNCTION, MOST_COLUMNS = 400, 50, 120
MOST_LINES_OF_A_CLASS, MOST_ATTRIBUTES = 250, 20

INLINE = re.compile(
    r"""<style\b | <script\b(?![^>]*\bsrc=) | <[a-z][^<>]*?\s(style|on[a-z]+|hx-on[:a-z-]*)\s*= | javascript:""",
    re.IGNORECASE | re.VERBOSE,
)
EVERY = re.compile(r"""hx-trigger=("|')[^"']*\bevery\b""")


# -- the tests ---------------------------------------------------------------------------------------------------------


def test_every_module_has_its_layer() -> None:
    assert [module_of(path) for path in sources() if layer(module_of(path)) is None] == []


def test_imports_point_downwards() -> None:
    wrong = []
    for path in sources():
        own = module_of(path)
        for found in imports(path):
            if is_ours(found.module) and not may_import(own, found.module):
                wrong.append(f"{place(path)}:{found.line} imports {found.module}, which is not below {own}")
    assert wrong == []


def test_no_modules_go_round_in_a_circle() -> None:
    arrows = {
        module_of(path): {found.module for found in imports(path) if is_ours(found.module)} - {module_of(path)}
        for path in sources()
    }
    assert circles(arrows) == []


def test_no_rooms_go_round_in_a_circle() -> None:
    """A room is a folder; what stands loose in `arena/` is one each."""
    arrows: dict[str, set[str]] = {}
    for path in sources():
        others = {room_of(found.module) for found in imports(path) if is_ours(found.module)}
        arrows.setdefault(room_of(module_of(path)), set()).update(others - {room_of(module_of(path))})
    assert circles(arrows) == []


def test_some_parts_know_only_themselves() -> None:
    wrong = []
    for path in sources():
        allowed = next((names for name, names in ALONE.items() if is_within(module_of(path), name)), None)
        for found in imports(path) if allowed else []:
            if is_ours(found.module) and not any(is_within(found.module, name) for name in allowed or ()):
                wrong.append(f"{place(path)}:{found.line} imports {found.module}")
    assert wrong == []


def test_a_runner_loads_nothing_slow() -> None:
    assert slow_for_a_runner() == {}


def test_little_is_common() -> None:
    common = [path for path in sources() if is_within(module_of(path), "arena.common") and path.stem != "__init__"]
    assert len(common) <= MOST_COMMON_MODULES


def test_rules_protocols_and_the_core_of_a_match_are_pure() -> None:
    wrong = []
    for path in pure_sources():
        for found in imports(path):
            outermost = found.module.partition(".")[0]
            foreign = not is_ours(found.module) and outermost not in sys.stdlib_module_names
            if not found.for_types and (foreign or outermost in IMPURE):
                wrong.append(f"{place(path)}:{found.line} imports {found.module}")
    assert wrong == []


def test_rules_protocols_and_the_core_of_a_match_wait_for_nothing() -> None:
    waiting = (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)
    found = [(path, node) for path in pure_sources() for node in nodes(path) if isinstance(node, waiting)]
    assert [f"{place(path)}:{node.lineno}" for path, node in found] == []


def test_only_the_ledger_writes_the_log() -> None:
    wrong = []
    for path in sources():
        if path.is_relative_to(ROOT / "arena") and not any(is_within(module_of(path), name) for name in WRITERS):
            wrong += [f"{place(path)}:{line}" for line in writes(path)]
    assert wrong == []


def test_every_source_file_has_its_test_file() -> None:
    missing = {
        place(path): place(its_test(path)) for path in sources() if needs_a_test(path) and not its_test(path).exists()
    }
    assert missing == {}


def test_no_exception_is_left_over() -> None:
    assert {name for name in UNTESTED if (ROOT / name).exists() and its_test(ROOT / name).exists()} == set()


def test_no_file_and_no_function_is_long() -> None:
    long = []
    for path in [*sources(), *(ROOT / "tests").rglob("*.py")]:
        lines = path.read_text(encoding="utf-8").count("\n")
        if lines > MOST_LINES and "migrations" not in path.parts:
            long.append(f"{place(path)}: {lines} lines")
        for node in statements(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                if length > MOST_LINES_OF_A_FUNCTION:
                    long.append(f"{place(path)}:{node.lineno} {node.name}: {length} lines")
    assert long == []


def test_no_class_is_large() -> None:
    ours = [path for path in sources() if "migrations" not in path.parts]
    classes = [node for path in ours for node in statements(tree(path)) if isinstance(node, ast.ClassDef)]
    large = {node.name for node in classes if is_large(node)}
    assert large == set(), "at most 250 lines and 20 attributes: find the second class in it"


def test_a_class_name_has_one_meaning() -> None:
    """Those that Django prescribes may repeat: `Command` of each command, `Migration`."""
    homes: dict[str, list[str]] = {}
    for path in sources():
        if "migrations" not in path.parts and path.parent.name != "commands":
            for node in tree(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes.setdefault(node.name, []).append(place(path))
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_nobody_knows_a_protocol_by_its_slug() -> None:
    """What is special about one is a fact of its adapter, or is in its folder: code that must know it asks there."""
    folders = {path.parent.name for path in (ROOT / "arena/protocols").glob("*/adapter.py")}
    assert len(folders) > 1
    wrong = []
    for path in sources():
        if not is_within(module_of(path), "arena.protocols") and "migrations" not in path.parts:
            wrong += [f"{place(path)}:{line} names {slug}" for slug, line in slugs_named(path, folders)]
    assert wrong == []


def test_pages_hold_no_inline_script_and_no_inline_style() -> None:
    texts = [(path, path.read_text(encoding="utf-8")) for path in (ROOT / "templates").rglob("*.html")]
    texts += [(path, text) for path in sources() if "web" in path.parts for text in strings(path)]
    assert [f"{place(path)}: {found[0]}" for path, text in texts for found in INLINE.finditer(text)] == []


def test_no_line_of_a_template_is_long() -> None:
    pages = [(path, path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "templates").rglob("*.html")]
    long = [
        f"{place(path)}:{n}" for path, lines in pages for n, line in enumerate(lines, 1) if len(line) > MOST_COLUMNS
    ]
    assert long == []


def test_no_page_asks_again_and_again() -> None:
    pages = [(path, path.read_text(encoding="utf-8")) for path in (ROOT / "templates").rglob("*.html")]
    assert [place(path) for path, text in pages if EVERY.search(text)] == []


# -- that the tests can fail -------------------------------------------------------------------------------------------


def test_a_writer_is_found(tmp_path: Path) -> None:
    source = tmp_path / "writer.py"
    source.write_text(
        "from arena.models import Event as Row, Match\n"
        "Match.objects.create(id=1)\n"
        "Row.objects.filter(seq=1).update(move='')\n"
        "match.events.bulk_create([])\n"
        "match.save()\n"
        "cursor.execute('update arena_match set winner = 1')\n"
        "room.save()\n"
        "hashed.update(b'')\n"
    )
    assert list(writes(source)) == [2, 3, 4, 5, 6]


def test_an_upward_arrow_is_found() -> None:
    assert not may_import("arena.core.referee", "arena.web.match.scene")
    assert not may_import("arena.match.decide", "arena.protocols")
    assert not may_import("games.connect_four", "arena.match")
    assert may_import("arena.web.match.scene", "arena.match.state")
    assert may_import("arena.web.match.scene", "arena.web.match.status")


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": set()}) == ["a", "b", "c"]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_a_slug_is_found(tmp_path: Path) -> None:
    source = tmp_path / "knows.py"
    source.write_text(
        "from arena.protocols.nyu_nim.adapter import NyuNim\n"
        "from arena.protocols import nyu_nim\n"
        "if slug == 'nyu-nim': pass\n"
        "'an example such as nyu-nim'\n"
    )
    assert [line for _, line in slugs_named(source, {"nyu_nim"})] == [1, 2, 3]


def test_a_large_class_is_found() -> None:
    fields = "".join(f"    field_{n}: int\n" for n in range(MOST_ATTRIBUTES))
    facts = "    slug: ClassVar[str] = ''\n    rounds = 4\n"
    set_later = "    def __init__(self) -> None:\n        self.one, self.two = 1, 2\n"
    lines = "    def long(self) -> None: ...\n" * MOST_LINES_OF_A_CLASS
    classes = [ast.parse(f"class Any:\n{body}").body[0] for body in (fields + facts, fields + set_later, lines)]
    assert [isinstance(node, ast.ClassDef) and is_large(node) for node in classes] == [False, True, True]


def test_inline_script_is_found() -> None:
    assert INLINE.search('<p class="a"\n style="color: red">')
    assert INLINE.search('<a onclick="go()">')
    assert INLINE.search("<script>go()</script>")
    assert not INLINE.search('<script src="go.js" defer></script><p data-style="a" class="on">one = two</p>')


# -- reading the source ------------------------------------------------------------------------------------------------


def pure_sources() -> list[Path]:
    return [path for path in sources() if any(is_within(module_of(path), name) for name in PURE)]


def is_large(node: ast.ClassDef) -> bool:
    return (node.end_lineno or 0) - node.lineno >= MOST_LINES_OF_A_CLASS or len(attributes(node)) > MOST_ATTRIBUTES


def layer(module: str) -> int | None:
    """The line of LAYERS that the module stands on; a package that is empty belongs to all."""
    if module in EMPTY_PACKAGES:
        return 0
    return next((n for n, names in enumerate(LAYERS) if any(is_within(module, name) for name in names)), None)


def may_import(own: str, other: str) -> bool:
    mine, its = layer(own), layer(other)
    same_part = any(is_within(own, name) and is_within(other, name) for names in LAYERS for name in names)
    return same_part or (mine is not None and its is not None and its < mine)


def writes(path: Path) -> Iterator[int]:
    """The lines that write a table of the log: by the model, by a relation or a row named after it, or by SQL."""
    aliases = {
        alias.asname or alias.name
        for node in statements(tree(path))
        if isinstance(node, ast.ImportFrom) and is_within(node.module or "", "arena.models")
        for alias in node.names
        if alias.name in LOGGED
    }
    words = aliases | {name.lower() for name in LOGGED} | {f"{name.lower()}s" for name in LOGGED} | {"matches"}
    for node in nodes(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and WRITES.fullmatch(node.func.attr):
            if words & set(names_along(node.func.value)):
                yield node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL_WRITE.search(node.value):
            yield node.lineno


def needs_a_test(path: Path) -> bool:
    if "migrations" in path.parts or place(path) in UNTESTED:
        return False
    does_something = any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in statements(tree(path)))
    return path.name != "__init__.py" or does_something


def its_test(path: Path) -> Path:
    inside = path.relative_to(ROOT)
    folder = inside.parent.relative_to("arena") if inside.parts[0] == "arena" else inside.parent
    if folder == Path("management/commands"):  # Django wants the inner folder, the tests need it not
        folder = folder.parent
    return ROOT / "tests" / folder / f"test_{path.stem.strip('_')}.py"
