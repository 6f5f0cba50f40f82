"""`make soak`, or `python -m tools.soak [NAME [ARGUMENT ...]]`: every long program, or one with its arguments.

Exit 0: nothing went wrong; 1: something did; 2: there is no such program.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import time

from tools import soak

STORES = ("DATABASE_URL", "REDIS_URL")


def names() -> list[str]:
    """The names of the programs: the modules of this package that do not begin with an underscore."""
    return sorted(module.name for module in pkgutil.iter_modules(soak.__path__) if not module.name.startswith("_"))


def main(words: list[str]) -> int:
    if words and words[0] not in names():
        print(f"There is no soak program {words[0]!r}; there are: {', '.join(names()) or 'none'}.", file=sys.stderr)
        return 2
    for name in STORES:  # what the environment of the caller names is no place for attacks
        os.environ.pop(name, None)
    chosen, arguments = (words[:1], words[1:]) if words else (names(), [])
    return max((run(name, arguments) for name in chosen), default=0)


def run(name: str, arguments: list[str]) -> int:
    """Run one program. Prints its title and how long it took; returns 0 or 1."""
    program = importlib.import_module(f"tools.soak.{name}")
    print(f"-- {name}: {(program.__doc__ or '').partition(chr(10))[0]}", flush=True)
    began = time.monotonic()
    failed = int(program.main(arguments) != 0)
    print(f"-- {name}: {'FAILED' if failed else 'nothing went wrong'}, {time.monotonic() - began:.0f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
