from __future__ import annotations

import os
import subprocess
import sys

from tools.bench.load import _own_ticks


def test_what_a_child_computed_is_ours_after_its_end_as_well() -> None:
    before, spent_s = _own_ticks(), 0.3
    subprocess.run([sys.executable, "-c", f"import time\nwhile time.process_time() < {spent_s}: pass"], check=True)
    ticks = spent_s * os.sysconf("SC_CLK_TCK")
    assert _own_ticks() - before >= ticks * 0.8  # each process rounds its ticks down
