"""The kernel: searches in C, compiled to WebAssembly, run by wasmtime.

`games/players/kernel/` holds the sources, the module and `kernel.json` with the SHA-256 of each and the compiler.
`make kernel` builds it. The module imports nothing, so it can touch nothing but its own memory.
"""

from __future__ import annotations

import atexit
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import games.players
from games.players.search import OutOfTime

if TYPE_CHECKING:
    from collections.abc import Callable

    from wasmtime import Store

FOLDER = Path(games.players.__file__).parent / "kernel"
MODULE = FOLDER / "kernel.wasm"
FACTS = FOLDER / "kernel.json"

_POSITIONS_A_LOOK = 1 << 14
_ZERO = 64  # the score 0 in a result of the kernel

# What wasmtime has opened for us and is still in use.
_stores: WeakSet[Store] = WeakSet()


class NoKernel(RuntimeError):
    """The kernel cannot be run here. The message says why and what to do."""


def facts() -> dict[str, Any]:
    """What `kernel.json` says: `compiler`, `flags`, `module` and `sources`, the last two as SHA-256."""
    said: dict[str, Any] = json.loads(FACTS.read_text(encoding="utf-8"))
    return said


def load() -> tuple[Store, Any]:
    """A store, and what the module in it exports. Raises NoKernel if wasmtime is missing, the module is not the built
    one, or the system refuses the 4 GiB of address space that wasmtime reserves.
    """
    try:
        import wasmtime
    except (ImportError, OSError) as why:
        raise NoKernel(f"wasmtime cannot be imported ({why}): run `make run` again, or install wasmtime") from None
    try:
        module, expected = MODULE.read_bytes(), facts()["module"]
    except (OSError, ValueError, KeyError) as why:
        raise NoKernel(f"the kernel cannot be read ({why}): put back {FOLDER}") from None
    found = hashlib.sha256(module).hexdigest()
    if found != expected:
        raise NoKernel(f"{MODULE.name} has the SHA-256 {found[:12]}…, expected {expected[:12]}…: put back {FOLDER}")
    try:
        store = wasmtime.Store()
        _stores.add(store)
        return store, wasmtime.Instance(store, wasmtime.Module(store.engine, module), []).exports(store)
    except wasmtime.WasmtimeError as why:
        said = " ".join(str(why).split())
        todo = "lift the limit of the address space (ulimit -v), or install wasmtime again"
        raise NoKernel(f"wasmtime cannot run the kernel ({said}): {todo}") from None


@atexit.register
def _close() -> None:
    """Close what a player still holds when the process ends. When Python clears its modules a little later, wasmtime
    cannot close anything any more, and complains about each store.
    """
    for store in tuple(_stores):
        store.close()
        store.engine.close()


class SevenBySix:
    """The `connect_four_exact.Solver` in the kernel. About 10 million positions a second."""

    def __init__(self) -> None:
        """Raises NoKernel."""
        self._store, exports = load()
        self._narrow: Callable[..., int] = _function(exports, "connect_four_7x6_narrow")
        self._visited: Callable[..., int] = _function(exports, "connect_four_7x6_visited")
        self._forget: Callable[..., None] = _function(exports, "connect_four_7x6_forget")

    @property
    def visited(self) -> int:
        """The number of positions that the last call visited."""
        return self._visited(self._store)

    def narrow(self, mover: int, mask: int, low: int, high: int, nodes: int) -> tuple[int, int]:
        both = self._narrow(self._store, mover, mask, low, high, nodes)
        return (both & 255) - _ZERO, (both >> 8) - _ZERO

    def forget(self) -> None:
        self._forget(self._store)


class Deepening:
    """A search of the kernel to a given depth, with estimates at its end: `connect_four_8x8` or `santorini`."""

    def __init__(self, name: str) -> None:
        """Raises NoKernel."""
        self._store, exports = load()
        self._value: Callable[..., int] = _function(exports, f"{name}_value")
        self._visited: Callable[..., int] = _function(exports, f"{name}_visited")
        self._forget: Callable[..., None] = _function(exports, f"{name}_forget")

    @property
    def visited(self) -> int:
        """The number of positions that the last call visited."""
        return self._visited(self._store)

    def value(
        self, position: tuple[int, ...], depth: int, alpha: int, beta: int, nodes: int
    ) -> tuple[int, bool] | None:
        """The value of a position without a win in one, and whether an estimate went into it. `position` are the first
        arguments of the C function. None if `nodes` were not enough: the same call continues with what was found.
        """
        found = self._value(self._store, *position, depth, alpha, beta, nodes)
        return None if found & 1 else (found >> 2, bool(found & 2))

    def forget(self) -> None:
        """Discard all results: the next call visits what it would visit in a new instance."""
        self._forget(self._store)


class Meter:
    """Calls `out_of_time` first and then every 16 384 positions, so a limit on calls limits the work equally on every
    machine; `over` is its last answer.
    """

    def __init__(self, out_of_time: OutOfTime) -> None:
        self.over = out_of_time()
        self._out_of_time = out_of_time
        self._visited = 0

    def count(self, visited: int) -> None:
        """Count this many more visited positions."""
        self._visited += visited
        while self._visited >= _POSITIONS_A_LOOK and not self.over:
            self._visited -= _POSITIONS_A_LOOK
            self.over = self._out_of_time()


def more(nodes: int) -> int:
    """The limit of positions for the next call after one that was not enough: half as many again, so at most a third is
    wasted.
    """
    return nodes + (nodes >> 1)


def _function(exports: Any, name: str) -> Any:
    try:
        return exports[name]
    except KeyError:
        raise NoKernel(f"the kernel has no {name}: put back {FOLDER}") from None
