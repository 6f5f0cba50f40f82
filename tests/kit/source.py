"""The source as the laws of test_layers.py read it: files, modules, imports, literals."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Import(NamedTuple):
    module: str
    line: int
    for_types: bool


@cache
def sources() -> tuple[Path, ...]:
    """All modules; the sample bots in the folders of protocols are served, never imported."""
    found = sorted(path for house in ("games", "arena") for path in (ROOT / house).rglob("*.py"))
    return tuple(path for path in found if path.name != "bot.py" or path.parents[1].name != "protocols")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All of its tree, walked once for all laws."""
    return tuple(ast.walk(tree(path)))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Those within, at any depth: where definitions and imports are, without the expressions that most of a tree is."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        inside = getattr(node, field, None)
        for each in inside if isinstance(inside, list) else ():
            yield each
            yield from statements(each)


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    folder = module if (ROOT / module.replace(".", "/")).is_dir() else module.rpartition(".")[0]
    return module if folder == "arena" else folder


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def is_ours(module: str) -> bool:
    return is_within(module, "games") or is_within(module, "arena")


@cache
def imports(path: Path) -> tuple[Import, ...]:
    """Every import of a file, those inside functions too."""
    return tuple(_imports(tree(path)))


def _imports(module: ast.Module) -> Iterator[Import]:
    for_types = {
        id(inner)
        for node in statements(module)
        if isinstance(node, ast.If)
        and "TYPE_CHECKING" in (getattr(node.test, "id", ""), getattr(node.test, "attr", ""))
        for inner in statements(node)
    }
    for node in statements(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, id(node) in for_types)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield Import(_imported(node.module or "", alias.name), node.lineno, id(node) in for_types)


def circles(arrows: dict[str, set[str]]) -> list[str]:
    """What is left when everything has gone that imports nothing that is left, or that nothing left imports."""
    left = {own: {each for each in others if each in arrows} for own, others in arrows.items()}
    while loose := {own for own in left if not left[own]} | (left.keys() - set().union(*left.values())):
        left = {own: others - loose for own, others in left.items() if own not in loose}
    return sorted(left)


def loaded(*roots: str) -> dict[str, str]:
    """What is loaded with these modules, each with a module that loads it; of what is not ours only what we name."""
    found: dict[str, str] = {}
    todo = [(root, "") for root in roots]
    while todo:
        module, by = todo.pop()
        if module in found:
            continue
        found[module] = by
        path = ROOT.joinpath(*module.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if is_ours(module) and path.is_file():
            at_once = {node.lineno for node in tree(path).body if isinstance(node, ast.Import | ast.ImportFrom)}
            todo += [(each.module, module) for each in imports(path) if each.line in at_once]
            todo += [(module.rpartition(".")[0], module)] if "." in module else []
    return found


def slow_for_a_runner() -> dict[str, str]:
    """What a runner of two programs starts with and should not, since it takes longer than playing, and who loads it
    (docs/decisions.md: name types under `if TYPE_CHECKING`, import in the function that needs it).
    """
    slow = {"typing", "re", "enum", "dataclasses", "contextlib", "signal", "inspect", "json", "importlib", "logging"}
    starts = ("play.runner", "play.driver", "play.printing", "protocols.fiar.adapter", "protocols.gamestate.adapter")
    found = loaded(*[f"arena.{module}" for module in starts], "games.connect_four")
    return {name: by for name, by in found.items() if name in slow}


def _imported(module: str, name: str) -> str:
    """`from arena.rooms import room` imports `arena.rooms.room`, as `from arena.rooms.room import LiveRoom` does."""
    inner = ROOT.joinpath(*module.split("."), name)
    return f"{module}.{name}" if inner.is_dir() or inner.with_suffix(".py").is_file() else module


def slugs_named(path: Path, folders: set[str]) -> Iterator[tuple[str, int]]:
    """The protocols that a file knows by name, as a literal or by an import from their folders, and where."""
    found = {}
    for each in imports(path):
        inside = each.module.removeprefix("arena.protocols.").partition(".")[0]
        if inside != each.module and inside in folders:
            found[each.line] = inside
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.replace("-", "_") in folders:
            found[node.lineno] = node.value
    for line, slug in sorted(found.items()):
        yield slug, line


def strings(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def attributes(node: ast.ClassDef) -> set[str]:
    """What each of its instances holds: the fields that are declared, and what any method gives `self`."""
    held = {
        each.target.id
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and "ClassVar" not in ast.dump(each)
    }
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) and isinstance(each.value, ast.Name):
            held |= {each.attr} if each.value.id == "self" else set()
    return held


def names_along(node: ast.AST) -> Iterator[str]:
    """The names along `a.b(…).c`."""
    while isinstance(node, ast.Attribute | ast.Call):
        if isinstance(node, ast.Attribute):
            yield node.attr
        node = node.value if isinstance(node, ast.Attribute) else node.func
    if isinstance(node, ast.Name):
        yield node.id
