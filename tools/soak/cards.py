"""Programs from other machines and other times in every protocol: each is told the true cause of its failure.

`make soak ARGS='cards [PROTOCOL ...]'`. Prints a row for each protocol and every deviation; fails if a card names a
cause other than tests/bots/faulty/test_odd_bots.py says.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from arena.protocols import protocols
from tests.bots.faulty.test_odd_bots import CARDS, expected

# Most of them wait until somebody runs out of time.
AT_ONCE = 8


def main(arguments: list[str]) -> int:
    cells = [(slug, oddity) for slug in arguments or protocols() for oddity in CARDS]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        found = dict(zip(cells, threads.map(_found, cells), strict=True))
    wrong = [cell for cell in cells if found[cell] != expected(*cell)]
    for slug, oddity in cells:
        note = "" if (slug, oddity) not in wrong else f"   WRONG, expected {expected(slug, oddity) or 'none'}"
        print(f"{slug:18}{oddity:26}{found[slug, oddity] or '-'}{note}", flush=True)
    print(f"{len(cells)} programs, {len(wrong)} told something else")
    return min(len(wrong), 1)


def _found(cell: tuple[str, str]) -> str:
    """Runs in a separate process, because a process that starts bots must have no threads."""
    code = "import sys; from tests.bots.faulty.test_odd_bots import played; print(played(*sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, *cell], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else done.stderr.strip().splitlines()[-1]
