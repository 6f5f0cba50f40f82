"""The kernel: the module is what its sources gave, and it finds what the reference finds."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.analysis import kernel
from arena.analysis.kernel import NoKernel, SevenBySix
from games.players.connect_four_exact import HIGHEST, LOWEST, Reference
from tests.kit.exact import differences, scored, words


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_module_carries_the_sums_of_its_sources_and_its_compiler() -> None:
    facts = kernel.facts()
    assert facts["sources"] == {path.name: sha256(path) for path in kernel.FOLDER.glob("*.c")}, "run `make kernel`"
    assert facts["module"] == sha256(kernel.MODULE)
    assert facts["compiler"] == (kernel.FOLDER / "compiler.txt").read_text(encoding="utf-8").split()[0]


def test_it_visits_what_the_reference_visits_and_finds_what_it_finds() -> None:
    assert differences(SevenBySix(), Reference(), count=300, seed=13, nodes=400) == []


def test_its_scores_are_those_of_another_solver() -> None:
    solver, rows = SevenBySix(), scored(least_plies=14)
    wrong = [row.moves for row in rows if solver.narrow(*words(row.moves), LOWEST, HIGHEST, 10**8) != (row.score,) * 2]
    assert len(rows) > 100 and wrong == []


def test_what_was_forgotten_is_searched_again() -> None:
    solver, position = SevenBySix(), words(scored(least_plies=16)[0].moves)
    first = solver.narrow(*position, LOWEST, HIGHEST, 10**8), solver.visited
    solver.forget()
    assert (solver.narrow(*position, LOWEST, HIGHEST, 10**8), solver.visited) == first


def test_other_bytes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "kernel.wasm"
    shutil.copy(kernel.MODULE, changed)
    changed.write_bytes(changed.read_bytes() + b"\0")
    monkeypatch.setattr(kernel, "MODULE", changed)
    with pytest.raises(NoKernel, match=r"kernel.wasm has the SHA-256 .*, expected .*: put back"):
        SevenBySix()


def test_a_missing_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MODULE", tmp_path / "kernel.wasm")
    with pytest.raises(NoKernel, match=r"cannot be read .*kernel\.wasm"):
        SevenBySix()


def test_a_missing_wasmtime_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wasmtime", None)  # what Python itself keeps of a module that cannot be imported
    with pytest.raises(NoKernel, match="wasmtime cannot be imported"):
        SevenBySix()


def test_a_player_does_without_it_where_no_address_space_is_left() -> None:
    code = """
import random, resource
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
import games
from arena.analysis.proofs import kernel_version
from arena.analysis.provers import Provers, troubles
from games import players
told, position = iter([False] * 9), games.variant("connect-four-8x8").start()
assert players.choose(position, "best", random.Random(1), lambda: next(told, True), Provers()) in position.legal_moves()
print(kernel_version(), *troubles(), sep="\\n")
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    version, trouble = ended.stdout.splitlines()
    assert version == "reference" and "Cannot allocate memory" in trouble and "ulimit -v" in trouble


def test_a_process_that_still_holds_a_kernel_ends_in_silence() -> None:
    """Also where something keeps the modules until the very end, when Python empties them one after another."""
    code = """
import functools, sys
from arena.analysis.kernel import Deepening, SevenBySix
kept = functools.cache(lambda: (Deepening("santorini"), SevenBySix()))
kept()
sys.kept = dict(sys.modules)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout + ended.stderr == ""
