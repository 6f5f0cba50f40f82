"""`make fuzz`, or `python -m tools.fuzz [PROTOCOL ...] [--inputs 200000] [--seed 1]`: bots that send anything.

For each adapter this many inputs: no exception, no hang, no growth. The same seed repeats a failure.
"""

from __future__ import annotations

import argparse
import resource
import signal
import sys
import time
import traceback
from types import FrameType

from arena.protocols import protocols
from tools.fuzz.talk import Talk

INPUTS = 200_000
BATCH = 1_000
HANGS_S = 60
MOST_GROWTH_KIB = 20 * 1024
SHOWN = 3


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("protocols", nargs="*", default=[], help=f"of {', '.join(protocols())} (all)")
    parser.add_argument("--inputs", type=int, default=INPUTS)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args(words)
    unknown = set(options.protocols) - set(protocols())
    if unknown:
        parser.error(f"no protocol {sorted(unknown)[0]!r}; there are {', '.join(protocols())}")
    stood = [fuzz(slug, options.inputs, options.seed) for slug in options.protocols or protocols()]
    return 0 if all(stood) else 1


def fuzz(slug: str, inputs: int, seed: int) -> bool:
    """Whether this adapter stood it. Prints what came of it."""
    talk, recent, began, before = Talk(slug, seed), list[bytes](), time.monotonic(), 0
    signal.signal(signal.SIGALRM, _hangs)
    try:
        for number in range(inputs):
            if number % BATCH == 0:
                signal.alarm(HANGS_S)
                before = before or (_size() if number >= inputs // 10 else 0)
            recent = [*recent[1 - SHOWN :], talk.next_input()]
            talk.hear(recent[-1])
        grown = _size() - before
        assert grown <= MOST_GROWTH_KIB, f"{grown} KiB more memory than after a tenth of it"
    except Exception:
        traceback.print_exc()
        print(f"{slug}: failed with --seed {seed} at input {number}; the last were {recent}", flush=True)
        return False
    finally:
        signal.alarm(0)
    took = time.monotonic() - began
    counts = f"{talk.connections:,} connections, {talk.moves:,} moves, {talk.faults:,} faults"
    print(f"{slug:15} {inputs:,} inputs: {counts}; {took:.1f} s, {grown} KiB, seed {seed}", flush=True)
    return True


def _size() -> int:
    """The largest that this process was, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _hangs(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"{BATCH} inputs took more than {HANGS_S} s")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
