"""How long a test waits for what must come: long enough that only what hangs is late, even on a busy machine.

A test that takes longer in all is ended by pytest-timeout, which says where it is.
"""

from __future__ import annotations

DEADLINE_S = 300.0
