"""`make kernel`: compile the kernel's C sources to WebAssembly.

Usage: python tools/kernel.py COMPILER_PYTHON [--check]
COMPILER_PYTHON is the Python of an environment that has the compiler (games/players/kernel/compiler.txt). With --check
nothing is written: exit 1 if the module in the repository is not, byte for byte, what its sources compile to.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "games" / "players" / "kernel"
FLAGS = ("-target", "wasm32-freestanding", "-mcpu=mvp+sign_ext", "-O3", "-nostdlib", "-Wall", "-Werror")
# A megabyte of stack: a search to the end of Santorini is 144 calls deep.
LINKED = ("-Wl,--no-entry", "-Wl,--strip-all", "-Wl,-z,stack-size=1048576")


def build(compiler: str) -> bytes:
    """The module that the sources give. Raises CalledProcessError where they do not compile."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "kernel.wasm"
        names = [source.name for source in sources()]
        command = [compiler, "-m", "ziglang", "cc", *FLAGS, *LINKED, "-o", str(target), *names]
        subprocess.run(command, cwd=FOLDER, check=True)
        return target.read_bytes()


def sources() -> list[Path]:
    """The C files, in the order in which they are compiled."""
    return sorted(FOLDER.glob("*.c"))


def facts(module: bytes) -> str:
    """The text of kernel.json for this module."""
    compiler = (FOLDER / "compiler.txt").read_text(encoding="utf-8").split()[0]
    sums = {source.name: hashlib.sha256(source.read_bytes()).hexdigest() for source in sources()}
    said = {
        "compiler": compiler,
        "flags": [*FLAGS, *LINKED],
        "module": hashlib.sha256(module).hexdigest(),
        "sources": sums,
    }
    return json.dumps(said, indent=2) + "\n"


def main(arguments: list[str]) -> int:
    """Build, then write or compare. The exit status."""
    only_check = "--check" in arguments
    compilers = [argument for argument in arguments if argument != "--check"]
    if len(compilers) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    module = build(compilers[0])
    target = FOLDER / "kernel.wasm"
    if only_check:
        same = target.exists() and target.read_bytes() == module
        print(f"{target.name}: {'the same bytes' if same else 'other bytes than its sources give: run `make kernel`'}")
        return 0 if same else 1
    target.write_bytes(module)
    (FOLDER / "kernel.json").write_text(facts(module), encoding="utf-8")
    print(f"{target.name}: {len(module)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
