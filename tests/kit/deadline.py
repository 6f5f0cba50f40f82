"""How long a test waits for what must come: so long that only what hangs is late, on a machine with other work too.

A test that waits longer as a whole is ended by pytest-timeout, which says where it stands.
"""

from __future__ import annotations

DEADLINE_S = 300.0
